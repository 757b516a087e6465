"""Lists of case ids in the spool: compressed, stored once, named by their digest, a mark behind each (design, 10.38)."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable

from shipmoor_hooks.whole_files import read_bytes, write_whole

_MARK = 32  # bytes


def store(folder: str, digest: str, listed: Callable[[], bytes]) -> None:
    """Write the ids that `listed` gives unless they are there; a damaged list is found and written again. Raises OSError.

    The mark behind the compressed list tells that it is whole, and under its own name, without taking it apart.
    """
    path = f"{folder}/{digest}"
    try:
        stored = read_bytes(path)
    except OSError:
        stored = b""
    if stored[-_MARK:] != _mark(digest, stored[:-_MARK]):
        packed = zlib.compress(listed(), 1)
        write_whole(path, packed + _mark(digest, packed))


def read(folder: str, digest: str) -> bytes | None:
    """The ids of that name; None where there are none or they cannot be unpacked."""
    if not digest.isalnum():
        return None
    try:
        return zlib.decompressobj().decompress(read_bytes(f"{folder}/{digest}"))
    except (OSError, zlib.error):
        return None


def _mark(digest: str, packed: bytes) -> bytes:
    """What stands behind a list of ids: it fits this list under this name alone."""
    return hashlib.sha256(digest.encode("ascii") + packed).digest()
