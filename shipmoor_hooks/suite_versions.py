"""The versions of an eval suite, from the stored runs and the commits that held its cases."""

from __future__ import annotations

from shipmoor_hooks.case_folders import plugin_of
from shipmoor_hooks.errors import EnvironmentFault, GitFault
from shipmoor_hooks.evals import loading
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Run
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import suite_versions as tables
from shipmoor_hooks.rules.suite_versions import SuiteVersion, Words
from shipmoor_hooks.store.spool import Spool

_ALL = 1 << 60


def ask(place: Place, suite: str) -> tuple[SuiteVersion, ...]:
    """Every version that a complete run was made of, oldest first."""
    runs = {r.id: r for r in Spool(place.spool_home, place.worktree).recent(_ALL).runs if r.suite == suite}
    firsts = tables.first_runs(runs.values())
    return tables.versions(firsts, {run.head or "": _words(place.git, run) for run in firsts})


def _words(git: Git, run: Run) -> Words:
    """What the cases of a commit say of themselves; nothing where it is gone, or where nothing here reads YAML."""
    commit = run.head or ""
    when = git.try_text("show", "-s", "--format=%ct", "--end-of-options", commit)
    if when is None:
        return Words(None, {})
    found: dict[str, tuple[str, str]] = {}
    folders = [case.dir for case in run.evals.cases] if run.evals else []
    try:
        for root in {plugin_of(git, commit, folder) for folder in folders}:
            for case in loading.load_tree(git, commit, root).cases:
                folder = f"{root}/{case.dir}" if root else case.dir
                found[folder] = (case.description, case.expected_outcome)
    except (EnvironmentFault, GitFault):
        found = {}
    return Words(float(when), found)
