"""k of n for each case over a suite's runs: full runs, alone, total. Pure (design, section 3).

Nothing is pooled over trees, expectations or measurers unless it is asked for (`join`); conditions are never pooled. A run that
does not count is named with the reason. What ran under an expectation that no commit holds is intermediate: listed apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.eval_model import EvalCase, EvalSample
from shipmoor_hooks.model import Case, Code, Count, RecordKind, Run, Suite

_CALL = ("argv", "cwd")  # how much was run, not what it was measured under


@dataclass(frozen=True, slots=True)
class Red:
    """A red sample of a case: in which run, and for an eval which graders fell and whether its trace is kept (None: not an
    eval, there is none)."""

    run: str
    graders: tuple[str, ...] = ()
    has_trace: bool | None = None


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case of a group: samples in full runs and alone, and in how many of the full runs every sample was green.

    `expectations` are git's names of what it demanded (() where a tree stands for it); `invalid` says why samples measured
    nothing; `skipped` counts runs in which it did not run; `cost` is the list-price estimate of its samples (US dollars).
    """

    case: str
    full: Count
    alone: Count
    full_runs: Count
    expectations: tuple[str, ...] = ()
    reds: tuple[Red, ...] = ()
    invalid: tuple[str, ...] = ()
    skipped: int = 0
    cost: float = 0.0

    @property
    def total(self) -> Count:
        return Count(self.full.passed + self.alone.passed, self.full.of + self.alone.of)


@dataclass(frozen=True, slots=True)
class FullRun:
    """A complete run: n of N, when, how long (seconds), at which list price (None: unknown)."""

    id: str
    started: float
    count: Count
    seconds: float | None = None
    cost: float | None = None
    shard: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that were measured alike: one variant, the same conditions, one tree and one measurer unless joined."""

    variant: str | None
    conditions: tuple[tuple[str, str], ...]
    trees: tuple[str, ...]
    labels: tuple[str, ...]
    full_runs: tuple[FullRun, ...]
    alone_runs: int
    rows: tuple[CaseRow, ...]
    newest: float


@dataclass(frozen=True, slots=True)
class Uncounted:
    """A run that does not count, and why."""

    id: str
    started: float
    why: str
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Stability:
    """What the runs of a suite show, the newest group first. `cost` sums every run, uncounted ones included."""

    suite: str
    joined: bool
    groups: tuple[Group, ...]
    intermediate: tuple[Group, ...]
    uncounted: tuple[Uncounted, ...]
    cost: float | None


def stability(
    runs: Iterable[Run],
    suite: Suite,
    *,
    loose: Collection[tuple[str, str]] = (),
    traces: Collection[str] | None = None,
    join: bool = False,
) -> Stability:
    """The table of a suite.

    `loose` names what ran under an expectation that no commit holds: (run, case), or (run, "") for all of its cases. `traces`
    are the SHA-256 of those that are kept (None: every one that a sample names).
    """
    ours = sorted((r for r in runs if r.suite == suite.name), key=lambda r: (r.started, r.sequence, r.id))
    counted, intermediate, uncounted = _Groups(suite, join, traces), _Groups(suite, join, traces), []
    for run in ours:
        why = why_not_counted(run)
        if why:
            uncounted.append(Uncounted(run.id, run.started, why, cost_of(run)))
            continue
        cases = [c for c in run.cases if c.kind is RecordKind.CASE]
        apart = [c for c in cases if (run.id, "") in loose or (run.id, c.id) in loose]
        kept = [c for c in cases if c not in apart]
        if kept or not cases:
            counted.add(run, kept)
        if apart:
            intermediate.add(run, apart)
    costs = [c for c in map(cost_of, ours) if c is not None]
    return Stability(
        suite.name, join, counted.made(), intermediate.made(), tuple(uncounted), sum(costs) if costs else None
    )


def why_not_counted(run: Run) -> str:
    """Why a run counts for nothing, "" where it counts: it is complete, or a selection and nothing else is wrong."""
    for problem in run.problems:
        if problem.code is not Code.RUN_PARTIAL:
            return f"{problem.code.value}: {problem.message}"
    return "" if run.tree else "it is bound to no tree"


def cost_of(run: Run) -> float | None:
    return run.evals.cost if run.evals is not None else None


def label_of(run: Run) -> str:
    """The measurer that was named; "" where none was."""
    return run.label or (run.evals.label if run.evals is not None else "")


def conditions_of(run: Run, suite: Suite) -> tuple[tuple[str, str], ...]:
    """What a run was measured under: the suite's `same`, or else everything but the call itself."""
    return tuple((n, v) for n, v in run.conditions if (n in suite.same if suite.same else n not in _CALL))


# ---------------------------------------------------------------- adding up


@dataclass(slots=True)
class _Row:
    case: str
    full: list[int] = field(default_factory=lambda: [0, 0])
    alone: list[int] = field(default_factory=lambda: [0, 0])
    full_runs: list[int] = field(default_factory=lambda: [0, 0])
    expectations: dict[str, None] = field(default_factory=dict)
    reds: list[Red] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)
    skipped: int = 0
    cost: float = 0.0

    def made(self) -> CaseRow:
        counts = (Count(*self.full), Count(*self.alone), Count(*self.full_runs))
        return CaseRow(
            self.case, *counts, tuple(self.expectations), tuple(self.reds), tuple(self.invalid), self.skipped, self.cost
        )


@dataclass(slots=True)
class _Group:
    trees: dict[str, None] = field(default_factory=dict)
    labels: dict[str, None] = field(default_factory=dict)
    full_runs: list[FullRun] = field(default_factory=list)
    alone_runs: int = 0
    rows: dict[tuple[str, str], _Row] = field(default_factory=dict)
    newest: float = 0.0


class _Groups:
    """Groups by what may not be pooled, in the order in which they came."""

    def __init__(self, suite: Suite, join: bool, traces: Collection[str] | None) -> None:
        self.suite = suite
        self.join = join
        self.traces = traces
        self.groups: dict[tuple[str | None, tuple[tuple[str, str], ...], str, str], _Group] = {}

    def add(self, run: Run, cases: Sequence[Case]) -> None:
        tree, label = run.scoped_tree or run.tree or "", label_of(run)
        key = (run.variant, conditions_of(run, self.suite), *(("", "") if self.join else (tree, label)))
        group = self.groups.setdefault(key, _Group())
        group.trees[tree] = None
        group.labels[label] = None
        group.newest = max(group.newest, run.started)
        if run.is_complete:
            shard = str(run.shard) if run.shard else ""
            seconds = None if run.finished is None else run.finished - run.started
            group.full_runs.append(FullRun(run.id, run.started, run.count, seconds, cost_of(run), shard))
        else:
            group.alone_runs += 1
        evals = {c.id: c for c in run.evals.cases} if run.evals is not None else {}
        for case in cases:
            self._case(group, run, case, evals.get(case.id))

    def _case(self, group: _Group, run: Run, case: Case, evals: EvalCase | None) -> None:
        expectation = (evals.expectation or "") if evals else ""
        row = group.rows.setdefault((case.id, "" if self.join else expectation), _Row(case.id))
        if expectation:
            row.expectations[expectation] = None
        if case.outcome.is_skip:
            row.skipped += 1
            return
        samples = row.full if run.is_complete else row.alone
        samples[0] += case.passed
        samples[1] += case.samples
        if run.is_complete:
            row.full_runs[0] += case.outcome.is_green and case.passed == case.samples
            row.full_runs[1] += 1
        if evals and run.evals:
            limit = run.evals.threshold
            row.cost += sum(s.cost or 0.0 for s in evals.samples)
            row.invalid += [s.invalid for s in evals.samples if not s.is_valid]
            row.reds += [self._red(run, s) for s in evals.samples if s.is_valid and not s.is_green(limit)]
        else:
            row.reds += [Red(run.id)] * (case.samples - case.passed)

    def _red(self, run: Run, sample: EvalSample) -> Red:
        kept = bool(sample.trace) and (self.traces is None or sample.trace in self.traces)
        return Red(run.id, tuple(g.name for g in sample.graders if g.passed is False), kept)

    def made(self) -> tuple[Group, ...]:
        found = [
            Group(
                variant,
                conditions,
                tuple(group.trees),
                tuple(group.labels),
                tuple(group.full_runs),
                group.alone_runs,
                tuple(row.made() for _, row in sorted(group.rows.items())),
                group.newest,
            )
            for (variant, conditions, _, _), group in self.groups.items()
        ]
        return tuple(sorted(found, key=lambda g: -g.newest))
