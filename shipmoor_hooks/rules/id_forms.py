"""The forms that ids share which are made anew with every run, and what several runs of a tree show of them. Pure.

`unstable` compares what is found here; most pushes have one run a tree, and load none of this.
"""

from __future__ import annotations

import re
from collections import Counter

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_NUMBER = re.compile(r"\d+(?:[.,:+-]*\d+)*")
_MIXED = re.compile(r"[A-Za-z0-9]*\d[A-Za-z0-9]*(?:[.,:+-][A-Za-z0-9]*\d[A-Za-z0-9]*)*")
_WORD = re.compile(r"\w+")
_GAP = "…"


def _numbers(case_id: str) -> str:
    return _NUMBER.sub(_GAP, case_id)


def _mixed(case_id: str) -> str:
    return _MIXED.sub(_GAP, case_id)


def _any_order(case_id: str) -> str:
    """The words of the last bracket in alphabetical order: a set has none of its own."""
    head, bracket, inside = _mixed(case_id).partition("[")
    return f"{head}[{' '.join(sorted(_WORD.findall(inside)))}]" if bracket else head


def _parameters(case_id: str) -> str:
    """Everything behind the function's name."""
    head, bracket, _ = case_id.partition("[")
    return f"{head}[{_GAP}]" if bracket and case_id.endswith("]") else case_id


# The forms that ids of one group share, the narrowest first: an id belongs to the first that fits.
FORMS: tuple[Callable[[str], str], ...] = (_numbers, _mixed, _any_order, _parameters)


def learn(runs: Sequence[frozenset[str]], found: dict[tuple[int, str], set[str]]) -> None:
    """Add the groups that the runs of one tree show: as many ids of a form in each run, and not the same ones."""
    left = [ids - frozenset.intersection(*runs) for ids in runs]
    for level, form in enumerate(FORMS):
        numbers = [Counter(map(form, ids)) for ids in left]
        balanced = {key for key, number in numbers[0].items() if all(other[key] == number for other in numbers[1:])}
        if balanced:
            for ids in left:
                for case_id in ids:
                    if (key := form(case_id)) in balanced:
                        found.setdefault((level, key), set()).add(case_id)
            left = [frozenset(i for i in ids if form(i) not in balanced) for ids in left]


def name(key: tuple[int, str], ids: Iterable[str]) -> str:
    """The form as people read it; words in any order stand for the whole bracket."""
    level, form = key
    return _parameters(min(ids)) if FORMS[level] is _any_order else form
