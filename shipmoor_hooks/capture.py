"""The flow that turns reports into a stored run, bound to the tree that was tested (design, sections 6, 9 and 10).

`begin` and `finish` frame a run that we, or our plugin, saw happening; `import_reports` takes files that somebody hands us.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from shipmoor_hooks import eval_capture, history, measured_surface, results_folder, staleness
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.enumeration import some
from shipmoor_hooks.errors import EvidenceFault, UsageFault
from shipmoor_hooks.measured_surface import NOTHING_SEEN, Seen
from shipmoor_hooks.model import (
    CaseList,
    Code,
    Evidence,
    Policy,
    Problem,
    Report,
    ReportFile,
    Run,
    Shard,
    Suite,
)
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import run_problems
from shipmoor_hooks.store import inventory
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.tested_paths import tracked_paths
from shipmoor_hooks.trees import index_tree, scoped_tree
from shipmoor_hooks.trees import tree as tree_module
from shipmoor_hooks.trees.tree import TreeCapture


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that has started: its entry, the tree before it, and where it belongs."""

    place: Place
    policy: Policy
    suite: Suite
    run: Run
    before: TreeCapture
    surface: Seen = NOTHING_SEEN


@dataclass(frozen=True, slots=True)
class Captured:
    """A stored run, what to tell about it, and whether it was there already (`known`: nothing was stored again)."""

    run: Run
    warnings: tuple[str, ...] = ()
    known: bool = False


def pick_suite(policy: Policy, name: str | None) -> Suite:
    """The suite that was named, or the only one. Raises UsageFault naming those that there are."""
    have = ", ".join(sorted(policy.suites)) or "none"
    if name is not None:
        if name not in policy.suites:
            raise UsageFault(f"{policy.source} has no suite {name!r} (it has: {have})", f"add [suite.{name}]")
        return policy.suites[name]
    if not policy.suites:
        raise UsageFault(f"{policy.source} names no suite, so nothing is measured", f"edit {policy.source}")
    if len(policy.suites) != 1:
        raise UsageFault(f"which suite? {policy.source} has: {have}", "name one with --suite")
    return next(iter(policy.suites.values()))


def begin(
    place: Place,
    policy: Policy,
    suite: Suite,
    *,
    evidence: Evidence,
    command: Sequence[str],
    started: float,
    cwd: str = "",
    variant: str | None = None,
    shard: Shard | None = None,
    label: str = "",
) -> Begun:
    """Take the tree and store the start of a run. Raises EvidenceFault where the policy refuses untracked files."""
    check_variant(suite, variant)
    before = tree_module.capture(place)
    surface = measured_surface.look(place.git, suite, command)
    untracked = (*before.untracked, *surface.unusable)
    refuse_untracked(policy, untracked)
    run = replace(
        _first(place, suite, before, evidence, started, untracked),
        variant=variant,
        shard=shard,
        command=tuple(command),
        cwd=cwd,
        problems=(Problem(Code.RUN_INCOMPLETE, "the run was started and did not end"),),
        label=label,
    )
    return Begun(place, policy, suite, _spool(place).begin(run), before, surface)


def _first(
    place: Place, suite: Suite, before: TreeCapture, evidence: Evidence, started: float, untracked: tuple[str, ...]
) -> Run:
    """A run as it begins: where it is bound to, and nothing of what it will show."""
    return Run(
        id=os.urandom(16).hex(),
        suite=suite.name,
        tree=before.tree,
        scoped_tree=scoped_tree.scoped(place.git, before, suite.exclude),
        first_tree=before.tree,
        evidence=evidence,
        started=started,
        recorded=started,
        head=before.head,
        changes=before.changes,
        untracked=untracked,
    )


def abandon(begun: Begun) -> None:
    """The command could not be started: there was no run."""
    _spool(begun.place).withdraw(begun.run)


def finish(
    begun: Begun,
    reports: Sequence[Report],
    *,
    exit_code: int | None,
    finished: float,
    files: Sequence[ReportFile] = (),
    narrowing: Sequence[str] = (),
    bails: bool = False,
    problems: Sequence[Problem] = (),
    conditions: Mapping[str, str] | None = None,
    runner: str = "",
    runner_version: str = "",
) -> Captured:
    """Take the tree again, bind the run, and store it whole. Raises EnvironmentFault when it cannot be stored."""
    after = tree_module.capture(begun.place)
    changed = tree_module.difference(begun.before, after)
    ours = {f.name for f in files}
    touched = [p for p in changed.vanished_or_changed if p not in ours]
    appeared = [p for p in changed.appeared if p not in ours]
    paths = tracked_paths(begun.place, begun.before)
    cases = _cases(begun, reports, paths)
    watched = begun.run.evidence is Evidence.OBSERVED and runner == "pytest" and exit_code in (0, 1)
    found = list(problems) or run_problems.of_reports([f.name for f in files], reports, cases, watched)
    measured = eval_capture.Measured(begun.run.command, bool(narrowing), begun.run.id, begun.run.started)
    evals = _evals(begun, reports, paths, measured)
    found += evals.problems
    if begun.before.tree is None:
        found.insert(0, run_problems.bound_to_nothing(begun.before.reasons))
    elif changed.reasons:
        found.insert(0, run_problems.bound_to_nothing(changed.reasons))
    elif touched:
        found.insert(0, run_problems.tree_changed(begun.suite, touched))
    if narrowing:
        found.append(run_problems.partial(begun.suite, narrowing))
    elif bails and cases.has_red:
        found.append(run_problems.partial(begun.suite, ["it stops at the first red case, and one was red"]))
    hidden = exit_code not in (0, None) and not cases.has_red
    if hidden and not found and not eval_capture.explains(evals.run):
        cases = run_problems.with_exit_code(cases, exit_code or 0)
    found = measured_surface.problems(begun.suite, begun.surface, reports) + found
    bound = begun.before.tree is not None and not touched and not changed.reasons
    run = replace(
        begun.run,
        tree=begun.run.tree if bound else None,
        scoped_tree=begun.run.scoped_tree if bound else None,
        finished=finished,
        recorded=finished,
        cases=cases,
        problems=tuple(found),
        exit_code=exit_code,
        reader=reports[0].reader if reports else "",
        runner=runner,
        runner_version=runner_version,
        conditions=run_problems.conditions_of(
            reports, {**(conditions or {}), **evals.conditions}, runner, runner_version
        ),
        reports=tuple(files),
        surface=measured_surface.digests(begun.place, begun.suite, begun.before, begun.surface, reports),
        evals=evals.run,
    )
    spool = _spool(begun.place)
    stored = spool.finish(run)
    staleness.remember(spool, stored)
    return Captured(stored, (*_warnings(begun, reports, stored, appeared), *evals.warnings, *_seal_note(spool)))


def import_reports(
    place: Place,
    policy: Policy,
    suite: Suite,
    files: Sequence[str],
    *,
    environ: Mapping[str, str],
    now: float,
    reader: str | None = None,
    tree: str = "worktree",
    variant: str | None = None,
    shard: Shard | None = None,
    partial: bool = False,
    inside: bool = False,
    label: str = "",
) -> Captured:
    """Store reports that somebody hands us as one run. Raises ReportFault or EvidenceFault and stores nothing.

    `tree` names what was tested: the working tree, the index, or a revision. Stale files are refused by name (10.4).
    """
    check_variant(suite, variant)

    from shipmoor_hooks import intake  # the readers of thirteen formats, which a recorded session never needs

    read = intake.read_files(files, place.top, reader or suite.format or None, inside=inside)
    if not read:
        raise EvidenceFault(f"there is no report of {suite.name} to capture", "name the report files")
    taken, reports = list(read), list(read.values())
    before = tree_of_name(place, tree, environ)
    untracked, surface = before.untracked, NOTHING_SEEN
    if tree == "worktree":
        surface = measured_surface.look(place.git, suite, (), reports)
        untracked += surface.unusable
        refuse_untracked(policy, untracked)
    spool = _spool(place)
    staleness.refuse_stale(place, spool, taken, reports, before, measured_on=tree)
    started, suspect = run_problems.started_of(taken, reports, now)
    begun_run = replace(
        _first(place, suite, before, Evidence.IMPORTED, started, untracked),
        recorded=now,
        variant=variant,
        shard=shard,
        clock_suspect=suspect,
        label=label,
    )
    begun = Begun(place, policy, suite, begun_run, before, surface)
    paths = tracked_paths(place, before)
    cases = _cases(begun, reports, paths)
    found = run_problems.of_reports([file.name for file in taken], reports, cases)
    selected = [words for r in reports if r.evals for words in eval_capture.selection(suite, r.evals)]
    selected += ["it was captured as partial"] if partial else []
    evals = _evals(begun, reports, paths, eval_capture.Measured(alone=bool(selected)))
    found += evals.problems
    if before.tree is None:
        found.insert(0, run_problems.bound_to_nothing(before.reasons))
    if selected:
        found.append(run_problems.partial(suite, selected))
    found = measured_surface.problems(suite, surface, reports) + found
    run = replace(
        begun_run,
        cases=cases,
        problems=tuple(found),
        reader=reports[0].reader,
        runner=reports[0].harness,
        runner_version=reports[0].harness_version,
        conditions=run_problems.conditions_of(
            reports, evals.conditions, reports[0].harness, reports[0].harness_version
        ),
        reports=tuple(taken),
        surface=measured_surface.digests(place, suite, before, surface, reports),
        evals=evals.run,
    )
    known = staleness.already_there(spool, run)
    if known is not None:
        return Captured(known, ("this report was captured before; nothing was stored again",), known=True)
    stored = spool.finish(run)
    staleness.remember(spool, stored)
    return Captured(stored, (*_warnings(begun, reports, stored, ()), *evals.warnings, *_seal_note(spool)))


# ---------------------------------------------------------------- pieces


def _spool(place: Place) -> Spool:
    """The spool, with the environment as it was when the run began: a test may have changed the process's own."""
    return Spool(place.spool_home, place.worktree, place.git.environ)


def _seal_note(spool: Spool) -> tuple[str, ...]:
    return (spool.seal_note,) if spool.seal_note else ()


def check_variant(suite: Suite, variant: str | None) -> None:
    """A variant must be one that the policy lists, where it lists some; a suite with variants needs one."""
    if suite.variants and variant is None:
        raise UsageFault(
            f"suite {suite.name} is measured on variants ({', '.join(suite.variants)})", "name one with --variant"
        )


def refuse_untracked(policy: Policy, untracked: Sequence[str]) -> None:
    """Where the policy says `untracked = "refuse"`, a run that saw untracked files is not taken."""
    if policy.untracked == "refuse" and untracked:
        raise EvidenceFault(
            f"the policy refuses runs that see untracked files: {some(untracked)}", "git add them, or move them away"
        )


def tree_of_name(place: Place, name: str, environ: Mapping[str, str]) -> TreeCapture:
    """The tree that `--tree` names: worktree, index, or a revision."""
    if name == "worktree":
        return tree_module.capture(place)
    if name == "index":
        return index_tree.capture_index(place, environ)
    commit = history.require_commit(place.git, name)
    return TreeCapture(history.tree_of(place.git, commit), commit, (), (), (), (), "head", "")


def _cases(begun: Begun, reports: Sequence[Report], paths: frozenset[str]) -> CaseList:
    return inventory.cases_of(reports, paths, begun.place.top or "", begun.suite.normalise)


def _evals(
    begun: Begun, reports: Sequence[Report], paths: frozenset[str], measured: eval_capture.Measured
) -> eval_capture.Bound:
    """The eval side of the run; nothing where its reports are no results of evals."""
    if not any(r.evals for r in reports):
        return eval_capture.Bound()
    ids = eval_capture.ids_of(begun.place, begun.suite, reports, paths)
    return eval_capture.bound(begun.place, begun.suite, begun.before, reports, measured, ids)


def _warnings(begun: Begun, reports: Sequence[Report], run: Run, appeared: Sequence[str]) -> list[str]:
    before = begun.before
    found = [w for r in reports for w in r.warnings] + inventory.explained(reports, run.problems)
    found += [f"{p.message}" + (f": {p.next_step}" if p.next_step else "") for p in run.problems]
    if before.untracked:
        found.append(f"the tested tree holds untracked files: {some(before.untracked)}; commit them with the change")
    found += measured_surface.warnings(begun.surface, run.problems)
    if before.nested:
        found.append(f"nested repositories are left out of the tree: {some(before.nested)}")
    if appeared:
        found.append(f"files appeared while the suite ran; the run keeps the first tree: {some(appeared)}")
        if results := results_folder.of(appeared):
            found.append(f"they are results of evals; let git ignore them: {results_folder.ignore_line(results)}")
    if run.exit_code == 0 and CaseList.of(run.cases).has_red:
        found.append("the command ended with 0 although cases are red")
    if run.clock_suspect:
        found.append("the report's time lies in the future; the run can clear no red")
    return found
