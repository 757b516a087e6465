"""The ids of a run's cases, in order, in blocks of which each is read when somebody looks into it.

Two lists that share a block share its digest, so that what stands alike in both need not be read at all. Standard library
only, no input or output: whoever has the bytes gives the blocks (`store.id_lists`).
"""

from __future__ import annotations

from _collections_abc import Sequence  # as `os` has it: the package around it costs a tenth of a start

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import overload


class IdList(Sequence[str]):
    """Ids in blocks, under the list's `name`.

    `digests` names each block by its bytes (SHA-256), `starts` says where each begins, and one number more: how many ids
    there are. `load` gives a block by its number. A list of several blocks is in order.
    """

    __slots__ = ("_load", "_read", "digests", "name", "starts")

    def __init__(
        self, name: str, digests: Sequence[bytes], counts: Sequence[int], load: Callable[[int], list[str]]
    ) -> None:
        self.name, self.digests = name, digests
        self.starts = [0]
        for count in counts:
            self.starts.append(self.starts[-1] + count)
        self._load = load
        self._read: dict[int, list[str]] = {}

    def block(self, number: int) -> list[str]:
        """The ids of a block. Raises what `load` raises."""
        if number not in self._read:
            self._read[number] = self._load(number)
        return self._read[number]

    @property
    def in_order(self) -> bool:
        """Do the ids stand in ascending order?"""
        return len(self.digests) > 1 or not self.digests or self.block(0) == sorted(self.block(0))

    def __len__(self) -> int:
        return self.starts[-1]

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> str: ...
        @overload
        def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return self._between(start, stop) if step == 1 else list(self)[index]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(index)
        number = self._block_of(position)
        return self.block(number)[position - self.starts[number]]

    def _between(self, start: int, stop: int) -> list[str]:
        found: list[str] = []
        number = self._block_of(start) if start < stop else len(self.digests)
        while number < len(self.digests) and self.starts[number] < stop:
            first = self.starts[number]
            found += self.block(number)[max(0, start - first) : stop - first]
            number += 1
        return found

    def _block_of(self, position: int) -> int:
        low, high = 0, len(self.digests)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= position else (low, middle)
        return low

    def __iter__(self) -> Iterator[str]:
        for number in range(len(self.digests)):
            yield from self.block(number)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, IdList):
            return self.digests == other.digests
        return list(self) == other if isinstance(other, list) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.digests))

    def __repr__(self) -> str:
        return f"IdList of {len(self)}"


def shared(one: IdList, other: IdList) -> Iterator[tuple[int, int, int]]:
    """Stretches of blocks that stand in both, in order: where each begins in one and in the other, how many ids it has."""
    places = {digest: number for number, digest in enumerate(other.digests)}
    first = last = behind = -1  # of the stretch so far: its blocks in one, the last in the other
    for number, digest in enumerate(one.digests):
        there = places.get(digest, -1)
        if there <= behind:
            continue
        if first < 0 or (last, behind) != (number - 1, there - 1):
            yield from _stretch(one, other, first, last, behind)
            first = number
        last, behind = number, there
    yield from _stretch(one, other, first, last, behind)


def _stretch(one: IdList, other: IdList, first: int, last: int, behind: int) -> Iterator[tuple[int, int, int]]:
    if first >= 0:
        start, end = one.starts[first], one.starts[last + 1]
        yield start, other.starts[behind - (last - first)], end - start
