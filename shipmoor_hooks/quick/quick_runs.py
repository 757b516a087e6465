"""The runs of a tree for the gate's quick path: one file each, opened and checked, its cases left packed.

A folder that holds anything but plain, whole, complete runs of one leg each gives None, and the spool itself is asked.
"""

from __future__ import annotations

import os

from shipmoor_hooks.quick.lean_envelope import RUN_TYPE, opened
from shipmoor_hooks.whole_files import name_by_time, names, read_bytes

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Fields = dict[str, Any]

SCHEMA = "shipmoor-hooks.run/1"
# What a payload may hold. A field that is new says something that a rule may ask: the quick path must learn of it first.
KNOWN = frozenset({
    "schema", "id", "suite", "variant", "shard", "tree", "scoped_tree", "first_tree", "evidence", "started", "finished",
    "recorded", "worktree", "sequence", "command", "cwd", "exit_code", "runner", "runner_version", "reader", "conditions",
    "reports", "head", "changes", "untracked", "clock_suspect", "problems", "sealed_by", "label", "surface", "cases", "chain",
})  # fmt: skip
_HEX = frozenset("0123456789abcdef")


def at_tree(root: str, tree: str, secret: Callable[[str], bytes | None]) -> dict[str, Fields] | None:
    """The one run of each suite on a tree: its payload, with `sealed` put in; {} where nothing stands on the tree.

    `root` is the folder of the spool. None where something is out of the ordinary.
    """
    if os.path.islink(root) or not _HEX.issuperset(tree):
        return None
    if _lies_elsewhere(root, tree):
        return None
    found: dict[str, Fields] = {}
    for worktree in os.listdir(f"{root}/runs"):
        top = f"{root}/runs/{worktree}"
        folder = f"{top}/trees/{tree}"
        if not os.path.lexists(folder):
            continue
        if any(os.path.islink(path) for path in (top, f"{top}/trees", f"{top}/scoped", folder)):
            return None
        for name in names(folder):
            if name.endswith(".begun"):
                return None
            if not name.endswith(".run"):
                continue  # a writer's temporary file
            fields = _run(f"{folder}/{name}", tree, name, secret)
            if fields is None or found.setdefault(fields["suite"], fields) is not fields:
                return None
    return found


def _lies_elsewhere(root: str, tree: str) -> bool:
    """Was something of this tree fetched, or found broken and set aside?"""
    aside = [f"{root}/quarantine/{worktree}/trees/{tree}" for worktree in names(f"{root}/quarantine")]
    fetched = f"{root}/foreign/shipmoor-hooks/runs/fetched/trees/{tree}"
    return any(os.path.lexists(path) for path in (*aside, fetched))


def _run(path: str, tree: str, name: str, secret: Callable[[str], bytes | None]) -> Fields | None:
    """The payload of a run that is plain: whole, complete, of the whole suite, under its own name, in its own folder."""
    told = opened(RUN_TYPE, read_bytes(path), secret)
    if told is None:
        return None
    fields, sealed = told
    own_name = name_by_time(fields["started"], fields["id"]) + ".run"
    is_plain = (
        fields["schema"] == SCHEMA
        and fields["tree"] == tree
        and name == own_name
        and isinstance(fields["suite"], str)
        and fields["variant"] is fields["shard"] is None
        and fields["problems"] == []
        and not fields.keys() - KNOWN
    )
    if not is_plain:
        return None
    fields["sealed"] = sealed
    return fields


def same_ids(one: Fields, other: Fields) -> bool:
    """Do both runs name the same list of case ids, by its digest?"""
    ours, theirs = one["cases"], other["cases"]
    return bool(ours["number"] == theirs["number"] > 0 and ours["inventory"] == theirs["inventory"])


def alike(base: Fields, tip: Fields) -> bool:
    """Were both measured under the same conditions, by the same files?

    What decided both runs must be known and the same: a change of the test surface is told by the gate.
    """
    return bool(base["conditions"] == tip["conditions"] and base["surface"] == tip["surface"])


def no_news(base: Fields, tip: Fields) -> bool:
    """Does every case stand, with the outcome that it had, and none is red or told more of?"""
    ours, theirs = base["cases"], tip["cases"]
    counts = theirs["counts"]
    return (
        same_ids(base, tip)
        and ours["outcomes"] == theirs["outcomes"]
        and ours["details"] == theirs["details"] == {}
        and ours["counts"] == counts
        and sum(counts.values()) == theirs["number"]
        and not counts.keys() - {"p", "s", "x"}
    )


def has_list(root: str, fields: Fields) -> bool:
    """Is the list of case ids there? What is in it is not looked at: both sides have the same one."""
    digest = fields["cases"]["inventory"]
    if not isinstance(digest, str) or not _HEX.issuperset(digest):
        return False
    path = f"{root}/inventories/{digest}"
    return os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) > 0
