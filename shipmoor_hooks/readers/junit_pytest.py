"""What is special in pytest's own XML: pairs of records, reruns, files that do not load, runs that were none.

Measured with pytest 9 and pytest-rerunfailures: a test that fails and whose teardown fails too is written twice
(`tests` counts it once); a rerun leaves one empty record for every earlier attempt (`tests` counts the last alone); a
module that does not load is a record with an empty class name and the module's dotted name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Outcome, Problem, Record, RecordKind
from shipmoor_hooks.readers.emptiness import incomplete
from shipmoor_hooks.readers.junit_elements import COLLECTION, TEARDOWN, CaseElement, Element, Row, parted
from shipmoor_hooks.readers.junit_outcome import letter_of, outcome_of
from shipmoor_hooks.readers.junit_tally import Tally
from shipmoor_hooks.report_records import Alike, Part, RecordList, each

_PASSED = Outcome.PASSED.letter
_WORKER = re.compile(r"gw\d+\Z")
RUN_ALL = "run the whole suite again, with --junitxml"


def parts_of(cases: Iterable[Element], tally: Tally) -> tuple[list[Part], list[Problem]]:
    """Records in the file's order, each test once for every time that it was really run."""
    problems: dict[str, Problem] = {}
    told: list[tuple[CaseElement, Record] | Alike] = []
    shared, passed = None, Record("")  # rows that a red case parts share all
    for element, letters in _taken_apart(cases, tally):
        if isinstance(element, Row):
            if element.shared is not shared:
                shared = element.shared
                passed = Record("", shared.classname, shared.file, shared.suite.path)
            told.append(Alike(passed, element.names, letters))
            continue
        record, trouble = _record(element)
        if trouble is not None:
            problems.setdefault(trouble.message, trouble)
        if record is not None:
            told.append((element, record))
    if tally.has_teardown:
        folded, after_pass = _without_teardown_pairs(told)
    else:
        folded, after_pass = [one if isinstance(one, Alike) else one[1] for one in told], 0
    for problem in _count_problems(tally):
        problems.setdefault(problem.message, problem)
    declared = tally.declared("tests")
    reruns = 0 if declared is None else len(RecordList(folded)) + after_pass - declared
    return (_with_attempts(folded) if reruns > 0 else folded), list(problems.values())


def _taken_apart(cases: Iterable[Element], tally: Tally) -> Iterator[tuple[Element, str]]:
    """Rows stay rows where a letter says all of each case ("": all passed); pytest writes no attribute that says more."""
    for element in cases:
        letters = None if isinstance(element, CaseElement) or tally.has_teardown else _letters(element)
        if letters is not None:
            yield element, letters
            continue
        for one in parted([element]):
            if isinstance(one, CaseElement) or outcome_of(one.shared).is_green:
                yield one, ""
            else:
                yield from ((replace(one.shared, name=name), "") for name in one.names)


def _letters(row: Row) -> str | None:
    """The outcomes of a row of ordinary tests; None where one of them may be more than a test that passed or not."""
    shared = row.shared
    if shared.attributes:
        return None
    if not row.results:
        return ""
    if shared.classname in ("", "pytest"):  # records of pytest itself
        return None
    letters = [_PASSED] * len(row.names)
    for position, results in row.results.items():
        letters[position] = letter_of(results[0]) if len(results) == 1 else ""
        if not letters[position]:
            return None
    return "".join(letters)


def _record(case: CaseElement) -> tuple[Record | None, Problem | None]:
    outcome = outcome_of(case)
    record = Record(case.name, case.classname, case.file, case.suite.path, outcome)
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


def _without_teardown_pairs(told: list[tuple[CaseElement, Record] | Alike]) -> tuple[list[Part], int]:
    """Fold `failed` + `failed on teardown` of one test into one record.

    Also how many tests passed or were skipped before their teardown failed: pytest's `tests` counts those twice.
    """
    parts: list[Part] = []
    failed: dict[tuple[str, str], dict[str, tuple[int, Record]]] = defaultdict(
        dict
    )  # by place and name: where it stands
    counted_twice = 0
    for one in told:
        if isinstance(one, Alike):
            parts.append(one)
            if here := failed.get((one.shared.classname, one.shared.file)):
                for name in one.names:
                    here.pop(name, None)
            continue
        case, record = one
        here = failed[record.classname, record.file]
        is_teardown = any(r.tag == "error" and r.mark == TEARDOWN for r in case.results)
        if is_teardown and not any(r.tag == "failure" for r in case.results):
            if record.name in here:
                position, first = here.pop(record.name)
                parts[position] = replace(first, outcome=Outcome.ERROR)
                continue
            counted_twice += 1
        elif record.outcome is Outcome.FAILED:
            here[record.name] = (len(parts), record)
        else:
            here.pop(record.name, None)
        parts.append(record)
    return parts, counted_twice


def _with_attempts(parts: list[Part]) -> list[Part]:
    """Fold the records of one test into the last; an earlier one without a result is an attempt that failed."""
    records = list(each(parts))
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


def _count_problems(tally: Tally) -> list[Problem]:
    """Counts that prove a loss. `tests` counts each passed subtest, which leaves no record, so a larger number is none;
    `failures`, `errors` and `skipped` count the children of the records, so each of them must be there."""
    declared, there = tally.declared("tests"), tally.cases
    if declared == 0 and there:
        return [
            incomplete(
                "pytest listed its tests and ran none (--setup-plan or --setup-only)",
                "run the suite without the option",
            )
        ]
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counted = tally.declared(attribute) or 0
        if there and counted > (shown := tally.results[tag]):
            return [incomplete(f"the report declares {counted} {attribute} and its records show {shown}", RUN_ALL)]
    if declared is not None and there and declared > 2 * there:
        return [incomplete(f"pytest counted {declared} results and the report holds {there} records", RUN_ALL)]
    return []
