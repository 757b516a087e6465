"""JUnit XML in its dialects: pytest, surefire, GoogleTest and some thirty more that share two element names.

Elements are the truth, attributes are hints. What each dialect marks as attempts, load errors and runs that were none
is in the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Iterable

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Outcome, Problem, Record, RecordKind, Report
from shipmoor_hooks.readers import junit_pytest
from shipmoor_hooks.readers.emptiness import incomplete
from shipmoor_hooks.readers.junit_checks import problems_of, warnings_of
from shipmoor_hooks.readers.junit_dialect import dialect_of
from shipmoor_hooks.readers.junit_elements import CaseElement, Element, Row, SuiteElement, parted
from shipmoor_hooks.readers.junit_names import rejoined, with_attempt_number, without_running_numbers, without_subtests
from shipmoor_hooks.readers.junit_outcome import attempts_of, outcome_of
from shipmoor_hooks.readers.junit_stream import Take, stream
from shipmoor_hooks.readers.junit_tally import Tally
from shipmoor_hooks.readers.junit_whole import told_apart
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.report_records import Alike, Part, RecordList, each

ROOTS = frozenset({"testsuites", "testsuite"})
SUITE_ERROR = "<suite error>"
_SUBTESTS = ("unittest", "nose2")
_NAMES_TELL = ("phpunit", *_SUBTESTS)


def read_junit(source: Source, name: str) -> Report:
    """One JUnit file. Raises ReportFault for what is not a JUnit report or not one to the end."""
    cases: list[Element] = []

    def begin() -> Take:
        cases.clear()
        return cases.append

    tally = stream(source, name, begin)
    dialect = dialect_of(tally)
    if dialect == "pytest":
        parts, problems = junit_pytest.parts_of(cases, tally)
    else:
        parts, problems = _parts(cases, dialect)
    parts += _suite_errors(tally)
    records = RecordList(parts)
    return Report(
        reader="junit",
        dialect=dialect,
        records=records,
        problems=(*problems, *problems_of(records, tally, dialect)),
        started=tally.started,
        harness="" if dialect == "junit" else dialect,
        warnings=tuple(warnings_of(parts, tally, dialect)),
    )


def _parts(cases: list[Element], dialect: str) -> tuple[list[Part], list[Problem]]:
    nameless = 0
    parts: list[Part] = []
    for element in parted(cases):
        if isinstance(element, Row):
            parts += _row(element, dialect)
            continue
        record = _record(element, dialect)
        if not record.name and record.kind is RecordKind.CASE:
            nameless += 1
            record = replace(record, name="<nameless>")
        parts.append(record)
    parts = without_running_numbers(parts)
    if dialect in _SUBTESTS:
        parts = list(without_subtests(each(parts)))
    if not nameless:
        return parts, []
    number = len(RecordList(parts))
    return parts, [
        incomplete(f"{nameless} of {number} records name no case", "let the run finish, or give every test a name")
    ]


def _row(row: Row, dialect: str) -> Iterable[Part]:
    """The cases of a row stay together where the dialect reads nothing out of a name and none of them is red."""
    shared = row.shared
    if outcome_of(shared) is Outcome.PASSED and dialect not in _NAMES_TELL:
        return [Alike(Record("", shared.classname, shared.file, _suites(shared.suite, dialect)), row.names)]
    return (_record(replace(shared, name=name), dialect) for name in row.names)


def _record(case: CaseElement, dialect: str) -> Record:
    suites = _suites(case.suite, dialect)
    record = Record(case.name, case.classname, case.file, suites, outcome_of(case), attempts_of(case))
    if dialect == "phpunit":
        record = with_attempt_number(record)
    elif dialect == "nose2":
        record = rejoined(record)
    return told_apart(record, dialect)


def _suites(suite: SuiteElement, dialect: str) -> tuple[str, ...]:
    """The names around the case; Playwright tells its projects apart by the suite's `hostname` alone."""
    project = suite.attributes.get("hostname", "") if dialect == "playwright" else ""
    return (project, *suite.path) if project else suite.path


def _suite_errors(tally: Tally) -> list[Record]:
    """An error or failure directly under a suite: red, and no case of it."""
    records = []
    for suite in sorted(tally.red, key=lambda suite: suite.position):
        outcome = Outcome.ERROR if any(r.tag == "error" for r in suite.results) else Outcome.FAILED
        records.append(Record(SUITE_ERROR, suites=suite.path, outcome=outcome, kind=RecordKind.SUITE))
    return records
