"""What every suite asks of runs that may hold eval cases: whether they do, and what a red of theirs may clear. Pure.

They stand apart from `eval_rules`, which is loaded for eval suites alone.
"""

from __future__ import annotations

from shipmoor_hooks.model import Code, Evidence, Run

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable


def is_evals(runs: Iterable[Run]) -> bool:
    return any(run.evals is not None for run in runs)


def alone_runs(runs: Iterable[Run], suite: str, variant: str | None, evidence: Evidence) -> tuple[Run, ...]:
    """The runs of single cases that are sound but for being a selection: a red of theirs at the base's tree clears too."""
    return tuple(
        r
        for r in runs
        if r.evals is not None
        and r.evals.alone
        and r.tree is not None
        and (r.suite, r.variant) == (suite, variant)
        and r.evidence >= evidence
        and all(p.code is Code.RUN_PARTIAL for p in r.problems)
    )


def has_expectation(run: Run, case_id: str, expectations: frozenset[str | None]) -> bool:
    """Whether the case was measured under one of these expectations; always true for a suite that has none."""
    if run.evals is None:
        return True
    return any(c.id == case_id and c.expectation in expectations and c.valid for c in run.evals.cases)


def expectations_of(runs: Iterable[Run], case_id: str) -> frozenset[str | None]:
    return frozenset(c.expectation for r in runs if r.evals for c in r.evals.cases if c.id == case_id) - {None}
