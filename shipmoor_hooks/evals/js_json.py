"""JSON as JavaScript reads and writes it, where it differs from Python's (FORMAT of the trace; ECMAScript 25.5).

Pure. Numbers are doubles, keys that are array indexes come first, only strings are escaped that `JSON.stringify` escapes.
"""

from __future__ import annotations

import json
import math
import re

_ESCAPED = re.compile('["\\\\\x00-\x1f\ud800-\udfff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INDEX = re.compile("0|[1-9][0-9]{0,9}")
_EXACT = 1 << 53
_LARGEST_INDEX = (1 << 32) - 2


class NotJson(ValueError):
    """A text that is no JSON, or nested too deeply to be looked at."""


def parse(text: str) -> object:
    """The value of a JSON text; integers stay Python's until they are written. Raises NotJson."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as deep:
        raise NotJson("it is nested too deeply") from deep
    except ValueError as wrong:
        if "integer string conversion" not in str(wrong):
            raise NotJson(str(wrong)) from wrong
    try:  # an integer of thousands of digits: a double like every other number
        return json.loads(text, parse_constant=_refuse, parse_int=float)
    except (RecursionError, ValueError) as wrong:
        raise NotJson(str(wrong)) from wrong


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def stringify(value: object) -> str:
    """What `JSON.stringify` writes for a value that `parse` gave. Raises NotJson where it is nested too deeply."""
    try:
        return _written(value)
    except RecursionError as deep:
        raise NotJson("it is nested too deeply") from deep


def _written(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quoted(key)}:{_written(value[key])}" for key in _ordered(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_written(item) for item in value) + "]"
    if isinstance(value, int | float):
        return number(value)
    raise TypeError(f"{type(value).__name__} does not come from JSON")


def _quoted(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return _SHORT.get(character) or f"\\u{ord(character):04x}"


def _ordered(value: dict[str, object]) -> list[str]:
    """JavaScript's order of keys: array indexes by size, then the others as they were written."""
    indexes = [k for k in value if _INDEX.fullmatch(k) and int(k) <= _LARGEST_INDEX]
    if not indexes:
        return list(value)
    first = set(indexes)
    return sorted(indexes, key=int) + [k for k in value if k not in first]


def number(value: int | float) -> str:
    """A number as JavaScript prints it (ECMAScript, Number::toString); what JSON cannot hold is `null`."""
    if isinstance(value, int) and -_EXACT <= value <= _EXACT:
        return str(value)
    try:
        double = float(value)
    except OverflowError:
        return "null"
    if not math.isfinite(double):
        return "null"
    if double == 0:
        return "0"
    sign = "-" if double < 0 else ""
    mantissa, _, power = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole.lstrip("0")) if whole.strip("0") else -(len(fraction) - len(fraction.lstrip("0")))
    point += int(power or 0)
    digits = (whole + fraction).lstrip("0").rstrip("0")
    return sign + _placed(digits, point)


def _placed(digits: str, point: int) -> str:
    """Digits with their decimal point after `point` of them, in the four forms that JavaScript has."""
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + exponent
