"""The keys of a key store, kept for the login session: a 0600 file on a memory file system, below XDG_RUNTIME_DIR.

The gate's quick path reads it, so that a push does not wait for the key store; it goes with the session, and is made again
by the next call that asks. Only keys that a key store holds are copied (design, 10.35). On a file system that keeps its
files (or where that cannot be told) nothing is copied.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping

from shipmoor_hooks import state
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.seals import key_files, seal

_IN_MEMORY = ("tmpfs", "ramfs")
_MOUNTS = "/proc/self/mounts"


def path(environ: Mapping[str, str]) -> str:
    """Where the copy lies; "" where the session has no folder of its own."""
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    return os.path.join(runtime, state.APPLICATION, "session.keys") if os.path.isabs(runtime) else ""


def read(environ: Mapping[str, str]) -> dict[str, seal.Key]:
    """The keys in the copy, by id. A copy that others could use counts as none."""
    where = path(environ)
    try:
        data = key_files.read_private(where) if where else None
    except EnvironmentFault:
        return {}
    found = (seal.from_text(line) for line in (data or b"").decode("ascii", "replace").splitlines())
    return {key.id: key for key in found if key is not None}


def keep(environ: Mapping[str, str], keys: Iterable[seal.Key]) -> None:
    """Copy the keys where that is safe; nothing is said where it is not."""
    where = path(environ)
    if not where or not _in_memory(os.path.dirname(os.path.dirname(where))):
        return
    with contextlib.suppress(EnvironmentFault):
        state.private_folder(os.path.dirname(where), may_be_link=False)
        key_files.write_private(where, "".join(f"{seal.as_text(key)}\n" for key in keys).encode("ascii"))


def drop(environ: Mapping[str, str]) -> None:
    """Forget the copy."""
    where = path(environ)
    if where:
        with contextlib.suppress(OSError):
            os.unlink(where)


def _in_memory(folder: str) -> bool:
    """Does the folder lie on a file system that is gone with the machine's power?"""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as stream:
            rows = [line.split(" ")[1:3] for line in stream]
    except OSError:
        return False
    real = os.path.realpath(folder)
    mounts = [(point.replace("\\040", " "), kind) for point, kind in rows]
    around = [row for row in mounts if real == row[0] or real.startswith(row[0].rstrip("/") + "/")]
    # The last of the longest: a later mount on the same folder hides the earlier one.
    return bool(around) and max(enumerate(around), key=lambda row: (len(row[1][0]), row[0]))[1][1] in _IN_MEMORY
