"""`run --overlay`: the tip's code under the base's test files and surface, in a scratch worktree.

What comes of it is a record of its own and never a run of a tree: no commit holds what was measured.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from shipmoor_hooks import history, observe
from shipmoor_hooks.case_samples import file_of
from shipmoor_hooks.errors import EvidenceFault, UsageFault
from shipmoor_hooks.git import Git, command_environment
from shipmoor_hooks.model import CaseList, Outcome, Suite
from shipmoor_hooks.overlay_plan import Lay, lay
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import overlay_rules
from shipmoor_hooks.scratch import HOOKLESS, worktree_at
from shipmoor_hooks.store import inventory, records
from shipmoor_hooks.store.record_model import Overlay
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.tested_paths import tracked_paths
from shipmoor_hooks.trees import tree as tree_module


def measure(
    place: Place, suite: Suite, base: str, tip: str, environ: Mapping[str, str], variant: str | None = None
) -> Overlay | None:
    """Run the overlay of two commits and store it; None where there is nothing to lay over, since nothing differs.

    Raises EvidenceFault where nothing was measured, UsageFault, RepositoryFault and EnvironmentFault as their makers say.
    """
    if not suite.command:
        raise UsageFault(f"suite {suite.name} has no command", f"give [suite.{suite.name}] a command")
    sides = history.revision(place.git, base), history.revision(place.git, tip)
    base_tree, tip_tree = (side.tree or "" for side in sides)
    plan = lay(place.git, base_tree, tip_tree, suite, _files_of_cases(place, suite, base_tree))
    if not plan.number:
        return None
    name = records.new_id()
    with worktree_at(place, tip, environ) as there:
        observe.set_up(suite, there.require_top(), command_environment(environ))
        _put(there.git, base, plan)
        tracked = tracked_paths(there, tree_module.capture(there))
        watched = observe.watch(there, suite, suite.command, command_environment(environ), there.require_top(), name)
        if watched.interrupted:
            raise KeyboardInterrupt
        gathered = watched.gathered
        if gathered.problems:
            raise EvidenceFault(
                f"the overlay measured nothing: {gathered.problems[0].message}", gathered.problems[0].next_step
            )
        cases = inventory.cases_of(gathered.reports, tracked, there.require_top(), suite.normalise)
    red, unloaded = overlay_rules.red_ids([(c.kind, c.id, c.outcome.is_red) for c in cases])
    counts = CaseList.of(cases).counts()
    found = Overlay(
        id=name,
        suite=suite.name,
        case="",
        recorded=time.time(),
        base=base_tree,
        tip=tip_tree,
        passed=counts[Outcome.PASSED],
        of=sum(counts.values()),
        red=red,
        unloaded=unloaded,
        laid=plan.number,
        variant=variant,
        command=suite.command,
    )
    records.write(place.common_dir, found)
    return found


def _files_of_cases(place: Place, suite: Suite, tree: str) -> set[str]:
    """The files of the base that hold its cases, as far as runs there name them by their ids."""
    runs = [r for r in Spool(place.spool_home, place.worktree).at_tree(tree).runs if r.suite == suite.name]
    if not runs:
        return set()
    listed = place.git.output("ls-tree", "-r", "-z", "--name-only", tree).decode("utf-8", "surrogateescape")
    tracked = frozenset(listed.split("\0")[:-1])
    return {file_of(case.id, tracked) for run in runs for case in run.cases} - {""}


def _put(git: Git, base: str, plan: Lay) -> None:
    """Lay the base's files over the scratch worktree. Names are names, never patterns, and no hook of the user's starts."""
    listed = ("--pathspec-from-file=-", "--pathspec-file-nul")
    for words, paths in ((("checkout", "--quiet", base), plan.back), (("rm", "--quiet", "--force"), plan.away)):
        if paths:
            names = "\0".join(paths).encode("utf-8", "surrogateescape")
            git.output("--literal-pathspecs", *HOOKLESS, *words, *listed, stdin=names)
