"""A report that is one JSON object, read whole: capped lower than a stream, since it stands in memory as objects."""

from __future__ import annotations

import json
import math
from typing import Any

from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.encoding import text_pieces
from shipmoor_hooks.readers.limits import shown, unreadable
from shipmoor_hooks.readers.source import Source, pieces_of
from shipmoor_hooks.readers.xml_events import READ_AGAIN


def document(source: Source, name: str, *, strict: bool = False) -> dict[str, Any]:
    """The object. Raises ReportFault: larger than the cap, cut off, damaged, too deep, no object.

    `strict` also refuses what JSON does not have or leaves open: NaN and infinities, numbers that are none as a double, a key
    that stands twice in one object, more levels than the cap.
    """
    text = "".join(text_pieces(_capped(source, name), name)).strip()
    try:
        found = _strict(text) if strict else json.loads(text)
    except json.JSONDecodeError as error:
        raise unreadable(name, "this is no whole JSON document", READ_AGAIN, error.lineno, error.colno) from error
    except _Loose as error:
        raise unreadable(name, str(error), READ_AGAIN) from error
    except (ValueError, RecursionError) as error:
        raise unreadable(name, "the JSON document holds a number too long or lies too deep", READ_AGAIN) from error
    if not isinstance(found, dict):
        raise unreadable(name, "the JSON document is no object")
    return found


class _Loose(ValueError):
    """What only a lenient reader of JSON takes."""


def _strict(text: str) -> Any:
    found = json.loads(text, object_pairs_hook=_unique, parse_constant=_constant, parse_float=_finite)
    level, inside = 0, [found]
    while inside:
        level += 1
        if level > limits.MAX_DEPTH:
            raise _Loose(f"the JSON document is more than {limits.MAX_DEPTH} levels deep (the cap for depth)")
        inside = [
            child
            for value in inside
            if isinstance(value, dict | list)
            for child in (value.values() if isinstance(value, dict) else value)
        ]
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise _Loose(f"the key {shown(twice)!r} stands twice in one object of the JSON document")
    return found


def _constant(word: str) -> float:
    raise _Loose(f"the JSON document holds {word}, which is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Loose(f"the JSON document holds the number {shown(text, 20)}, which is too large")
    return value


def _capped(source: Source, name: str) -> bytes:
    pieces, size = [], 0
    for piece in pieces_of(source):
        pieces.append(piece)
        size += len(piece)
        if size > limits.MAX_JSON:
            what = f"the JSON document is larger than {limits.MAX_JSON} bytes (the cap for one JSON document)"
            raise unreadable(name, what)
    return b"".join(pieces)
