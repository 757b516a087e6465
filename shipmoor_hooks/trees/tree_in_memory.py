"""HEAD's tree with the changes put over it in memory: git names the blobs, the tree is named from them (design, section 6)."""

from __future__ import annotations

import os

from shipmoor_hooks.git import Git
from shipmoor_hooks.git_values import Change
from shipmoor_hooks.place import Place
from shipmoor_hooks.trees.blob_names import NeedsIndex, attribute_files, blob_names, file_mode
from shipmoor_hooks.trees.composed_tree import composed
from shipmoor_hooks.trees.git_status import ABSENT, Entry, HiddenEntries, Status
from shipmoor_hooks.trees.tree_listing import GONE, Content

__all__ = ["NeedsIndex", "put_together"]


def put_together(
    place: Place, status: Status, hidden: HiddenEntries, head_tree: str
) -> tuple[str, tuple[Change, ...], frozenset[str]]:
    """The worktree's tree, the entries that differ from HEAD's, and which of their paths HEAD does not have.

    `hidden` are the entries that git does not look at, `head_tree` is HEAD's. Raises NeedsIndex.
    """
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
    if not changes:
        return head_tree, changes, added
    tree = composed(place.git, str(status.head), changes)
    if tree is not None:
        return tree, changes, added
    from shipmoor_hooks.repo import CannotCompose, compose_tree

    try:
        return compose_tree(os.path.join(place.common_dir, "objects"), str(status.head), changes), changes, added
    except CannotCompose as cannot:
        raise NeedsIndex(cannot.message) from cannot


def _refuse_what_needs_index(status: Status, settings: dict[str, str], hidden: HiddenEntries) -> None:
    """Raises NeedsIndex where changed entries alone do not tell what `git add -A` would do."""
    for path in status.unmerged:
        raise NeedsIndex(f"{path} has an unresolved merge conflict")
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
