"""Which runs of eval suites are never let go: the first ones, which nothing can measure again. Pure (design, 10.25)."""

from __future__ import annotations

from collections.abc import Iterable

from shipmoor_hooks.model import Run


def first_runs(runs: Iterable[Run]) -> frozenset[str]:
    """The ids of the first complete run of each version of a suite, and of each (case, expectation).

    A version is a distinct set of (case, expectation). Shards and variants each have their own first.
    """
    seen: set[tuple[object, ...]] = set()
    kept = set()
    for run in sorted(runs, key=lambda r: (r.started, r.sequence, r.id)):
        if run.evals is None or not run.is_complete:
            continue
        pairs = [(c.id, c.expectation) for c in run.evals.cases if c.expectation]
        leg = (run.suite, run.variant, str(run.shard))
        keys: set[tuple[object, ...]] = {(*leg, *pair) for pair in pairs}
        keys.add((*leg, frozenset(pairs)))
        if not keys <= seen:
            kept.add(run.id)
        seen |= keys
    return frozenset(kept)
