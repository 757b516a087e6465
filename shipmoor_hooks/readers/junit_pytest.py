"""What is special in pytest's own XML: pairs of records, reruns, files that do not load, runs that were none.

Measured with pytest 9 and pytest-rerunfailures: a test that fails and whose teardown fails too is written twice
(`tests` counts it once); a rerun leaves one empty record for every earlier attempt (`tests` counts the last alone); a
module that does not load is a record with an empty class name and the module's dotted name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace

from shipmoor_hooks.model import Outcome, Problem, Record, RecordKind
from shipmoor_hooks.readers.emptiness import incomplete
from shipmoor_hooks.readers.junit_elements import COLLECTION, TEARDOWN, CaseElement, Elements
from shipmoor_hooks.readers.junit_outcome import outcome_of

_WORKER = re.compile(r"gw\d+\Z")
RUN_ALL = "run the whole suite again, with --junitxml"


def records_of(elements: Elements) -> tuple[list[Record], list[Problem]]:
    """Records in the file's order, each test once for every time that it was really run."""
    problems: dict[str, Problem] = {}
    kept: list[tuple[CaseElement, Record]] = []
    for case in elements.cases:
        record, trouble = _record(case, elements)
        if trouble is not None:
            problems.setdefault(trouble.message, trouble)
        if record is not None:
            kept.append((case, record))
    folded, after_pass = _without_teardown_pairs(kept)
    for problem in _count_problems(elements):
        problems.setdefault(problem.message, problem)
    declared = _declared(elements)
    reruns = 0 if declared is None else len(folded) + after_pass - declared
    return (_with_attempts(folded) if reruns > 0 else folded), list(problems.values())


def _record(case: CaseElement, elements: Elements) -> tuple[Record | None, Problem | None]:
    outcome = outcome_of(case)
    suites = elements.path(case.suite)
    record = Record(case.name, case.classname, case.file, suites, outcome, seconds=case.seconds)
    if not case.name:
        trouble = incomplete("pytest was interrupted: a record names no test", "let the run finish")
        return (None if outcome.is_green else replace(record, kind=RecordKind.SUITE, name="interrupted")), trouble
    if case.classname == "pytest" and case.name == "internal" and outcome is Outcome.ERROR:
        trouble = incomplete("pytest stopped with an internal error", "read pytest's own output, then run again")
        return replace(record, kind=RecordKind.SUITE), trouble
    if not case.classname and _WORKER.match(case.name) and outcome.is_red:
        trouble = incomplete(
            "pytest-xdist's workers collected different tests, so none ran",
            "give the parametrised tests ids that are the same in every process (`ids=`), then run again",
        )
        return replace(record, kind=RecordKind.SUITE, name="different tests were collected"), trouble
    if any(result.mark in COLLECTION for result in case.results):
        return replace(record, kind=RecordKind.FILE, file=case.file or _path_guess(case)), None
    return record, None


def _path_guess(case: CaseElement) -> str:
    """The file of a module that does not load; for a class in it, the module's."""
    return (case.classname or case.name).replace(".", "/") + ".py"


def _without_teardown_pairs(kept: list[tuple[CaseElement, Record]]) -> tuple[list[Record], int]:
    """Fold `failed` + `failed on teardown` of one test into one record.

    Also how many tests passed or were skipped before their teardown failed: pytest's `tests` counts those twice.
    """
    records: list[Record] = []
    failed_at: dict[tuple[str, str, str], int] = {}
    counted_twice = 0
    for case, record in kept:
        key = (record.classname, record.name, record.file)
        tags = {result.tag for result in case.results}
        is_teardown = any(r.tag == "error" and r.mark == TEARDOWN for r in case.results)
        if is_teardown and "failure" not in tags:
            first = failed_at.pop(key, None)
            if first is not None:
                records[first] = replace(records[first], outcome=Outcome.ERROR)
                continue
            counted_twice += 1
        elif record.outcome is Outcome.FAILED:
            failed_at[key] = len(records)
        else:
            failed_at.pop(key, None)
        records.append(record)
    return records, counted_twice


def _with_attempts(records: list[Record]) -> list[Record]:
    """Fold the records of one test into the last; an earlier one without a result is an attempt that failed."""
    positions: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for position, record in enumerate(records):
        positions[record.classname, record.name, record.file].append(position)
    earlier: set[int] = set()
    for same in positions.values():
        *before, last = same
        if before and records[last].kind is RecordKind.CASE:
            earlier.update(before)
            attempts = tuple(o if (o := records[p].outcome).is_red else Outcome.FAILED for p in before)
            records[last] = replace(records[last], attempts=attempts)
    return [record for position, record in enumerate(records) if position not in earlier]


def _declared(elements: Elements, attribute: str = "tests") -> int | None:
    """The sum of what the suites count, None where one does not say."""
    numbers = [suite.number(attribute) for suite in elements.suites if suite.tag == "testsuite"]
    return None if None in numbers or not numbers else sum(n for n in numbers if n is not None)


def _count_problems(elements: Elements) -> list[Problem]:
    """Counts that prove a loss. `tests` counts each passed subtest, which leaves no record, so a larger number is none;
    `failures`, `errors` and `skipped` count the children of the records, so each of them must be there."""
    declared, there = _declared(elements), len(elements.cases)
    if declared == 0 and there:
        return [
            incomplete(
                "pytest listed its tests and ran none (--setup-plan or --setup-only)",
                "run the suite without the option",
            )
        ]
    tags = Counter(result.tag for case in elements.cases for result in case.results)
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        if there and (_declared(elements, attribute) or 0) > tags[tag]:
            counted = _declared(elements, attribute)
            return [incomplete(f"the report declares {counted} {attribute} and its records show {tags[tag]}", RUN_ALL)]
    if declared is not None and there and declared > 2 * there:
        return [incomplete(f"pytest counted {declared} results and the report holds {there} records", RUN_ALL)]
    return []
