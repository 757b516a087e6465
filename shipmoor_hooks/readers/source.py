"""A report's bytes in pieces: a file is never held as a whole, and what is read again is read from its beginning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from shipmoor_hooks.readers import limits


class Stream(Protocol):
    """A report that can be read from its beginning, as often as a reader asks. Raises ReportFault."""

    def pieces(self) -> Iterator[bytes]: ...


Source = bytes | Stream


def pieces_of(source: Source) -> Iterator[bytes]:
    """The bytes from the beginning, in pieces of at most 64 KiB, none of them empty."""
    if isinstance(source, bytes):
        return (source[start : start + limits.CHUNK] for start in range(0, len(source), limits.CHUNK))
    return source.pieces()


def head_of(source: Source, size: int) -> bytes:
    """The first bytes, `size` of them or as many as there are."""
    head = b""
    for piece in pieces_of(source):
        head += piece
        if len(head) >= size:
            break
    return head[:size]
