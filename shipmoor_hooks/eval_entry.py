"""The eval side of a stored run: `EvalRun` to the fields of an entry's payload and back (design, section 8).

Written by name, defaults left out, so that fields can be added; what is read is checked like the rest of a payload: a wrong
type raises TypeError or ValueError, which `entry` turns into SEAL_BROKEN.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, fields
from typing import Any, TypeVar, cast

from shipmoor_hooks.eval_model import EvalCase, EvalRun, EvalSample, GraderVerdict

_Kind = TypeVar("_Kind")


def fields_of(run: EvalRun) -> dict[str, Any]:
    """The JSON object of an EvalRun: numbers are finite, names are the model's."""
    return _written(
        run, {"cases": lambda cases: [_case_fields(c) for c in cases], "missing": lambda m: [list(r) for r in m]}
    )


def eval_run(stored: Any) -> EvalRun:
    """The EvalRun of such an object."""
    return _read(
        EvalRun,
        stored,
        {
            "cases": lambda cases: tuple(_case(c) for c in _list(cases)),
            "missing": lambda rows: tuple((_text(name), _text(why)) for name, why in _list(rows)),
        },
    )


def _case_fields(case: EvalCase) -> dict[str, Any]:
    return _written(case, {"samples": lambda samples: [_sample_fields(s) for s in samples]})


def _sample_fields(sample: EvalSample) -> dict[str, Any]:
    return _written(sample, {"graders": lambda graders: [_written(g, {}) for g in graders]})


def _case(stored: Any) -> EvalCase:
    return _read(EvalCase, stored, {"samples": lambda samples: tuple(_sample(s) for s in _list(samples))})


def _sample(stored: Any) -> EvalSample:
    return _read(
        EvalSample, stored, {"graders": lambda graders: tuple(_read(GraderVerdict, g, {}) for g in _list(graders))}
    )


def _written(value: Any, inner: dict[str, Any]) -> dict[str, Any]:
    """The fields that are not at their default."""
    out: dict[str, Any] = {}
    for field in fields(value):
        have = getattr(value, field.name)
        if field.default is MISSING or have != field.default:
            out[field.name] = inner[field.name](have) if field.name in inner else have
    return out


def _read(kind: type[_Kind], stored: Any, inner: dict[str, Any]) -> _Kind:
    """An instance of `kind` from an object of its fields; unknown fields are a newer version's and are left alone."""
    if not isinstance(stored, dict):
        raise TypeError(f"{stored!r:.40} is no object")
    values: dict[str, Any] = {}
    for field in fields(cast(Any, kind)):
        if field.name in stored:
            value = stored[field.name]
            values[field.name] = inner[field.name](value) if field.name in inner else _checked(str(field.type), value)
    return kind(**values)


def _checked(kind: str, value: Any) -> Any:
    """A plain value of the annotation `kind` (`str`, `bool`, `int`, `float`, each perhaps `| None`)."""
    plain, _, none = kind.partition(" | ")
    if value is None and none:
        return None
    if plain == "float" and isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number")
        return float(value)
    if type(value).__name__ != plain:
        raise TypeError(f"{value!r:.40} is not of type {kind}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.40} is no list")
    return value
