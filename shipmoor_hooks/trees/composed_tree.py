"""HEAD's tree with a few changes, named from the bytes of the folders that they touch: one git process, and no libgit2.

Importing pygit2 costs six starts of Python, which a session of one test in a worktree with an edit would pay every time.
What is taken is a name that git surely takes too; for any other `composed` gives None, and pygit2, or git itself, tells.
"""

from __future__ import annotations

import os

from shipmoor_hooks.git import Git
from shipmoor_hooks.git_values import Change

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Entry = tuple[bytes, bytes]  # mode and object name (20 bytes)
    Folder = dict[bytes, Entry]

_FOLDER = b"40000"
_MODES = ("100644", "100755", "120000")
# Names that begin as git's own folder does, and that git takes.
_GITS = frozenset((".gitignore", ".gitkeep", ".github", ".gitlab", ".gitlab-ci.yml", ".git-blame-ignore-revs"))


def composed(git: Git, commit: str, changes: Sequence[Change]) -> str | None:
    """The name of a commit's tree with `changes` applied; None where another has to tell. Raises GitFault.

    Blobs of the changes need not exist. Nothing is written.
    """
    if len(commit) != 40 or not all(_is_plain(change) for change in changes):
        return None
    wanted = nested(changes)
    folders = ["", *_folders(wanted, "")]
    asked = "".join(f"{commit}^{{tree}}\n" if not folder else f"{commit}:{folder}\n" for folder in folders)
    said = git.output("cat-file", "--batch", stdin=os.fsencode(asked))
    there = dict(zip(folders, _answers(said), strict=True))
    return _written(wanted, "", there).hex()


def nested(changes: Sequence[Change]) -> dict[str, Any]:
    """Changes by folder: a name leads to a Change or to the names below it. What is there wins over what is gone."""
    top: dict[str, Any] = {}
    for change in sorted(changes, key=lambda c: c.oid is not None):
        *folders, name = change.path.split("/")
        here = top
        for folder in folders:
            inner = here.get(folder)
            if not isinstance(inner, dict):
                if change.oid is None and inner is not None:
                    break
                inner = here[folder] = {}
            here = inner
        else:
            if change.oid is not None or name not in here:
                here[name] = change
    return top


def _is_plain(change: Change) -> bool:
    """Whether git surely takes the path, and the content is a file's or a link's."""
    if "\n" in change.path or change.path.startswith("/"):
        return False
    if change.mode is not None and change.mode not in _MODES:
        return False
    return all(_is_plain_name(name) for name in change.path.split("/"))


def _is_plain_name(name: str) -> bool:
    if name in ("", ".", "..") or ":" in name or "\\" in name:
        return False
    # Some file systems leave characters out, or take upper case for lower: what could be `.git` there is refused.
    folded = "".join(character for character in name if character.isascii()).lower()
    return folded in _GITS or not folded.startswith((".git", "git~"))


def _folders(below: Mapping[str, Any], path: str) -> Iterator[str]:
    """The folders, with a slash between, in which something changes."""
    for name, what in below.items():
        if isinstance(what, dict):
            yield path + name
            yield from _folders(what, f"{path}{name}/")


def _answers(said: bytes) -> Iterator[Folder]:
    """What `git cat-file --batch` said of each folder; nothing in one that is not there, or is none."""
    at = 0
    while at < len(said):
        end = said.index(b"\n", at)
        words = said[at:end].rsplit(b" ", 2)
        at = end + 1
        if words[-1] in (b"missing", b"ambiguous"):
            yield {}
            continue
        size = int(words[2])
        yield _entries(said[at : at + size]) if words[1] == b"tree" else {}
        at += size + 1


def _entries(content: bytes) -> Folder:
    found = {}
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, _, name = content[at:end].partition(b" ")
        found[name] = (mode, content[end + 1 : end + 21])
        at = end + 21
    return found


def _written(below: Mapping[str, Any], path: str, there: Mapping[str, Folder]) -> bytes:
    """The object name of a folder with what is below it applied; b"" where nothing is left in it."""
    entries = dict(there[path.rstrip("/")])
    for name, what in below.items():
        key = os.fsencode(name)
        if isinstance(what, dict):
            made = _written(what, f"{path}{name}/", there)
            if made:
                entries[key] = (_FOLDER, made)
            elif entries.get(key, (_FOLDER, b""))[0] == _FOLDER:
                entries.pop(key, None)
        elif what.oid is None:
            entries.pop(key, None)
        else:
            entries[key] = (what.mode.encode("ascii"), bytes.fromhex(what.oid))
    if not entries and path:
        return b""
    # git sorts a folder as if its name ended in a slash.
    rows = sorted(entries.items(), key=lambda row: row[0] + (b"/" if row[1][0] == _FOLDER else b""))
    body = b"".join(b"%b %b\0%b" % (mode, name, oid) for name, (mode, oid) in rows)
    return _object_name(b"tree %d\0" % len(body) + body)


def _object_name(data: bytes) -> bytes:
    import hashlib  # only a worktree with changes pays for it

    return hashlib.sha1(data, usedforsecurity=False).digest()
