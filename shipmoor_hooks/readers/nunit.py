"""NUnit's own XML, versions 2 (`test-results`) and 3 (`test-run`, or one `test-suite` of it)."""

from __future__ import annotations

import re

from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.model import Outcome, Record, RecordKind, Report
from shipmoor_hooks.readers.emptiness import problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import parse

ROOTS = frozenset({"test-run", "test-results", "test-suite"})
SUITE_ERROR = "<suite error>"
_LAST_DOT = re.compile(r"[^(\"]*\.(?=[^.(\"]*(?:[(\"]|\Z))")
_OUTCOMES = {
    "passed": Outcome.PASSED,
    "success": Outcome.PASSED,
    "warning": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "failure": Outcome.FAILED,
    "error": Outcome.ERROR,
    "cancelled": Outcome.ERROR,
    "notrunnable": Outcome.ERROR,
    "invalid": Outcome.ERROR,
    "skipped": Outcome.SKIPPED,
    "ignored": Outcome.SKIPPED,
    "inconclusive": Outcome.SKIPPED,
}
_ERROR_LABELS = frozenset({"error", "invalid", "cancelled"})


def read_nunit(source: Source, name: str) -> Report:
    """One NUnit file. Raises ReportFault as `xml_events.parse` and for another root."""
    sink = parse(source, name, _Sink)
    problems = tuple(problems_without_a_case(sink.records))
    return Report("nunit", "nunit", tuple(sink.records), problems, None, "nunit", sink.version)


@dataclass(slots=True)
class _Suite:
    name: str
    has_failed_itself: bool = False


class _Sink:
    def __init__(self, name: str) -> None:
        self.name = name
        self.records: list[Record] = []
        self.suites: list[_Suite] = []
        self.in_case = False
        self.version = ""
        self.depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth == 1:
            # Other tools have a root of that name, too; NUnit's tells its result.
            if tag not in ROOTS or (tag == "test-suite" and not attributes.keys() & {"result", "executed"}):
                raise unreadable(self.name, f"<{shown(tag)}> is not the root of an NUnit file")
            self.version = bounded(attributes.get("engine-version", ""))
        if tag == "environment":
            self.version = self.version or bounded(attributes.get("nunit-version", ""))
        elif tag == "test-suite":
            # Parents repeat what their children are; `site` tells a failure of the suite's own set-up or tear-down.
            own = attributes.get("site") in ("SetUp", "TearDown") and attributes.get("result") == "Failed"
            self.suites.append(_Suite(bounded(attributes.get("fullname") or attributes.get("name", "")), own))
        elif tag == "test-case":
            self._case(attributes)
        elif self.in_case and tag == "failure" and self.records[-1].outcome is Outcome.PASSED:
            self.records[-1] = replace(self.records[-1], outcome=Outcome.FAILED)

    def end(self, tag: str) -> None:
        self.depth -= 1
        if tag == "test-case":
            self.in_case = False
        elif tag == "test-suite":
            suite = self.suites.pop()
            if suite.has_failed_itself:
                within_cap(len(self.records) + 1, self.name)
                self.records.append(Record(SUITE_ERROR, suite.name, outcome=Outcome.ERROR, kind=RecordKind.SUITE))

    def _case(self, attributes: dict[str, str]) -> None:
        within_cap(len(self.records) + 1, self.name)
        full = attributes.get("fullname") or attributes.get("name", "")
        classname = attributes.get("classname", "")
        if not classname and (found := _LAST_DOT.match(full)):
            classname = full[: found.end() - 1]
        name = full.removeprefix(f"{classname}.") if classname else full
        self.records.append(Record(bounded(name), bounded(classname), outcome=_outcome(attributes)))
        self.in_case = True


def _outcome(attributes: dict[str, str]) -> Outcome:
    told = attributes.get("result", "").lower()
    if told in _OUTCOMES:
        outcome = _OUTCOMES[told]
        return (
            Outcome.ERROR
            if outcome is Outcome.FAILED and attributes.get("label", "").lower() in _ERROR_LABELS
            else outcome
        )
    if attributes.get("executed", "").lower() == "false":
        return Outcome.SKIPPED
    return Outcome.PASSED if attributes.get("success", "").lower() == "true" else Outcome.FAILED
