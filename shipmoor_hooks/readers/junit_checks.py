"""What a JUnit report says against itself as a whole: no run, counts that prove a loss (design, section 10.6)."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.model import Problem, Record
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.junit_elements import SuiteElement
from shipmoor_hooks.readers.junit_tally import Tally
from shipmoor_hooks.readers.limits import shown
from shipmoor_hooks.report_records import Part


def problems_of(records: Sequence[Record], tally: Tally, dialect: str) -> list[Problem]:
    """Problems that every dialect shares, the most telling first."""
    if without := problems_without_a_case(records):
        return without
    found: list[Problem] = []
    if dialect == "googletest" and not tally.ran:
        found.append(
            incomplete("GoogleTest listed its tests and ran none (--gtest_list_tests)", "run the test binary itself")
        )
    if dialect not in ("pytest", "catch2"):
        found += _emptied_suites(tally)
    if tally.skipped_whole is not None:
        name = _suite_name(tally.skipped_whole)
        found.append(incomplete(f"the suite {name} was skipped as a whole, its tests are not listed"))
    return found


def warnings_of(parts: Sequence[Part], tally: Tally, dialect: str) -> list[str]:
    """What is odd and proves nothing: counts that differ, reds that only a total knows."""
    found = []
    declared = tally.outermost["tests"]
    if dialect not in ("pytest", "catch2") and declared and declared != tally.told_cases:
        found.append(f"the report declares {declared} tests and holds {tally.told_cases} records")
    total = tally.outermost["errors"] + tally.outermost["failures"]
    if dialect != "pytest" and total:
        alone = (part for part in parts if isinstance(part, Record))  # the others have passed
        reds = sum(r.outcome.is_red or any(o.is_red for o in r.attempts) for r in alone)
        if total > reds:
            found.append(f"the report's totals count {total} failures and errors, its records show {reds}")
    return found


def _emptied_suites(tally: Tally) -> list[Problem]:
    """Suites that declare tests and hold none, at any depth."""
    first = tally.emptied
    if first is None:
        return []
    return [
        incomplete(
            f"the suite {_suite_name(first)} declares {first.number('tests')} tests and holds none"
            + (f"; so do {tally.number_emptied - 1} more" if tally.number_emptied > 1 else "")
        )
    ]


def _suite_name(suite: SuiteElement) -> str:
    return repr(shown(suite.name)) if suite.name else "without a name"
