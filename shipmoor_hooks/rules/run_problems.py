"""Why a run does not count as whole, and what it was measured under, from what capturing it showed. Pure (design, 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shipmoor_hooks import results_folder
from shipmoor_hooks.enumeration import some
from shipmoor_hooks.model import Case, CaseList, Code, Outcome, Problem, RecordKind, Report, ReportFile, Suite
from shipmoor_hooks.store import inventory

CLOCK_TOLERANCE = 120.0  # seconds that a report's time may lie in the future


def started_of(files: Sequence[ReportFile], reports: Sequence[Report], now: float) -> tuple[float, bool]:
    """When an imported run started: the oldest of the reports' own times and mtimes; True when one lies in the future."""
    times = []
    for file, report in zip(files, reports, strict=True):
        times.append(file.mtime_ns / 1e9)
        if report.started is not None:
            times.append(report.started)
    return min(times), max(times) > now + CLOCK_TOLERANCE


def conditions_of(
    reports: Sequence[Report], more: Mapping[str, str], runner: str, version: str
) -> tuple[tuple[str, str], ...]:
    """What the run was measured under, as far as it is known, sorted by name."""
    found = dict(more)
    if "tool" not in found:  # evals have a word of their own for the program that measured
        found |= {"harness": runner} if runner else {}
        found |= {"harness version": version} if version else {}
    dialects = {r.dialect for r in reports if r.dialect}
    if len(dialects) == 1:
        found["dialect"] = dialects.pop()
    return tuple(sorted(found.items()))


def of_reports(
    names: Sequence[str], reports: Sequence[Report], cases: Sequence[Case], watched: bool = False
) -> list[Problem]:
    """The problems of the whole set: files of one glob are one run."""
    found = list(inventory.problems_of(reports, names, watched=watched))
    if not cases and not found:
        found.append(Problem(Code.RUN_INCOMPLETE, "the report lists no case, and nothing can be bound to nothing"))
    return found


def partial(suite: Suite, narrowing: Sequence[str]) -> Problem:
    """Only a selection was run, for these reasons."""
    return Problem(
        Code.RUN_PARTIAL,
        f"only a selection of {suite.name} was run ({'; '.join(narrowing)})",
        f"shipmoor-hooks run --suite {suite.name}",
    )


def bound_to_nothing(reasons: Sequence[str]) -> Problem:
    """No tree stands for the working tree."""
    return Problem(Code.TREE_CHANGED, "the run is bound to nothing: " + "; ".join(reasons))


def tree_changed(suite: Suite, touched: Sequence[str]) -> Problem:
    """Files of the first tree changed or vanished while the suite ran."""
    results = results_folder.of(touched)
    again = f"shipmoor-hooks run --suite {suite.name}"
    return Problem(
        Code.TREE_CHANGED,
        f"files changed while {suite.name} ran, so it is bound to no tree: {some(touched)}"
        + (f" (nothing but results of evals: {results_folder.WHY})" if results else ""),
        f"{results_folder.ignore_line(results)}, then {again}" if results else again,
    )


def with_exit_code(cases: CaseList, exit_code: int) -> CaseList:
    """A failure that no case shows: one synthetic red case (10.28)."""
    hidden = Case(f"<run>::exit {exit_code}", Outcome.FAILED, kind=RecordKind.RUN)
    return CaseList.of(sorted([*cases, hidden], key=lambda c: c.id))
