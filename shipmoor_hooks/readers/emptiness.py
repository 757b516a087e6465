"""A report without a case: nothing was measured, or nothing loads (design, section 10.6)."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.model import Code, Problem, Record, RecordKind
from shipmoor_hooks.readers.limits import shown

RUN_AGAIN = "run the suite again and read its report"


def incomplete(message: str, next_step: str = RUN_AGAIN) -> Problem:
    """Why a report does not show a whole run."""
    return Problem(Code.RUN_INCOMPLETE, message, next_step)


def problems_without_a_case(records: Sequence[Record]) -> list[Problem]:
    """One problem where no record is a case. `inventory.problems_of` knows these by how they begin."""
    if any(r.kind is RecordKind.CASE for r in records):
        return []
    broken = [r for r in records if r.kind is RecordKind.FILE and r.outcome.is_red]
    if not broken:
        return [incomplete("the report holds no case, so nothing was measured")]
    files = ", ".join(dict.fromkeys(shown(r.file or r.classname or r.name) for r in broken[:3]))
    more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
    return [
        incomplete(
            f"the report holds nothing but files that do not load: {files}{more}",
            f"repair {files}, then run the suite again",
        )
    ]
