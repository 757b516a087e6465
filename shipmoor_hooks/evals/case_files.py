"""The files that a suite is read from: a folder on disk or a tree of git. Links are seen and never followed.

Paths are relative to the source's top, with forward slashes; bytes that are no UTF-8 are surrogate-escaped.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault, GitFault
from shipmoor_hooks.git import Git

FILE, LINK, FOLDER_LINK, OTHER = "file", "link", "folder-link", "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands at a path: FILE, LINK, FOLDER_LINK (a link that is known to lead to a folder) or OTHER; bytes of a file."""

    kind: str
    size: int = 0


class Files(Protocol):
    """Where a suite's files come from."""

    def listing(self, skip: Callable[[str], bool]) -> Mapping[str, Entry]:
        """Every path below the top that is no folder; `skip(folder)` says which folders are not looked into."""

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """The bytes of files, the targets of links; a path that cannot be read is left out."""


class FolderFiles:
    """The files of a folder on disk. Raises EnvironmentFault where the folder itself cannot be listed."""

    def __init__(self, top: str) -> None:
        self.top = top

    def listing(self, skip: Callable[[str], bool]) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(os.path.join(self.top, folder)) as entries:
                    inside = list(entries)
            except OSError as fault:
                if not folder:
                    raise EnvironmentFault(f"{self.top} cannot be listed: {fault.strerror}") from fault
                continue
            for entry in inside:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_symlink():
                    found[path] = Entry(FOLDER_LINK if entry.is_dir() else LINK)
                elif not entry.is_dir(follow_symlinks=False):
                    found[path] = _entry(entry)
                elif not skip(path):
                    waiting.append(path)
        return found

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for path in paths:
            whole = os.path.join(self.top, path)
            try:
                found[path] = os.fsencode(os.readlink(whole)) if os.path.islink(whole) else _bytes(whole)
            except OSError:
                continue
        return found


def _entry(entry: os.DirEntry[str]) -> Entry:
    try:
        seen = entry.stat(follow_symlinks=False)
    except OSError:
        return Entry(OTHER)
    return Entry(FILE if stat.S_ISREG(seen.st_mode) else OTHER, seen.st_size)


def _bytes(path: str) -> bytes:
    """The bytes of a plain file; a pipe that took its place is not waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else b""


class TreeFiles:
    """The files of a git tree (or commit), listed by one git process and read by one for each `read`. Raises GitFault."""

    def __init__(self, git: Git, tree: str) -> None:
        self.git = git
        self.tree = tree
        self._names: dict[str, str] = {}

    def listing(self, skip: Callable[[str], bool]) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        skipped: dict[str, bool] = {}
        output = self.git.output("ls-tree", "-r", "-l", "-z", "--full-tree", self.tree)
        for line in output.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            stated, _, path = line.partition("\t")
            mode, kind, name, size = stated.split()
            if kind == "blob" and not _is_inside(path, skip, skipped):
                self._names[path] = name
                found[path] = Entry(LINK if mode == "120000" else FILE, int(size))
        return found

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        wanted = [path for path in paths if path in self._names]
        if not wanted:
            return {}
        asked = "".join(f"{self._names[path]}\n" for path in wanted)
        output = self.git.output("cat-file", "--batch", stdin=asked.encode())
        found: dict[str, bytes] = {}
        at = 0
        for path in wanted:
            end = output.index(b"\n", at)
            words = output[at:end].split()
            if words[-1] == b"missing":
                raise GitFault(f"the object of {path} is not in this repository", "git fetch --refetch")
            found[path] = output[end + 1 : end + 1 + int(words[2])]
            at = end + 1 + int(words[2]) + 1
        return found


def _is_inside(path: str, skip: Callable[[str], bool], known: dict[str, bool]) -> bool:
    """Whether a folder above the path is skipped."""
    folder = os.path.dirname(path)
    if folder not in known:
        known[folder] = bool(folder) and (skip(folder) or _is_inside(folder, skip, known))
    return known[folder]


def folder_trees(git: Git, tree: str) -> dict[str, str]:
    """The object name of every folder of a tree, the top as "". Raises GitFault."""
    found = {"": git.text("rev-parse", "--verify", f"{tree}^{{tree}}")}
    output = git.output("ls-tree", "-d", "-r", "-z", "--full-tree", tree).decode("utf-8", "surrogateescape")
    for line in output.split("\0")[:-1]:
        stated, _, path = line.partition("\t")
        _, kind, name = stated.split()
        if kind == "tree":
            found[path] = name
    return found
