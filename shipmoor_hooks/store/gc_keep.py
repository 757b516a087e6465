"""What keeps an old run in the spool: the trees that history holds, whole or scoped, first runs, clearings (design, 10.25)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from shipmoor_hooks import policy
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import PolicyFault, UsageFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Policy, Run
from shipmoor_hooks.rules.keeping import first_runs
from shipmoor_hooks.store import records, trace_store
from shipmoor_hooks.store.record_model import Clearing, Label, Proof
from shipmoor_hooks.trees.scoped_tree import scoped_revision

MOST_TIPS = 200  # beyond, every scoped tree counts as held: keeping too much is no loss of evidence


@dataclass(frozen=True, slots=True)
class Held:
    """What holds runs: trees by name, scoped trees by suite and name (None: all of them), and runs by id."""

    trees: frozenset[str]
    scoped: frozenset[tuple[str, str]] | None
    runs: frozenset[str]

    def places(self, run: Run) -> list[str]:
        """The trees under which the gate would look for this run."""
        found = [run.tree] if run.tree in self.trees else []
        scoped = run.scoped_tree
        if scoped is not None and scoped != run.tree and (self.scoped is None or (run.suite, scoped) in self.scoped):
            found.append(scoped)
        return [f for f in found if f]


def held(git: Git, common_dir: str, runs: Sequence[Run]) -> Held:
    """What holds any of these runs. Raises GitFault: then nothing is dropped."""
    heads = _worktree_heads(git)
    out = git.output("log", "--format=%T", "--branches", "--tags", "--remotes", *heads, "--")
    trees = frozenset(out.decode("ascii", "replace").split())
    loose = {r.suite for r in runs if r.is_complete and r.scoped_tree not in (None, r.tree) and r.tree not in trees}
    clearings, _ = records.every(common_dir, Clearing)
    named = {run for clearing in clearings for run in clearing.runs}
    scoped = _scoped(git, heads, loose) if loose else frozenset()
    return Held(trees, scoped, first_runs(runs) | named)


def _worktree_heads(git: Git) -> list[str]:
    listed = git.output("worktree", "list", "--porcelain").decode("utf-8", "surrogateescape").splitlines()
    heads = {line.removeprefix("HEAD ") for line in listed if line.startswith("HEAD ")}
    return sorted(h for h in heads if h.strip("0"))


def _scoped(git: Git, heads: Iterable[str], suites: Iterable[str]) -> frozenset[tuple[str, str]] | None:
    """The scoped trees that a gate may look up: of every tip and of where it left its target, under every `exclude` that a
    policy of theirs has. None where there are too many tips to ask."""
    out = git.output("for-each-ref", "--format=%(objectname) %(*objectname)", "refs/heads", "refs/remotes", "refs/tags")
    named = {line.split()[-1] for line in out.decode("ascii", "replace").splitlines() if line.strip()}
    tips = {c for n in (*named, *heads) if (c := git.try_text("rev-parse", "--verify", "--quiet", f"{n}^{{commit}}"))}
    if len(tips) > MOST_TIPS:
        return None
    policies = {tip: _policy(git, tip) for tip in tips}
    commits = {*tips, *_bases(git, policies)}
    found = set()
    for name in suites:
        excludes = {p.suites[name].exclude for p in policies.values() if p and name in p.suites}
        for exclude in excludes - {()}:
            found |= {(name, tree) for c in commits if (tree := _scoped_tree(git, c, exclude))}
    return frozenset(found)


def _bases(git: Git, policies: Mapping[str, Policy | None]) -> set[str]:
    """The merge bases of the tips with their targets, as far as those are here."""
    found: set[str] = set()
    for tip, rules in policies.items():
        if rules is None:
            continue
        target = git.try_text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rules.target}^{{commit}}")
        bases = git.try_text("merge-base", "--all", tip, target) if target else None
        found |= set((bases or "").split())
    return found


def _policy(git: Git, commit: str) -> Policy | None:
    try:
        return policy.load_revision(git, commit)
    except PolicyFault:
        return None


def _scoped_tree(git: Git, commit: str, exclude: Sequence[str]) -> str | None:
    try:
        return scoped_revision(git, commit, exclude)
    except UsageFault:
        return None


def loose_traces(common_dir: str, runs: Collection[str], limit: float) -> list[str]:
    """The paths of traces from before `limit` that nothing needs: neither one of `runs`, nor a proof, nor a person's label."""
    proofs, _ = records.every(common_dir, Proof)
    labels, _ = records.every(common_dir, Label)
    labelled = {label.trace for label in labels}
    return trace_store.unneeded(common_dir, {*runs, *(proof.id for proof in proofs)}, labelled, limit)
