"""The gate's part for eval suites: the case folders of both sides, compared only where they differ (design, 3, 8 and 10.17).

Equal folders need no reader of YAML, and the hook path loads none: that a case's expectation is another one follows from
the names of trees that the runs carry.
"""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks import history
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Finding, Run, Suite
from shipmoor_hooks.rules import eval_rules, eval_runs, eval_wording
from shipmoor_hooks.rules.eval_rules import Change, Moved, Sides
from shipmoor_hooks.rules.standing import deciding
from shipmoor_hooks.sharing.shared_runs import SharedRuns
from shipmoor_hooks.store.spool import Spool

_RECENT = 200  # entries that are looked at for a run of the base's tree under new graders
_RED = (Code.CASE_RED, Code.STILL_RED, Code.NEW_RED, Code.CLEARED, Code.UNSKIPPED_RED)


@dataclass(frozen=True, slots=True)
class Trees:
    """Where the folders of both sides are read (the base's tree and the tip's), the spool, and what the base is called."""

    git: Git
    spool: Spool
    common_dir: str
    base: str
    tip: str
    base_name: str
    shared: SharedRuns | None = None  # the re-grades of others that count at the base


def judged(trees: Trees, suite: Suite, base: Sequence[Run], tip: Sequence[Run]) -> list[Finding]:
    """What the rules for evals find between these runs; [] for a suite that holds none. None is disclosed yet.

    Raises EnvironmentFault where folders differ and the extra `evals`, which reads them, is missing.
    """
    if not (eval_runs.is_evals(base) and eval_runs.is_evals(tip)):
        return []
    sides = Sides(base, tip, suite.command, suite.reruns)
    return eval_rules.judged(sides, _changes(trees, sides))


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


def _changes(trees: Trees, sides: Sides) -> dict[str, Change]:
    moved = eval_rules.moved(sides)
    if not moved:
        return {}
    from shipmoor_hooks.case_changes import CaseChanges, Folder  # loads YAML, which an unchanged suite never needs

    threshold = eval_rules.asked_threshold(sides)
    compared = CaseChanges(trees.git)
    found = {}
    for row in moved:
        # A base that has several commits: the folder is read where the run of it stands.
        parts = compared.between(
            Folder(row.base_run.tree or trees.base, row.base.dir, row.base.expectation),
            Folder(trees.tip, row.tip.dir, row.tip.expectation),
            threshold,
        )
        needs = any(p.needs_regrade for p in parts)
        found[row.tip.id] = eval_rules.change_of(parts, _lacks(trees, sides, row) if needs else "")
    return found


def _lacks(trees: Trees, sides: Sides, row: Moved) -> str:
    """What a changed pattern lacks beside words: its recorded re-grade, or, where no trace of the base is kept, a run of the
    base's tree under the new graders."""
    from shipmoor_hooks.store import records
    from shipmoor_hooks.store.record_model import Regrade

    key = f"{row.base.expectation}..{row.tip.expectation}"
    stored, _ = records.find_key(trees.common_dir, Regrade, key)
    if trees.shared is not None:
        stored += trees.shared.records(Regrade, "keys", records.key_folder(key))
    suite = row.tip_run.suite
    lacks = eval_rules.regrade_lacks([r for r in stored if (r.suite, r.case) == (suite, row.tip.id)])
    if not lacks:
        return ""
    command = f"shipmoor-hooks eval regrade --old {trees.base_name} --new worktree {row.tip.id}"
    if eval_rules.keeps_traces(sides.base, row.tip.id):
        return f"{lacks} ({command})"
    for run in trees.spool.recent(_RECENT).runs:
        if run.suite == suite and run.head is not None and run.tree is not None:
            paths = history.differing_paths(trees.git, run.head, run.changes, trees.base)
            if paths is not None and eval_rules.stands_for_regrade(run, row, paths):
                return ""
    return f"{lacks} ({command}), and no run of the base's tree under the new graders stands for it"
