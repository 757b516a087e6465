"""The tree of the index: what a commit would hold now, with nothing written (design, section 6)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from shipmoor_hooks import history
from shipmoor_hooks.place import Place
from shipmoor_hooks.trees.temporary_index import temporary_index
from shipmoor_hooks.trees.tree import TreeCapture
from shipmoor_hooks.trees.tree_listing import GONE, between


def capture_index(place: Place, environ: Mapping[str, str]) -> TreeCapture:
    """The tree of the index that git is using: inside a commit hook that is GIT_INDEX_FILE's, not always the worktree's.

    Raises GitFault when the index has unmerged entries.
    """
    top = place.require_top()
    named = environ.get("GIT_INDEX_FILE")
    index = os.path.join(top, named) if named else os.path.join(place.git_dir, "index")
    with temporary_index(place.git, top, place.git_dir, os.path.join(place.common_dir, "objects")) as temporary:
        temporary.copy(index)
        # The objects that `git add` wrote are in the user's store; the trees made here go to the throw-away one.
        tree = temporary.git.text("-c", "core.splitIndex=false", "write-tree")
        head = history.commit_of(place.git, "HEAD")
        rows = between(temporary.git, head, tree) if head else {}
    changes = history.changes_of({path: new for path, (old, new) in rows.items() if old != new})
    added = frozenset(path for path, (old, _) in rows.items() if old == GONE)
    return TreeCapture(tree, head, changes, (), (), (), "index", "the index was asked for", added, place.git)
