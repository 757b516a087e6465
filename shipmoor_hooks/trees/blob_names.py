"""Names of the blobs that `git add` would write for changed files, found by `git hash-object`, which writes none.

hash-object runs the filters that a path's attributes ask for, but it looks at no index. Where `git add` would (line
ends that git converts by itself, files stored in another encoding), `NeedsIndex` says so and a temporary index answers.
"""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterable, Sequence

from shipmoor_hooks.git import Git
from shipmoor_hooks.trees.git_status import STRICT

ATTRIBUTES = ("text", "crlf", "filter", "working-tree-encoding")


class NeedsIndex(Exception):
    """Only git with an index of its own can tell; the message says why."""


def blob_names(
    git: Git, top: str, paths: Sequence[str], stored: frozenset[str], autocrlf: bool
) -> dict[str, tuple[str, int]]:
    """The blob's name and the file's mode (st_mode) for each path below `top`, in a repository with SHA-1 names.

    `stored` are the paths that the index holds already. Raises NeedsIndex.
    """
    names: dict[str, tuple[str, int]] = {}
    files: list[tuple[str, int]] = []
    for path in paths:
        try:
            mode = os.lstat(os.path.join(top, path)).st_mode
            if stat.S_ISLNK(mode):
                names[path] = (_link_name(os.readlink(os.fsencode(os.path.join(top, path)))), mode)
                continue
        except OSError as gone:
            raise NeedsIndex(f"{path} changed while it was read") from gone
        if not stat.S_ISREG(mode):
            raise NeedsIndex(f"{path} is neither a file nor a symbolic link")
        files.append((path, mode))
    _refuse_what_needs_index(git, top, [path for path, _ in files], stored, autocrlf)
    if files:
        listed = b"".join(_line(path) for path, _ in files)
        done = git.run(*STRICT, "hash-object", "--stdin-paths", stdin=listed)
        found = done.stdout.decode("ascii", "replace").split()
        # Without -w git only grumbles where `git add` would refuse (an encoding that does not fit, say).
        grumbled = b"error: " in done.stderr
        if done.returncode or grumbled or len(found) != len(files):
            raise NeedsIndex("git hash-object could not name every changed file")
        names.update((path, (name, mode)) for (path, mode), name in zip(files, found, strict=True))
    return names


def _link_name(text: bytes) -> str:
    import hashlib  # links seldom change, and this import is slow

    return hashlib.sha1(b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest()


def _line(path: str) -> bytes:
    """A path as a line for --stdin-paths, quoted as C strings are where a plain line would be read otherwise."""
    raw = os.fsencode(path)
    if not raw.startswith(b'"') and b"\n" not in raw and b"\r" not in raw:
        return raw + b"\n"
    return b'"' + b"".join(b"\\%03o" % byte if byte < 32 or byte in b'"\\' else bytes((byte,)) for byte in raw) + b'"\n'


def _refuse_what_needs_index(git: Git, top: str, paths: Sequence[str], stored: frozenset[str], autocrlf: bool) -> None:
    if not paths:
        return
    listed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    output = git.output(*STRICT, "check-attr", "-z", "--stdin", *ATTRIBUTES, stdin=listed)
    values = output.decode("utf-8", "surrogateescape").split("\0")[2::3]
    for number, path in enumerate(paths):
        text, crlf, driver, encoding = values[number * len(ATTRIBUTES) :][: len(ATTRIBUTES)]
        if encoding not in ("unspecified", "unset"):
            raise NeedsIndex(f"{path} is stored in another encoding")
        by_itself = text == "auto" or (
            text == "unspecified" and (crlf == "auto" or (crlf == "unspecified" and autocrlf))
        )
        if (
            path in stored
            and by_itself
            and (driver not in ("unspecified", "unset") or _holds_crlf(os.path.join(top, path)))
        ):
            raise NeedsIndex(f"{path} has line ends that git converts by itself")


def _holds_crlf(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return content.find(b"\r\n") >= 0
    except (OSError, ValueError) as gone:
        raise NeedsIndex(f"{path} changed while it was read") from gone


def file_mode(mode: int, executable_bit_counts: bool) -> str:
    """git's mode of a file that its index does not hold yet, from `st_mode`."""
    if stat.S_ISLNK(mode):
        return "120000"
    return "100755" if executable_bit_counts and mode & stat.S_IXUSR else "100644"


def attribute_files(paths: Iterable[str]) -> list[str]:
    """The paths that hold attributes themselves."""
    return [path for path in paths if os.path.basename(path) == ".gitattributes"]
