"""What stands alike on both sides is set aside before the rules look: most cases of most pushes. Pure.

Of one run against one run, a plain case with the same outcome on both sides, not red, gives no finding. But rules look at
the other cases of a function when one of its ids comes or goes, so a function is set aside whole or not at all. Runs with
records of more than a case, or whose ids do not stand in order, are left as they are.
"""

from __future__ import annotations

from shipmoor_hooks.case_list import RED_LETTERS, CaseList, RecordKind
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.id_list import IdList, shared
from shipmoor_hooks.model import Run

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_STEP = 4096  # ids that are compared at once
_FEW = 512  # outcomes


@dataclass(frozen=True, slots=True)
class Aside:
    """The runs without what stands alike; how many cases that is, how many of them passed; all ids of the base."""

    base: Run
    tip: Run
    number: int
    passed: int
    ids: Sequence[str]


def set_aside(base: Run, tip: Run) -> Aside | None:
    """Two runs without what stands alike in both; None where nothing may be set aside."""
    before, after = CaseList.of(base.cases), CaseList.of(tip.cases)
    others = (*before.others.values(), *after.others.values())
    if base.evals is not None or tip.evals is not None or any(c.kind is not RecordKind.CASE for c in others):
        return None
    if not _in_order(before.ids) or not _in_order(after.ids):
        return None
    left, right, touched = _differing(before, after)
    for function, (start, other) in touched.items():
        left.update(_of_function(before.ids, function, start))
        right.update(_of_function(after.ids, function, other))
    number = len(before) - len(left)
    if not number:
        return None
    small = _only(before, left)
    return Aside(
        replace(base, cases=small),
        replace(tip, cases=_only(after, right)),
        number,
        before.letters.count(b"p") - small.letters.count(b"p"),
        before.ids,
    )


def _differing(before: CaseList, after: CaseList) -> tuple[set[int], set[int], dict[str, tuple[int, int]]]:
    """The positions on each side that are looked at, and the functions of which an id came or went, with the place there."""
    left: set[int] = set()
    right: set[int] = set()
    touched: dict[str, tuple[int, int]] = {}
    i = j = 0
    for start, other, length in _alike(before.ids, after.ids):
        for case_id in (*before.ids[i:start], *after.ids[j:other]):
            touched.setdefault(case_id.partition("[")[0], (i, j))
        left.update(range(i, start))
        right.update(range(j, other))
        i, j = start + length, other + length
        ours, theirs = before.letters[start:i], after.letters[other:j]
        news = list(_news(ours, theirs))
        left.update(start + k for k in news)
        right.update(other + k for k in news)
        if before.others or after.others:
            odd = [k for k in range(length) if start + k in before.others or other + k in after.others]
            left.update(start + k for k in odd)
            right.update(other + k for k in odd)
    return left, right, touched


def _in_order(ids: Sequence[str]) -> bool:
    return ids.in_order if isinstance(ids, IdList) else ids == sorted(ids)


def _news(ours: bytes, theirs: bytes) -> Iterator[int]:
    """The positions where outcomes differ or are red."""
    for start in range(0, len(ours), _FEW):
        one, other = ours[start : start + _FEW], theirs[start : start + _FEW]
        if one != other or any(letter in one for letter in RED_LETTERS):
            pairs = enumerate(zip(one, other, strict=True), start)
            yield from (k for k, (before, after) in pairs if before != after or before in RED_LETTERS)


def _alike(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Stretches of equal ids of two sorted lists: where they begin in each, and how long they are; the ends come last.

    Blocks that stand in both lists are equal by their digests: what is in them is not looked at.
    """
    i = j = 0
    both = shared(one, other) if isinstance(one, IdList) and isinstance(other, IdList) else ()
    for start, there, length in (*both, (len(one), len(other), 0)):
        if i < start and j < there:
            for a, b, n in _equal(one[i:start], other[j:there]):
                yield i + a, j + b, n
        yield start, there, length
        i, j = start + length, there + length


def _equal(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The stretches of two lists that are compared name by name."""
    i = j = 0
    step = _STEP
    while i < len(one) and j < len(other):
        length = min(step, len(one) - i, len(other) - j)
        if one[i : i + length] == other[j : j + length]:
            yield i, j, length
            i, j, step = i + length, j + length, _STEP
        elif length > 1:
            step = length // 2
        else:
            i, j, step = (i + 1, j, _STEP) if one[i] < other[j] else (i, j + 1, _STEP)


def _of_function(ids: Sequence[str], function: str, near: int) -> Iterator[int]:
    """The positions of a function's ids: its name alone, and with anything in brackets. One of them stood `near`."""
    for start in (function, f"{function}["):
        position = _first_from(ids, start, near)
        while position < len(ids) and ids[position].startswith(start) and ids[position].partition("[")[0] == function:
            yield position
            position += 1


def _first_from(ids: Sequence[str], word: str, near: int) -> int:
    """Where the first id that is not before `word` stands: looked for from `near` outwards, since blocks far off are packed."""
    low = high = near
    step = 1
    while low > 0 and ids[low - 1] >= word:
        low, step = max(0, low - step), step * 2
    step = 1
    while high < len(ids) and ids[high] < word:
        high, step = min(len(ids), high + step), step * 2
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if ids[middle] < word else (low, middle)
    return low


def _only(cases: CaseList, positions: set[int]) -> CaseList:
    order = sorted(positions)
    others = {new: cases.others[old] for new, old in enumerate(order) if old in cases.others}
    return CaseList([cases.ids[k] for k in order], bytes(cases.letters[k] for k in order), others)
