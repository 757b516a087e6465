"""The records of a report without an object for each: most are passed cases that differ in their names alone.

Standard library and `model` only, no input or output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import overload

from shipmoor_hooks.case_list import OF_LETTER
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.model import Record


@dataclass(slots=True)
class Alike:
    """Cases in a row that differ in their names, and in their outcomes where `letters` has one for each ("": all passed).

    `shared` is such a record without a name; none of the names is empty.
    """

    shared: Record
    names: Sequence[str]
    letters: str = ""

    def __iter__(self) -> Iterator[Record]:
        if not self.letters:
            return (replace(self.shared, name=name) for name in self.names)
        told = zip(self.names, self.letters, strict=True)
        return (replace(self.shared, name=name, outcome=OF_LETTER[ord(letter)]) for name, letter in told)


Part = Record | Alike


class RecordList(Sequence[Record]):
    """The records of `parts` in their order; a `Record` is made when it is asked for, and not kept."""

    __slots__ = ("_length", "parts")

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self._length = sum(1 if isinstance(part, Record) else len(part.names) for part in parts)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Record]:
        return each(self.parts)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Record, ...]: ...
    def __getitem__(self, index: int | slice) -> Record | tuple[Record, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        position = range(self._length)[index]
        return next(islice(self, position, None))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, RecordList | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"RecordList({list(self.parts)!r})"


def each(parts: Iterable[Part]) -> Iterator[Record]:
    """The records of the parts, one by one."""
    for part in parts:
        if isinstance(part, Record):
            yield part
        else:
            yield from part


def parts_of(records: Sequence[Record]) -> Sequence[Part]:
    """The parts that a report's records are made of."""
    return records.parts if isinstance(records, RecordList) else records
