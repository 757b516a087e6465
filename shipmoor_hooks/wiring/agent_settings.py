"""The settings that let a coding agent ask the gate: our entries in `.claude/settings.json`, put in and taken out (design, 7).

Pure. Everything else in the file stays, keys in their order. What is not plain JSON is not edited: every function answers None
for it, and the caller shows the lines to paste.
"""

from __future__ import annotations

import json
import re
from typing import Any

AGENTS = {"claude-code": ".claude/settings.json"}
COMMAND = "shipmoor-hooks-hook agent"
EVENTS: dict[str, dict[str, str]] = {"PreToolUse": {"matcher": "Bash"}, "Stop": {}}
SECONDS = 60
CONVENIENCE = (
    "this is a convenience: an agent's hook can be skipped or misread as any client's hook can; the same gate in continuous"
    " integration is the boundary"
)
PARAGRAPH = """\
Tests are measured by shipmoor-hooks. After changing code run `shipmoor-hooks run`; before pushing run
`shipmoor-hooks gate --format json` and act on `findings[].next`. Do not remove, skip or weaken a test to get a push
through. When a test has to go, restore it or disclose it with `shipmoor-hooks disclose --reason "…"`. A red test is
repaired, not disclosed. Never use `--no-verify`.
"""


class _Twice(ValueError):
    """A key stands twice: writing the document anew would lose one of them."""


def add(text: str | None) -> str | None:
    """The settings with our entries; the same text when they are there. None: not plain JSON, or of another shape."""
    settings = _parsed(text) if text is not None and text.strip() else {}
    if settings is None:
        return None
    new = json.loads(json.dumps(settings))
    hooks = new.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        return None
    for event, fields in EVENTS.items():
        entries = hooks.setdefault(event, [])
        if not isinstance(entries, list):
            return None
        if not any(_is_ours(hook) for entry in entries for hook in _hooks_of(entry)):
            entries.append({**fields, "hooks": [{"type": "command", "command": COMMAND, "timeout": SECONDS}]})
    return text if new == settings and text is not None else _written(new, text or "")


def remove(text: str) -> str | None:
    """The settings without our entries, and without what then stands empty above them; "" when nothing is left."""
    settings = _parsed(text)
    hooks = settings.get("hooks") if settings is not None else None
    if settings is None or not isinstance(hooks, dict):
        return None
    new = json.loads(json.dumps(settings))
    for event in EVENTS:
        entries = new["hooks"].get(event)
        if not isinstance(entries, list):
            continue
        kept = [_without_ours(entry) for entry in entries]
        new["hooks"][event] = [entry for entry in kept if entry is not None]
        if not new["hooks"][event] and entries:
            del new["hooks"][event]
    if not new["hooks"]:
        del new["hooks"]
    if new == settings:
        return text
    return _written(new, text) if new else ""


def lines_to_paste() -> str:
    """What `add` would write into an empty file."""
    return add(None) or ""


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    # A number that is written anew as another text (1e5, 1.10) would be a change of the user's words.
    return (
        found if isinstance(found, dict) and _numbers(text) == _numbers(json.dumps(found, ensure_ascii=False)) else None
    )


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Twice
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _numbers(text: str) -> list[str]:
    """The numbers outside strings, as they are written."""
    return re.findall(r"-?\d[\d.eE+-]*", re.sub(r'"(?:[^"\\]|\\.)*"', "", text))


def _hooks_of(entry: object) -> list[object]:
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    return hooks if isinstance(hooks, list) else []


def _is_ours(hook: object) -> bool:
    return isinstance(hook, dict) and isinstance(hook.get("command"), str) and COMMAND in hook["command"]


def _without_ours(entry: object) -> object:
    """The entry without our command; None when it had no other."""
    hooks = _hooks_of(entry)
    left = [hook for hook in hooks if not _is_ours(hook)]
    if len(left) == len(hooks):
        return entry
    return {**entry, "hooks": left} if left and isinstance(entry, dict) else None


def _written(settings: dict[str, Any], like: str) -> str:
    """The settings as text, indented and ended as `like` is."""
    newline = "\r\n" if "\r\n" in like else "\n"
    first = re.search(r"^([ \t]+)\S", like, re.MULTILINE)
    text = json.dumps(settings, indent=first[1] if first else 2, ensure_ascii=False)
    return text.replace("\n", newline) + (newline if not like or like.endswith("\n") else "")
