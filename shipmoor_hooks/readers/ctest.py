"""CTest's own Test.xml (the file that goes to a dashboard); its JUnit output is read by `junit`."""

from __future__ import annotations

from shipmoor_hooks.model import Outcome, Record, Report
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import parse

ROOT = "Site"
_OUTCOMES = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "notrun": Outcome.SKIPPED,
    "skipped": Outcome.SKIPPED,
    "disabled": Outcome.SKIPPED,
}


def read_ctest(source: Source, name: str) -> Report:
    """One Test.xml. Raises ReportFault as `xml_events.parse` and for another root."""
    sink = parse(source, name, _Sink)
    problems = problems_without_a_case(sink.records)
    if sink.records and len(sink.records) < sink.announced:
        problems.insert(0, incomplete(f"{sink.announced} tests were announced and {len(sink.records)} reported"))
    return Report("ctest", "ctest", tuple(sink.records), tuple(problems), sink.started, "ctest", sink.version)


class _Sink:
    def __init__(self, name: str) -> None:
        self.name = name
        self.records: list[Record] = []
        self.path: list[str] = []
        self.status = ""
        self.test = ""
        self.time = ""
        self.announced = 0
        self.version = ""

    @property
    def started(self) -> float | None:
        return float(self.time) if self.time.isascii() and self.time.isdigit() and len(self.time) < 12 else None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.path.append(tag)
        if len(self.path) == 1:
            if tag != ROOT:
                raise unreadable(self.name, f"<{shown(tag)}> is not the root of a CTest file ({ROOT})")
            self.version = bounded(attributes.get("Generator", "").removeprefix("ctest-"))
        elif self.path == [ROOT, "Testing", "TestList", "Test"]:
            self.announced += 1
        elif self.path == [ROOT, "Testing", "Test"]:
            self.status, self.test = attributes.get("Status", ""), ""

    def text(self, piece: str) -> None:
        if self.path == [ROOT, "Testing", "Test", "Name"] and len(self.test) < limits.MAX_TOKEN:
            self.test += piece
        elif self.path == [ROOT, "Testing", "StartTestTime"] and len(self.time) < limits.MAX_NAME:
            self.time += piece

    def end(self, tag: str) -> None:  # noqa: ARG002  (a Sink)
        if self.path == [ROOT, "Testing", "Test"]:
            within_cap(len(self.records) + 1, self.name)
            self.records.append(Record(bounded(self.test.strip()), outcome=_OUTCOMES.get(self.status, Outcome.ERROR)))
        self.path.pop()
