"""Which commit the tip is measured against (design, sections 3 and 10.31).

A push is measured against what the remote itself says: the old value in the hook's own input, else `git ls-remote`, and
only when that fails the remote-tracking refs, with a note. By hand the remote-tracking refs are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shipmoor_hooks import history, policy
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import PolicyFault, UsageFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.model import Code, Finding
from shipmoor_hooks.push import Push, Update

DEFAULT_REMOTE = "origin"
DEFAULT_TARGET = "origin/HEAD"
HERE = ""  # the remote's name, in the repository that is the remote


class Remotes:
    """The remotes of a repository, each asked once: the URLs that are configured, the branches that a remote says it has.

    `said` is what remotes have answered already, by name.
    """

    def __init__(self, git: Git, said: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self._git = git
        self._said: dict[str, Mapping[str, str] | None] = dict(said or {})
        self._configured: dict[str, str] | None = None

    @property
    def configured(self) -> dict[str, str]:
        """Name to URL."""
        if self._configured is None:
            self._configured = history.remotes(self._git)
        return self._configured

    def heads(self, remote: str) -> Mapping[str, str] | None:
        """As `history.heads_of_remote` tells them."""
        if remote not in self._said:
            self._said[remote] = history.heads_of_remote(self._git, remote)
        return self._said[remote]


@dataclass(frozen=True, slots=True)
class Target:
    """The branch whose merge base is the base: its name for people, its branch on the remote, and its tip.

    `tip` is None when there is nothing there yet (`empty`), or when its object is not in this repository (`unknown`).
    """

    name: str
    remote: str | None
    branch: str
    tip: str | None
    empty: bool = False
    unknown: str = ""
    notes: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Bases:
    """The commits that a tip is compared with. `problem` says why there are none although there should be."""

    commits: tuple[str, ...]
    target: Target | None
    problem: Finding | None = None
    old_value: str | None = None


def split(name: str, remotes: Sequence[str]) -> tuple[str | None, str]:
    """`origin/main` -> ("origin", "main"); a name without a remote of this repository -> (None, name)."""
    for remote in sorted(remotes, key=len, reverse=True):
        if name.startswith(remote + "/"):
            return remote, name[len(remote) + 1 :]
    return None, name


def gate_target(git: Git, tip: str, remotes: Remotes, find: Callable[[str], Target]) -> Target:
    """The target by the policy of the target branch itself, where that has one, else by the tip's.

    A tip that names itself as the target would be its own base: so the remote's HEAD is asked first, and the policy that
    stands there says which branch is meant.
    """
    names = []
    if DEFAULT_REMOTE in remotes.configured:
        first = find(DEFAULT_TARGET)
        if first.tip is not None:
            names.append(first.tip)
    named = DEFAULT_TARGET
    for revision in (*names, tip):
        try:
            rules = policy.load_revision(git, revision)
        except PolicyFault:
            continue
        if rules is not None:
            named = rules.target
            break
    return first if names and named == DEFAULT_TARGET else find(named)


def by_hand(git: Git, name: str, remotes: Remotes, *, ask_remote: bool = True) -> Target:
    """The target as the remote-tracking refs tell it, else (`ask_remote`) as the remote does. Raises UsageFault."""
    remote, branch = split(name, list(remotes.configured))
    if remote is None:
        return _of_this_repository(git, name, remotes)
    commit = history.commit_of(git, f"refs/remotes/{remote}/{branch}")
    if commit is not None:
        return Target(name, remote, branch, commit)
    if not ask_remote:
        raise UsageFault(f"the target {name} is not known here", f"git fetch {remote}")
    said = remotes.heads(remote)
    if said is None:
        raise UsageFault(f"the target {name} is not known here and its remote does not answer", f"git fetch {remote}")
    return _from_heads(git, name, remote, branch, said)


def for_push(git: Git, name: str, push: Push, remotes: Remotes) -> Target:
    """The target as the remote itself tells it at the time of a push."""
    remote, branch = split(name, list(remotes.configured))
    if remote is None:
        return _of_this_repository(git, name, remotes)
    if branch != "HEAD" and is_same_remote(push, remote, remotes.configured):
        for update in push.updates:
            if update.remote_ref == f"refs/heads/{branch}" and update.remote_oid:
                return _known(git, name, remote, branch, update.remote_oid)
    said = remotes.heads(remote)
    if said is not None:
        return _from_heads(git, name, remote, branch, said)
    commit = history.commit_of(git, f"refs/remotes/{remote}/{branch}")
    if commit is None:
        return Target(name, remote, branch, None, unknown=f"the remote {remote} does not answer")
    symbolic = git.try_text("symbolic-ref", "--quiet", f"refs/remotes/{remote}/{branch}") or ""
    note = Finding(
        Code.TARGET_UNCONFIRMED,
        f"the remote {remote} did not say where {branch} is; {commit[:12]} from the last fetch was taken.",
        f"git fetch {remote}",
    )
    return Target(name, remote, symbolic.removeprefix(f"refs/remotes/{remote}/") or branch, commit, notes=(note,))


def on_server(git: Git, tip: str) -> Target:
    """The target in the repository that is pushed to: its own branch of the name that the policy gives the remote's.

    The policy of the branch that HEAD names says which, else the tip's, as in `gate_target`. The values are those from
    before the push.
    """
    said = history.own_heads(git)
    first = _from_heads(git, DEFAULT_TARGET, HERE, said.get("HEAD", "HEAD"), said)
    for revision in filter(None, (first.tip, tip)):
        try:
            rules = policy.load_revision(git, revision)
        except PolicyFault:
            continue
        if rules is not None:
            branch = rules.target if f"refs/heads/{rules.target}" in said else rules.target.partition("/")[2]
            return first if branch in ("", "HEAD") else _from_heads(git, rules.target, HERE, branch, said)
    return first


def _of_this_repository(git: Git, name: str, remotes: Remotes) -> Target:
    """A target that names no remote: any revision of this repository. Raises UsageFault when it is none."""
    commit = history.commit_of(git, name)
    if commit is None:
        raise _no_such_remote(name, list(remotes.configured))
    return Target(name, None, name, commit)


def is_same_remote(push: Push, remote: str, configured: dict[str, str]) -> bool:
    """Does this push go to the target's remote, by name or by URL?"""
    return push.remote == remote or (bool(push.url) and push.url == configured.get(remote))


def _from_heads(git: Git, name: str, remote: str, branch: str, said: Mapping[str, str]) -> Target:
    if not any(n.startswith("refs/heads/") for n in said):
        return Target(name, remote, branch, None, empty=True)
    wanted = branch if f"refs/heads/{branch}" in said else said.get("HEAD", "")
    oid = said.get(f"refs/heads/{wanted}")
    if oid is None:
        heads = [n for n in said if n.startswith("refs/heads/")]
        if len(heads) != 1:
            return Target(name, remote, branch, None, unknown=f"the remote {remote} has no branch {branch} and no HEAD")
        wanted, oid = heads[0].removeprefix("refs/heads/"), said[heads[0]]
    return _known(git, name, remote, wanted, oid)


def _known(git: Git, name: str, remote: str, branch: str, oid: str) -> Target:
    if history.commit_of(git, oid) is not None:
        return Target(name, remote, branch, oid)
    older = history.commit_of(git, f"refs/remotes/{remote}/{branch}")
    if older is None:
        return Target(name, remote, branch, None, unknown=f"{remote}/{branch} is at {oid[:12]}, which is not here")
    note = Finding(
        Code.TARGET_UNCONFIRMED,
        f"{remote}/{branch} is at {oid[:12]}, which is not here; {older[:12]} from the last fetch was taken.",
        f"git fetch {remote}",
    )
    return Target(name, remote, branch, older, notes=(note,))


def _no_such_remote(name: str, configured: Sequence[str]) -> UsageFault:
    have = ", ".join(sorted(configured)) or "none"
    return UsageFault(
        f"the policy's target {name!r} names no remote and no revision of this repository (remotes: {have})",
        'set [gate] target in shipmoor-hooks.toml, for example target = "origin/main"',
    )


def bases_of(
    git: Git, common_dir: str, tip: str, update: Update, push: Push, target: Target, remotes: Remotes
) -> Bases:
    """What a pushed tip is compared with.

    Into the target branch itself: the remote's old value when that is not an ancestor (a rewind), else the merge base; for
    any other branch the merge base with the target.
    """
    old = update.remote_oid
    into_target = (
        target.remote is not None
        and update.remote_ref == f"refs/heads/{target.branch}"
        and is_same_remote(push, target.remote, remotes.configured)
    )
    if into_target:
        old = old or target.tip
    if into_target and old:
        if history.commit_of(git, old) is None:
            return Bases((), target, _fetch_first(target, f"its {target.branch} is at {old[:12]}, which is not here"))
        if not history.is_ancestor(git, old, tip):
            return _checked(git, common_dir, tip, (old,), target, old_value=old, other=old)
    if target.tip is None:
        if target.empty or (into_target and not target.unknown):
            return Bases((), target)
        return Bases((), target, _fetch_first(target, target.unknown))
    old_here = old if old and history.commit_of(git, old) else None
    return with_target(git, common_dir, tip, target, old_value=None if into_target else old_here)


def with_target(git: Git, common_dir: str, tip: str, target: Target, *, old_value: str | None = None) -> Bases:
    """The merge bases of the tip with the target's tip."""
    if target.tip is None:
        if target.empty:
            return Bases((), target)
        return Bases((), target, _fetch_first(target, target.unknown))
    commits = history.merge_bases(git, target.tip, tip)
    return _checked(git, common_dir, tip, commits, target, old_value=old_value, other=target.tip)


def _checked(
    git: Git, common_dir: str, tip: str, commits: tuple[str, ...], target: Target, *, old_value: str | None, other: str
) -> Bases:
    boundaries = history.shallow_boundaries(common_dir)
    if history.crosses_boundary(git, boundaries, (tip, other), commits):
        return Bases((), target, shallow())
    if not commits:
        return Bases((), target, _unrelated(target))
    return Bases(commits, target, old_value=old_value)


def named(git: Git, common_dir: str, tip: str, base: str) -> Bases:
    """`gate --base REV` means REV itself; a shallow boundary in REV..tip hides trailers, so it is SHALLOW all the same."""
    boundaries = history.shallow_boundaries(common_dir)
    if history.crosses_boundary(git, boundaries, (tip,), (base,)):
        return Bases((), None, shallow())
    return Bases((base,), None)


def shallow() -> Finding:
    return Finding(
        Code.SHALLOW,
        "this clone is shallow, and its history ends between the base and the tip, so neither the base nor the trailers "
        "can be trusted.",
        "git fetch --unshallow",
    )


def _unrelated(target: Target) -> Finding:
    return Finding(
        Code.NO_MERGE_BASE,
        f"the tip and {target.name} have no commit in common.",
        "shipmoor-hooks gate --base REV",
    )


def _fetch_first(target: Target, why: str) -> Finding:
    return Finding(
        Code.NO_MERGE_BASE,
        f"the base cannot be found: {why or f'{target.name} is not known here'}.",
        f"git fetch {target.remote or 'origin'}",
    )
