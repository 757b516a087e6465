"""What git says has changed in a worktree, and the bits in its index that hide edits from it.

Every question is asked with the checks that a configuration can weaken at full strength (design, section 6).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from shipmoor_hooks.place import Place

# fsmonitor and the untracked cache are trusted by git, not checked; safecrlf turns an answer into a refusal.
STRICT = (
    "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.trustctime=true",
    "-c", "core.checkStat=default", "-c", "core.safecrlf=false",
)  # fmt: skip
GITLINK = "160000"
ABSENT = "000000"


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


def read_status(place: Place) -> Status:
    """Ask git. Raises GitFault."""
    output = place.git.output(
        *STRICT,
        "status",
        "--porcelain=v2",
        "-z",
        "-uall",
        "--no-renames",
        "--ignore-submodules=none",
        "--branch",
        "--no-ahead-behind",
    )
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

    assume_unchanged: tuple[str, ...]
    skip_worktree: tuple[str, ...]

    def present(self, top: str) -> HiddenEntries:
        """Those whose file is there, so that an edit of it would be hidden."""
        missing: set[str] = set()

        def is_there(path: str) -> bool:
            folder = os.path.dirname(path)
            if folder and not folder_is_there(folder):
                return False
            return os.path.lexists(os.path.join(top, path))

        def folder_is_there(folder: str) -> bool:
            if folder in missing:
                return False
            if not os.path.isdir(os.path.join(top, folder)):
                missing.add(folder)
                return False
            return True

        return HiddenEntries(
            tuple(filter(is_there, self.assume_unchanged)), tuple(filter(is_there, self.skip_worktree))
        )

    def __bool__(self) -> bool:
        return bool(self.assume_unchanged or self.skip_worktree)


def read_hidden(place: Place) -> HiddenEntries:
    """Ask git for the bits (`ls-files -v`: S is skip-worktree, lower case is assume-unchanged). Raises GitFault."""
    output = place.git.output(*STRICT, "ls-files", "-v", "-z")
    if output.count(b"\0H ") + output.startswith(b"H ") == output.count(b"\0"):
        return HiddenEntries((), ())
    assumed: list[str] = []
    skipped: list[str] = []
    for line in output.decode("utf-8", "surrogateescape").split("\0"):
        tag, path = line[:1], line[2:]
        if tag.islower():
            assumed.append(path)
        if tag in ("S", "s"):
            skipped.append(path)
    return HiddenEntries(tuple(assumed), tuple(skipped))
