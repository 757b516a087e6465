"""What a JUnit report says against itself as a whole: no run, counts that prove a loss (design, section 10.6)."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.model import Problem, Record
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.junit_elements import Elements, SuiteElement
from shipmoor_hooks.readers.limits import shown


def problems_of(records: Sequence[Record], elements: Elements, dialect: str) -> list[Problem]:
    """Problems that every dialect shares, the most telling first."""
    if without := problems_without_a_case(records):
        return without
    found: list[Problem] = []
    if dialect == "googletest" and all(
        case.seconds is None and not case.results and not case.attributes.keys() & {"status", "result"}
        for case in elements.cases
    ):
        found.append(
            incomplete("GoogleTest listed its tests and ran none (--gtest_list_tests)", "run the test binary itself")
        )
    if dialect not in ("pytest", "catch2"):
        found += _emptied_suites(elements)
    found += _skipped_suites(elements)
    return found


def warnings_of(records: Sequence[Record], elements: Elements, dialect: str) -> list[str]:
    """What is odd and proves nothing: counts that differ, reds that only a total knows."""
    found = []
    declared = _outermost(elements, "tests")
    told = [suite.number("tests") is not None for suite in elements.suites]
    there = sum(told[case.suite] for case in elements.cases)
    if dialect not in ("pytest", "catch2") and declared and declared != there:
        found.append(f"the report declares {declared} tests and holds {there} records")
    reds = sum(r.outcome.is_red or any(o.is_red for o in r.attempts) for r in records)
    total = _outermost(elements, "errors") + _outermost(elements, "failures")
    if dialect != "pytest" and total > reds:
        found.append(f"the report's totals count {total} failures and errors, its records show {reds}")
    return found


def _outermost(elements: Elements, attribute: str) -> int:
    """The sum of what the outermost suites say that say it at all: inner ones are counted in theirs."""
    total = 0
    told = [False] * len(elements.suites)
    for position, suite in enumerate(elements.suites):
        number = suite.number(attribute)
        above = suite.parent >= 0 and told[suite.parent]
        told[position] = above or number is not None
        total += 0 if above else number or 0
    return total


def _emptied_suites(elements: Elements) -> list[Problem]:
    """Suites that declare tests and hold none, at any depth."""
    held = [suite.cases for suite in elements.suites]
    for position in range(len(held) - 1, -1, -1):
        parent = elements.suites[position].parent
        if parent >= 0:
            held[parent] += held[position]
    empty = [s for s, n in zip(elements.suites, held, strict=True) if not n and (s.number("tests") or 0) > 0]
    if not empty:
        return []
    return [
        incomplete(
            f"the suite {_suite_name(empty[0])} declares {empty[0].number('tests')} tests and holds none"
            + (f"; so do {len(empty) - 1} more" if len(empty) > 1 else "")
        )
    ]


def _skipped_suites(elements: Elements) -> list[Problem]:
    skipped = [s for s in elements.suites if any(r.tag in ("skipped", "skip", "ignored") for r in s.results)]
    return [
        incomplete(f"the suite {_suite_name(s)} was skipped as a whole, its tests are not listed") for s in skipped[:1]
    ]


def _suite_name(suite: SuiteElement) -> str:
    return repr(shown(suite.name)) if suite.name else "without a name"
