"""The tree of the working tree: what `git add -A && git write-tree` would give (design, section 6).

git says what changed and names the blobs; pygit2 puts HEAD's tree and the changes together in memory; where that cannot
be, a temporary index gives the exact answer. A clean worktree is HEAD's tree, found without either.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from shipmoor_hooks.blob_names import NeedsIndex, attribute_files, blob_names, file_mode
from shipmoor_hooks.errors import GitFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.git_status import ABSENT, Entry, HiddenEntries, IndexEntries, Status, read_index, read_status
from shipmoor_hooks.model import Change
from shipmoor_hooks.place import Place, find
from shipmoor_hooks.repo import CannotCompose, compose_tree
from shipmoor_hooks.tree_by_index import add_everything, first_complaint
from shipmoor_hooks.tree_listing import GONE, Content, between

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
        index = read_index(place.git)
        try:
            status = read_status(place.git)
        except GitFault as refused:
            return _unbound(place, f"git cannot read the working tree: {first_complaint(refused.stderr)}.")
        reasons = _reasons(place, status, index)
        if reasons:
            return _unbound(place, *reasons)
        hidden = index.hidden
        shown = hidden.present(top)
        if status.head is None:
            return _by_index(place, status, shown, "HEAD has no commit yet")
        head, _, tree = place.git.text("rev-parse", "HEAD", f"{status.head}^{{tree}}").partition("\n")
        if head != status.head:
            continue  # a commit was made while git looked: the changes stand against another HEAD
        if shown.paths:
            return _by_index(place, status, shown, f"{shown.paths[0]} carries a bit that hides edits")
        if not status.entries and not status.untracked:
            return TreeCapture(tree, head, (), (), status.nested, (), "head", "", git=place.git)
        try:
            return _in_memory(place, status, head, tree, hidden)
        except (NeedsIndex, CannotCompose) as cannot:
            return _by_index(place, status, shown, str(cannot))
    raise GitFault("HEAD kept moving while the working tree was read", "wait for the other git process, then try again")


def difference(before: TreeCapture, after: TreeCapture) -> TreeDifference:
    """What became of the files of `before`. Raises GitFault when HEAD moved and the two commits cannot be compared."""
    if before.tree is None or after.tree is None:
        return TreeDifference((), (), before.reasons + after.reasons)
    if before.tree == after.tree:
        return TreeDifference((), ())
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
    unmerged = (f"{path} has an unresolved merge conflict." for path in status.unmerged)
    dirty = {e.path for e in status.entries if e.submodule_is_dirty}
    dirty.update(path for path in index.submodules if path not in dirty and _hides_edits(place, path))
    return (*unmerged, *(UNCOMMITTED.format(path) for path in sorted(dirty)))


def _hides_edits(place: Place, submodule: str) -> bool:
    """Whether bits in the submodule's own index keep an edit from the status of the repository around it."""
    folder = os.path.join(place.require_top(), submodule)
    if not os.path.lexists(os.path.join(folder, ".git")):
        return False
    inner = find(folder, place.git.environ)
    index = read_index(inner.git)
    if index.hidden.present(folder).paths:
        found = capture(inner)
        return found.tree is None or bool(found.changes)
    return any(_hides_edits(inner, path) for path in index.submodules)


def _by_index(place: Place, status: Status, hidden: HiddenEntries, why: str) -> TreeCapture:
    added = add_everything(place, status.head, hidden, status.nested)
    reasons = tuple(UNCOMMITTED.format(path) for path in added.dirty)
    if added.complaint:
        reasons = (f"git cannot add everything in the working tree: {added.complaint}.",)
    if reasons:
        return TreeCapture(None, status.head, (), (), status.nested, reasons, "index", why, git=place.git)
    changes = tuple(Change(path, *added.differences[path][1]) for path in sorted(added.differences))
    new = frozenset(path for path, (old, _) in added.differences.items() if old == GONE)
    return TreeCapture(
        added.tree, status.head, changes, status.untracked, status.nested, (), "index", why, new, place.git
    )


def _in_memory(place: Place, status: Status, head: str, head_tree: str, hidden: HiddenEntries) -> TreeCapture:
    """HEAD's tree and the changes, put together by pygit2. Raises NeedsIndex, CannotCompose."""
    settings = _settings(place.git)
    _refuse_what_needs_index(status, settings, hidden)
    edited = [e for e in status.entries if e.edited != "." and e.worktree_mode != ABSENT]
    stored = frozenset(e.path for e in edited if e.index_mode != ABSENT)
    autocrlf = settings.get("core.autocrlf", "false") != "false"
    names = blob_names(place.git, place.require_top(), [*(e.path for e in edited), *status.untracked], stored, autocrlf)

    at_head = {e.path: GONE if e.head_mode == ABSENT else (e.head_mode, e.head_oid) for e in status.entries}
    found = {e.path: _content(e, names) for e in status.entries}
    for path in status.untracked:
        name, mode = names[path]
        found[path] = (file_mode(mode, settings.get("core.filemode", "true") == "true"), name)
    paths = [path for path in sorted(found) if found[path] != at_head.get(path, GONE)]
    changes = tuple(Change(path, *found[path]) for path in paths)
    added = frozenset(path for path in paths if at_head.get(path, GONE) == GONE)
    tree = compose_tree(os.path.join(place.common_dir, "objects"), head, changes) if changes else head_tree
    way = "memory" if changes else "head"
    return TreeCapture(tree, head, changes, status.untracked, status.nested, (), way, "", added, place.git)


def _refuse_what_needs_index(status: Status, settings: dict[str, str], hidden: HiddenEntries) -> None:
    """Raises NeedsIndex where changed entries alone do not tell what `git add -A` would do."""
    for path in attribute_files((*(e.path for e in status.entries), *status.untracked)):
        raise NeedsIndex(f"{path} itself changed")
    for path in attribute_files(hidden.paths):
        raise NeedsIndex(f"{path} is in the index alone")
    for entry in status.entries:
        if entry.concerns_submodule:
            raise NeedsIndex(f"{entry.path} is a submodule that changed")
    if settings.get("core.ignorecase", "false") != "false":
        raise NeedsIndex("core.ignoreCase is set")


def _content(entry: Entry, names: dict[str, tuple[str, int]]) -> Content:
    """(mode, blob) of a tracked path in the worktree, GONE when it is gone from there or from the index."""
    if entry.path in names:
        return entry.worktree_mode, names[entry.path][0]
    if entry.index_mode == ABSENT or entry.edited != ".":
        return GONE
    return entry.index_mode, entry.index_oid


def _settings(git: Git) -> dict[str, str]:
    """The settings that decide how git adds a file, by lower-case name; booleans as true and false."""
    output = git.output("config", "-z", "--get-regexp", r"^core\.(filemode|ignorecase|autocrlf)$", ok=(0, 1))
    words = {"yes": "true", "on": "true", "1": "true", "no": "false", "off": "false", "0": "false", "": "false"}
    found: dict[str, str] = {}
    for piece in output.decode("utf-8", "replace").split("\0")[:-1]:
        name, has_value, value = piece.partition("\n")
        found[name.lower()] = words.get(value.lower(), value.lower()) if has_value else "true"
    return found
