"""A tree without the paths that a suite excludes: gitignore patterns, matched by git itself (design, section 6).

The same content gives the same name, whether it comes from a commit or from a working tree.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.git import Git
from shipmoor_hooks.trees.temporary_index import TemporaryIndex, temporary_index
from shipmoor_hooks.trees.tree import TreeCapture

# Patterns match alike on every machine, whatever its file system folds.
EXACT = ("-c", "core.ignoreCase=false", "-c", "core.splitIndex=false", "-c", "index.sparse=false")


def scoped(place_git: Git, capture: TreeCapture, exclude: Sequence[str]) -> str | None:
    """The captured tree without the excluded paths; None when the capture has no tree. Raises UsageFault, GitFault."""
    if capture.tree is None or not exclude:
        return capture.tree
    lines = b"".join(
        f"{change.mode or '0'} {change.oid or '0' * len(capture.tree)}\t".encode() + os.fsencode(change.path) + b"\0"
        for change in capture.changes
    )
    return _without(place_git, capture.head, lines, exclude)


def scoped_revision(git: Git, tree: str, exclude: Sequence[str]) -> str:
    """The tree of a revision without the excluded paths. Raises UsageFault, GitFault."""
    found = git.text("rev-parse", "--verify", "--end-of-options", f"{tree}^{{tree}}")
    return _without(git, found, b"", exclude) if exclude else found


def _without(git: Git, start: str | None, lines: bytes, exclude: Sequence[str]) -> str:
    """`start`'s tree, `lines` (as `update-index --index-info` takes them) put over it, the excluded paths taken out."""
    for pattern in exclude:
        if pattern.startswith("!") or "\n" in pattern or "\0" in pattern:
            raise UsageFault(f"exclude: {pattern!r} cannot be used", "name what is excluded, without `!`")
    git_dir, common_dir = git.text("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir").split("\n")
    with temporary_index(git, git.directory, git_dir, os.path.join(common_dir, "objects")) as temporary:
        # Matching looks at the worktree for what the index leaves open: an empty one gives the same answer everywhere.
        worktree = os.path.join(temporary.folder, "worktree")
        os.mkdir(worktree)
        temporary.git.environ.update(GIT_DIR=git_dir, GIT_WORK_TREE=worktree)
        temporary.git.directory = worktree
        if start is not None:
            temporary.git.output(*EXACT, "read-tree", start)
        if lines:
            temporary.git.output(*EXACT, "update-index", "-z", "--index-info", stdin=lines)
        _drop(temporary, worktree, exclude)
        return temporary.git.text(*EXACT, "write-tree", "--missing-ok")


def _drop(temporary: TemporaryIndex, worktree: str, exclude: Sequence[str]) -> None:
    """Take what the patterns match out of the index."""
    if any(pattern.endswith("/") for pattern in exclude):
        for path in _submodules(temporary.git):
            os.makedirs(os.path.join(worktree, path))
    patterns = os.path.join(temporary.folder, "exclude")
    with open(patterns, "wb") as file:
        file.write(b"".join(os.fsencode(pattern) + b"\n" for pattern in exclude))
    matched = temporary.git.output(*EXACT, "ls-files", "-c", "-i", "-z", "-X", patterns)
    if matched:
        temporary.git.output(*EXACT, "update-index", "-z", "--force-remove", "--stdin", stdin=matched)


def _submodules(git: Git) -> list[str]:
    """The index's submodules: git takes one for a folder only where it finds a folder."""
    listed = git.output(*EXACT, "ls-files", "-s", "-z")
    if listed.find(b"160000 ") < 0:
        return []
    lines = listed.decode("utf-8", "surrogateescape").split("\0")
    return [line.partition("\t")[2] for line in lines if line.startswith("160000 ")]
