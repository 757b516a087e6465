"""The flow of the gate: trees, policy and runs of base and tip -> verdict (design, sections 3 and 10).

It reads commits and the spool, never the working tree, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

from shipmoor_hooks import history, moves, overlays_now, policy, surface_changes
from shipmoor_hooks.data_classes import dataclass, field, replace
from shipmoor_hooks.errors import PolicyFault
from shipmoor_hooks.missing import Missing
from shipmoor_hooks.model import (
    Code,
    CommitMessage,
    Count,
    Finding,
    Policy,
    Revision,
    Run,
    Suite,
    SuiteCount,
    Verdict,
)
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import (
    conditions,
    eval_runs,
    reduction,
    selection,
    verdict,
    wording,
)
from shipmoor_hooks.sharing.shared_runs import SharedRuns, has_news
from shipmoor_hooks.stock import stock_of
from shipmoor_hooks.store.spool import Found, Spool
from shipmoor_hooks.target import Bases
from shipmoor_hooks.trees import scoped_tree


@dataclass(frozen=True, slots=True)
class Request:
    """One tip to judge: against which bases, at which moment (POSIX seconds), which suite (None: all), under which name.

    `tip_tree` stands in the place of the tip's tree, and `messages` beside the commits' own, for a commit not made yet.
    `rules` stands in the place of both sides' policy, for history that was written before there was one.
    """

    tip: str
    bases: Bases
    now: float
    ref: str = ""
    suite: str | None = None
    merge_result: bool = False
    notes: tuple[Finding, ...] = ()
    tip_tree: str | None = None
    messages: tuple[CommitMessage, ...] = ()
    rules: Policy | None = None


@dataclass(slots=True)
class Collected:
    """What the suites gave so far."""

    counts: list[SuiteCount] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    ids: list[Collection[str]] = field(default_factory=list)
    new_at_tip: set[str] = field(default_factory=set)


def judge(place: Place, request: Request) -> Verdict:
    """The verdict on one tip. Raises PolicyFault for a tip whose policy cannot be read."""
    return _Judge(place, request).verdict()


class _Judge:
    """One judgement: the trees, the policy of both sides, and the spool, each asked once."""

    def __init__(self, place: Place, request: Request) -> None:
        self.place = place
        self.git = place.git
        self.request = request
        self.spool = Spool(place.spool_home, place.worktree)
        *self.bases, self.tip = history.revisions(self.git, (*request.bases.commits, request.tip))
        self.shared = SharedRuns(place, request.bases.commits[0] if request.bases.commits else None)
        if request.tip_tree is not None:
            self.tip = Revision(request.tip, request.tip_tree)
        self._found: dict[tuple[str, bool], Found] = {}

    def verdict(self) -> Verdict:
        found = Collected(findings=[*self.request.notes])
        if self.request.bases.target is not None:
            found.findings += self.request.bases.target.notes
        if self.request.bases.problem is not None:
            return self._without_base(self.request.bases.problem, found)
        if self.request.merge_result and not self._merge(found):
            return self._conclude(found, Policy())
        tip_policy = self.request.rules or policy.load_revision(self.git, self.request.tip)
        base_policy, loosened = self._base_policy(tip_policy)
        found.findings += loosened
        rules = base_policy or tip_policy
        if rules is not None:
            self._suites(rules, base_policy, tip_policy, found)
        if base_policy and tip_policy and self._has_tip() and not self.request.rules:
            found.findings += self._surface(base_policy, tip_policy)
        return self._conclude(found, rules or Policy())

    # ---------------------------------------------------------------- the two sides

    def _without_base(self, problem: Finding, found: Collected) -> Verdict:
        """No base although there should be one; a tip that has no policy either is none of our business (gh-pages)."""
        rules = policy.load_revision(self.git, self.request.tip)
        if rules is not None or problem.code is not Code.NO_MERGE_BASE:
            found.findings.append(problem)
        return self._conclude(found, rules or Policy())

    def _merge(self, found: Collected) -> bool:
        """Put the merged tree in the place of the tip's; the base is the target's own tip."""
        tree, why = history.merged_tree(self.git, self.request.bases.commits[0], self.request.tip)
        if tree is None:
            found.findings.append(
                Finding(
                    Code.NO_RUN_AT_TIP,
                    f"{why}, so there is no merged tree to look up.",
                    f"git merge {self.request.bases.commits[0][:12]}",
                )
            )
            return False
        self.tip = Revision(self.tip.commit, tree)
        return True

    def _base_policy(self, tip_policy: Policy | None) -> tuple[Policy | None, list[Finding]]:
        """The policy as it stands at the (first) base, and how the tip's is looser."""
        if not self.bases:
            return None, []
        if self.request.rules is not None:
            return tip_policy, []
        commit = self.request.bases.commits[0]
        try:
            base_policy = policy.load_revision(self.git, commit)
        except PolicyFault as fault:
            finding = Finding(
                Code.POLICY_LOOSENED,
                f"the base's policy cannot be read, so the tip's was taken ({fault.message.splitlines()[0]}).",
                "Repair the policy on the target branch.",
                case="policy",
            )
            return tip_policy, [finding]
        if base_policy is None:
            return None, []
        if base_policy == tip_policy:
            return base_policy, []
        from shipmoor_hooks import runners  # the table of runners is large, and a policy seldom changes
        from shipmoor_hooks.rules import policy_rules

        rows = policy_rules.loosened(base_policy, tip_policy, runners.added_selection)
        found = [
            Finding(Code.POLICY_LOOSENED, f"{r.key}: {r.message}.", f"Restore {r.key} in the policy.", case=r.key)
            for r in rows
        ]
        found += policy_rules.command_changes(base_policy, tip_policy, runners.added_selection)
        return base_policy, found

    def _suites(self, rules: Policy, base_policy: Policy | None, tip_policy: Policy | None, found: Collected) -> None:
        measured = base_policy.suites if base_policy else {}
        for name, suite in measured.items():
            if self._wanted(name) and tip_policy is not None and name in tip_policy.suites:
                self._suite(suite, rules, found)
        for name, suite in (tip_policy.suites if tip_policy else {}).items():
            if self._wanted(name) and name not in measured:
                self._first_yardstick(suite, rules, found)

    def _surface(self, base_policy: Policy, tip_policy: Policy) -> list[Finding]:
        both = {n: s for n, s in base_policy.suites.items() if self._wanted(n) and n in tip_policy.suites}
        return surface_changes.findings(self.git, self.bases[0].tree or "", self.tip.tree or "", both)

    def _wanted(self, name: str) -> bool:
        return self.request.suite in (None, name)

    # ---------------------------------------------------------------- one suite

    def _suite(self, suite: Suite, rules: Policy, found: Collected) -> None:
        base_stock = self._stock([b.tree or "" for b in self.bases], suite)
        tip_stock = self._stock([self.tip.tree or ""], suite)
        base = selection.choose(base_stock, suite, rules.evidence)
        tip = selection.choose(tip_stock, suite, rules.evidence)
        missing = Missing(
            self.git, self.spool, suite, self.bases, self.tip, here=self._is_here, published=self._elsewhere
        )
        problems, variants, notes = missing.sides(base, tip)
        found.findings += [*problems, *notes]
        for variant in variants:
            alone = eval_runs.alone_runs(base_stock.runs, suite.name, variant, rules.evidence)
            self._compare(suite, variant, base.usable[variant], tip.usable[variant], rules, found, alone)
            found.findings += [
                *missing.set_aside(base, variant, at_tip=False),
                *missing.set_aside(tip, variant, at_tip=True),
            ]

    def _compare(
        self,
        suite: Suite,
        variant: str | None,
        base_runs: tuple[Run, ...],
        tip_runs: tuple[Run, ...],
        rules: Policy,
        found: Collected,
        alone: tuple[Run, ...],
    ) -> None:
        base_name = (self.bases[0].commit or "BASE")[:12]
        base_runs, tip_runs, notes = conditions.comparable(base_runs, tip_runs, suite.same, base_name)
        found.findings += [replace(f, suite=suite.name, variant=variant) for f in notes]
        if not base_runs:
            return
        question = reduction.Question(
            suite, variant, base_runs, tip_runs, self.request.now, rules.window_hours, base_name=base_name, alone=alone
        )
        result = reduction.compare(question)
        if self._has_tip() and self.bases:
            result = moves.explained(self.git, self.bases[0].tree or "", self.tip.tree or "", question, result)
        found.counts.append(result.count)
        sides = (self.bases[0].tree or "", self.tip.tree or "", base_name)
        if eval_runs.is_evals(tip_runs):
            from shipmoor_hooks import evaluate_evals  # few suites hold any

            found.findings += evaluate_evals.with_graders(result.findings, suite, tip_runs)
            trees = evaluate_evals.Trees(self.git, self.spool, self.place.common_dir, *sides, shared=self.shared)
            evals = evaluate_evals.judged(trees, suite, base_runs, tip_runs)
            found.findings += [replace(f, suite=suite.name, variant=variant) for f in evals]
        else:
            found.findings += result.findings
        if self._has_tip():
            found.findings += overlays_now.findings(self.place, self.shared, suite, variant, sides, base_runs, tip_runs)
        found.ids += result.ids
        found.new_at_tip |= result.new_at_tip
        if suite.proofs and self.request.tip_tree is None:
            from shipmoor_hooks import proofs_now  # few policies ask for them

            found.findings += proofs_now.unproven_new(
                self.place, question, result.new_at_tip, self.request.tip, self.shared
            )
        found.findings += [
            replace(n, suite=suite.name, variant=variant) for n in self._beside(suite, variant, result, rules)
        ]

    def _beside(self, suite: Suite, variant: str | None, result: reduction.Comparison, rules: Policy) -> list[Finding]:
        """Notes about what the branch's own old value and the target's present tip have beyond the base."""
        bases = self.request.bases
        target_tip = bases.target.tip if bases.target else None
        found = []
        for commit, note in ((bases.old_value, wording.lost_since_push), (target_tip, wording.target_ahead)):
            if commit is None or commit in bases.commits or commit == self.request.tip:
                continue
            stock = self._stock([history.tree_of(self.git, commit)], suite)
            runs = selection.choose(stock, suite, rules.evidence).usable.get(variant, ())
            there = {c.id for r in runs for c in r.cases if not c.covers}
            lacking = sorted(there.difference(*result.ids))
            if lacking:
                found.append(note(lacking, len(there)))
        return found

    def _has_tip(self) -> bool:
        """A merged tree was made in a throw-away store: git cannot compare it."""
        return not self.request.merge_result and self.request.tip_tree is None

    def _first_yardstick(self, suite: Suite, rules: Policy, found: Collected) -> None:
        """There is nothing to measure against: told with N, allowed."""
        stock = self._stock([self.tip.tree or ""], suite)
        usable = selection.choose(stock, suite, rules.evidence).usable
        if not usable:
            message = f"{suite.name} has nothing to be measured against yet, and N is not measured yet."
            found.findings.append(
                Finding(Code.FIRST_YARDSTICK, message, f"shipmoor-hooks run --suite {suite.name}", suite=suite.name)
            )
        for variant, runs in sorted(usable.items(), key=lambda row: row[0] or ""):
            count = runs[-1].count
            found.counts.append(SuiteCount(suite.name, variant, None, Count(count.passed, count.of)))
            found.ids.append([c.id for c in runs[-1].cases])
            message = f"{suite.name} has nothing to be measured against yet; its yardstick starts with {count} cases."
            found.findings.append(Finding(Code.FIRST_YARDSTICK, message, suite=suite.name, variant=variant, tip=count))

    # ---------------------------------------------------------------- the spool

    def _stock(self, trees: Sequence[str], suite: Suite) -> selection.Stock:
        """The runs on these trees; where the full tree has no usable one, also those on the scoped tree."""
        found = Found()
        for tree in trees:
            here = self._at(tree, scoped=False)
            if suite.exclude and not any(r.suite == suite.name and r.is_complete for r in here.runs):
                scoped = self._scoped(tree, suite.exclude)
                # A tree that holds nothing of what is excluded is its own scoped tree, and its runs lie under its name.
                here += self._at(scoped, scoped=True) + (self._at(scoped, scoped=False) if scoped != tree else Found())
            found += here
        return stock_of(found)

    def _at(self, tree: str, *, scoped: bool) -> Found:
        key = (tree, scoped)
        if key not in self._found:
            # Ours come last: of two with one id that one stands.
            self._found[key] = self.shared.at_tree(tree, scoped=scoped) + self.spool.at_tree(tree, scoped=scoped)
        return self._found[key]

    def _scoped(self, tree: str, exclude: Sequence[str]) -> str:
        return scoped_tree.scoped_revision(self.git, tree, exclude)

    def _is_here(self) -> bool:
        """Is the tip what is checked out, so that `run` needs no `--at`?"""
        return not self.place.is_bare and history.commit_of(self.git, "HEAD") == self.request.tip

    def _elsewhere(self) -> bool:
        """Has the target's remote runs that were not fetched yet? Asks the remote, so only where a run is missing."""
        aim = self.request.bases.target
        return not self.place.is_bare and has_news(self.git, aim.remote if aim and aim.remote else "origin")

    def _conclude(self, found: Collected, rules: Policy) -> Verdict:
        commits = self.request.messages
        if self.bases and self.request.bases.problem is None:
            commits += history.messages(self.git, self.request.bases.commits, self.request.tip)
        return verdict.conclude(
            base=self.bases[0] if self.bases else Revision(None, None),
            tip=self.tip,
            ref=self.request.ref,
            counts=found.counts,
            findings=found.findings,
            commits=commits,
            known=chain.from_iterable(found.ids),
            new_at_tip=found.new_at_tip,
            reason_pattern=rules.reason,
            mode=rules.mode,
        )
