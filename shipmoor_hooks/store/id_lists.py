"""Lists of case ids: cut into blocks, named by a digest, and kept in the spool once (design, 10.38).

    ids/2\n, the number of blocks, a row a block (its digest, how many ids it has, how many bytes it takes), the blocks,
    a mark

A list's name is the digest of its rows, so that a block can be read, and checked, without the others. Where a block ends
is decided by the ids that stand there: a list that lost a case in the middle has all other blocks in common with the one
before it. The mark behind them tells that a file is whole, and under its own name, without taking it apart.
Lists of an earlier form are one compressed text, named by the digest of that; they are read and no longer written.
"""

from __future__ import annotations

import os
import zlib
from itertools import pairwise

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.digest import sha256
from shipmoor_hooks.errors import EvidenceFault
from shipmoor_hooks.id_list import IdList
from shipmoor_hooks.whole_files import read_bytes, write_whole

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_BEGINS = b"ids/2\n"
_NUMBER = 4  # bytes of a number, the largest first
_DIGEST = 32  # bytes
_ROW = _DIGEST + 2 * _NUMBER
_MARK = _DIGEST
_LEAST = 480  # ids of a block; with those until its end is found some 512, or 40 kB
_ONE_OF = 31  # a mask: one id of 32 may be the first of a block


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the blocks of a list begin (and its end), how many ids each has, its digest, and the name of the list: the
    SHA-256 (hex) of its blocks' digests and sizes."""

    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    digests: tuple[bytes, ...]
    name: str


def cut(ids: Sequence[str]) -> Cut:
    """The blocks of a list, the same for the same ids everywhere; ids that are not in order are one block."""
    import hashlib  # faster than what is loaded at once, where there is more than a block

    starts = (*_starts(ids), len(ids)) if ids else (0,)
    sizes = tuple(after - before for before, after in pairwise(starts))
    digests = tuple(hashlib.sha256(text_of(ids[start:end])).digest() for start, end in pairwise(starts))
    return Cut(starts, sizes, digests, _name(list(zip(digests, sizes, strict=True))))


def _starts(ids: Sequence[str]) -> Iterator[int]:
    yield 0
    if len(ids) <= _LEAST or ids != sorted(ids):
        return
    at = _LEAST
    while at < len(ids):
        if zlib.crc32(ids[at].encode("utf-8", "surrogatepass")) & _ONE_OF:
            at += 1
        else:
            yield at
            at += _LEAST


def text_of(ids: Sequence[str]) -> bytes:
    """The ids in order, a NUL behind each (an id never holds one), as UTF-8."""
    return "\0".join([*ids, ""]).encode("utf-8", "surrogatepass")


def ids_of(text: bytes) -> list[str]:
    return text.decode("utf-8", "surrogatepass").split("\0")[:-1]


# ---------------------------------------------------------------- files


def store(folder: str, ids: Sequence[str], blocks: Cut) -> None:
    """Write a list unless it is there; a damaged one is found and written again. Raises OSError."""
    path = f"{folder}/{blocks.name}"
    try:
        stored = read_bytes(path)
    except OSError:
        stored = b""
    if not _is_whole(blocks.name, stored):
        write_whole(path, packed(ids, blocks))


def distrust(folder: str, name: str) -> None:
    """Take the end off a list's mark: it was found not to hold what its name says, and the next writer writes it again.

    Raises OSError.
    """
    path = f"{folder}/{name}"
    os.truncate(path, max(0, os.stat(path, follow_symlinks=False).st_size - 1))


def packed(ids: Sequence[str], blocks: Cut) -> bytes:
    """The bytes of a list's file."""
    bodies = [zlib.compress(text_of(ids[start:end]), 1) for start, end in pairwise(blocks.starts)]
    rows = [
        digest + _bytes(size) + _bytes(len(body))
        for digest, size, body in zip(blocks.digests, blocks.sizes, bodies, strict=True)
    ]
    data = b"".join([_BEGINS, _bytes(len(rows)), *rows, *bodies])
    return data + _mark(blocks.name, data)


def read(folder: str, name: str, *, whole: bool = True) -> IdList | None:
    """The ids of that name; None where there are none, or their file is not whole.

    `whole` False leaves it to each block to tell of damage, when it is asked for.
    """
    if not name.isalnum():
        return None
    try:
        stored = read_bytes(f"{folder}/{name}")
    except OSError:
        return None
    if not stored.startswith(_BEGINS):
        return _earlier(name, stored)
    return _blocks(name, stored) if not whole or _is_whole(name, stored) else None


def of_text(name: str, text: bytes) -> IdList | None:
    """The list of that name, in this form or the earlier one, whose ids `text` holds; None where it has another name."""
    try:
        ids = ids_of(text)
    except UnicodeDecodeError:
        return None
    blocks = cut(ids)
    if text[-1:] != b"\0" or (blocks.name != name and sha256(text).hex() != name):
        return None
    starts = blocks.starts
    return IdList(name, blocks.digests, blocks.sizes, lambda number: ids[starts[number] : starts[number + 1]])


def file_of(name: str, text: bytes) -> bytes:
    """The bytes of the file for the list of that name whose ids `text` holds, in the form that the name is of."""
    ids = ids_of(text)
    blocks = cut(ids)
    return packed(ids, blocks) if blocks.name == name else zlib.compress(text, 1)


def _earlier(name: str, stored: bytes) -> IdList | None:
    try:
        text = zlib.decompressobj().decompress(stored)
    except zlib.error:
        return None
    return of_text(name, text)


def _blocks(name: str, stored: bytes) -> IdList | None:
    """A list whose blocks are taken apart when they are asked for."""
    at = len(_BEGINS)
    number = int.from_bytes(stored[at : at + _NUMBER], "big")
    at += _NUMBER
    if at + number * _ROW > len(stored):
        return None
    table = [stored[start : start + _ROW] for start in range(at, at + number * _ROW, _ROW)]
    digests = tuple(row[:_DIGEST] for row in table)
    sizes = [int.from_bytes(row[_DIGEST:-_NUMBER], "big") for row in table]
    if _name(list(zip(digests, sizes, strict=True))) != name:
        return None
    ends = [at + number * _ROW]
    for row in table:
        ends.append(ends[-1] + int.from_bytes(row[-_NUMBER:], "big"))
    return IdList(name, digests, sizes, _reader(name, stored, digests, sizes, ends))


def _reader(
    name: str, stored: bytes, digests: Sequence[bytes], sizes: Sequence[int], ends: Sequence[int]
) -> Callable[[int], list[str]]:
    def load(number: int) -> list[str]:
        try:
            text = zlib.decompress(stored[ends[number] : ends[number + 1]])
        except zlib.error:
            text = b""
        ids = ids_of(text) if sha256(text) == digests[number] else []
        if len(ids) != sizes[number]:
            raise EvidenceFault(
                f"the list of case ids {name[:12]} in the spool does not hold what its name says",
                "shipmoor-hooks verify",
            )
        return ids

    return load


def _name(rows: Sequence[tuple[bytes, int]]) -> str:
    return sha256(b"".join([_BEGINS, *(digest + _bytes(size) for digest, size in rows)])).hex()


def _bytes(number: int) -> bytes:
    return number.to_bytes(_NUMBER, "big")


def _is_whole(name: str, stored: bytes) -> bool:
    return stored[-_MARK:] == _mark(name, stored[:-_MARK])


def _mark(name: str, data: bytes) -> bytes:
    """What stands behind a list of ids: it fits this list under this name alone."""
    import hashlib  # whoever takes the mark of a whole file has it loaded

    return hashlib.sha256(name.encode("ascii") + data).digest()
