"""What `toml_edit` adds, taken out again as text; the result is parsed and must say what was meant, else None. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shipmoor_hooks.wiring.toml_edit import parsed

HEAD = re.compile(r"[ \t]*\[(?P<array>\[)?(?P<name>[^\[\]]+)\]")


def remove_hooks(
    text: str, ours: Sequence[str], types: str, stages: Sequence[str], default: Sequence[str]
) -> str | None:
    """`text`, a prek.toml, without the repositories whose hooks are all `ours`, and without the list `types` of `init`."""
    goal = parsed(text)
    if goal is None:
        return None
    repos = goal.get("repos", [])
    if not isinstance(repos, list):
        return None
    drop = [at for at, repo in enumerate(repos) if _ids(repo) and _ids(repo) <= set(ours)]
    left_over = [repo for at, repo in enumerate(repos) if at not in drop]
    if any(_ids(repo) & set(ours) for repo in left_over):
        return None
    goal["repos"] = left_over
    rows = text.split("\n")
    heads = [
        at for at, row in enumerate(rows) if (m := HEAD.match(row)) and m["array"] and m["name"].strip() == "repos"
    ]
    if len(heads) != len(repos):
        return None
    for number in reversed(drop):
        _cut(rows, heads[number], "repos.")
    if not left_over:
        del goal["repos"]
    left = "\n".join(rows)
    if goal.get(types) == [*default, *stages] and not any(f'"{stage}"' in _without(left, types) for stage in stages):
        del goal[types]
        left = _without(left, types)
    return left if parsed(left) == goal else None


def remove_table(text: str, header: str) -> str | None:
    """`text` without the table that stands under `[header]`."""
    rows = text.split("\n")
    at = next((n for n, row in enumerate(rows) if row.strip() == f"[{header}]"), None)
    if at is None:
        return text
    _cut(rows, at, header + ".")
    left = "\n".join(rows)
    return left if parsed(left) is not None else None


def _cut(rows: list[str], start: int, below: str) -> None:
    """Take out a table with the blank line before it; comments that stand before the next table stay."""
    end = start + 1
    while end < len(rows) and not ((m := HEAD.match(rows[end])) and not m["name"].strip().startswith(below)):
        end += 1
    while end > start + 1 and (not rows[end - 1].strip() or rows[end - 1].lstrip().startswith("#")):
        end -= 1
    if start and not rows[start - 1].strip():
        start -= 1
    del rows[start:end]


def _without(text: str, key: str) -> str:
    """The text without the line of a top-level key and the blank line behind it."""
    return re.sub(rf"^{re.escape(key)}[ \t]*=[^\n]*\n\n?", "", text, count=1, flags=re.MULTILINE)


def _ids(repo: object) -> set[str]:
    hooks = repo.get("hooks", []) if isinstance(repo, dict) else []
    return {str(hook.get("id")) for hook in hooks if isinstance(hook, dict)} if isinstance(hooks, list) else set()
