"""What a report is made of: commits, stored runs and records, each asked once; nothing is written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypeVar

from shipmoor_hooks import eval_block, evaluate, gate, history, proofs_now, stability, suite_versions, target
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.model import Count, Outcome, Policy, Run, Suite, Verdict
from shipmoor_hooks.place import Place
from shipmoor_hooks.report import cases, log_lines
from shipmoor_hooks.report.pages import Commit, Comparison, EvalPart, Page, ProofNow, Step, Track
from shipmoor_hooks.rules import proof_rules, selection, standing
from shipmoor_hooks.rules import stability as tables
from shipmoor_hooks.sharing.shared_runs import SharedRuns
from shipmoor_hooks.stock import stock_of
from shipmoor_hooks.store import records, trace_store
from shipmoor_hooks.store.record_model import Clearing, Label, Proof, Receipt, Record, Regrade
from shipmoor_hooks.store.spool import Found, Spool
from shipmoor_hooks.trees import scoped_tree

COMMITS = 30
MOST_RUNS = 200  # of an ordinary suite, in its table of flaky cases
MOST_LISTED = 40  # runs that are listed one by one
MOST_RECEIPTS = 20
_ALL = 1 << 60
_Kind = TypeVar("_Kind", bound=Record)


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked for: the revision and how many commits back from it, one suite or all, with which base."""

    tip: str = "HEAD"
    number: int = COMMITS
    suite: str | None = None
    base: str | None = None


def page(place: Place, policy: Policy, order: Order, now: float) -> Page:
    """The report. Raises UsageFault for a revision that is none, GitFault."""
    return _Gathering(place, policy, order, now).page()


class _Gathering:
    def __init__(self, place: Place, policy: Policy, order: Order, now: float) -> None:
        self.place = place
        self.git = place.git
        self.policy = policy
        self.order = order
        self.now = now
        self.spool = Spool(place.spool_home, place.worktree)
        self.tip = history.require_commit(self.git, order.tip)
        self.base = history.require_commit(self.git, order.base) if order.base else None
        self.commits = log_lines.commits(self.git, self.tip, order.number)
        if self.base is not None:
            # The base closes a comparison, whether or not the tip comes from it.
            since = log_lines.commits(self.git, self.tip, order.number, base=self.base)
            self.commits = [*since, *log_lines.commits(self.git, self.base, 1)]
        self.all = self.spool.recent(_ALL)
        self.runs = {r.id: r for r in self.all.runs}
        self.broken = [*self.all.broken]
        self.proofs = self._records(Proof)
        self.clearings = self._records(Clearing)
        self.regrades = self._records(Regrade)
        self.labels = self._records(Label)
        self.receipts = self._records(Receipt)
        self.shared = SharedRuns(place, self.base or self.tip)
        self._scoped: dict[tuple[str, tuple[str, ...]], str] = {}
        self.by_tree: dict[str, list[Run]] = {}
        for run in self.runs.values():
            for tree in {run.tree, run.scoped_tree} - {None}:
                self.by_tree.setdefault(tree or "", []).append(run)

    def _records(self, kind: type[_Kind]) -> list[_Kind]:
        """All records of one kind, the newest first; what cannot be read is kept to be named."""
        found, broken = records.every(self.place.common_dir, kind)
        self.broken += broken
        return list(reversed(found))

    def page(self) -> Page:
        verdict, why = self._verdict()
        suites = [s for n, s in self.policy.suites.items() if self.order.suite in (None, n)]
        tracks = tuple(track for suite in suites for track in self._tracks(suite, verdict))
        broken = [f"{os.path.basename(b.path)}: {b.text}" for b in self.broken]
        broken += [
            f"run {r.id[:12]} of {r.suite}: it is sealed by a key that is not known here" for r in self.all.foreign
        ]
        shown = {c.name for c in self.commits}
        return Page(
            project=os.path.basename(self.place.top or self.place.git_dir),
            tip=self.tip,
            made=self.now,
            tracks=tracks,
            verdict=verdict,
            comparisons=self._comparisons(suites, verdict),
            no_verdict=why,
            receipts=tuple(r for r in self.receipts if r.commit in shown)[:MOST_RECEIPTS],
            broken=tuple(broken),
            is_comparison=self.base is not None,
            base_name=self.order.base or "",
            tip_name=self.order.tip,
        )

    def _verdict(self) -> tuple[Verdict | None, str]:
        """The gate's own answer about the tip; why there is none, in its words."""
        try:
            if self.base is not None:
                bases = target.named(self.git, self.place.common_dir, self.tip, self.base)
                request = evaluate.Request(self.tip, bases, self.now, suite=self.order.suite)
                return evaluate.judge(self.place, request), ""
            if self.place.is_bare:
                return None, "a bare repository has no branch of its own to judge"
            return gate.by_hand(self.place, gate.ByHand(tip=self.tip, suite=self.order.suite), self.now), ""
        except UsageFault as fault:
            return None, fault.message

    # ---------------------------------------------------------------- runs on a tree

    def _choice(self, suite: Suite, tree: str) -> selection.Choice:
        here = self._at(suite, tree, scoped=False)
        if suite.exclude and not any(r.is_complete for r in here.runs):
            key = (tree, suite.exclude)
            if key not in self._scoped:
                self._scoped[key] = scoped_tree.scoped_revision(self.git, tree, suite.exclude)
            here += self._at(suite, self._scoped[key], scoped=True)
        return selection.choose(stock_of(here), suite, self.policy.evidence)

    def _at(self, suite: Suite, tree: str, *, scoped: bool) -> Found:
        """Ours and those of others; of two with one id ours stands."""
        ours = tuple(r for r in self.by_tree.get(tree, ()) if r.suite == suite.name and _stands_at(r, tree, scoped))
        others = self.shared.at_tree(tree, scoped=scoped)
        theirs = tuple(r for r in others.runs if r.id not in self.runs and r.suite == suite.name)
        return Found(runs=theirs + ours)

    # ---------------------------------------------------------------- one suite

    def _tracks(self, suite: Suite, verdict: Verdict | None) -> list[Track]:
        choices = [(commit, self._choice(suite, commit.tree)) for commit in self.commits]
        mine = [r for r in self.runs.values() if r.suite == suite.name]
        seen = {r.variant for r in mine} | {v for _, choice in choices for v in choice.usable}
        listed = [v for v in suite.variants if v in seen]
        variants = [*listed, *sorted(seen - set(listed), key=lambda v: v or "")] or [None]
        return [self._track(suite, variant, choices, mine, verdict) for variant in variants]

    def _track(
        self,
        suite: Suite,
        variant: str | None,
        choices: Sequence[tuple[Commit, selection.Choice]],
        mine: Sequence[Run],
        verdict: Verdict | None,
    ) -> Track:
        ours = sorted((r for r in mine if r.variant == variant), key=_order, reverse=True)
        others = {r.id: r for _, c in choices for r in c.usable.get(variant, ()) if r.id not in self.runs}
        every = sorted([*ours, *(r for r in others.values() if r.shard is None)], key=_order, reverse=True)
        counted = every if any(r.evals for r in every) else cases.only_torn(every[:MOST_RUNS])
        steps, newest = self._steps(suite, variant, choices)
        loose = stability.uncommitted(self.git, counted)
        traces, _ = trace_store.every(self.place.common_dir, suite.name)
        table = tables.stability(counted, suite, loose=loose, traces={t.sha for t in traces})
        return Track(
            suite,
            variant,
            steps,
            cases.grid(every),
            table,
            tuple(every[:MOST_LISTED]),
            max(0, len(every) - MOST_LISTED),
            self._evals(suite, every, verdict),
            self._proofs(suite),
            tuple(c for c in self.clearings if c.suite == suite.name),
            tuple(sorted(newest.items())),
        )

    def _steps(
        self, suite: Suite, variant: str | None, choices: Sequence[tuple[Commit, selection.Choice]]
    ) -> tuple[tuple[Step, ...], dict[str, Outcome]]:
        """The steps, the newest first, and every case at the newest that was measured."""
        known: dict[str, dict[str, Outcome]] = {}
        counts: dict[str, Count] = {}
        for commit, choice in choices:
            if variant in choice.usable:
                counts[commit.name], known[commit.name] = cases.standing_of(choice.usable[variant], suite.reruns)
        before = self._measured_before(known)
        steps = []
        for commit, choice in choices:
            runs = choice.usable.get(variant, ())
            cost = _sum(r.evals.cost for r in self.by_tree.get(commit.tree, ()) if r.evals and r.suite == suite.name)
            if not runs:
                problems = (*choice.problems.get(variant, ()), *(choice.problems.get(None, ()) if variant else ()))
                steps.append(Step(commit, why=problems[0].message if problems else "", cost=cost))
                continue
            earlier = before.get(commit.name)
            changed = () if earlier is None else cases.changes(known[earlier], known[commit.name])
            steps.append(Step(commit, counts[commit.name], standing.newest_of(runs), len(runs), "", changed, cost))
        newest = next((known[c.name] for c, _ in choices if c.name in known), {})
        return tuple(steps), newest

    def _measured_before(self, known: Mapping[str, object]) -> dict[str, str]:
        """For each measured commit the nearest one before it, along first parents, that was measured too."""
        parents = {c.name: c.parents[0] for c in self.commits if c.parents}
        if self.base is not None and self.tip in known and self.base in known:
            return {self.tip: self.base}
        found = {}
        for name in known:
            here = parents.get(name)
            while here is not None and here not in known:
                here = parents.get(here)
            if here is not None:
                found[name] = here
        return found

    # ---------------------------------------------------------------- what stands beside

    def _evals(self, suite: Suite, every: Sequence[Run], verdict: Verdict | None) -> EvalPart | None:
        if not any(r.evals for r in every):
            return None
        newest = next((r for r in every if r.is_complete), every[0])
        return EvalPart(
            tuple(eval_block.rows(newest, suite.not_covered)),
            cases.eval_rows(every),
            suite_versions.ask(self.place, suite.name),
            self._cost_of_change(every, verdict),
            tuple(r for r in self.regrades if r.suite == suite.name),
            tuple(r for r in self.labels if r.suite == suite.name),
        )

    def _cost_of_change(self, runs: Sequence[Run], verdict: Verdict | None) -> float | None:
        """What all runs on the commits base..tip cost, and those on what was not committed there: uncounted ones too."""
        if verdict is None or verdict.base.commit is None:
            return None
        listed = history.messages(self.git, [verdict.base.commit], self.tip)
        names = {m.commit for m in listed}
        trees = {c.tree for c in self.commits if c.name in names}
        return _sum(r.evals.cost for r in runs if r.evals and (r.head in names or r.tree in trees))

    def _proofs(self, suite: Suite) -> tuple[ProofNow, ...]:
        ours = [p for p in self.proofs if p.suite == suite.name]
        names = proofs_now.names_at(self.git, self.tip, proof_rules.paths_of(ours)) if ours else {}
        return tuple(ProofNow(p, proof_rules.why_not(p, names)) for p in ours)

    def _comparisons(self, suites: Sequence[Suite], verdict: Verdict | None) -> tuple[Comparison, ...]:
        """Base against tip, as far as both are measured, in the verdict's own counts."""
        if verdict is None or verdict.base.tree is None or verdict.tip.tree is None:
            return ()
        by_name = {s.name: s for s in suites}
        found = []
        for row in verdict.suites:
            suite = by_name.get(row.suite)
            if suite is None:
                continue
            base = self._choice(suite, verdict.base.tree).usable.get(row.variant, ())
            tip = self._choice(suite, verdict.tip.tree).usable.get(row.variant, ())
            sides = [cases.standing_of(runs, suite.reruns)[1] if runs else {} for runs in (base, tip)]
            changed = cases.changes(*sides) if base and tip else ()
            found.append(Comparison(row.suite, row.variant, row.base, row.tip, changed, cases.samples(base, tip)))
        return tuple(found)


def _stands_at(run: Run, tree: str, scoped: bool) -> bool:
    return run.scoped_tree == tree if scoped else run.tree == tree


def _order(run: Run) -> tuple[float, int, str]:
    return run.started, run.sequence, run.id


def _sum(costs: object) -> float | None:
    known = [c for c in costs if c is not None]  # type: ignore[attr-defined]
    return sum(known) if known else None
