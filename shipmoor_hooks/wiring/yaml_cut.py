"""What `yaml_edit` adds, taken out again as text; the user's comments and order stay (design, 10.21).

Pure. What is not understood is not edited: every function answers None for it, and the caller names the lines to delete.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shipmoor_hooks.wiring.yaml_edit import FLOW_LIST, Lines, indent_of, is_content, is_item, mentions

ID = re.compile(r"\bid[\"']?[ ]*:[ ]*[\"']?([A-Za-z0-9_.-]+)")
ITEM_ID = re.compile(r" *-[ ]+id[ ]*:[ ]*[\"']?([A-Za-z0-9_.-]+)")


def remove_hooks(text: str, ours: Sequence[str]) -> str | None:
    """`text`, a .pre-commit-config.yaml, without the hooks `ours`, and without a repository that has no others."""
    if not any(mentions(text, hook) for hook in ours):
        return text
    lines = Lines(text)
    found = lines.find("repos")
    if not lines.is_plain or found is None or found[1]:
        return None
    start = found[0]
    items = _items(lines, start + 1, lines.end(start, 0))
    for first, end in reversed(items):
        ids = ID.findall("\n".join(row for row in lines.rows[first:end] if is_content(row)))
        if not set(ids) & set(ours):
            continue
        if set(ids) <= set(ours):
            del lines.rows[first:end]
        elif not _remove_ids(lines, first, end, ours):
            return None
    if not lines.body(start, 0):
        lines.rows[start] = lines.rows[start].replace(":", ": []", 1)
    new = lines.text()
    return None if any(mentions(new, hook) for hook in ours) else new


def _items(lines: Lines, start: int, end: int) -> list[tuple[int, int]]:
    """Where the items of the list between two lines stand: first line and the line behind the last, comments left out."""
    rows = [at for at in range(start, end) if is_content(lines.rows[at])]
    if not rows:
        return []
    indent = indent_of(lines.rows[rows[0]])
    heads = [at for at in rows if indent_of(lines.rows[at]) == indent and is_item(lines.rows[at])]
    behind = [*heads[1:], end]
    return [(head, max(at for at in rows if at < until) + 1) for head, until in zip(heads, behind, strict=True)]


def _remove_ids(lines: Lines, first: int, end: int, ours: Sequence[str]) -> bool:
    """Take single hooks out of a repository that has others, too."""
    at = next((n for n in range(first, end) if re.match(r" *-?[ ]*hooks[ ]*:[ ]*$", lines.rows[n])), None)
    if at is None:
        return False
    for head, until in reversed(_items(lines, at + 1, end)):
        match = ITEM_ID.match(lines.rows[head])
        if match is not None and match[1] in ours:
            del lines.rows[head:until]
    return True


def remove_hook_types(text: str, key: str, wanted: Sequence[str], default: Sequence[str]) -> str:
    """`text` without the top-level list `key` when it says just what was put there and nothing else needs a `wanted` stage."""
    lines = Lines(text)
    found = lines.find(key)
    if not lines.is_plain or found is None:
        return text
    start, value = found
    match = FLOW_LIST.match(value)
    named = [word.strip().strip("\"'") for word in match["items"].split(",")] if match else []
    others = "\n".join(row for at, row in enumerate(lines.rows) if at != start)
    if named != [*default, *wanted] or any(mentions(others, stage) for stage in wanted):
        return text
    del lines.rows[start]
    return lines.text()


def remove_lefthook_script(text: str, stage: str, name: str) -> str | None:
    """`text`, a lefthook.yml, without the script `name`, and without what then stands empty above it."""
    if not mentions(text, name):
        return text
    lines = Lines(text)
    found = lines.find(stage)
    if not lines.is_plain or found is None or found[1]:
        return None
    start = found[0]
    heads = [at for at in range(start + 1, lines.end(start, 0)) if lines.rows[at].strip() in (f'"{name}":', f"{name}:")]
    if len(heads) != 1:
        return None
    del lines.rows[heads[0] : lines.end(heads[0], indent_of(lines.rows[heads[0]]))]
    above = next((n for n in range(heads[0] - 1, start, -1) if lines.rows[n].strip() == "scripts:"), None)
    if above is not None and not lines.body(above, indent_of(lines.rows[above])):
        del lines.rows[above]
    if not lines.body(start, 0):
        before = start - 1 if start and not lines.rows[start - 1].strip() else start
        del lines.rows[before : start + 1]
    new = lines.text() if lines.rows else ""
    return None if mentions(new, name) else new
