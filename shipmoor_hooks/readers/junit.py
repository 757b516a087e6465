"""JUnit XML in its dialects: pytest, surefire, GoogleTest and some thirty more that share two element names.

Elements are the truth, attributes are hints. What each dialect marks as attempts, load errors and runs that were none
is in the modules beside this one.
"""

from __future__ import annotations

import re
from datetime import datetime

from shipmoor_hooks.model import Code, Outcome, Problem, Record, RecordKind, Report
from shipmoor_hooks.readers import junit_pytest
from shipmoor_hooks.readers.junit_checks import problems_of, warnings_of
from shipmoor_hooks.readers.junit_dialect import dialect_of
from shipmoor_hooks.readers.junit_elements import CaseElement, Elements, read_elements
from shipmoor_hooks.readers.junit_outcome import attempts_of, outcome_of

ROOTS = frozenset({"testsuites", "testsuite"})
SUITE_ERROR = "<suite error>"
_ATTEMPT_SUFFIX = re.compile(r" \((?:attempt|repetition) (\d{1,4}) of \d{1,4}\)\Z")


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
    records: list[Record] = []
    nameless = 0
    for case in elements.cases:
        record = _record(case, elements, dialect)
        if case.name or record.kind is not RecordKind.CASE:
            records.append(record)
            continue
        nameless += 1
        if not record.outcome.is_green:
            records.append(
                Record("<nameless>", case.classname, case.file, record.suites, record.outcome, kind=RecordKind.SUITE)
            )
    if not nameless:
        return records, []
    return records, [
        Problem(
            Code.RUN_INCOMPLETE,
            f"{nameless} of {len(elements.cases)} records name no case",
            "let the run finish, or give every test a name",
        )
    ]


def _record(case: CaseElement, elements: Elements, dialect: str) -> Record:
    outcome = outcome_of(case)
    attempts = attempts_of(case)
    numbered = _ATTEMPT_SUFFIX.search(case.name) if dialect == "phpunit" else None
    name = case.name
    if numbered:
        name = case.name[: numbered.start()]
        attempts = (Outcome.FAILED,) * (int(numbered.group(1)) - 1)
    kind = RecordKind.FILE if outcome.is_red and _is_load_error(case, dialect) else RecordKind.CASE
    file = case.file or (_path_of_load_error(case, dialect) if kind is RecordKind.FILE else "")
    return Record(name, case.classname, file, _suites(case, elements, dialect), outcome, attempts, kind, case.seconds)


def _suites(case: CaseElement, elements: Elements, dialect: str) -> tuple[str, ...]:
    """The names around the case; Playwright tells its projects apart by the suite's `hostname` alone."""
    path = elements.path(case.suite)
    project = elements.suites[case.suite].attributes.get("hostname", "") if dialect == "playwright" else ""
    return (project, *path) if project else path


def _is_load_error(case: CaseElement, dialect: str) -> bool:
    """A record that stands for a whole file or class: it does not load, or what all its tests need broke."""
    if dialect == "surefire":
        return case.name in ("", "initializationError", "executionError")
    if dialect == "jest":
        return case.classname == "Test suite failed to run"
    if dialect == "vitest":
        return case.name == case.classname
    if dialect in ("unittest", "nose2"):
        return case.classname == "unittest.loader._FailedTest" or case.classname.endswith("ModuleImportFailure")
    return False


def _path_of_load_error(case: CaseElement, dialect: str) -> str:
    if dialect in ("unittest", "nose2"):
        return case.name.replace(".", "/") + ".py"
    return case.name if dialect in ("jest", "vitest") else ""


def _suite_errors(elements: Elements) -> list[Record]:
    """An error or failure directly under a suite: red, and no case of it."""
    return [
        Record(SUITE_ERROR, "", "", elements.path(position), outcome, kind=RecordKind.SUITE)
        for position, suite in enumerate(elements.suites)
        for outcome in {
            Outcome.ERROR if r.tag == "error" else Outcome.FAILED
            for r in suite.results
            if r.tag in ("error", "failure")
        }
    ]


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
