"""Lists of case ids in the spool: compressed, stored once, named by their digest, a mark behind each (design, 10.38).

Beside them the form in which a run keeps the outcomes of its cases. The pytest plugin loads this: no `model`.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Sequence

from shipmoor_hooks.whole_files import read_bytes, write_whole

_MARK = 32  # bytes
_AT_ONCE = 512  # ids: some 40 kB


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


def inventory_bytes(ids: Sequence[str]) -> bytes:
    """The ids in order, a NUL behind each (an id never holds one), as UTF-8."""
    return "\0".join([*ids, ""]).encode("utf-8", "surrogatepass")


def inventory_digest(ids: Sequence[str]) -> str:
    """The SHA-256 (hex) of `inventory_bytes`, taken in pieces: fresh memory for a long list costs more than its digest."""
    digest = hashlib.sha256()
    for start in range(0, len(ids), _AT_ONCE):
        digest.update(inventory_bytes(ids[start : start + _AT_ONCE]))
    return digest.hexdigest()


def packed(letters: bytes) -> bytes:
    """Outcome letters in zlib's format. They are runs of one letter: looking for nothing else is faster, and shorter."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, 9, zlib.Z_RLE)
    return packer.compress(letters) + packer.flush()
