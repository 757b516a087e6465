"""What git says has changed in a worktree, and the bits in its index that hide edits from it.

Every question is asked with the checks that a configuration can weaken at full strength (design, section 6).
"""

from __future__ import annotations

import os

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.git import Git
from shipmoor_hooks.trees.questions import STATUS
from shipmoor_hooks.trees.questions import STRICT as STRICT

GITLINK = "160000"
ABSENT = "000000"
# gitformat-index(5): the mode of a submodule, and where the entries of a split index are.
_GITLINK_MODE, _SPLIT = b"\0\0\xe0\0", "sharedindex."
_PIECE = 1 << 16  # bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """One changed path: `staged` and `edited` are git's letters (`.` for none), modes are octal ("000000": not there).

    `submodule` is git's field (`N...`, `SCMU` with dots); `head_oid` and `index_oid` are object names.
    """

    path: str
    staged: str
    edited: str
    submodule: str
    head_mode: str
    index_mode: str
    worktree_mode: str
    head_oid: str
    index_oid: str

    @property
    def concerns_submodule(self) -> bool:
        return GITLINK in (self.head_mode, self.index_mode, self.worktree_mode) or self.submodule != "N..."

    @property
    def submodule_is_dirty(self) -> bool:
        """Edited or untracked files inside the submodule: no tree of ours holds them."""
        return self.submodule.startswith("S") and self.submodule[2:] != ".."


@dataclass(frozen=True, slots=True)
class Status:
    """HEAD's commit (None: unborn) and what differs from it; nested repositories carry no slash at the end."""

    head: str | None
    entries: tuple[Entry, ...]
    unmerged: tuple[str, ...]
    untracked: tuple[str, ...]
    nested: tuple[str, ...]


def read_status(git: Git, *paths: str) -> Status:
    """Ask git about the whole worktree or, with `paths`, about these alone. Raises GitFault."""
    only = ["--", *(f":(top,literal){path}" for path in paths)] if paths else []
    return parsed_status(git.output(*STATUS, *only))


def parsed_status(output: bytes) -> Status:
    """What git said; ignored files, where they were asked for, are left out."""
    head: str | None = None
    entries: list[Entry] = []
    unmerged: list[str] = []
    untracked: list[str] = []
    nested: list[str] = []
    for line in output.decode("utf-8", "surrogateescape").split("\0"):
        kind = line[:2]
        if kind == "1 ":
            _, xy, sub, mode_head, mode_index, mode_tree, oid_head, oid_index, path = line.split(" ", 8)
            entries.append(Entry(path, xy[0], xy[1], sub, mode_head, mode_index, mode_tree, oid_head, oid_index))
        elif kind == "? ":
            # git lists files one by one; a folder stands in this list only where another repository begins.
            (nested if line.endswith("/") else untracked).append(line[2:].rstrip("/"))
        elif kind == "u ":
            unmerged.append(line.split(" ", 10)[10])
        elif line.startswith("# branch.oid "):
            head = line.removeprefix("# branch.oid ")
    return Status(
        None if head == "(initial)" else head, tuple(entries), tuple(unmerged), tuple(untracked), tuple(nested)
    )


@dataclass(frozen=True, slots=True)
class HiddenEntries:
    """Paths whose index entry carries a bit that keeps git from looking at the file."""

    assume_unchanged: tuple[str, ...] = ()
    skip_worktree: tuple[str, ...] = ()

    def present(self, top: str) -> HiddenEntries:
        """Those whose file is there, so that an edit of it would be hidden."""
        missing: set[str] = set()

        def is_there(path: str) -> bool:
            folder = os.path.dirname(path)
            # A sparse checkout leaves out whole folders: one look at each is enough.
            if folder and (folder in missing or not os.path.isdir(os.path.join(top, folder))):
                missing.add(folder)
                return False
            return os.path.lexists(os.path.join(top, path))

        return HiddenEntries(
            tuple(filter(is_there, self.assume_unchanged)), tuple(filter(is_there, self.skip_worktree))
        )

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.assume_unchanged, *self.skip_worktree)


@dataclass(frozen=True, slots=True)
class IndexEntries:
    """What the index alone tells: the entries that hide edits, and the submodules."""

    hidden: HiddenEntries
    submodules: tuple[str, ...]


def read_index(git: Git, git_dir: str) -> IndexEntries:
    """What the index of the worktree with this git directory tells. Raises GitFault."""
    # `ls-files -v`: S is skip-worktree, lower case is assume-unchanged, and nearly always every line begins with H.
    output = git.output(*STRICT, "ls-files", "-v", "-z")
    hidden = HiddenEntries()
    if output.count(b"\0H ") + output.startswith(b"H ") != output.count(b"\0"):
        lines = output.decode("utf-8", "surrogateescape").split("\0")[:-1]
        assumed = tuple(line[2:] for line in lines if line[0].islower())
        hidden = HiddenEntries(assumed, tuple(line[2:] for line in lines if line[0] in "Ss"))
    return IndexEntries(hidden, _submodules(git) if may_hold_submodules(git_dir) else ())


def _submodules(git: Git) -> tuple[str, ...]:
    lines = git.output(*STRICT, "ls-files", "-s", "-z").decode("utf-8", "surrogateescape").split("\0")
    return tuple(line.partition("\t")[2] for line in lines if line.startswith(GITLINK))


def may_hold_submodules(git_dir: str) -> bool:
    """Whether the mode of one stands in the index, whose every format holds it so; asking git costs seven times as much.

    These bytes may stand there by chance, and the entries of a split index stand in another file: then git has to tell.
    """
    try:
        with open(os.path.join(git_dir, "index"), "rb", buffering=0) as stream:
            while piece := stream.read(_PIECE):
                if _GITLINK_MODE in piece:
                    return True
                if len(piece) == _PIECE:
                    stream.seek(1 - len(_GITLINK_MODE), os.SEEK_CUR)
        return any(name.startswith(_SPLIT) for name in os.listdir(git_dir))
    except OSError:
        return True
