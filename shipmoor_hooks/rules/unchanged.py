"""What stands alike on both sides is set aside before the rules look: most cases of most pushes. Pure.

Of one run against one run, a plain case with the same outcome on both sides, not red, gives no finding. But rules look at
the other cases of a function when one of its ids comes or goes, so a function is set aside whole or not at all. Runs with
records of more than a case, or whose ids do not stand in order, are left as they are.
"""

from __future__ import annotations

from shipmoor_hooks.case_list import RED_LETTERS, CaseList, RecordKind
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.model import Run

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_STEP = 4096  # cases that are compared at once


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
    if before.ids != sorted(before.ids) or after.ids != sorted(after.ids):
        return None
    left, right, touched = _differing(before, after)
    for ids, kept in ((before.ids, left), (after.ids, right)):
        for function in touched:
            kept.update(_of_function(ids, function))
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


def _differing(before: CaseList, after: CaseList) -> tuple[set[int], set[int], set[str]]:
    """The positions on each side that are looked at, and the functions of which an id came or went."""
    left: set[int] = set()
    right: set[int] = set()
    touched: set[str] = set()
    i = j = 0
    for start, other, length in _alike(before.ids, after.ids):
        touched.update(case_id.partition("[")[0] for case_id in (*before.ids[i:start], *after.ids[j:other]))
        left.update(range(i, start))
        right.update(range(j, other))
        i, j = start + length, other + length
        ours, theirs = before.letters[start:i], after.letters[other:j]
        if ours != theirs or any(letter in ours for letter in RED_LETTERS):
            news = [
                k
                for k, pair in enumerate(zip(ours, theirs, strict=True))
                if pair[0] != pair[1] or pair[0] in RED_LETTERS
            ]
            left.update(start + k for k in news)
            right.update(other + k for k in news)
        if before.others or after.others:
            odd = [k for k in range(length) if start + k in before.others or other + k in after.others]
            left.update(start + k for k in odd)
            right.update(other + k for k in odd)
    return left, right, touched


def _alike(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Stretches of equal ids of two sorted lists: where they begin in each, and how long they are; the ends come last."""
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
    yield len(one), len(other), 0


def _of_function(ids: Sequence[str], function: str) -> Iterator[int]:
    """The positions of a function's ids: its name alone, and with anything in brackets."""
    from bisect import bisect_left  # where no id comes or goes nothing is looked for

    for start in (function, f"{function}["):
        position = bisect_left(ids, start)
        while position < len(ids) and ids[position].startswith(start) and ids[position].partition("[")[0] == function:
            yield position
            position += 1


def _only(cases: CaseList, positions: set[int]) -> CaseList:
    order = sorted(positions)
    others = {new: cases.others[old] for new, old in enumerate(order) if old in cases.others}
    return CaseList([cases.ids[k] for k in order], bytes(cases.letters[k] for k in order), others)
