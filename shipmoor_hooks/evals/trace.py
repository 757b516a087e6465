"""A recorded trace: the stream of JSON messages of one run, as graders see it (design, section 8).

Pure. Records stand one a line and are split at line feeds only: U+2028 and its like stand raw inside of strings. Records of
subagents carry `parent_tool_use_id`. A last line that was cut off (the run was killed) is left out; any other line that
cannot be read makes what depends on records unknown, and never an error.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals.js_json import NotJson, parse, stringify


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A `tool_use` block: its tool, and its input as `JSON.stringify` writes it. Position in the list is order in the run."""

    tool: str
    input: str


@dataclass(frozen=True, slots=True)
class Trace:
    """What graders see of a run. `text` is the whole trace without a final line feed.

    `unreadable` is a sentence where records could not be read ("" otherwise); `unmeasured` one where the run ended so that
    the program itself grades nothing (an API error).
    """

    text: str
    last_message: str
    calls: tuple[ToolCall, ...]
    records: int
    unreadable: str = ""
    unmeasured: str = ""


def read(data: bytes) -> Trace:
    """The trace in `data`; bytes that are no UTF-8 are read as JavaScript reads them (U+FFFD)."""
    text = data.decode("utf-8", "replace")
    text = text[:-1] if text.endswith("\n") else text
    lines = text.split("\n") if text else []
    last_message, calls, records, unreadable, unmeasured = "", [], 0, "", ""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        whole = line.lstrip().startswith("{") and line.rstrip().endswith("}")
        if whole and not _matters(line):
            records += 1
            continue
        try:
            record = parse(line)
        except NotJson as why:
            if number < len(lines):
                unreadable = unreadable or f"line {number} of the trace cannot be read ({why})"
            continue
        if not isinstance(record, dict):
            unreadable = unreadable or f"line {number} of the trace is no object"
            continue
        records += 1
        if record.get("type") == "result":
            unmeasured = _unmeasured(record)
        if record.get("type") != "assistant":
            continue
        blocks = _blocks(record)
        for block in blocks:
            if block.get("type") == "tool_use" and isinstance(block.get("name"), str):
                try:
                    calls.append(ToolCall(str(block["name"]), stringify(block.get("input"))))
                except NotJson as why:
                    unreadable = unreadable or f"line {number} of the trace cannot be read ({why})"
        if record.get("parent_tool_use_id") is None:
            texts = [b["text"] for b in blocks if b.get("type") == "text" and isinstance(b.get("text"), str)]
            last_message = str(texts[-1]) if texts else last_message
    if not records and not unreadable:
        unreadable = "the trace holds no record"
    return Trace(text, last_message, tuple(calls), records, unreadable, unmeasured)


def _matters(line: str) -> bool:
    """May the record be an assistant's, or a result? Most of a trace is neither, and is not parsed."""
    return "assistant" in line or '"result"' in line or "\\u00" in line


def _blocks(record: dict[str, object]) -> list[dict[str, object]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _unmeasured(record: dict[str, object]) -> str:
    status = record.get("api_error_status")
    if record.get("is_error") is True and isinstance(status, int) and not isinstance(status, bool):
        return f"the run ended on an API error ({status}), and such a run is not graded"
    return ""
