"""Frozen dataclasses as JSON objects and back, by their annotations, strictly (design, section 9).

Fields at their default are left out, so that fields can be added; unknown ones are a newer version's and are left alone. A
wrong type raises TypeError or ValueError, a missing field TypeError: whoever reads an entry turns them into SEAL_BROKEN.
"""

from __future__ import annotations

import functools
import math
import types
import typing
from typing import Any, TypeVar, cast

from shipmoor_hooks.data_classes import defaults, is_data_class
from shipmoor_hooks.enums import Enum

_Kind = TypeVar("_Kind")


def written(value: Any) -> Any:
    """A dataclass instance as an object of plain values: tuples as lists, enums as their values, numbers finite."""
    if is_data_class(type(value)):
        usual, have = defaults(type(value)), {name: getattr(value, name) for name in type(value).__match_args__}
        return {name: written(one) for name, one in have.items() if name not in usual or one != usual[name]}
    if isinstance(value, tuple):
        return [written(v) for v in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number")
    return value


def read(kind: type[_Kind], stored: object) -> _Kind:
    """An instance of the dataclass `kind` from such an object. Raises TypeError or ValueError."""
    if not isinstance(stored, dict):
        raise TypeError(f"{stored!r:.40} is no object")
    hints = _hints(cast(Any, kind))
    return kind(**{name: _value(hint, stored[name]) for name, hint in hints.items() if name in stored})


@functools.cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    """The fields that the constructor takes, with their types."""
    return typing.get_type_hints(kind)


def _value(hint: Any, value: Any) -> Any:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return None if value is None else _value(_without_none(hint), value)
    if origin is tuple:
        return _tuple(typing.get_args(hint), value)
    if is_data_class(hint):
        return read(hint, value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    return _plain(hint, value)


def _without_none(hint: Any) -> Any:
    (only,) = (a for a in typing.get_args(hint) if a is not types.NoneType)
    return only


def _tuple(hints: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.40} is no list")
    if hints[1:] == (Ellipsis,):
        return tuple(_value(hints[0], v) for v in value)
    return tuple(_value(hint, v) for hint, v in zip(hints, value, strict=True))


def _plain(hint: Any, value: Any) -> Any:
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number")
        return float(value)
    if type(value) is not hint:
        raise TypeError(f"{value!r:.40} is not of type {hint.__name__}")
    return value
