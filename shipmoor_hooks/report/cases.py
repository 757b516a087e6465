"""Cases over runs and commits: what was added and removed, and the grid. Pure.

An outcome is what the gate would take: the worst of the runs that decide (`rules.standing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shipmoor_hooks.case_list import RED_LETTERS, CaseList
from shipmoor_hooks.data_classes import replace
from shipmoor_hooks.model import Case, Code, Count, Outcome, RecordKind, Run
from shipmoor_hooks.report.pages import CaseChange, EvalCaseRow, GraderCount, Grid, GridRow
from shipmoor_hooks.rules import standing

GRID_RUNS = 20
GRID_CASES = 60


def standing_of(runs: Sequence[Run], reruns: str) -> tuple[Count, dict[str, Outcome]]:
    """n of N and each case at a commit, by the runs that decide there."""
    tip = standing.at_tip(standing.deciding(runs, reruns), reruns)
    return standing.n_of_n(tip), {name: case.outcome for name, case in tip.cases.items()}


def only_torn(runs: Sequence[Run]) -> list[Run]:
    """The runs with those cases alone that were red in one of them: what was never red cannot flake."""
    reds = {id_ for run in runs for id_ in _reds(CaseList.of(run.cases))}
    return [replace(run, cases=tuple(c for c in run.cases if c.id in reds)) for run in runs]


def _reds(listed: CaseList) -> Iterable[str]:
    if listed.has_red:
        yield from (id_ for id_, letter in zip(listed.ids, listed.letters, strict=True) if letter in RED_LETTERS)
    yield from (case.id for case in listed.others.values() if case.passed < case.samples)


def changes(before: Mapping[str, Outcome], after: Mapping[str, Outcome]) -> tuple[CaseChange, ...]:
    """Every case that stands otherwise: removed ones first, then added ones, then those that turned."""
    found = [
        CaseChange(name, before.get(name), after.get(name))
        for name in {*before, *after}
        if before.get(name) is not after.get(name)
    ]
    return tuple(sorted(found, key=lambda c: (not c.is_removed, not c.is_added, c.case)))


def samples(base: Sequence[Run], tip: Sequence[Run]) -> tuple[tuple[str, Count, Count], ...]:
    """k of n of each case that both sides have, where one took several samples and not all of both were green."""
    sides = [_totals(base), _totals(tip)]
    names = [n for n in sides[0] if n in sides[1] and max(sides[0][n].of, sides[1][n].of) > 1]
    torn = [n for n in sorted(names) if any(side[n].passed < side[n].of for side in sides)]
    return tuple((n, sides[0][n], sides[1][n]) for n in torn)


def _totals(runs: Sequence[Run]) -> dict[str, Count]:
    found: dict[str, Count] = {}
    for case in (c for run in runs for c in run.cases if c.kind is RecordKind.CASE):
        so_far = found.get(case.id, Count(0, 0))
        found[case.id] = Count(so_far.passed + case.passed, so_far.of + case.samples)
    return found


# ---------------------------------------------------------------- the grid


def grid(runs: Iterable[Run], most_runs: int = GRID_RUNS, most_cases: int = GRID_CASES) -> Grid:
    """The newest runs that measured something, and their cases: those first that are not everywhere the same."""
    useful = sorted(filter(measured, runs), key=lambda r: (r.started, r.sequence, r.id), reverse=True)
    shown = useful[:most_runs]
    columns = [{c.id: c for c in run.cases if c.kind is RecordKind.CASE} for run in shown]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [_row(name, shown, columns) for name in names]
    rows.sort(key=lambda r: (not r.is_changed, _is_calm(r), r.case))
    return Grid(tuple(shown), tuple(rows[:most_cases]), max(0, len(rows) - most_cases), len(useful) - len(shown))


def measured(run: Run) -> bool:
    """Did the run measure its cases? It may be a selection; nothing else may be wrong with it."""
    return bool(run.tree) and all(p.code is Code.RUN_PARTIAL for p in run.problems)


def _row(name: str, runs: Sequence[Run], columns: Sequence[Mapping[str, Case]]) -> GridRow:
    cells = tuple(column.get(name) for column in columns)
    there = {c.outcome for c in cells if c is not None}
    # A selection that leaves a case out says nothing about it.
    gone = any(cell is None and run.is_complete for cell, run in zip(cells, runs, strict=True))
    torn = any(c is not None and 0 < c.passed < c.samples for c in cells)
    return GridRow(name, cells, len(there) > 1 or gone or torn)


def _is_calm(row: GridRow) -> bool:
    return all(c is None or c.outcome.is_green for c in row.cells)


# ---------------------------------------------------------------- evals


def eval_rows(runs: Sequence[Run]) -> tuple[EvalCaseRow, ...]:
    """The cases of the newest complete eval run, over every valid sample that was taken under the same expectation."""
    newest = next((r for r in _newest_first(runs) if r.evals is not None and r.is_complete), None)
    if newest is None or newest.evals is None:
        return ()
    present = {case.id: case.expectation for case in newest.evals.cases}
    return tuple(_eval_row(name, present[name], runs) for name in sorted(present))


def _newest_first(runs: Sequence[Run]) -> list[Run]:
    return sorted(runs, key=lambda r: (r.started, r.sequence, r.id), reverse=True)


def _eval_row(name: str, expectation: str | None, runs: Sequence[Run]) -> EvalCaseRow:
    counts: dict[tuple[str, str], list[int]] = {}
    seconds: list[float] = []
    costs: list[float] = []
    for case in (c for run in runs if run.evals and measured(run) for c in run.evals.cases):
        if case.id != name or case.expectation != expectation:
            continue
        costs += [s.cost for s in case.samples if s.cost is not None]
        seconds += [s.seconds for s in case.valid if s.seconds is not None]
        for grader in (g for s in case.valid for g in s.graders if g.passed is not None):
            count = counts.setdefault((grader.name, grader.type), [0, 0])
            count[0] += bool(grader.passed)
            count[1] += 1
    graders = tuple(GraderCount(*key, Count(*count)) for key, count in counts.items())
    mean = sum(seconds) / len(seconds) if seconds else None
    return EvalCaseRow(name, graders, mean, sum(costs) if costs else None)
