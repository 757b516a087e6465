"""TRX, the results of Visual Studio and `dotnet test`.

A case is the class of its definition and the name of its result; `testId` and `executionId` change from run to run and
data rows share them. The rows of a data-driven test are cases and so is the sum above them.
"""

from __future__ import annotations

from datetime import datetime

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.model import Outcome, Record, Report
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, unreadable, within_cap
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import parse

ROOT = "TestRun"
_OUTCOMES = {
    "Passed": Outcome.PASSED,
    "Warning": Outcome.PASSED,
    "Completed": Outcome.PASSED,
    "Failed": Outcome.FAILED,
    "NotExecuted": Outcome.SKIPPED,
    "NotRunnable": Outcome.SKIPPED,
    "Inconclusive": Outcome.SKIPPED,
    "Pending": Outcome.SKIPPED,
}
_RESULTS = frozenset({"UnitTestResult", "TestResult", "GenericTestResult", "ManualTestResult", "WebTestResult"})
_CUT_SHORT = frozenset({"Aborted", "Timeout", "Disconnected", "InProgress"})


@dataclass(frozen=True, slots=True)
class _Result:
    test: str
    name: str
    outcome: Outcome


def read_trx(source: Source, name: str) -> Report:
    """One TRX file. Raises ReportFault as `xml_events.parse` and for another root."""
    sink = parse(source, name, _Sink)
    records = []
    for result in sink.results:
        classname = sink.classes.get(result.test, "")
        records.append(Record(result.name.removeprefix(f"{classname}."), classname, outcome=result.outcome))
    problems = problems_without_a_case(records)
    if sink.summary in _CUT_SHORT:
        problems.insert(0, incomplete(f"the run ended as {shown(sink.summary)}"))
    return Report("trx", "trx", tuple(records), tuple(problems), sink.started, "vstest")


class _Sink:
    def __init__(self, name: str) -> None:
        self.name = name
        self.results: list[_Result] = []
        self.classes: dict[str, str] = {}
        self.definition = ""
        self.started: float | None = None
        self.summary = ""
        self.depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth == 1 and tag != ROOT:
            raise unreadable(self.name, f"<{shown(tag)}> is not the root of a TRX file ({ROOT})")
        if tag in _RESULTS:
            self._result(attributes)
        elif tag == "UnitTest":
            self.definition = attributes.get("id", "")
        elif tag == "TestMethod" and self.definition:
            within_cap(len(self.classes) + 1, self.name)
            # "Class, Assembly, Version=…": what follows the comma differs from build to build.
            self.classes[self.definition] = bounded(attributes.get("className", "").partition(",")[0])
        elif tag == "Times":
            self.started = _time(attributes.get("start", ""))
        elif tag == "ResultSummary":
            self.summary = attributes.get("outcome", "")

    def end(self, tag: str) -> None:  # noqa: ARG002  (a Sink)
        self.depth -= 1

    def _result(self, attributes: dict[str, str]) -> None:
        within_cap(len(self.results) + 1, self.name)
        outcome = _OUTCOMES.get(attributes.get("outcome", ""), Outcome.ERROR)
        self.results.append(_Result(attributes.get("testId", ""), bounded(attributes.get("testName", "")), outcome))


def _time(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text[:26] + text[27:] if len(text) > 27 and text[26].isdigit() else text)
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo is not None else None
