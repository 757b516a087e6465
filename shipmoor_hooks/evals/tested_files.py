"""The files of a tested tree that may be no object of git's: HEAD's tree with what the working tree changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from shipmoor_hooks.evals.case_files import FILE, LINK, OTHER, Entry, FolderFiles, TreeFiles
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Change


class TreeWithChanges:
    """HEAD's files with `changes` put over them; a changed file is read from git, or, where git has it not, from `top`."""

    def __init__(self, git: Git, head: str | None, changes: Sequence[Change], top: str) -> None:
        self.git = git
        self.head = TreeFiles(git, head) if head is not None else None
        self.changes: Mapping[str, Change] = {change.path: change for change in changes}
        self.top = top

    def listing(self, skip: Callable[[str], bool]) -> dict[str, Entry]:
        """Every path of the tree but those in folders that `skip` names."""
        found = self.head.listing(skip) if self.head is not None else {}
        for path, change in self.changes.items():
            if change.mode is None:
                found.pop(path, None)
            elif not any(skip(folder) for folder in _above(path)):
                kinds = {"120000": LINK, "160000": OTHER}
                found[path] = Entry(kinds.get(change.mode, FILE), self._size(path))
        return found

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The bytes of files, the targets of links."""
        wanted = list(paths)
        found = dict(self.head.read(p for p in wanted if p not in self.changes)) if self.head is not None else {}
        changed = [p for p in wanted if p in self.changes and self.changes[p].oid is not None]
        for path in changed:
            stored = self.git.run("cat-file", "blob", self.changes[path].oid or "")
            found |= {path: stored.stdout} if stored.returncode == 0 else FolderFiles(self.top).read([path])
        return found

    def _size(self, path: str) -> int:
        try:
            return os.lstat(os.path.join(self.top, path)).st_size
        except OSError:
            return 0


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]
