"""The tree of the index: what a commit would hold now, with nothing written (design, section 6)."""

from __future__ import annotations

import os
from contextlib import contextmanager

from shipmoor_hooks.place import Place
from shipmoor_hooks.trees.temporary_index import temporary_index

TYPE_CHECKING = False  # a commit hook asks for the tree alone, at every commit
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shipmoor_hooks.git import Git
    from shipmoor_hooks.trees.tree import TreeCapture


def tree_of_index(place: Place, environ: Mapping[str, str]) -> str:
    """The tree of the index that git is using: inside a commit hook that is GIT_INDEX_FILE's, not always the worktree's.

    Raises GitFault when the index has unmerged entries.
    """
    with _written(place, environ) as (_, tree):
        return tree


def capture_index(place: Place, environ: Mapping[str, str]) -> TreeCapture:
    """That tree, and how it differs from HEAD's. Raises GitFault."""
    from shipmoor_hooks import history
    from shipmoor_hooks.trees.tree import TreeCapture
    from shipmoor_hooks.trees.tree_listing import GONE, between

    with _written(place, environ) as (git, tree):
        head = history.commit_of(place.git, "HEAD")
        rows = between(git, head, tree) if head else {}
    changes = history.changes_of({path: new for path, (old, new) in rows.items() if old != new})
    added = frozenset(path for path, (old, _) in rows.items() if old == GONE)
    return TreeCapture(tree, head, changes, (), (), (), "index", "the index was asked for", added, place.git)


@contextmanager
def _written(place: Place, environ: Mapping[str, str]) -> Iterator[tuple[Git, str]]:
    """The tree's name, and a git that has its objects."""
    top = place.require_top()
    named = environ.get("GIT_INDEX_FILE")
    index = os.path.join(top, named) if named else os.path.join(place.git_dir, "index")
    with temporary_index(place.git, top, place.git_dir, os.path.join(place.common_dir, "objects")) as temporary:
        temporary.copy(index)
        # The objects that `git add` wrote are in the user's store; the trees made here go to the throw-away one.
        yield temporary.git, temporary.git.text("-c", "core.splitIndex=false", "write-tree")
