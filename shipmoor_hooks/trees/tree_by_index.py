"""The exact way to the tree: git itself adds the whole working tree to a temporary index (design, section 6)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.git import first_complaint
from shipmoor_hooks.place import Place
from shipmoor_hooks.trees.git_status import GITLINK, STRICT, HiddenEntries, read_status
from shipmoor_hooks.trees.temporary_index import TemporaryIndex, temporary_index
from shipmoor_hooks.trees.tree_listing import Content, between

# A full index in one file: git would write a shared one beside the user's.
WHOLE = ("-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "advice.addEmbeddedRepo=false")


@dataclass(frozen=True, slots=True)
class Added:
    """The tree and where it differs from HEAD's (content before and after, by path), or git's own refusal.

    `dirty` are submodules in the tree that hold uncommitted content.
    """

    tree: str | None
    differences: dict[str, tuple[Content, Content]]
    complaint: str = ""
    dirty: tuple[str, ...] = ()


def add_everything(place: Place, head: str | None, hidden: HiddenEntries, nested: Sequence[str]) -> Added:
    """`git add -A && git write-tree` in a throw-away index and object store.

    `hidden` are present files with bits that hide edits, cleared first; `nested` repositories are left out. Raises
    GitFault and EnvironmentFault when that could not be tried at all.
    """
    objects = os.path.join(place.common_dir, "objects")
    with temporary_index(place.git, place.require_top(), place.git_dir, objects) as temporary:
        temporary.copy(os.path.join(place.git_dir, "index"))
        complaint = _add(temporary, hidden, nested)
        if complaint:
            return Added(None, {}, complaint)
        tree = temporary.git.text(*STRICT, *WHOLE, "write-tree", "--missing-ok")
        differences = between(temporary.git, head, tree)
        links = [path for path, (_, (mode, _)) in differences.items() if mode == GITLINK]
        # git looks into a submodule only once its index holds one: before, a folder took the place of a file.
        entries = read_status(temporary.git, *links).entries if links else ()
        return Added(tree, differences, dirty=tuple(e.path for e in entries if e.submodule_is_dirty))


def _add(temporary: TemporaryIndex, hidden: HiddenEntries, nested: Sequence[str]) -> str:
    """Bring the temporary index up to the worktree; what git said when it refused, "" when all went well."""
    bits = (("--no-assume-unchanged", hidden.assume_unchanged), ("--no-skip-worktree", hidden.skip_worktree))
    for flag, paths in bits:
        if paths:
            listed = b"".join(os.fsencode(path) + b"\0" for path in paths)
            temporary.git.output(*STRICT, *WHOLE, "update-index", flag, "-z", "--stdin", stdin=listed)
    adding: tuple[str, ...] = ("add", "-A", "--sparse")
    specs = b""
    if nested:
        adding = (*adding, "--pathspec-from-file=-", "--pathspec-file-nul")
        specs = b":(top)\0" + b"".join(b":(top,exclude,literal)" + os.fsencode(path) + b"\0" for path in nested)
    done = temporary.git.run(*STRICT, *WHOLE, *adding, stdin=specs)
    if done.returncode == 0:
        return ""
    return first_complaint(done.stderr.decode("utf-8", "replace")) or f"git add ended with {done.returncode}"
