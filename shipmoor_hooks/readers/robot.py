"""Robot Framework's output.xml (its `--xunit` file is read by `junit`, with the same ids)."""

from __future__ import annotations

from shipmoor_hooks.model import Outcome, Record, Report
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import parse

ROOT = "robot"
_OUTCOMES = {"PASS": Outcome.PASSED, "FAIL": Outcome.FAILED, "SKIP": Outcome.SKIPPED, "NOT RUN": Outcome.SKIPPED}


def read_robot(source: Source, name: str) -> Report:
    """One output.xml. A test without a status was started and not finished."""
    sink = parse(source, name, _Sink)
    problems = problems_without_a_case(sink.records)
    if sink.unfinished:
        problems.insert(0, incomplete(f"the test {shown(sink.unfinished)} was started and never finished"))
    return Report("robot", "robot", tuple(sink.records), tuple(problems), None, "robot", sink.version)


class _Sink:
    def __init__(self, name: str) -> None:
        self.name = name
        self.records: list[Record] = []
        self.path: list[str] = []
        self.suites: list[str] = []
        self.test = ""
        self.outcome: Outcome | None = None
        self.unfinished = ""
        self.version = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.path.append(tag)
        if len(self.path) == 1:
            if tag != ROOT:
                raise unreadable(self.name, f"<{shown(tag)}> is not the root of Robot's output ({ROOT})")
            self.version = bounded(attributes.get("generator", ""))
        elif tag == "suite":
            self.suites.append(bounded(attributes.get("name", "")))
        elif tag == "test" and self.path[-2] == "suite":
            self.test, self.outcome = bounded(attributes.get("name", "")), None
        elif tag == "status" and self.path[-2] == "test":
            self.outcome = _OUTCOMES.get(attributes.get("status", ""), Outcome.ERROR)

    def end(self, tag: str) -> None:
        self.path.pop()
        if tag == "suite":
            self.suites.pop()
        elif tag == "test" and self.path[-1] == "suite":
            within_cap(len(self.records) + 1, self.name)
            if self.outcome is None:
                self.unfinished = self.unfinished or self.test
            path = tuple(self.suites)
            self.records.append(Record(self.test, ".".join(path), "", path, self.outcome or Outcome.ERROR))
