"""The gate's part for eval suites: the case folders of both sides, compared only where they differ (design, 3, 8 and 10.17).

Equal folders need no reader of YAML, and the hook path loads none: that a case's expectation is another one follows from
the names of trees that the runs carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Finding, Run, Suite
from shipmoor_hooks.rules import eval_rules, eval_wording
from shipmoor_hooks.rules.eval_rules import Change, Moved, Sides
from shipmoor_hooks.rules.standing import deciding

_RED = (Code.CASE_RED, Code.STILL_RED, Code.NEW_RED, Code.CLEARED, Code.UNSKIPPED_RED)


def judged(git: Git, suite: Suite, base: Sequence[Run], tip: Sequence[Run]) -> list[Finding]:
    """What the rules for evals find between these runs; () for a suite that holds none. Not yet disclosed."""
    if not (eval_rules.is_evals(base) and eval_rules.is_evals(tip)):
        return []
    sides = Sides(base, tip, suite.command, suite.reruns)
    changes = {row.tip.id: _change(git, row) for row in eval_rules.moved(sides)}
    return eval_rules.judged(sides, changes)


def with_graders(findings: Sequence[Finding], suite: Suite, tip: Sequence[Run]) -> list[Finding]:
    """A red eval case names the graders that fell and those that held, in each red sample that decides."""
    decide = [r for r in deciding(tip, suite.reruns) if r.evals] if tip else []
    told = []
    for finding in findings:
        if finding.code in _RED and decide:
            cases = [(c, r.evals.threshold) for r in decide if r.evals for c in r.evals.cases if c.id == finding.case]
            if words := eval_wording.fallen(cases):
                finding = replace(finding, message=f"{finding.message.removesuffix('.')} ({words}).")
        told.append(finding)
    return told


def _change(_git: Git, _row: Moved) -> Change:
    return Change(("its folder changed",))
