"""The tree of a worktree for the pytest plugin's short way: that of its last commit, or with plain changes put over it.

As `trees.tree.capture` finds it and `ignored_surface.ignored` beside it, by two git processes that run at once; after the
session one is left. Whatever is not the plain case gives None, and those say what it is.
"""

from __future__ import annotations

import hashlib
import os
import time
import zlib

from shipmoor_hooks import git_process
from shipmoor_hooks.trees.questions import STATUS, STRICT

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable

    from shipmoor_hooks.git_values import Change
    from shipmoor_hooks.quick.lean_git import Here

    Stamp = tuple[int, int, int, int] | None

_MOST = 1 << 20  # bytes of a commit that is read
_HEX = frozenset("0123456789abcdef")
_HEAD = "# branch.oid "
# Beside the status in one walk: a folder that is ignored as a whole is named and not gone into.
_IGNORED = "--ignored=matching"
_INDEX = (*STRICT, "ls-files", "-v", "-s", "-z")
# Nanoseconds: a file that changed so shortly before we looked may change again under the same times (two seconds on FAT).
_TICK = 2_500_000_000


class Noted:
    """What a worktree was before a session: HEAD's commit, its own tree, its files with git's names of what they hold.

    `changes` against HEAD, those of their paths that HEAD does not have, and the untracked ones; `ignored` files; what git
    said of changes, and what would show that something moved: the times of the index and of every file that changed.
    """

    __slots__ = (
        "added",
        "changes",
        "commit",
        "files",
        "head_tree",
        "ignored",
        "index",
        "said",
        "stamps",
        "tree",
        "untracked",
    )

    def __init__(
        self, commit: str, tree: str, files: dict[str, str], ignored: list[str], said: list[str], index: Stamp
    ) -> None:
        self.commit, self.files, self.ignored = commit, files, ignored
        self.tree = self.head_tree = tree
        self.said, self.index = said, index
        self.changes: tuple[Change, ...] = ()
        self.added: frozenset[str] = frozenset()
        self.untracked: tuple[str, ...] = ()
        self.stamps: dict[str, Stamp] | None = {}  # None: too fresh to tell anything


class Asking:
    """The two questions, asked: nobody waits for an answer before `noted` is called."""

    __slots__ = ("_here", "_index", "_questions")

    def __init__(self, here: Here) -> None:
        """Raises OSError."""
        self._here, self._index = here, _index_file(here)
        self._questions: list[git_process.Started] = []
        try:
            for words in ((*STATUS, _IGNORED), _INDEX):
                self._questions.append(git_process.start(("-C", here.top, *words), here.environ))
        except BaseException:
            self.drop()
            raise

    def noted(self) -> Noted | None:
        """What git says; None where the worktree is not plain, or something moved meanwhile. Raises OSError."""
        try:
            status, listed = (_said(question) for question in self._questions)
        finally:
            self.drop()
        if status is None or listed is None:
            return None
        commit, files = _commit(status), _files(listed)
        read = _read(status, commit)
        tree = _tree_of(self._here, commit) if read is not None else None
        if tree is None or read is None or files is None or _index_file(self._here) != self._index:
            return None
        noted = Noted(commit, tree, files, *read, self._index)
        return _with_changes(self._here, noted, status) if noted.said else noted

    def drop(self) -> None:
        for question in self._questions:
            question.drop()


def is_unchanged(here: Here, noted: Noted) -> bool:
    """Whether the worktree still is what was noted of it, as far as git tells in short. Raises OSError, GitFault."""
    # Bits that hide edits from git stand in the index: while it is the same file they are as they were.
    if _index_file(here) != noted.index:
        return False
    status = _said(git_process.start(("-C", here.top, *STATUS), here.environ))
    read = None if status is None else _read(status, noted.commit)
    if status is None or read is None or read[1] != noted.said or _index_file(here) != noted.index:
        return False
    if noted.stamps is not None and noted.stamps == _stamps(here.top, noted.stamps):
        return True
    again = _with_changes(
        here, Noted(noted.commit, noted.head_tree, dict(noted.files), [], noted.said, noted.index), status
    )
    return again is not None and (again.tree, again.changes) == (noted.tree, noted.changes)


def _said(question: git_process.Started) -> bytes | None:
    done = question.end()
    return done.stdout if done.returncode == 0 else None


def _read(status: bytes, commit: str) -> tuple[list[str], list[str]] | None:
    """The ignored files in git's status, and its lines about changes; None where it is that of another commit."""
    ignored, changed = [], []
    is_head = False
    for line in status.decode("utf-8", "surrogateescape").split("\0"):
        if line[:2] == "! ":
            if line[-1] != "/":
                ignored.append(line[2:])
        elif line[:2] == "# ":
            is_head = is_head or line == _HEAD + commit
        elif line:
            changed.append(line)
    return (ignored, changed) if is_head and _is_name(commit) else None


def _with_changes(here: Here, noted: Noted, status: bytes) -> Noted | None:
    """The same with its changes put over HEAD's tree; None where they are not plain. Raises GitFault."""
    from shipmoor_hooks.git import Git
    from shipmoor_hooks.place import Place
    from shipmoor_hooks.trees.git_status import HiddenEntries, parsed_status
    from shipmoor_hooks.trees.tree_in_memory import NeedsIndex, put_together

    seen = parsed_status(status)
    if seen.unmerged or seen.nested or any(entry.concerns_submodule for entry in seen.entries):
        return None
    paths = [*(entry.path for entry in seen.entries), *seen.untracked]
    stamps = _stamps(here.top, paths)
    place = Place(Git(here.top, here.environ), here.top, here.git_dir, here.common_dir, here.worktree)
    began = time.time_ns()
    try:
        noted.tree, noted.changes, noted.added = put_together(place, seen, HiddenEntries(), noted.head_tree)
    except NeedsIndex:
        return None
    if _stamps(here.top, paths) != stamps:
        return None
    is_fresh = any(stamp is not None and max(stamp[2:]) > began - _TICK for stamp in stamps.values())
    noted.stamps = None if is_fresh else stamps
    noted.untracked = seen.untracked
    for change in noted.changes:
        if change.oid is None:
            noted.files.pop(change.path, None)
        else:
            noted.files[change.path] = change.oid
    return noted


def _commit(status: bytes) -> str:
    """HEAD's commit, as git's status begins with it; "" where there is none."""
    line = status.partition(b"\0")[0].decode("ascii", "replace")
    return line.removeprefix(_HEAD) if line.startswith(_HEAD) else ""


def _tree_of(here: Here, commit: str) -> str | None:
    """The tree of a commit: read from its own file, which is what its name says, else as git tells it. Raises OSError."""
    try:
        with open(f"{here.common_dir}/objects/{commit[:2]}/{commit[2:]}", "rb") as stream:
            told = zlib.decompressobj().decompress(stream.read(_MOST), _MOST)
    except (FileNotFoundError, zlib.error):
        told = b""
    head, _, rest = told.partition(b"\0tree ")
    tree = rest.partition(b"\n")[0].decode("ascii", "replace")
    if (
        len(commit) == 40
        and head.startswith(b"commit ")
        and hashlib.sha1(told, usedforsecurity=False).hexdigest() == commit
    ):
        return tree if _is_name(tree) else None
    done = _said(git_process.start(("-C", here.top, "rev-parse", f"{commit}^{{tree}}"), here.environ)) or b""
    tree = done.decode("ascii").removesuffix("\n")
    return tree if _is_name(tree) else None


def _files(listed: bytes) -> dict[str, str] | None:
    """The files of the index with their object names; None where an entry hides edits, is unmerged or a submodule."""
    files = {}
    for line in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        stated, _, path = line.partition("\t")
        if stated[:3] != "H 1" or stated[3:5] not in ("00", "20") or stated[-2:] != " 0":
            return None
        files[path] = stated[9:-2]
    return files


def _is_name(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)


def _index_file(here: Here) -> Stamp:
    """What tells one state of the index from another: git puts a new file in the place of the old one."""
    return _stamp(here.git_dir + "/index")


def _stamps(top: str, paths: Iterable[str]) -> dict[str, Stamp]:
    return {path: _stamp(f"{top}/{path}") for path in paths}


def _stamp(path: str) -> Stamp:
    """A file's number, size and times; None where there is none."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
