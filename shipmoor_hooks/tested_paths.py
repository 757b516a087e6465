"""The paths of a tested tree, as a capture of the working tree names it: HEAD's, with what was added, changed and lost."""

from __future__ import annotations

from shipmoor_hooks.place import Place
from shipmoor_hooks.trees.tree import TreeCapture


def tracked_paths(place: Place, seen: TreeCapture) -> frozenset[str]:
    """The paths of the tested tree: HEAD's, with what the working tree added and lost."""
    return frozenset(listing(place, seen))


def listing(place: Place, seen: TreeCapture) -> dict[str, str]:
    """The paths of the tested tree with the object names of what they hold."""
    found: dict[str, str] = {}
    if seen.head is not None:
        out = place.git.output("ls-tree", "-r", "-z", seen.head).decode("utf-8", "surrogateescape")
        found = {
            path: stated.rpartition(" ")[2] for row in out.split("\0")[:-1] for stated, _, path in [row.partition("\t")]
        }
    for change in seen.changes:
        if change.oid is None:
            found.pop(change.path, None)
        else:
            found[change.path] = change.oid
    return found
