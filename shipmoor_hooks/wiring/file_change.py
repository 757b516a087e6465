"""A change of one file that is shown before it is made, and made only if the file is still as it was shown."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from collections.abc import Iterable

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault, UsageFault


@dataclass(frozen=True, slots=True)
class FileChange:
    """`old` is the text that stands at `path` now (None: no file), `new` the text that is to stand there (None: none).

    Text is UTF-8, other bytes surrogate-escaped, line ends as they are. `mode` are the permission bits of a new file;
    an old one gets them added. `moved_to`: what stands at `path` is first renamed to it, untouched. `moved_from`: what
    is kept there is renamed to `path`, untouched, and `new` is None. `within`: folders that a deletion leaves empty go
    too, as far as they lie in this one.
    """

    path: str
    old: str | None
    new: str | None
    mode: int = 0o644
    moved_to: str = ""
    moved_from: str = ""
    within: str = ""

    @property
    def is_done(self) -> bool:
        """The file is already as wanted."""
        if self.moved_to or self.moved_from or self.old != self.new:
            return False
        return self.new is None or os.stat(self.path).st_mode & self.mode == self.mode


def read_text(path: str) -> str | None:
    """The text of a file, None when there is none. Raises EnvironmentFault when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as failed:
        raise EnvironmentFault(f"{path} cannot be read: {failed.strerror}") from failed


def diff(changes: Iterable[FileChange]) -> str:
    """The unified diff of all changes, "" for none; a move stands in a line of its own."""
    parts: list[str] = []
    for change in changes:
        if change.moved_to:
            parts.append(f"rename {change.path} => {change.moved_to}\n")
        old, new = ((text or "").splitlines(keepends=True) for text in (change.old, change.new))
        before, behind = ("/dev/null" if text is None else change.path for text in (change.old, change.new))
        rows = difflib.unified_diff(old, new, before, behind)
        parts.extend(row if row.endswith("\n") else row + "\n\\ No newline at end of file\n" for row in rows)
        if change.moved_from:
            parts.append(f"rename {change.moved_from} => {change.path}\n")
    return "".join(parts)


def apply(changes: Iterable[FileChange]) -> None:
    """Make the changes in order, each by a rename, so that no half-written hook ever runs.

    Raises UsageFault when a file is no longer as it was shown, EnvironmentFault when one cannot be written.
    """
    for change in changes:
        if change.moved_to:
            move_aside(change)
        elif read_text(change.path) != change.old:
            raise UsageFault(f"{change.path} was changed in the meantime", "look at it and run: shipmoor-hooks init")
        try:
            if change.moved_from:
                os.rename(change.moved_from, change.path)
            elif change.new is None:
                take_away(change)
            else:
                replace(os.path.realpath(change.path), change.new, change.mode)
        except OSError as failed:
            raise EnvironmentFault(f"{change.path} cannot be written: {failed.strerror}") from failed


def take_away(change: FileChange) -> None:
    """Remove the file, and the folders below `within` that it leaves empty. Raises OSError."""
    if change.old is not None:
        os.unlink(change.path)
    folder = os.path.dirname(change.path)
    while change.within and folder.startswith(change.within.rstrip(os.sep) + os.sep):
        try:
            os.rmdir(folder)
        except OSError:  # not empty, or gone already
            return
        folder = os.path.dirname(folder)


def move_aside(change: FileChange) -> None:
    if os.path.lexists(change.moved_to):
        raise UsageFault(f"{change.moved_to} was put there in the meantime", "run again: shipmoor-hooks init")
    try:
        os.rename(change.path, change.moved_to)
    except OSError as failed:
        raise EnvironmentFault(f"{change.path} cannot be moved aside: {failed.strerror}") from failed


def replace(path: str, text: str, mode: int) -> None:
    """Write beside `path`, then rename over it; permission bits that the file had are kept. Raises OSError."""
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    had = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0
    handle, temporary = tempfile.mkstemp(prefix=".shipmoor-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, had | mode)
        os.rename(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
