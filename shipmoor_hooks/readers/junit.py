"""JUnit XML in its dialects: pytest, surefire, GoogleTest and some thirty more that share two element names.

Elements are the truth, attributes are hints. What each dialect marks as attempts, load errors and runs that were none
is in the modules beside this one.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from shipmoor_hooks.model import Outcome, Problem, Record, RecordKind, Report
from shipmoor_hooks.readers import junit_pytest
from shipmoor_hooks.readers.emptiness import incomplete
from shipmoor_hooks.readers.junit_checks import problems_of, warnings_of
from shipmoor_hooks.readers.junit_dialect import dialect_of
from shipmoor_hooks.readers.junit_elements import CaseElement, Elements, read_elements
from shipmoor_hooks.readers.junit_names import rejoined, with_attempt_number, without_running_numbers, without_subtests
from shipmoor_hooks.readers.junit_outcome import attempts_of, outcome_of
from shipmoor_hooks.readers.junit_whole import told_apart

ROOTS = frozenset({"testsuites", "testsuite"})
SUITE_ERROR = "<suite error>"


def read_junit(data: bytes, name: str) -> Report:
    """One JUnit file. Raises ReportFault for what is not a JUnit report or not one to the end."""
    elements = read_elements(data, name)
    dialect = dialect_of(elements)
    if dialect == "pytest":
        records, problems = junit_pytest.records_of(elements)
    else:
        records, problems = _records(elements, dialect)
    records += _suite_errors(elements)
    return Report(
        reader="junit",
        dialect=dialect,
        records=tuple(records),
        problems=(*problems, *problems_of(records, elements, dialect)),
        started=started(elements),
        harness="" if dialect == "junit" else dialect,
        warnings=tuple(warnings_of(records, elements, dialect)),
    )


def _records(elements: Elements, dialect: str) -> tuple[list[Record], list[Problem]]:
    records = [_record(case, elements, dialect) for case in elements.cases]
    nameless = [position for position, r in enumerate(records) if not r.name and r.kind is RecordKind.CASE]
    for position in nameless:
        records[position] = replace(records[position], name="<nameless>")
    records = without_running_numbers(records)
    if dialect in ("unittest", "nose2"):
        records = without_subtests(records)
    if not nameless:
        return records, []
    return records, [
        incomplete(
            f"{len(nameless)} of {len(records)} records name no case",
            "let the run finish, or give every test a name",
        )
    ]


def _record(case: CaseElement, elements: Elements, dialect: str) -> Record:
    record = Record(
        case.name,
        case.classname,
        case.file,
        _suites(case, elements, dialect),
        outcome_of(case),
        attempts_of(case),
        seconds=case.seconds,
    )
    if dialect == "phpunit":
        record = with_attempt_number(record)
    elif dialect == "nose2":
        record = rejoined(record)
    return told_apart(record, dialect)


def _suites(case: CaseElement, elements: Elements, dialect: str) -> tuple[str, ...]:
    """The names around the case; Playwright tells its projects apart by the suite's `hostname` alone."""
    path = elements.path(case.suite)
    project = elements.suites[case.suite].attributes.get("hostname", "") if dialect == "playwright" else ""
    return (project, *path) if project else path


def _suite_errors(elements: Elements) -> list[Record]:
    """An error or failure directly under a suite: red, and no case of it."""
    records = []
    for position, suite in enumerate(elements.suites):
        tags = {result.tag for result in suite.results}
        if "error" in tags or "failure" in tags:
            outcome = Outcome.ERROR if "error" in tags else Outcome.FAILED
            records.append(Record(SUITE_ERROR, suites=elements.path(position), outcome=outcome, kind=RecordKind.SUITE))
    return records


def started(elements: Elements) -> float | None:
    """The earliest time of a suite that carries a zone (POSIX seconds), None where none does."""
    times = []
    for suite in elements.suites:
        try:
            moment = datetime.fromisoformat(suite.attributes.get("timestamp", ""))
        except ValueError:
            continue
        if moment.tzinfo is not None:
            times.append(moment.timestamp())
    return min(times, default=None)
