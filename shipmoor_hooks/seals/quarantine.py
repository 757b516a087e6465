"""Where broken entries are moved, by a command that may write: out of the way, kept byte for byte, and never forgotten.

    <common dir>/shipmoor-hooks/quarantine/<worktree>/<trees|scoped>/<tree>/<name>

An entry keeps its place below the quarantine, so that the gate, asked about its tree, can say that one was there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

from shipmoor_hooks.model import Code
from shipmoor_hooks.store.stored_runs import Broken
from shipmoor_hooks.whole_files import names, real_folder

FOLDER = "quarantine"


def move(root: str, entries: Iterable[str]) -> list[str]:
    """Move entries of the spool at `root`; where they lie now. One that is gone is left out. Raises OSError."""
    moved = []
    for path in entries:
        worktree, kind, tree, name = path.split(os.sep)[-4:]
        target = os.path.join(real_folder(root, FOLDER, worktree, kind, tree), name)
        if os.path.lexists(target):
            target += f".{os.urandom(4).hex()}"
        with contextlib.suppress(FileNotFoundError):
            os.rename(path, target)
            moved.append(target)
    return moved


def at(root: str, kind: str, tree: str) -> tuple[Broken, ...]:
    """What was moved out of a tree's folder."""
    top = os.path.join(root, FOLDER)
    folders = [os.path.join(top, worktree, kind, tree) for worktree in names(top)]
    paths = [os.path.join(folder, name) for folder in folders for name in sorted(names(folder))]
    return tuple(Broken(p, Code.SEAL_BROKEN, "it was found broken and set aside") for p in paths)


def paths(root: str) -> list[str]:
    """Every entry that was set aside; copies under a scoped tree are left out."""
    found = []
    for worktree in names(os.path.join(root, FOLDER)):
        trees = os.path.join(root, FOLDER, worktree, "trees")
        found += [os.path.join(trees, tree, n) for tree in names(trees) for n in names(os.path.join(trees, tree))]
    return sorted(found)
