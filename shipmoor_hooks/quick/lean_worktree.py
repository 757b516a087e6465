"""The tree of a worktree that is as its last commit has it, for the pytest plugin's short way.

As `trees.tree.capture` finds it and `ignored_surface.ignored` beside it, by three git processes that run at once; after the
session one is left. Whatever is not that plain case gives None, and those say what it is.
"""

from __future__ import annotations

import os

from shipmoor_hooks import git_process
from shipmoor_hooks.trees.questions import STATUS, STRICT

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from shipmoor_hooks.quick.lean_git import Here

    IndexFile = tuple[int, int, int, int]

_HEX = frozenset("0123456789abcdef")
_HEAD = "# branch.oid "
# Beside the status in one walk: a folder that is ignored as a whole is named and not gone into.
_IGNORED = "--ignored=matching"
_INDEX = (*STRICT, "ls-files", "-v", "-s", "-z")
_TREE = ("rev-parse", "HEAD", "HEAD^{tree}")


class Noted:
    """HEAD's commit and tree, which are the worktree's own; its files with git's names of what they hold; ignored files."""

    __slots__ = ("commit", "files", "ignored", "index", "tree")

    def __init__(self, commit: str, tree: str, files: dict[str, str], ignored: list[str], index: IndexFile) -> None:
        self.commit, self.tree, self.files, self.ignored, self.index = commit, tree, files, ignored, index


class Asking:
    """The three questions, asked: nobody waits for an answer before `noted` is called."""

    __slots__ = ("_here", "_index", "_questions")

    def __init__(self, here: Here) -> None:
        """Raises OSError."""
        self._here, self._index = here, _index_file(here)
        self._questions: list[git_process.Started] = []
        try:
            for words in ((*STATUS, _IGNORED), _INDEX, _TREE):
                self._questions.append(git_process.start(("-C", here.top, *words), here.environ))
        except BaseException:
            self.drop()
            raise

    def noted(self) -> Noted | None:
        """What git says; None where the worktree is not plain, or something moved meanwhile. Raises OSError."""
        try:
            status, listed, named = (_said(question) for question in self._questions)
        finally:
            self.drop()
        if status is None or listed is None or named is None:
            return None
        commit, tree, *rest = named.decode("ascii").split("\n")
        read = _clean(status, commit)
        files = _files(listed)
        if (
            rest != [""]
            or read is None
            or files is None
            or not _is_name(tree)
            or _index_file(self._here) != self._index
        ):
            return None
        return Noted(commit, tree, files, read, self._index)

    def drop(self) -> None:
        for question in self._questions:
            question.drop()


def is_unchanged(here: Here, noted: Noted) -> bool:
    """Whether the worktree still is what was noted of it, as far as one git process tells. Raises OSError."""
    # Bits that hide edits from git stand in the index: while it is the same file they are as they were.
    if _index_file(here) != noted.index:
        return False
    status = _said(git_process.start(("-C", here.top, *STATUS), here.environ))
    return status is not None and _clean(status, noted.commit) is not None and _index_file(here) == noted.index


def _said(question: git_process.Started) -> bytes | None:
    done = question.end()
    return done.stdout if done.returncode == 0 else None


def _clean(status: bytes, commit: str) -> list[str] | None:
    """The ignored files in git's status of a worktree without a change against this commit; None where there is one."""
    ignored = []
    is_head = False
    for line in status.decode("utf-8", "surrogateescape").split("\0"):
        if line[:2] == "! ":
            if line[-1] != "/":
                ignored.append(line[2:])
        elif line[:2] == "# ":
            is_head = is_head or line == _HEAD + commit
        elif line:
            return None
    return ignored if is_head and _is_name(commit) else None


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


def _index_file(here: Here) -> IndexFile:
    """What tells one state of the index from another: git puts a new file in the place of the old one."""
    found = os.stat(here.git_dir + "/index")
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
