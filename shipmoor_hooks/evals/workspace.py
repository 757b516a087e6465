"""What graders may see of a folder that a run left behind (design, section 8).

Only plain files inside of the folder are read, and at most CAP bytes of one; nothing outside is opened, whatever a link or
a path says. The program calls the folder `cwd`, and `../cwd/a` names a file in it.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import stat
from collections.abc import Iterable

from shipmoor_hooks.evals.recording import FILE, MISSING, NOT_REGULAR, OUTSIDE, TOO_LARGE, FocusFile

CAP = 16 << 20  # bytes of one file


def read(folder: str, paths: Iterable[str]) -> dict[str, FocusFile]:
    """What stands under each of the paths, which are relative to `folder`, as graders name them."""
    root = os.path.realpath(folder)
    return {path: _read(root, path) for path in paths}


def _read(root: str, path: str) -> FocusFile:
    inside = posixpath.normpath(posixpath.join("cwd", path)) if not path.startswith("/") else ""
    if inside != "cwd" and not inside.startswith("cwd/"):
        return FocusFile(OUTSIDE)
    try:
        whole = os.path.join(root, inside[len("cwd/") :])
        real = os.path.realpath(whole, strict=True)
        if real != root and not real.startswith(root + os.sep):
            return FocusFile(OUTSIDE)
        return _content(real)
    except (OSError, ValueError):  # also a name with a NUL, and a link to itself
        return FocusFile(MISSING)


def _content(path: str) -> FocusFile:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, handle)
        there = os.fstat(handle)
        if not stat.S_ISREG(there.st_mode):
            return FocusFile(NOT_REGULAR)
        if there.st_size > CAP:
            return FocusFile(TOO_LARGE)
        parts = []
        while data := os.read(handle, 1 << 20):
            parts.append(data)
    return FocusFile(FILE, b"".join(parts).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
