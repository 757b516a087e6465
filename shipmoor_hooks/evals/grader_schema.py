"""One grader as it is written -> a `Grader`, or what is wrong with it in the words of `claude plugin eval`. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from shipmoor_hooks.evals import case_values as values
from shipmoor_hooks.evals.case_values import MISSING, Issues
from shipmoor_hooks.evals.definitions import (
    BASELINE,
    FILE_EXISTS,
    LLM,
    REGEX,
    TOOL_ORDER,
    TOOL_USED,
    Grader,
)

# In the program's order, which its complaint about an unknown type shows.
TYPES = (REGEX, TOOL_ORDER, TOOL_USED, FILE_EXISTS, LLM, BASELINE)
KEYS: Mapping[str, tuple[str, ...]] = {
    REGEX: ("pattern", "flags", "match", "target"),
    TOOL_USED: ("tool", "input_match", "min", "max"),
    TOOL_ORDER: ("before", "after"),
    FILE_EXISTS: ("path", "exists"),
    LLM: ("criteria", "focus"),
    BASELINE: ("criteria", "baseline_file"),
}
NEEDED = ("pattern", "tool", "before", "after", "path", "criteria", "baseline_file")
COMMON = ("name", "type", "weight", "arm")
ARMS = ("with-only", "both")
TARGETS = ("last_message", "trace", "files", "mock_calls")
FLAGS = "d g i m s u v y"
_MATCH = re.compile(r"contains|not_contains|count:[0-9]+")
_FLAGS = re.compile(r"[dgimsuvy]*")


def read_grader(issues: Issues, path: str, given: object) -> Grader | None:
    """The grader at `path` (`graders.0`), None beside an issue. Keys of its type stay as they were written."""
    if not isinstance(given, dict):
        issues.add(path, values.expected("object", given))
        return None
    before = len(issues.found)
    kind = given.get("type", MISSING)
    if kind not in TYPES:
        listed = " | ".join(f"'{word}'" for word in TYPES)
        issues.add(f"{path}.type", f"Invalid discriminator value. Expected {listed}")
        return None
    name = values.string(issues, f"{path}.name", given.get("name", MISSING))
    weight = values.number(issues, f"{path}.weight", given["weight"]) if "weight" in given else 1.0
    arm = values.one_of(issues, f"{path}.arm", given["arm"], ARMS) if "arm" in given else ""
    config = {}
    for key in KEYS[str(kind)]:
        if key in given or key in NEEDED:
            READERS[key](issues, f"{path}.{key}", given.get(key, MISSING))
            config[key] = given.get(key)
    values.unrecognized(issues, path, given, (*COMMON, *KEYS[str(kind)]))
    return Grader(name, str(kind), config, weight, arm) if len(issues.found) == before else None


def _string(issues: Issues, path: str, value: object) -> object:
    return values.string(issues, path, value)


def _boolean(issues: Issues, path: str, value: object) -> object:
    return values.boolean(issues, path, value)


def _count(issues: Issues, path: str, value: object) -> object:
    return values.integer(issues, path, value, 0)


def _match(issues: Issues, path: str, value: object) -> object:
    if not isinstance(value, str):
        issues.add(path, values.expected("string", value))
    elif not _MATCH.fullmatch(value):
        issues.add(path, "must be contains | not_contains | count:N")
    return value


def _flags(issues: Issues, path: str, value: object) -> object:
    if not isinstance(value, str):
        issues.add(path, values.expected("string", value))
    elif not _FLAGS.fullmatch(value):
        issues.add(path, f"must be JS RegExp flags ({FLAGS})")
    return value


def _target(issues: Issues, path: str, value: object) -> object:
    """A word, or `{source: file, path: P}`."""
    is_file = (
        isinstance(value, dict)
        and set(value) == {"source", "path"}
        and value["source"] == "file"
        and isinstance(value["path"], str)
    )
    if not is_file and value not in TARGETS:
        issues.add(path, "Invalid input")
    return value


def _call(issues: Issues, path: str, value: object) -> object:
    """A tool's name, or `{tool, input_match}`."""
    if value is MISSING:
        issues.add(path, values.REQUIRED)
    elif isinstance(value, dict):
        wrong = {"tool", "input_match"} < set(value) | {"tool", "input_match"} or "tool" not in value
        if wrong or not all(isinstance(word, str) for word in value.values()):
            issues.add(path, "Invalid input")
    elif not isinstance(value, str):
        issues.add(path, "Invalid input")
    return value


READERS: Mapping[str, Callable[[Issues, str, object], object]] = {
    **dict.fromkeys(("pattern", "tool", "input_match", "path", "criteria", "baseline_file"), _string),
    "flags": _flags,
    "match": _match,
    "target": _target,
    "focus": _target,
    "min": _count,
    "max": _count,
    "exists": _boolean,
    "before": _call,
    "after": _call,
}
