"""The XML of xunit.net, version 2 (`assemblies`, collections) and version 1 (`assembly`, classes)."""

from __future__ import annotations

from shipmoor_hooks.model import Outcome, Record, RecordKind, Report
from shipmoor_hooks.readers.emptiness import problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import parse

ROOTS = frozenset({"assemblies", "assembly"})
SUITE_ERROR = "<suite error>"
_OUTCOMES = {"Pass": Outcome.PASSED, "Fail": Outcome.FAILED, "Skip": Outcome.SKIPPED, "NotRun": Outcome.SKIPPED}


def read_xunit_net(source: Source, name: str) -> Report:
    """One xunit.net file. Raises ReportFault as `xml_events.parse` and for another root."""
    sink = parse(source, name, _Sink)
    problems = tuple(problems_without_a_case(sink.records))
    return Report("xunit.net", "xunit.net", tuple(sink.records), problems, None, "xunit.net", sink.version)


class _Sink:
    def __init__(self, name: str) -> None:
        self.name = name
        self.records: list[Record] = []
        self.version = ""
        self.depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth == 1 and tag not in ROOTS:
            raise unreadable(self.name, f"<{shown(tag)}> is not the root of an xunit.net file")
        if tag == "assembly":
            self.version = self.version or bounded(attributes.get("test-framework", ""))
        elif tag == "error":
            within_cap(len(self.records) + 1, self.name)
            where = bounded(attributes.get("name") or attributes.get("type", ""))
            self.records.append(Record(SUITE_ERROR, where, outcome=Outcome.ERROR, kind=RecordKind.SUITE))
        elif tag == "test":
            within_cap(len(self.records) + 1, self.name)
            classname = bounded(attributes.get("type", ""))
            name = bounded(attributes.get("name", "").removeprefix(f"{classname}.")) or attributes.get("method", "")
            outcome = _OUTCOMES.get(attributes.get("result", ""), Outcome.ERROR)
            self.records.append(Record(name, classname, outcome=outcome))

    def end(self, tag: str) -> None:  # noqa: ARG002  (a Sink)
        self.depth -= 1
