"""Recorded traces for tests: lines of JSON as an agent writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

INIT = {"type": "system", "subtype": "init", "tools": ["Task", "Bash", "Write"], "model": "m-1"}
RESULT = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": "done"}


def line(record: object) -> str:
    """JSON without spaces, all of Unicode raw, as `JSON.stringify` has it."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def said(text: str, parent: str | None = None) -> dict[str, Any]:
    return block({"type": "text", "text": text}, parent)


def used(tool: str, given: object = None, parent: str | None = None) -> dict[str, Any]:
    return block({"type": "tool_use", "id": "t1", "name": tool, "input": {} if given is None else given}, parent)


def block(content: Mapping[str, Any], parent: str | None = None) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": "m1", "content": [content]}, "parent_tool_use_id": parent}


def result_of(text: str) -> dict[str, Any]:
    content = [{"type": "tool_result", "tool_use_id": "t1", "content": text}]
    return {"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": None}


def trace_of(*records: object) -> bytes:
    """A trace without a final line feed; a string stands for a line as it is."""
    rows = [r if isinstance(r, str) else line(r) for r in (INIT, *records, RESULT)]
    return "\n".join(rows).encode("utf-8", "surrogatepass")
