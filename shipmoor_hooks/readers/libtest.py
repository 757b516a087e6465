"""Rust's libtest in its JSON format: one event a line, one suite for each test binary."""

from __future__ import annotations

from shipmoor_hooks.model import Outcome, Record, Report
from shipmoor_hooks.readers.documents import legal
from shipmoor_hooks.readers.emptiness import incomplete, problems_without_a_case
from shipmoor_hooks.readers.limits import bounded, shown, within_cap
from shipmoor_hooks.readers.lines import objects_of, word
from shipmoor_hooks.readers.source import Source

_OUTCOMES = {
    "ok": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "ignored": Outcome.SKIPPED,
    "timeout": None,
    "started": None,
}


def read_libtest(source: Source, name: str) -> Report:
    """One case a test. The stream does not name the binaries: one path in two of them is one case that stands twice."""
    records: list[Record] = []
    running: dict[str, None] = {}
    announced = open_suites = 0
    for _, event in objects_of(source, name):
        within_cap(max(len(records), len(running)), name)
        kind, what = event.get("type"), word(event.get("event"))
        if kind == "suite":
            count = event.get("test_count")
            announced += count if what == "started" and isinstance(count, int) else 0
            open_suites += 1 if what == "started" else -1
        elif kind == "test":
            test = word(event.get("name"))
            outcome = _OUTCOMES.get(what, Outcome.ERROR)
            if outcome is None:
                running[test] = None
                continue
            running.pop(test, None)
            records.append(Record(bounded(legal(test)), outcome=outcome))
    problems = problems_without_a_case(records)
    if running:
        problems.insert(0, incomplete(f"the test {shown(next(iter(running)))} was started and never finished"))
    elif open_suites > 0 or len(records) < announced:
        problems.insert(0, incomplete(f"{announced} tests were announced and {len(records)} reported"))
    return Report("libtest", "libtest", tuple(records), tuple(problems), None, "libtest")
