"""The test surface as a run finds it: what the tree holds of it, and what git ignores, which no tree holds (10.12).

Files outside the worktree (a sitecustomize.py on the interpreter's path, a configuration in a person's home) are out of
reach, and so is what lies in a folder that git ignores as a whole (`.venv/`, `node_modules/`).
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.surface_table import Files, Finder, Ignored, first, pathspecs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shipmoor_hooks.git import Git

MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class IgnoredFiles:
    """Ignored files of the surface, sorted: those that no run may be decided by, and those that are usually ignored."""

    unusable: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()


def ignored(git: Git, rows: Sequence[Files], exclude: Sequence[str] = ()) -> IgnoredFiles:
    """The ignored files of these rows, by one git process. What the policy's `exclude` names is no part of them."""
    asked = [row for row in rows if row.ignored is not Ignored.NOTHING]
    if not asked:
        return IgnoredFiles()
    # With --directory git names an ignored folder and does not go into it.
    found = _listed(git, ["--exclude-standard", "--directory", "--", *pathspecs(asked)])
    if found and exclude:
        chosen = [f":(top,literal){path}" for path in found]
        found = sorted({*found} - {*_listed(git, [*(f"--exclude={pattern}" for pattern in exclude), "--", *chosen])})
    top = git.text("rev-parse", "--show-toplevel") if found else ""
    held = [(path, row) for path in found if (row := first(asked, path)) and _speaks(f"{top}/{path}", row)]
    return IgnoredFiles(
        tuple(path for path, row in held if row.ignored is Ignored.UNUSABLE),
        tuple(path for path, row in held if row.ignored is Ignored.USUAL),
    )


def _listed(git: Git, words: Iterable[str]) -> list[str]:
    out = git.output("ls-files", "-z", "--full-name", "--others", "--ignored", *words)
    return sorted(os.fsdecode(p) for p in out.split(b"\0") if p and not p.endswith(b"/"))


def _speaks(path: str, row: Files) -> bool:
    """A file that is shared with other tools is read by this runner only if it speaks of it."""
    return not row.speaks or row.speaks.encode() in (_content(path) or row.speaks.encode())


def _content(path: str) -> bytes | None:
    """A plain file's bytes; None for anything else, and for one that cannot be read."""
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            return file.read(MOST_BYTES) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def digests(
    listing: Mapping[str, str], top: str, unlisted: Sequence[str], rows: Sequence[Files]
) -> tuple[tuple[str, str], ...]:
    """The surface of a run, sorted: each path with git's name of its content.

    `listing` maps the paths of the tested tree to object names; `unlisted` are ignored files below `top`, named as git
    would name them ("" where one cannot be read). Files of which there may be thousands are one row: their names with a
    SHA-256 over all of them.
    """
    names = dict(listing)
    length = len(next(iter(listing.values()), "")) or 40
    for path in unlisted:
        content = _content(f"{top}/{path}")
        names[path] = "" if content is None else _object_name(content, length)
    found: dict[str, str] = {}
    folded: dict[Files, list[str]] = {}
    row_of = Finder(rows).row
    for path in sorted(names):
        row = row_of(path)
        if row is not None and row.many:
            folded.setdefault(row, []).append(path)
        elif row is not None:
            found[path] = names[path]
    for row, paths in folded.items():
        whole = "".join(f"{path}\0{names[path]}\0" for path in paths)
        found[" ".join(row.names)] = hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()
    return tuple(sorted(found.items()))


def _object_name(content: bytes, length: int) -> str:
    kind = hashlib.sha1 if length == 40 else hashlib.sha256
    return kind(b"blob %d\0" % len(content) + content).hexdigest()
