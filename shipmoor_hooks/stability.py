"""`stability`: what the stored runs of a suite say about each case."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Run, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.rules import stability as tables
from shipmoor_hooks.store import records, trace_store
from shipmoor_hooks.store.record_model import Regrade
from shipmoor_hooks.store.spool import Broken, Spool

_ALL = 1 << 60


@dataclass(frozen=True, slots=True)
class Answer:
    """The table, the re-grades that stand beside it, and the entries that cannot be read."""

    table: tables.Stability
    regrades: tuple[Regrade, ...]
    broken: tuple[Broken, ...]


def ask(place: Place, suite: Suite, *, join: bool = False) -> Answer:
    """The table of a suite over every run of the repository. Raises GitFault."""
    found = Spool(place.common_dir, place.worktree).recent(_ALL)
    runs = {r.id: r for r in (*found.begun, *found.runs) if r.suite == suite.name}
    regrades, unreadable = records.every(place.common_dir, Regrade)
    loose = uncommitted(place.git, list(runs.values()))
    traces, _ = trace_store.every(place.common_dir, suite.name)
    table = tables.stability(runs.values(), suite, loose=loose, traces={t.sha for t in traces}, join=join)
    return Answer(table, tuple(r for r in regrades if r.suite == suite.name), (*found.broken, *unreadable))


def uncommitted(git: Git, runs: Sequence[Run]) -> frozenset[tuple[str, str]]:
    """What ran under an expectation that no commit holds: (run, case) for evals, (run, "") where the tree stands for it.

    An expectation that HEAD held when the run started counts as held whatever became of that commit.
    """
    held = frozenset(git.output("log", "--all", "--reflog", "--format=%T").decode("ascii", "replace").split())
    known: dict[str, bool] = {}
    found = set()
    for run in runs:
        is_held = run.tree in held or (run.head is not None and not run.changes)
        cases = [] if run.evals is None else [c for c in run.evals.cases if c.expectation]
        if not cases and not is_held:
            found.add((run.id, ""))
        for case in cases:
            name = case.expectation or ""
            if is_held or case.registered:
                continue
            if name not in known:
                known[name] = _is_in_history(git, name)
            if not known[name]:
                found.add((run.id, case.id))
    return frozenset(found)


def _is_in_history(git: Git, name: str) -> bool:
    """Does some commit hold this tree as a folder? git says no where it never had the object."""
    done = git.run("log", "--all", "--reflog", "-m", "-1", "--format=%H", f"--find-object={name}", "--")
    return done.returncode == 0 and bool(done.stdout.strip())
