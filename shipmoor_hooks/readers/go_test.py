"""The stream of `go test -json` (test2json): one JSON object a line."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from shipmoor_hooks.model import Outcome, Problem, Record, RecordKind, Report
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, within_cap
from shipmoor_hooks.readers.lines import objects_of, word
from shipmoor_hooks.readers.source import Source

_OUTCOMES = {"pass": Outcome.PASSED, "fail": Outcome.FAILED, "skip": Outcome.SKIPPED}


def read_go_test(source: Source, name: str) -> Report:
    """Tests and their subtests are cases; a package that fails without a red test is a record for the whole package."""
    records: list[Record] = []
    running: dict[tuple[str, str], None] = {}
    open_packages: dict[str, None] = {}
    red_packages: set[str] = set()
    started: float | None = None
    for _, event in objects_of(source, name):
        within_cap(max(len(records), len(running), len(open_packages)), name)
        package, test, action = word(event.get("Package")), word(event.get("Test")), word(event.get("Action"))
        started = started if started is not None else _time(event)
        if action == "build-fail":
            records.append(_whole(word(event.get("ImportPath")).partition(" ")[0]))
            continue
        if package:
            open_packages.setdefault(package)
        if action == "run":
            running[package, test] = None
        outcome = _OUTCOMES.get(action)
        if outcome is None:
            continue
        if test:
            running.pop((package, test), None)
            records.append(Record(bounded(legal(test)), bounded(legal(package)), outcome=outcome))
            red_packages.update([package] if outcome.is_red else [])
        else:
            open_packages.pop(package, None)
            if outcome.is_red and package not in red_packages:
                records.append(_whole(package))
    records = list(
        {
            (r.name, r.classname) if r.kind is RecordKind.FILE else position: r for position, r in enumerate(records)
        }.values()
    )
    problems = (*_problems(running, open_packages), *problems_without_a_case(records))
    return Report("go-test", "go", tuple(records), problems, started, "go")


def _whole(package: str) -> Record:
    """A package that does not build, or whose TestMain or process broke."""
    return Record("", bounded(legal(package)), outcome=Outcome.ERROR, kind=RecordKind.FILE)


def _problems(running: dict[tuple[str, str], None], open_packages: dict[str, None]) -> list[Problem]:
    if running:
        package, test = next(iter(running))
        more = f" (and {len(running) - 1} more)" if len(running) > 1 else ""
        return [incomplete(f"{shown(package)} {shown(test)}{more} was started and never finished")]
    if open_packages:
        return [incomplete(f"the stream ends before the package {shown(next(iter(open_packages)))} does")]
    return []


def _time(event: dict[str, Any]) -> float | None:
    try:
        moment = datetime.fromisoformat(word(event.get("Time")))
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo is not None else None
