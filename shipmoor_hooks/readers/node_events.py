"""The events of node's test runner, one JSON object a line, as a custom reporter writes them (`JSON.stringify(event)`).

Node has no reporter of its own for them. Unlike its JUnit they name each test's file, so equal names of two files stay
two cases. Results come in the order of TAP: subtests before their parent, `nesting` tells the level.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Outcome, Record, RecordKind, Report
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, within_cap
from shipmoor_hooks.readers.lines import objects_of, word
from shipmoor_hooks.readers.source import Source

READER = "node-events"


def read_node_events(source: Source, name: str) -> Report:
    """One case a test without subtests; a file that does not load is a test named after the file.

    A run without its last plan, or with fewer results than that counts, is incomplete.
    """
    pending: dict[int, list[Record]] = defaultdict(list)  # by level: results whose parent has not been reported yet
    planned: int | None = None
    results = total = 0
    for _, event in objects_of(source, name):
        kind, told = event.get("type"), event.get("data")
        if not isinstance(told, dict):
            continue
        level = _level(told)
        if kind == "test:plan" and level == 0:
            planned = _count(told.get("count"))
        elif kind in ("test:pass", "test:fail"):
            total += 1
            within_cap(total, name)
            results += level == 0
            children = pending.pop(level + 1, [])
            pending[level] += _results(told, is_red=kind == "test:fail", children=children)
    records = [record for level in sorted(pending) for record in pending[level]]
    problems = problems_without_a_case(records)
    if planned is None or any(pending[level] for level in pending if level):
        problems.insert(0, incomplete("the stream has no end, so the run was cut off"))
    elif results < planned:
        problems.insert(0, incomplete(f"node counted {planned} tests and {results} were reported"))
    return Report(READER, READER, tuple(records), tuple(problems), None, "node")


def _level(told: dict[str, Any]) -> int:
    return min(_count(told.get("nesting")) or 0, limits.MAX_DEPTH)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _results(told: dict[str, Any], *, is_red: bool, children: list[Record]) -> list[Record]:
    """A test, or its subtests under its name; a parent that fails by itself is red beside them.

    A `describe` that holds no test and did not fail is no case, unless it was skipped: then its tests are not listed.
    """
    name, path = bounded(legal(word(told.get("name")))), bounded(legal(word(told.get("file"))))
    details = told.get("details")
    details = details if isinstance(details, dict) else {}
    record = Record(name or "<nameless>", file=path, outcome=_outcome(told, is_red))
    if not children:
        if is_red and path and told.get("name") == told.get("file"):
            return [replace(record, name="", kind=RecordKind.FILE)]
        is_empty_suite = details.get("type") == "suite" and record.outcome.is_green
        return [] if is_empty_suite else [record]
    inner = [replace(child, suites=(record.name, *child.suites)) for child in children]
    if record.outcome.is_red and not any(child.outcome.is_red for child in children):
        inner.append(replace(record, kind=RecordKind.SUITE))
    return inner


def _outcome(told: dict[str, Any], is_red: bool) -> Outcome:
    """`skip` and `todo` are true, or the reason as text; a test that is to be done may fail."""
    if _is_set(told.get("skip")):
        return Outcome.SKIPPED
    if _is_set(told.get("todo")):
        return Outcome.XFAILED
    return Outcome.FAILED if is_red else Outcome.PASSED


def _is_set(value: Any) -> bool:
    return value is True or isinstance(value, str)
