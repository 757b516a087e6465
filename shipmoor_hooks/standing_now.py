"""What is measured for a tree now: one line a suite and variant, for `status` and the post-commit hook."""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.describe import evidence_word
from shipmoor_hooks.enumeration import some
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Policy, Problem, Run, Suite
from shipmoor_hooks.rules import selection
from shipmoor_hooks.rules.unstable import Group, unstable_ids
from shipmoor_hooks.rules.wording import ago
from shipmoor_hooks.stock import stock_of
from shipmoor_hooks.store.spool import Found, Spool
from shipmoor_hooks.trees import scoped_tree


@dataclass(frozen=True, slots=True)
class Standing:
    """A suite and variant on one tree: the newest run that counts, and why the others do not, the newest first.

    `not_covered` is what the policy says that the suite does not cover.
    """

    suite: str
    variant: str | None
    run: Run | None
    runs: int
    set_aside: tuple[Problem, ...] = ()
    unstable: tuple[Group, ...] = ()
    not_covered: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.suite + (f" [{self.variant}]" if self.variant else "")

    @property
    def problem(self) -> Problem | None:
        return self.set_aside[0] if self.set_aside else None

    def line(self, now: float) -> str:
        """`unit 128 of 128, observed 4 min ago`, or `unit: no run for this tree`."""
        name = self.name
        if self.run is not None:
            more = f" ({self.runs} runs)" if self.runs > 1 else ""
            return f"{name} {self.run.count}, {evidence_word(self.run)} {ago(now - self.run.started)}{more}"
        if self.problem is not None:
            return f"{name}: no run that counts for this tree ({self.problem.message})"
        return f"{name}: no run for this tree"

    def unstable_line(self) -> str:
        """What the runs of the tree show of ids that change from run to run; "" where they show none."""
        if not self.unstable:
            return ""
        told = some([f"{g.name} (as {g.ids[0]} and {g.ids[-1]})" for g in self.unstable], 3, "; ")
        return f"{self.name}: ids change from run to run, so only their number is compared: {told}"


def standings(
    git: Git, spool: Spool, policy: Policy, tree: str | None, scoped: dict[str, str | None]
) -> list[Standing]:
    """The standing of every suite of a policy on a tree; `scoped` holds each suite's scoped tree where it is known."""
    found: list[Standing] = []
    here = spool.at_tree(tree) if tree else Found()
    for suite in policy.suites.values():
        found += _suite(git, spool, policy, suite, here, tree, scoped)
    return found


def _suite(
    git: Git, spool: Spool, policy: Policy, suite: Suite, here: Found, tree: str | None, scoped: dict[str, str | None]
) -> list[Standing]:
    choice = selection.choose(stock_of(here), suite, policy.evidence)
    if not choice.usable and suite.exclude and tree:
        name = scoped[suite.name] if suite.name in scoped else scoped_tree.scoped_revision(git, tree, suite.exclude)
        if name:
            choice = selection.choose(stock_of(here + spool.at_tree(name, scoped=True)), suite, policy.evidence)
    measured = sorted(choice.usable, key=lambda v: v or "")
    variants: list[str | None] = [*suite.variants, *(v for v in measured if v not in suite.variants)] or [None]
    rows = []
    for variant in variants:
        runs = choice.usable.get(variant, ())
        unknown = choice.problems.get(None, ()) if variant is not None else ()  # what cannot be told apart by variant
        why = (*choice.problems.get(variant, ()), *unknown)
        newest = runs[-1] if runs else None
        rows.append(Standing(suite.name, variant, newest, len(runs), why, unstable_ids(runs).groups, suite.not_covered))
    return rows
