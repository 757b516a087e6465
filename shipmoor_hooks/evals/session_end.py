"""How a recorded session ended, from its own stream of messages: turns, cost, version, and what went wrong.

Pure. The stream is the one of `claude -p --output-format stream-json --verbose`: one JSON object a line, lines end at line
feeds alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """What the stream says of its session. `cost` is a list-price estimate in US dollars; `error` "" when it ended well.

    `is_api_error`: the model's service failed, so that there is nothing to grade. `has_result`: the closing record came.
    """

    turns: int = 0
    cost: float = 0.0
    error: str = ""
    is_api_error: bool = False
    has_result: bool = False
    version: str = ""
    model: str = ""


def session_end(trace: bytes) -> SessionEnd:
    """Read a stream; a line that is no record says nothing."""
    records = [record for line in trace.split(b"\n") if (record := _record(line)) is not None]
    init = next((r for r in records if r.get("type") == "system" and r.get("subtype") == "init"), {})
    results = [r for r in records if r.get("type") == "result"]
    last = results[-1] if results else {}
    turns = _number(last.get("num_turns"))
    return SessionEnd(
        turns=int(turns) if turns is not None else _messages(records),
        cost=max([_number(r.get("total_cost_usd")) or 0.0 for r in results], default=0.0),
        error=_error(last) if last.get("is_error") else "",
        is_api_error=bool(last.get("is_error")) and last.get("api_error_status") is not None,
        has_result=bool(results),
        version=_text(init.get("claude_code_version")),
        model=_text(init.get("model")),
    )


def _record(line: bytes) -> Mapping[str, object] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _messages(records: Sequence[Mapping[str, object]]) -> int:
    """The main agent's messages: records of one message share its id."""
    found = set()
    for number, record in enumerate(records):
        message = record.get("message")
        if record.get("type") == "assistant" and isinstance(message, dict) and not record.get("parent_tool_use_id"):
            found.add(message.get("id") if isinstance(message.get("id"), str) else number)
    return len(found)


def _error(result: Mapping[str, object]) -> str:
    errors = result.get("errors")
    if isinstance(errors, list) and errors and isinstance(errors[0], str):
        return errors[0]
    return _text(result.get("result")) or _text(result.get("subtype")) or "the session ended in an error"


def _number(value: object) -> float | None:
    """A finite number of at least 0; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 1e15 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
