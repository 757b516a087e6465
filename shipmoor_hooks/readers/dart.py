"""The stream of Dart's and Flutter's JSON reporter: one event a line."""

from __future__ import annotations

from typing import Any

from shipmoor_hooks.model import Outcome, Record, RecordKind, Report
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, within_cap
from shipmoor_hooks.readers.lines import objects_of, word
from shipmoor_hooks.readers.source import Source

_OUTCOMES = {"success": Outcome.PASSED, "failure": Outcome.FAILED, "error": Outcome.ERROR}


def read_dart(source: Source, name: str) -> Report:
    """One case a test; a suite file that does not load is a test called "loading …" that is not hidden."""
    suites: dict[Any, str] = {}
    running: dict[Any, dict[str, Any]] = {}
    records: list[Record] = []
    is_done = False
    version = ""
    for _, event in objects_of(source, name):
        kind = event.get("type")
        version = version or word(event.get("runnerVersion"))
        if kind == "suite" and isinstance(suite := event.get("suite"), dict):
            suites[str(suite.get("id"))] = word(suite.get("path"))
        elif kind == "testStart" and isinstance(test := event.get("test"), dict):
            running[str(test.get("id"))] = test
        elif kind == "testDone":
            started = running.pop(str(event.get("testID")), None)
            if started is not None and not event.get("hidden"):
                records.append(_record(event, started, suites.get(str(started.get("suiteID")), "")))
        elif kind == "done":
            is_done = True
        within_cap(max(len(records), len(running), len(suites)), name)
    problems = problems_without_a_case(records)
    if running:
        first = shown(word(next(iter(running.values())).get("name")))
        problems.insert(0, incomplete(f"the test {first!r} was started and never finished"))
    elif not is_done:
        problems.insert(0, incomplete("the stream has no end, so the run was cut off"))
    return Report("dart", "dart", tuple(records), tuple(problems), None, "dart", bounded(version))


def _record(done: dict[str, Any], test: dict[str, Any], path: str) -> Record:
    name = bounded(legal(word(test.get("name"))))
    outcome = Outcome.SKIPPED if done.get("skipped") is True else _OUTCOMES.get(word(done.get("result")), Outcome.ERROR)
    if outcome.is_red and name.startswith("loading ") and not test.get("groupIDs"):
        return Record(name, "", name.removeprefix("loading "), outcome=outcome, kind=RecordKind.FILE)
    return Record(name, "", bounded(legal(path)), outcome=outcome)
