"""The tree of one folder inside a tested tree, which git may not hold as an object: what its entries give (design, section 2).

A tree is hashed here as git hashes it, from the names of its blobs; nothing is read or written but git's own listing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from shipmoor_hooks.git import Git
from shipmoor_hooks.git_values import Change

_FOLDER = "40000"


def listing(git: Git, commit: str | None, changes: Iterable[Change] = ()) -> dict[str, tuple[str, str]]:
    """Mode and object name of every file of a commit's (or tree's) tree, `changes` put over it. Raises GitFault."""
    found: dict[str, tuple[str, str]] = {}
    if commit is not None:
        out = git.output("ls-tree", "-r", "-z", "--full-tree", commit).decode("utf-8", "surrogateescape")
        for line in out.split("\0")[:-1]:
            stated, _, path = line.partition("\t")
            mode, _, oid = stated.split(" ")
            found[path] = (mode, oid)
    for change in changes:
        if change.mode is None or change.oid is None:
            found.pop(change.path, None)
        else:
            found[change.path] = (change.mode, change.oid)
    return found


def below(entries: Mapping[str, tuple[str, str]], folder: str) -> dict[str, tuple[str, str]]:
    """The entries below a folder ("" or "." for all), by their path in it."""
    prefix = "" if folder in ("", ".") else folder.rstrip("/") + "/"
    return {path[len(prefix) :]: content for path, content in entries.items() if path.startswith(prefix)}


def tree_name(entries: Mapping[str, tuple[str, str]]) -> str | None:
    """The object name of the tree that holds these entries (paths relative to it); None for an empty one.

    git keeps no empty folders, so there is no tree of one. The length of the names tells SHA-1 from SHA-256.
    """
    files: list[tuple[bytes, str, str]] = []
    folders: dict[str, dict[str, tuple[str, str]]] = {}
    for path, (mode, oid) in entries.items():
        first, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(first, {})[rest] = (mode, oid)
        else:
            files.append((_encoded(first), mode, oid))
    files += [(_encoded(name), _FOLDER, tree_name(inner) or "") for name, inner in folders.items()]
    if not files:
        return None
    # git sorts a folder as if its name ended in a slash.
    files.sort(key=lambda row: row[0] + (b"/" if row[1] == _FOLDER else b""))
    body = b"".join(b"%s %s\0%s" % (mode.encode(), name, bytes.fromhex(oid)) for name, mode, oid in files)
    header = b"tree %d\0" % len(body)
    if len(files[0][2]) == 40:
        return hashlib.sha1(header + body, usedforsecurity=False).hexdigest()
    return hashlib.sha256(header + body).hexdigest()


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
