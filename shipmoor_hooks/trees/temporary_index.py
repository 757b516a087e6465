"""git with an index and an object store of its own: what it writes lies in a throw-away folder.

The copied index keeps its time, without which git's check for edits made in the same second is off (design, section 6).
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.git import Git, alternates
from shipmoor_hooks.trees.held_folder import held_folder, throwaway_root

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class TemporaryIndex:
    """A bound `Git` whose index and new objects are thrown away; `folder` takes further files."""

    git: Git
    folder: str

    @property
    def file(self) -> str:
        return os.path.join(self.folder, "index")

    def copy(self, index: str) -> None:
        """Start from the user's index; a missing one is an empty one. Raises EnvironmentFault."""
        try:
            source = os.open(index, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        except OSError as refused:
            raise EnvironmentFault(f"{index} cannot be read: {refused.strerror}") from refused
        with open(source, "rb") as reading, open(self.file, "wb") as writing:
            # The time comes from the open file: git may replace its index between a copy by name and its time.
            stated = os.fstat(source)
            writing.write(reading.read())
            writing.flush()
            os.utime(writing.fileno(), ns=(stated.st_atime_ns, stated.st_mtime_ns))


@contextmanager
def temporary_index(git: Git, top: str, git_dir: str, objects: str) -> Iterator[TemporaryIndex]:
    """An empty index and object store for `git`, on top of the store `objects`. Raises EnvironmentFault."""
    with held_folder(throwaway_root(git.environ, top, git_dir), "index-") as folder:
        bound = Git(git.directory, git.environ)
        bound.environ = git.environ | {
            "GIT_INDEX_FILE": os.path.join(folder, "index"),
            "GIT_OBJECT_DIRECTORY": os.path.join(folder, "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": alternates(git.environ, objects),
            "GIT_LITERAL_PATHSPECS": "0",
            "GIT_GLOB_PATHSPECS": "0",
            "GIT_NOGLOB_PATHSPECS": "0",
            "GIT_ICASE_PATHSPECS": "0",
        }
        os.mkdir(os.path.join(folder, "objects"), 0o700)
        yield TemporaryIndex(bound, folder)
