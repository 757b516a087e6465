"""What differs between a case's folder in two trees, by one git process."""

from __future__ import annotations

from shipmoor_hooks.evals.definitions import ChangedFile
from shipmoor_hooks.git import Git


def folder_changes(git: Git, base: str, tip: str) -> tuple[ChangedFile, ...]:
    """Every file that two trees disagree on. `base` and `tip` name the trees of the folder itself. Raises GitFault."""
    if base == tip:
        return ()
    said = ("--raw", "--numstat", "-r", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv")
    pieces = git.output("diff-tree", *said, base, tip).decode("utf-8", "surrogateescape").split("\0")[:-1]
    statuses: dict[str, str] = {}
    lines: dict[str, tuple[int | None, int | None]] = {}
    at = 0
    while at < len(pieces):
        if pieces[at].startswith(":"):
            statuses[pieces[at + 1]] = _status(pieces[at])
            at += 2
            continue
        added, removed, path = pieces[at].split("\t", 2)
        lines[path] = (int(added), int(removed)) if added != "-" else (None, None)
        at += 1
    return tuple(ChangedFile(path, status, *lines.get(path, (None, None))) for path, status in statuses.items())


def _status(raw: str) -> str:
    old_mode, new_mode, old, new, letter = raw.removeprefix(":").split(" ")
    if letter in "AD":
        return "added" if letter == "A" else "removed"
    return "mode" if old == new and old_mode != new_mode else "changed"
