"""A grader as JSON or YAML has it -> `Grader`, checked as the program checks it when it loads a case (design, section 8).

Pure. Every fault is a sentence that starts with the key; the words are the program's where it has some. What the program
does not check at load (a pattern that is no regular expression, `min` above `max`) is not checked here either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from shipmoor_hooks.evals.definitions import BASELINE, FILE_EXISTS, LLM, REGEX, TOOL_ORDER, TOOL_USED, Grader

FLAGS = "dgimsuvy"
WORD_TARGETS = ("last_message", "trace", "files", "mock_calls")
ARMS = ("with-only", "both")
_COUNT = re.compile("count:[0-9]+")
_COMMON = ("name", "type", "weight", "arm")


class GraderFault(ValueError):
    """A grader that does not load; `faults` are sentences, each starting with the key it is about."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def read(value: object, name: str = "") -> Grader:
    """The grader that an object says. `name` stands in where it names none. Raises GraderFault with every fault."""
    if not isinstance(value, Mapping):
        raise GraderFault(("a grader must be an object",))
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _KEYS:
        known = " | ".join(f"'{k}'" for k in _ORDER)
        raise GraderFault((f"type: Invalid discriminator value. Expected {known}",))
    checks = _KEYS[kind]
    faults: list[str] = []
    unknown = [str(k) for k in value if k not in checks and k not in _COMMON]
    if unknown:
        faults.append("Unrecognized key(s) in object: " + ", ".join(f"'{k}'" for k in unknown))
    for key, (needed, check) in checks.items():
        if key not in value:
            if needed:
                faults.append(f"{key}: Required")
        elif problem := check(value[key]):
            faults.append(f"{key}: {problem}")
    given = value.get("name", name)
    weight = value.get("weight", 1.0)
    arm = value.get("arm", "")
    if not isinstance(given, str):
        faults.append(f"name: Expected string, received {_kind(given)}")
    if not _is_number(weight):
        faults.append(f"weight: Expected number, received {_kind(weight)}")
    elif not weight > 0:
        faults.append("weight: Number must be greater than 0")
    if "arm" in value and arm not in ARMS:
        received = f"'{arm}'" if isinstance(arm, str) else _kind(arm)
        faults.append(f"arm: Invalid enum value. Expected 'with-only' | 'both', received {received}")
    if faults:
        raise GraderFault(tuple(faults))
    config = {str(k): v for k, v in value.items() if k not in _COMMON}
    return Grader(str(given), kind, config, _double(weight), str(arm))


def _double(weight: object) -> float:
    try:
        return float(weight)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _kind(value: object) -> str:
    """The word for a value's type in the program's messages."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "nan" if value != value else "number"
    names = {str: "string", list: "array", dict: "object", type(None): "null"}
    return names.get(type(value), "object")


def _text(value: object) -> str:
    return "" if isinstance(value, str) else f"Expected string, received {_kind(value)}"


def _flags(value: object) -> str:
    if not isinstance(value, str):
        return _text(value)
    return "" if all(c in FLAGS for c in value) else "must be JS RegExp flags (d g i m s u v y)"


def _match(value: object) -> str:
    if not isinstance(value, str):
        return _text(value)
    known = value in ("contains", "not_contains") or _COUNT.fullmatch(value)
    return "" if known else "must be contains | not_contains | count:N"


def _target(value: object) -> str:
    if isinstance(value, str):
        return "" if value in WORD_TARGETS else "Invalid input"
    file = isinstance(value, Mapping) and set(value) == {"source", "path"} and value["source"] == "file"
    return "" if file and isinstance(value["path"], str) else "Invalid input"  # type: ignore[index]


def _whole(value: object) -> str:
    if not _is_number(value):
        return f"Expected number, received {_kind(value)}"
    return "" if value == int(value) else "Expected integer, received float"  # type: ignore[call-overload]


def _least(value: object) -> str:
    return _whole(value) or ("" if value >= 0 else "Number must be greater than or equal to 0")  # type: ignore[operator]


def _boolean(value: object) -> str:
    return "" if isinstance(value, bool) else f"Expected boolean, received {_kind(value)}"


def _call(value: object) -> str:
    if isinstance(value, str):
        return ""
    if not isinstance(value, Mapping) or not set(value) <= {"tool", "input_match"}:
        return "Invalid input"
    fits = isinstance(value.get("tool"), str) and isinstance(value.get("input_match", ""), str)
    return "" if fits else "Invalid input"


_Check = Callable[[object], str]
_KEYS: dict[str, dict[str, tuple[bool, _Check]]] = {
    REGEX: {"pattern": (True, _text), "flags": (False, _flags), "match": (False, _match), "target": (False, _target)},
    TOOL_ORDER: {"before": (True, _call), "after": (True, _call)},
    TOOL_USED: {
        "tool": (True, _text),
        "input_match": (False, _text),
        "min": (False, _least),
        "max": (False, _whole),
    },
    FILE_EXISTS: {"path": (True, _text), "exists": (False, _boolean)},
    LLM: {"criteria": (True, _text), "focus": (False, _target)},
    BASELINE: {"criteria": (True, _text), "baseline_file": (True, _text)},
}
_ORDER = tuple(_KEYS)
