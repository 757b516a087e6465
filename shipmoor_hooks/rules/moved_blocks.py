"""Did a case's own block move from one file to another? git's answer (`diff --color-moved`), read line by line. Pure.

git marks each removed line that stands again among the added ones, and each added line that was removed elsewhere. A case
moved when every line of its block carries the mark on both sides and the lines follow each other there as they did here.
A block that changed on the way is not moved: its expectation may have changed with it.
"""

from __future__ import annotations

import re

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.rules.pairing import last_name

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What the diff must be asked for, so that whatever the user has configured, the marks are these.
COLOURS = {
    "color.diff.old": "red", "color.diff.new": "green", "color.diff.oldMoved": "magenta", "color.diff.newMoved": "cyan",
    "color.diff.meta": "normal", "color.diff.frag": "normal", "color.diff.func": "normal", "color.diff.context": "normal",
}  # fmt: skip
_OLD_MOVED, _NEW_MOVED = "\x1b[35m", "\x1b[36m"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Line:
    """A removed or added line: its text, and whether git sees it moved."""

    text: str
    moved: bool


@dataclass(slots=True)
class Sides:
    """The removed and the added lines of one file, a list a hunk."""

    removed: list[list[Line]] = field(default_factory=list)
    added: list[list[Line]] = field(default_factory=list)


def parse(diff: str) -> dict[str, Sides]:
    """A coloured `git diff -U0 --no-prefix --no-renames` by path."""
    files: dict[str, Sides] = {}
    old = new = ""
    in_hunk = False
    for raw in diff.split("\n"):
        text = _ANSI.sub("", raw)
        if not raw.startswith("\x1b[3") and _HUNK.match(text):
            in_hunk = True
            files.setdefault(old, Sides()).removed.append([])
            files.setdefault(new, Sides()).added.append([])
        elif text.startswith("diff --git "):
            in_hunk = False
        elif not in_hunk and text.startswith("--- "):
            old = text[4:].rstrip("\t")
        elif not in_hunk and text.startswith("+++ "):
            new = text[4:].rstrip("\t")
        elif in_hunk and text.startswith("-"):
            files[old].removed[-1].append(Line(text[1:], raw.startswith(_OLD_MOVED)))
        elif in_hunk and text.startswith("+"):
            files[new].added[-1].append(Line(text[1:], raw.startswith(_NEW_MOVED)))
    return files


def moved(files: Mapping[str, Sides], old_id: str, new_id: str) -> bool:
    """Does the diff show the block of `old_id` (`path::…::name`) moved to the file of `new_id`?"""
    old_path, _, rest = old_id.partition("::")
    new_path = new_id.partition("::")[0]
    name = rest.rpartition("::")[2].partition("[")[0]
    if not name or old_path not in files or new_path not in files:
        return False
    blocks = [b for hunk in files[old_path].removed for b in _blocks(hunk, name)]
    return any(all(line.moved for line in block) and _stands_in(block, files[new_path].added) for block in blocks)


def _blocks(hunk: list[Line], name: str) -> Iterable[list[Line]]:
    """The blocks of a hunk that begin with the definition of `name`: down to the next line that is not deeper."""
    named = re.compile(rf"\b{re.escape(name)}\b")
    for number, line in enumerate(hunk):
        if not named.search(line.text):
            continue
        depth = _depth(line.text)
        end = number + 1
        while end < len(hunk) and (not hunk[end].text.strip() or _depth(hunk[end].text) > depth):
            end += 1
        while end > number + 1 and not hunk[end - 1].text.strip():
            end -= 1
        if end > number + 1:
            yield hunk[number:end]


def _stands_in(block: list[Line], hunks: Iterable[list[Line]]) -> bool:
    texts = [line.text for line in block]
    for hunk in hunks:
        for start in range(len(hunk) - len(texts) + 1):
            there = hunk[start : start + len(texts)]
            if [line.text for line in there] == texts and all(line.moved or not line.text.strip() for line in there):
                return True
    return False


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())


def candidates(gone: Iterable[str], new: Iterable[str]) -> dict[str, str]:
    """Lost ids and arrivals that share their last name and parameters with exactly one on the other side."""
    lost: dict[str, list[str]] = {}
    came: dict[str, list[str]] = {}
    for ids, by_name in ((gone, lost), (new, came)):
        for case_id in ids:
            by_name.setdefault(last_name(case_id), []).append(case_id)
    return {rows[0]: came[name][0] for name, rows in lost.items() if len(rows) == 1 and len(came.get(name, ())) == 1}
