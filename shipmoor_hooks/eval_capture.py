"""What a run of an eval suite is bound to beside its tree: each case's expectation, and whether the result is this tree's.

The result file names no tree and no file, so the case folders of the tested tree are compared with what it holds: a folder
that the tree does not have, a plugin that is another one, a root that lies elsewhere make the run incomplete, by name
(design, sections 8 and 10.17).
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping, Sequence

from shipmoor_hooks.case_id import namer
from shipmoor_hooks.data_classes import dataclass, field, replace
from shipmoor_hooks.enumeration import some
from shipmoor_hooks.eval_model import EvalCase, EvalResult, EvalRun
from shipmoor_hooks.evals.definitions import CaseDefinition, SuiteDefinition
from shipmoor_hooks.model import Code, Problem, Report, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.readers.limits import shown
from shipmoor_hooks.runners import plugin_eval as argv
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.trees.folder_tree import below, listing, tree_name
from shipmoor_hooks.trees.tree import TreeCapture

_CASE_FILES = ("case.yaml", "prompt.md")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """How the run came to be: the command that we saw (() for an import), whether it was asked for a selection, and the id and
    the start of the run (the traces of one that we did not see are not looked for)."""

    command: Sequence[str] = ()
    alone: bool = False
    run: str = ""
    started: float = 0.0
    kind: str = "run"  # of its traces: `fault` under a planted fault (see trace_store)


@dataclass(frozen=True, slots=True)
class Bound:
    """The eval side of a run (None: the reports are no eval results), what is wrong with it, and its conditions.

    `warnings` are full sentences about what the program reads over without a word.
    """

    run: EvalRun | None = None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)


def bound(
    place: Place, suite: Suite, before: TreeCapture, reports: Sequence[Report], measured: Measured, ids: Sequence[str]
) -> Bound:
    """Bind the eval result among `reports` to the tested tree; `ids` are the case ids of its records, in order."""
    results = [r.evals for r in reports if r.evals is not None]
    if not results:
        return Bound()
    if len(results) > 1:
        return Bound(problems=(_incomplete(suite, "several results were handed in, and each is a run of its own"),))
    result = results[0]
    tested = listing(place.git, before.head, before.changes)
    head = listing(place.git, before.head) if before.changes else tested
    prefix, problem = _prefix(place, suite, result, tested)
    found = [problem] if problem else []
    found += _plugins(suite, result, prefix)
    cases = []
    for case, case_id in zip(result.run.cases, ids, strict=True):
        folder = posixpath.normpath(posixpath.join(prefix, case.dir))
        expectation = tree_name(below(tested, folder))
        registered = None if expectation is None else tree_name(below(head, folder)) == expectation
        cases.append(replace(case, id=case_id, dir=folder, expectation=expectation, registered=registered))
    definition = _definition(place, before, prefix)
    # The program leaves out what does not load, here as anywhere: that is a state of the tree, and the gate compares it.
    unloaded = [(_at(prefix, fault.path), fault.message) for fault in definition.faults]
    missing = unloaded
    if not problem:
        found += _not_in_tree(suite, cases)
        unrun = [] if measured.alone else _unrun(definition, result, prefix, suite.command)
        found += [_absent(suite, unrun)] if unrun else []
        missing = [*unloaded, *unrun]
    alone = measured.alone or bool(result.case_filter or result.tag_filters)
    run = replace(result.run, cases=_with_first_runs(place, suite, cases), missing=tuple(missing), alone=alone)
    if measured.command and suite.traces == "keep" and place.spool_home == place.common_dir:
        run = _with_traces(place, suite, run, result, definition, measured)
    warnings = (
        *map(_does_not_load, unloaded),
        *definition.warnings,
        *(text for case in definition.cases for text in case.warnings),
    )
    return Bound(run, tuple(found), warnings, _conditions(result, run, measured))


def _definition(place: Place, before: TreeCapture, prefix: str) -> SuiteDefinition:
    """The suite of the tested tree. Raises EnvironmentFault where the extra `evals` is missing."""
    from shipmoor_hooks.evals import loading  # the reader of YAML is no business of other suites
    from shipmoor_hooks.evals.tested_files import TreeWithChanges

    return loading.load(TreeWithChanges(place.git, before.head, before.changes, place.top or ""), prefix)


def _with_traces(
    place: Place, suite: Suite, run: EvalRun, result: EvalResult, definition: SuiteDefinition, measured: Measured
) -> EvalRun:
    from shipmoor_hooks.store import kept_traces  # graders and traces are no business of other suites
    from shipmoor_hooks.store.trace_store import KeptTrace

    about = KeptTrace("", suite.name, "", measured.run, 0, measured.started, measured.kind)
    by_folder = {case.dir: case for case in definition.cases}
    scaffolds = "scaffold" in argv.grants(measured.command)
    return kept_traces.keep(place.common_dir, about, run, result, by_folder, scaffolds=scaffolds)


def forget_traces(reports: Sequence[Report], command: Sequence[str], since: float) -> None:
    """Take away what a program of evals left behind only because it was told to keep its traces for us."""
    if any(r.evals for r in reports) and not argv.keeps_temp(command):
        from shipmoor_hooks.store import kept_traces  # no business of other suites

        kept_traces.drop(reports, since)


def require_reader(suite: Suite) -> None:
    """Raise EnvironmentFault before anything is run where the cases of an eval suite could not be read afterwards."""
    if suite.format == "plugin-eval":
        from shipmoor_hooks.evals import yaml_core

        yaml_core.load("{}")


def ids_of(place: Place, suite: Suite, reports: Sequence[Report], tracked: frozenset[str]) -> list[str]:
    """The case ids of the records of the eval result, in order."""
    names = namer(tracked, place.top or "", suite.normalise)
    return [names.identify(r, report.dialect).id for report in reports if report.evals for r in report.records]


def explains(run: EvalRun | None) -> bool:
    """Whether samples that measured nothing explain that the program did not end with 0 although no case is red."""
    return run is not None and any(not s.is_valid for case in run.cases for s in case.samples)


def selection(suite: Suite, result: EvalResult) -> tuple[str, ...]:
    """What an imported result says of a selection that the policy's own command does not ask for."""
    words = list(suite.command)
    given = [*([f"--case {result.case_filter}"] if result.case_filter else [])]
    given += [f"--tag {tag}" for tag in result.tag_filters]
    return tuple(g for g in given if g.split(" ", 1)[1] not in words)


# ---------------------------------------------------------------- is it about this tree


def _prefix(
    place: Place, suite: Suite, result: EvalResult, tested: Mapping[str, tuple[str, str]]
) -> tuple[str, Problem | None]:
    """Where the plugin's root lies in the tree. A root of this machine must lie in this worktree; one that is not here was
    another checkout, and its cases' folders say which part of the tree it is."""
    top = os.path.realpath(place.top or "")
    root = os.path.realpath(result.root) if os.path.isabs(result.root) else ""
    if root == top or root.startswith(top + os.sep):
        return os.path.relpath(root, top).replace(os.sep, "/").removeprefix("."), None
    if root and os.path.isdir(root):
        name = os.path.basename(root)
        message = f"the result is of a plugin in another folder ({name}), not of this worktree"
        return "", _incomplete(suite, message)
    return _found_prefix(result, tested), None


def _found_prefix(result: EvalResult, tested: Mapping[str, tuple[str, str]]) -> str:
    """The folder below which every case's folder lies: the tree's top, or the one folder that fits."""
    dirs = [case.dir for case in result.run.cases]
    if not dirs or any(f"{dirs[0]}/{name}" in tested for name in _CASE_FILES):
        return ""
    ends = tuple(f"/{dirs[0]}/{name}" for name in _CASE_FILES)
    fits = {path[: -len(end)] for path in tested for end in ends if path.endswith(end)}
    held = [f for f in sorted(fits) if all(any(f"{f}/{d}/{n}" in tested for n in _CASE_FILES) for d in dirs)]
    return held[0] if len(held) == 1 else ""


def _plugins(suite: Suite, result: EvalResult, prefix: str) -> list[Problem]:
    """The plugin under test is the one at the root; what lies elsewhere in the same checkout is content of the tree too."""
    if not result.plugins:
        return [_incomplete(suite, "no plugin was loaded, so the cases ran against the bare program")]
    root = posixpath.normpath(result.root.replace("\\", "/"))
    top = root.removesuffix("/" + prefix) if prefix else root
    others = [p.name for p in result.plugins if not _is_below(posixpath.normpath(p.path.replace("\\", "/")), top)]
    if not others:
        return []
    return [_incomplete(suite, f"plugins from outside this tree were loaded: {', '.join(others[:_SHOWN])}")]


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")


def _not_in_tree(suite: Suite, cases: Sequence[EvalCase]) -> list[Problem]:
    strange = [case.dir for case in cases if case.expectation is None]
    if not strange:
        return []
    message = f"the result holds cases whose folders are not in the tested tree: {some(strange)}"
    return [_incomplete(suite, message)]


def _unrun(
    definition: SuiteDefinition, result: EvalResult, prefix: str, command: Sequence[str]
) -> list[tuple[str, str]]:
    """The cases that load from the tested tree and that a result of the whole suite does not hold, with the reason.

    What the policy's own command leaves out is not missing.
    """
    there = {case.dir for case in result.run.cases}
    why = "it loads from the tested tree, and the result does not hold it"
    folders = [(case, _at(prefix, case.dir)) for case in definition.cases if case.dir not in there]
    return [(folder, why) for case, folder in folders if _is_asked_for(case, folder, result, command)]


def _does_not_load(row: tuple[str, str]) -> str:
    folder, why = row
    return f"{shown(folder)} does not load, so the program leaves it out without a word: {shown(why, 200)}"


def _is_asked_for(case: CaseDefinition, folder: str, result: EvalResult, command: Sequence[str]) -> bool:
    if result.tag_filters and not set(case.tags) & set(result.tag_filters):
        return False
    if result.case_filter and not re.fullmatch(
        re.escape(result.case_filter).replace(r"\*", ".*"), case.name, re.DOTALL
    ):
        return False
    targets = [posixpath.normpath(t) for t in argv.targets(command)]
    return not targets or any(t == "." or folder == t or folder.startswith(f"{t}/") for t in targets)


def _at(prefix: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(prefix, path))


def _absent(suite: Suite, missing: Sequence[tuple[str, str]]) -> Problem:
    """A case that is missing is named: the program says nothing of it in the result."""
    told = some([f"{shown(name)} ({shown(why, 200)})" for name, why in missing], between="; ")
    noun = "case is" if len(missing) == 1 else "cases are"
    return Problem(
        Code.RUN_INCOMPLETE,
        f"{len(missing)} {noun} in the tree and not in the result: {told}",
        f"repair {shown(missing[0][0])}, then shipmoor-hooks run --suite {suite.name}",
    )


def _incomplete(suite: Suite, message: str) -> Problem:
    return Problem(Code.RUN_INCOMPLETE, message, f"shipmoor-hooks run --suite {suite.name}")


# ---------------------------------------------------------------- the first run of each expectation


def _with_first_runs(place: Place, suite: Suite, cases: Sequence[EvalCase]) -> tuple[EvalCase, ...]:
    """A case whose expectation was not in HEAD when it first ran stays unregistered, however often it runs again.

    Only the first run counts, and it is asked for here, so that the gate need not look at every run there is.
    """
    wanted = {(c.id, c.expectation) for c in cases if c.registered}
    first: dict[tuple[str, str | None], tuple[float, bool | None]] = {}
    if wanted:
        for run in Spool(place.spool_home, place.worktree).recent(_EVERY).runs:
            if run.suite != suite.name or run.evals is None:
                continue
            for case in run.evals.cases:
                key = (case.id, case.expectation)
                if key in wanted and case.valid and run.started < first.get(key, (float("inf"), None))[0]:
                    first[key] = (run.started, case.registered)
    return tuple(
        replace(c, registered=False) if first.get((c.id, c.expectation), (0.0, None))[1] is False else c for c in cases
    )


_EVERY = 100_000  # entries: all that a spool can sensibly hold


# ---------------------------------------------------------------- conditions


def _conditions(result: EvalResult, run: EvalRun, measured: Measured) -> dict[str, str]:
    """What the run was measured under, as far as the result or argv tell it."""
    judge = run.judge or ("" if result.needs_judge else "none")
    told = {
        "tool": run.program_version,
        "model": run.model,
        "judge": judge,
        "ablation": run.ablation,
        "threshold": f"{run.threshold:g}",
        "plugins": "this plugin" if result.plugins else "none",
        "grants": argv.grants(measured.command) if measured.command else "",
    }
    return {name: value for name, value in told.items() if value}
