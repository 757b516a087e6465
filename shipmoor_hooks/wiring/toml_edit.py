"""Small edits of a host's TOML configuration, as text; the result is parsed and must say what was meant, else None.

Pure. See `yaml_edit` for the twin.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence

TABLE = re.compile(r"[ \t]*\[")


def append(text: str, block: Sequence[str]) -> str | None:
    """`text` with a table at its end; None when that is no TOML any more."""
    joined = text if not text or text.endswith("\n") else text + "\n"
    new = joined + ("\n" if joined else "") + "\n".join(block) + "\n"
    return new if parsed(new) is not None else None


def add_to_list(text: str, key: str, wanted: Sequence[str], default: Sequence[str]) -> str | None:
    """`text` with a top-level list holding all of `wanted`; where it is unset, `default` stands first."""
    before = parsed(text)
    if before is None:
        return None
    present = before.get(key, list(default))
    if not isinstance(present, list):
        return None
    goal = [*present, *(word for word in wanted if word not in present)]
    line = _line(key, goal)
    rows = text.split("\n")
    if key in before:
        at = next((i for i, row in enumerate(rows) if re.match(rf"{re.escape(key)}[ \t]*=[ \t]*\[[^\]]*\]", row)), None)
        if at is None:
            return text if goal == present else None
        if goal != present:
            rows[at] = re.sub(rf"{re.escape(key)}[ \t]*=[ \t]*\[[^\]]*\]", lambda _: line, rows[at], count=1)
    else:
        at = next((i for i, row in enumerate(rows) if TABLE.match(row)), len(rows))
        rows[at:at] = [line, ""]
    new = "\n".join(rows)
    return new if parsed(new) == before | {key: goal} else None


def _line(key: str, words: Sequence[object]) -> str:
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"{key} = [{quoted}]"


def parsed(text: str) -> dict[str, object] | None:
    """The document, None when it is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
