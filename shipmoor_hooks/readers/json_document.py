"""A report that is one JSON object, read whole: capped lower than a stream, since it stands in memory as objects."""

from __future__ import annotations

import json
from typing import Any

from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.encoding import text_pieces
from shipmoor_hooks.readers.limits import unreadable
from shipmoor_hooks.readers.source import Source, pieces_of
from shipmoor_hooks.readers.xml_events import READ_AGAIN


def document(source: Source, name: str) -> dict[str, Any]:
    """The object. Raises ReportFault: larger than the cap, cut off, damaged, too deep, no object."""
    text = "".join(text_pieces(_capped(source, name), name)).strip()
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise unreadable(name, "this is no whole JSON document", READ_AGAIN, error.lineno, error.colno) from error
    except (ValueError, RecursionError) as error:
        raise unreadable(name, "the JSON document holds a number too long or lies too deep", READ_AGAIN) from error
    if not isinstance(found, dict):
        raise unreadable(name, "the JSON document is no object")
    return found


def _capped(source: Source, name: str) -> bytes:
    pieces, size = [], 0
    for piece in pieces_of(source):
        pieces.append(piece)
        size += len(piece)
        if size > limits.MAX_JSON:
            what = f"the JSON document is larger than {limits.MAX_JSON} bytes (the cap for one JSON document)"
            raise unreadable(name, what)
    return b"".join(pieces)
