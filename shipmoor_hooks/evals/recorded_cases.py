"""Where an eval suite and its recorded traces are: the policy's suite, the plugin's folder, the cases of a version of it."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence

from shipmoor_hooks import capture, history
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EvidenceFault, UsageFault
from shipmoor_hooks.evals import loading
from shipmoor_hooks.evals.definitions import CaseDefinition, SuiteDefinition
from shipmoor_hooks.evals.suites import eval_suites, root_of
from shipmoor_hooks.model import Policy, Suite
from shipmoor_hooks.place import Place
from shipmoor_hooks.store import trace_store
from shipmoor_hooks.store.trace_store import KeptTrace
from shipmoor_hooks.trees import tree as tree_module
from shipmoor_hooks.trees.folder_tree import below, listing, tree_name

WORKTREE = "worktree"


@dataclass(frozen=True, slots=True)
class EvalPlace:
    """An eval suite of this repository; `root` is the plugin's folder below the worktree's top ("" for the top)."""

    place: Place
    suite: Suite
    root: str

    @classmethod
    def find(cls, place: Place, policy: Policy, name: str | None) -> EvalPlace:
        """The suite that was named, or the only eval suite. Raises UsageFault."""
        evals = [s.name for s in eval_suites(policy)]
        chosen = capture.pick_suite(policy, name or (evals[0] if len(evals) == 1 else None))
        return cls(place, chosen, root_of(chosen))


@dataclass(frozen=True, slots=True)
class Version:
    """The cases of one version of a suite by name, and git's name of each case's folder in it."""

    name: str
    cases: dict[str, CaseDefinition]
    expectations: dict[str, str | None]
    loaded: SuiteDefinition


def version(where: EvalPlace, revision: str) -> Version:
    """A commit's suite, or the working tree's (WORKTREE). Raises RepositoryFault, GitFault, EnvironmentFault."""
    git = where.place.git
    if revision == WORKTREE:
        top = where.place.require_top()
        loaded = loading.load_folder(os.path.join(top, where.root))
        seen = tree_module.capture(where.place)
        entries = listing(git, seen.head, seen.changes)
        name = WORKTREE
    else:
        name = history.require_commit(git, revision)
        loaded = loading.load_tree(git, name, where.root)
        entries = listing(git, name)
    cases = {case.name: case for case in loaded.cases}
    folders = {case.name: tree_name(below(entries, posixpath.join(where.root, case.dir))) for case in loaded.cases}
    return Version(name, cases, folders, loaded)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A trace to grade: one of the store, or a file."""

    name: str
    path: str = ""
    kept: KeptTrace | None = None


def find_traces(
    where: EvalPlace, words: Sequence[tuple[str, str]], case: str | None
) -> list[tuple[CaseDefinition, list[Chosen]]]:
    """The traces that words name (each with the path that it is, if it is a file), under the cases whose graders are asked.

    Without words: all that are kept of `case`. Raises UsageFault, EvidenceFault.
    """
    loaded = version(where, WORKTREE)
    chosen: dict[str, list[Chosen]] = {}
    for word, path in words:
        kept = () if os.path.isfile(path) else trace_store.by_prefix(where.place.common_dir, word)
        if not kept and not os.path.lexists(path):
            raise EvidenceFault(
                f"{word} is neither a file nor the name of a kept trace", "shipmoor-hooks eval grade --case CASE"
            )
        if len({k.sha for k in kept}) > 1:
            raise UsageFault(f"{word} fits {len({k.sha for k in kept})} kept traces", "write more of its digits")
        wanted = case or (kept[-1].case if kept else "")
        if not wanted:
            raise UsageFault(f"whose graders are asked about {word}?", "name the case with --case")
        one = Chosen(kept[-1].sha[:12], kept=kept[-1]) if kept else Chosen(word, path)
        chosen.setdefault(wanted, []).append(one)
    if not words and case is not None:
        kept, _ = trace_store.of_case(where.place.common_dir, where.suite.name, case)
        if not kept:
            raise EvidenceFault(f"no trace of {case} is kept", f"shipmoor-hooks run --suite {where.suite.name}")
        chosen[case] = [Chosen(k.sha[:12], kept=k) for k in kept]
    return [(definition(loaded, name), rows) for name, rows in chosen.items()]


def definition(loaded: Version, name: str) -> CaseDefinition:
    """The case of that name. Raises UsageFault, with why it does not load where that is known."""
    found = loaded.cases.get(name)
    if found is None:
        why = next((f"{f.path}: {f.message}" for f in loaded.loaded.faults if posixpath.basename(f.path) == name), "")
        have = ", ".join(sorted(loaded.cases)[:10]) or "none"
        raise UsageFault(f"{loaded.name[:12]} has no case {name!r} ({why or f'it has: {have}'})")
    return found
