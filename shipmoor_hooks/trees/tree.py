"""The tree of the working tree: what `git add -A && git write-tree` would give (design, section 6).

git says what changed and names the blobs; HEAD's tree and the changes are put together in memory; where that cannot be,
a temporary index gives the exact answer. A clean worktree is HEAD's tree, found without either.
"""

from __future__ import annotations

import os

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.errors import GitFault
from shipmoor_hooks.git import Git, first_complaint
from shipmoor_hooks.git_values import Change
from shipmoor_hooks.place import find
from shipmoor_hooks.trees.git_status import read_index, read_status

TYPE_CHECKING = False  # a clean worktree needs none of this, and is found in less time than typing's own takes
if TYPE_CHECKING:
    from shipmoor_hooks.place import Place
    from shipmoor_hooks.trees.git_status import HiddenEntries, IndexEntries, Status
    from shipmoor_hooks.trees.tree_listing import Content

ATTEMPTS = 3
UNCOMMITTED = "{} is a submodule with uncommitted content."


@dataclass(frozen=True, slots=True)
class TreeCapture:
    """The tree of a worktree at one moment.

    `tree` is None for a worktree that no tree stands for; `reasons` then says why, a sentence a path. `head` is HEAD's
    commit (None: unborn). `changes` are the entries that differ from HEAD's tree, by path; `added` those of their paths
    that HEAD does not have; `untracked` the untracked files that the tree holds; `nested` the untracked repositories
    that were left out. `way` is "head", "memory" or "index", `why` what made the index necessary. `git` asks further.
    """

    tree: str | None
    head: str | None
    changes: tuple[Change, ...]
    untracked: tuple[str, ...]
    nested: tuple[str, ...]
    reasons: tuple[str, ...]
    way: str
    why: str
    added: frozenset[str] = frozenset()
    git: Git | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """What became of a tree's files: those that changed or vanished, those that only appeared, each by path.

    `reasons` is set when one of the two captures has no tree, so that nothing can be compared.
    """

    vanished_or_changed: tuple[str, ...]
    appeared: tuple[str, ...]
    reasons: tuple[str, ...] = ()

    @property
    def keeps_first(self) -> bool:
        """Every file of the first tree is as it was: the run stays bound to it."""
        return not self.vanished_or_changed and not self.reasons


def capture(place: Place) -> TreeCapture:
    """The tree of the worktree, nothing written to the repository.

    Raises RepositoryFault in a bare one, GitFault and EnvironmentFault where git or the disk fails.
    """
    top = place.require_top()
    for _ in range(ATTEMPTS):
        index = read_index(place.git, place.git_dir)
        try:
            status = read_status(place.git)
        except GitFault as refused:
            return _unbound(place, f"git cannot read the working tree: {first_complaint(refused.stderr)}.")
        reasons = _reasons(place, status, index)
        if reasons:
            return _unbound(place, *reasons)
        shown = index.hidden.present(top)
        if status.head is None:
            return _by_index(place, status, shown, "HEAD has no commit yet")
        head, _, tree = place.git.text("rev-parse", "HEAD", f"{status.head}^{{tree}}").partition("\n")
        if head != status.head:
            continue  # a commit was made while git looked: the changes stand against another HEAD
        if shown.paths:
            return _by_index(place, status, shown, f"{shown.paths[0]} carries a bit that hides edits")
        if not status.entries and not status.untracked and not status.unmerged:
            return TreeCapture(tree, head, (), (), status.nested, (), "head", "", git=place.git)
        return _changed(place, status, index.hidden, tree)
    raise GitFault("HEAD kept moving while the working tree was read", "wait for the other git process, then try again")


def difference(before: TreeCapture, after: TreeCapture) -> TreeDifference:
    """What became of the files of `before`. Raises GitFault when HEAD moved and the two commits cannot be compared."""
    if before.tree is None or after.tree is None:
        return TreeDifference((), (), before.reasons + after.reasons)
    if before.tree == after.tree:
        return TreeDifference((), ())
    from shipmoor_hooks.trees.tree_listing import GONE, between

    git = after.git or before.git
    if git is None:
        raise GitFault("the two captures do not say which repository they come from")
    was = {change.path: (change.mode, change.oid) for change in before.changes}
    now = {change.path: (change.mode, change.oid) for change in after.changes}
    heads = between(git, before.head, after.head)
    lacking = before.added | after.added
    changed: list[str] = []
    appeared: list[str] = []
    for path in sorted({*was, *now, *heads}):
        # Where both commits agree their content need not be known, only whether there is any.
        agreed: Content = GONE if path in lacking else ("as in HEAD", None)
        old_head, new_head = heads.get(path, (agreed, agreed))
        old, new = was.get(path, old_head), now.get(path, new_head)
        if old != new:
            (appeared if old == GONE else changed).append(path)
    return TreeDifference(tuple(changed), tuple(appeared))


def _unbound(place: Place, *reasons: str) -> TreeCapture:
    head = place.git.try_text("rev-parse", "--verify", "--quiet", "HEAD")
    return TreeCapture(None, head, (), (), (), reasons, "index", "", git=place.git)


def _reasons(place: Place, status: Status, index: IndexEntries) -> tuple[str, ...]:
    """Why no tree stands for this worktree."""
    dirty = {e.path for e in status.entries if e.submodule_is_dirty}
    dirty.update(path for path in index.submodules if path not in dirty and _hides_edits(place, path))
    return tuple(UNCOMMITTED.format(path) for path in sorted(dirty))


def _hides_edits(place: Place, submodule: str) -> bool:
    """Whether the submodule holds content that the status of the repository around it does not show.

    Edits behind bits in its own index, or files in its folder while it is not checked out.
    """
    folder = os.path.join(place.require_top(), submodule)
    if not os.path.lexists(os.path.join(folder, ".git")):
        return os.path.isdir(folder) and not os.path.islink(folder) and bool(os.listdir(folder))
    inner = find(folder, place.git.environ)
    index = read_index(inner.git, inner.git_dir)
    if index.hidden.present(folder).paths:
        found = capture(inner)
        return found.tree is None or bool(found.changes)
    return any(_hides_edits(inner, path) for path in index.submodules)


def _changed(place: Place, status: Status, hidden: HiddenEntries, head_tree: str) -> TreeCapture:
    """HEAD's tree with the changes put over it in memory, by the index where that cannot be."""
    # Only a worktree with changes pays for this import.
    from shipmoor_hooks.trees.tree_in_memory import NeedsIndex, put_together

    try:
        tree, changes, added = put_together(place, status, hidden, head_tree)
    except NeedsIndex as cannot:
        return _by_index(place, status, hidden.present(place.require_top()), str(cannot))
    way = "memory" if changes else "head"
    return TreeCapture(tree, status.head, changes, status.untracked, status.nested, (), way, "", added, place.git)


def _by_index(place: Place, status: Status, hidden: HiddenEntries, why: str) -> TreeCapture:
    """The answer of a temporary index; `hidden` are present files whose bits have to be cleared first."""
    from shipmoor_hooks.trees.tree_by_index import add_everything
    from shipmoor_hooks.trees.tree_listing import GONE

    done = add_everything(place, status.head, hidden, status.nested)
    reasons = tuple(UNCOMMITTED.format(path) for path in done.dirty)
    if done.complaint:
        reasons = (f"git cannot add everything in the working tree: {done.complaint}.",)
    if reasons:
        return TreeCapture(None, status.head, (), (), status.nested, reasons, "index", why, git=place.git)
    changes = tuple(Change(path, *done.differences[path][1]) for path in sorted(done.differences))
    added = frozenset(path for path, (old, _) in done.differences.items() if old == GONE)
    untracked, nested = status.untracked, status.nested
    return TreeCapture(done.tree, status.head, changes, untracked, nested, (), "index", why, added, place.git)
