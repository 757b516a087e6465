"""What runs were measured under, and which of them may be compared at all. Pure (design, sections 2, 3 and 10.26)."""

from __future__ import annotations

from shipmoor_hooks.model import Finding, Run
from shipmoor_hooks.rules import wording
from shipmoor_hooks.rules.standing import newest_of

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence

# A rule of its own judges these (EXPECTATION_WEAKENED), so that they alone make no two runs incomparable.
_JUDGED = ("threshold",)


def equal_conditions(one: Run, other: Run) -> bool:
    """No condition that both runs know differs."""
    return not differing(one, other)


def differing(one: Run, other: Run) -> list[tuple[str, str, str]]:
    """The conditions that both runs know and that differ: name, value in one, value in the other."""
    theirs = dict(other.conditions)
    return [(k, v, theirs[k]) for k, v in one.conditions if k in theirs and theirs[k] != v]


def comparable(
    base: Sequence[Run], tip: Sequence[Run], same: Sequence[str], base_name: str = "BASE"
) -> tuple[tuple[Run, ...], tuple[Run, ...], list[Finding]]:
    """The runs of both sides whose `same` conditions are equal to those of the tip's newest run that the base can match.

    A newer run of the tip under other conditions is named and set aside: it must not turn an answer into none. Where no
    run of the tip has a match, both sides are empty and the finding is NOT_COMPARABLE. A threshold in which all differ is no
    reason for that: a rule of its own judges it (EXPECTATION_WEAKENED).
    """
    if not same:
        return tuple(base), tuple(tip), []
    found = _fitting(base, tip, same) or _fitting(base, tip, [n for n in same if n not in _JUDGED])
    newest = newest_of(tip)
    return found or ((), (), [wording.not_comparable(_unlike(newest_of(base), newest, same), newest, base_name)])


def _fitting(
    base: Sequence[Run], tip: Sequence[Run], same: Sequence[str]
) -> tuple[tuple[Run, ...], tuple[Run, ...], list[Finding]] | None:
    newest = newest_of(tip)
    for run in sorted(tip, key=lambda r: (r.started, r.sequence, r.id), reverse=True):
        fitting = tuple(r for r in base if not _unlike(r, run, same))
        if fitting:
            rows = _unlike(run, newest, same)
            notes = [wording.other_conditions(newest, rows)] if rows else []
            return fitting, tuple(r for r in tip if not _unlike(r, run, same)), notes
    return None


def _unlike(one: Run, other: Run, same: Sequence[str]) -> list[tuple[str, str, str]]:
    return [row for row in differing(one, other) if row[0] in same]
