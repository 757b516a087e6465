"""Two trees compared by git: what each holds at every path where they differ."""

from __future__ import annotations

from shipmoor_hooks.git import Git
from shipmoor_hooks.trees.git_status import ABSENT

Content = tuple[str | None, str | None]
"""(mode, object name) of a path, (None, None) where it is not there."""
GONE: Content = (None, None)


def between(git: Git, old: str | None, new: str | None) -> dict[str, tuple[Content, Content]]:
    """The content of each path that two trees or commits (None: the empty tree) disagree on. Raises GitFault."""
    if old == new:
        return {}
    if old is None:
        return {path: (GONE, content) for path, content in _listing(git, str(new)).items()}
    if new is None:
        return {path: (content, GONE) for path, content in _listing(git, old).items()}
    output = git.output("diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none", old, new)
    pieces = output.decode("utf-8", "surrogateescape").split("\0")
    found: dict[str, tuple[Content, Content]] = {}
    for stated, path in zip(pieces[0::2], pieces[1::2], strict=False):
        old_mode, new_mode, old_oid, new_oid, _ = stated.removeprefix(":").split(" ")
        found[path] = (_content(old_mode, old_oid), _content(new_mode, new_oid))
    return found


def _content(mode: str, oid: str) -> Content:
    return GONE if mode == ABSENT else (mode, oid)


def _listing(git: Git, tree: str) -> dict[str, Content]:
    found: dict[str, Content] = {}
    for line in git.output("ls-tree", "-r", "-z", tree).decode("utf-8", "surrogateescape").split("\0")[:-1]:
        stated, _, path = line.partition("\t")
        mode, _, oid = stated.split(" ")
        found[path] = (mode, oid)
    return found
