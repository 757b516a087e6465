"""How one value of a case is checked, with the complaints of `claude plugin eval` word for word. Pure.

Paths are dotted as the program writes them (`graders.0.weight`); numbers are those of `yaml_core`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from shipmoor_hooks.data_classes import dataclass, field

MISSING = object()
REQUIRED = "Required"


@dataclass(slots=True)
class Issues:
    """What is wrong so far, in the order of discovery."""

    found: list[str] = field(default_factory=list)

    def add(self, path: str, message: str) -> None:
        self.found.append(f"{path}: {message}" if path else message)


def kind(value: object) -> str:
    """What the program calls a value's type."""
    if value is MISSING:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "nan" if math.isnan(value) else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def expected(what: str, value: object) -> str:
    return REQUIRED if value is MISSING else f"Expected {what}, received {kind(value)}"


def string(issues: Issues, path: str, value: object, least: int = 0) -> str:
    """The string, "" beside an issue where it is none or shorter than `least` characters."""
    if not isinstance(value, str):
        issues.add(path, expected("string", value))
        return ""
    if len(value) < least:
        issues.add(path, f"String must contain at least {least} character(s)")
    return value


def boolean(issues: Issues, path: str, value: object) -> bool:
    if not isinstance(value, bool):
        issues.add(path, expected("boolean", value))
        return False
    return value


def number(issues: Issues, path: str, value: object, above: float = 0) -> float:
    """A number greater than `above`; infinity is one."""
    if kind(value) != "number" or not isinstance(value, int | float):
        issues.add(path, expected("number", value))
        return 1.0
    if value <= above:
        issues.add(path, f"Number must be greater than {above:g}")
    return float(value)


def integer(issues: Issues, path: str, value: object, least: int, most: int | None = None) -> int:
    """A whole number between two bounds."""
    if kind(value) != "number" or not isinstance(value, int | float):
        issues.add(path, expected("number", value))
        return least
    if not isinstance(value, int):
        issues.add(path, "Expected integer, received float")
        return least
    if value < least:
        issues.add(path, f"Number must be greater than or equal to {least}")
    if most is not None and value > most:
        issues.add(path, f"Number must be less than or equal to {most}")
    return value


def strings(issues: Issues, path: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        issues.add(path, expected("array", value))
        return ()
    return tuple(string(issues, f"{path}.{number}", item) for number, item in enumerate(value))


def mapping(issues: Issues, path: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        issues.add(path, expected("object", value))
        return {}
    return value


def one_of(issues: Issues, path: str, value: object, words: Collection[str]) -> str:
    listed = " | ".join(f"'{word}'" for word in words)
    if not isinstance(value, str):
        issues.add(path, REQUIRED if value is MISSING else f"Expected {listed}, received {kind(value)}")
    elif value not in words:
        issues.add(path, f"Invalid enum value. Expected {listed}, received '{value}'")
    else:
        return value
    return ""


def unrecognized(issues: Issues, path: str, given: Mapping[str, object], known: Collection[str]) -> None:
    odd = [key for key in given if key not in known]
    if odd:
        issues.add(path, f"Unrecognized key(s) in object: {', '.join(repr_js(key) for key in odd)}")


def repr_js(word: str) -> str:
    return f"'{word}'"
