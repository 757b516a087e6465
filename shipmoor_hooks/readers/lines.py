"""Reports that are lines of text: TAP and streams of JSON objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.encoding import text_pieces
from shipmoor_hooks.readers.limits import unreadable
from shipmoor_hooks.readers.source import Source
from shipmoor_hooks.readers.xml_events import READ_AGAIN


def lines_of(source: Source, name: str) -> Iterator[tuple[int, str]]:
    """(number from 1, line without its break). Raises ReportFault for a line longer than the cap for one token."""
    held = ""
    number = 0
    for piece in text_pieces(source, name):
        *whole, held = (held + piece).split("\n")
        for line in whole:
            number += 1
            yield number, line.removesuffix("\r")
        if len(held) > limits.MAX_TOKEN:
            what = f"a line is longer than {limits.MAX_TOKEN} characters (the cap for one token)"
            raise unreadable(name, what, line=number + 1, column=1)
    if held:
        yield number + 1, held.removesuffix("\r")


def objects_of(source: Source, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) for each line that is one; lines that begin otherwise (a build's output) are passed over.

    Raises ReportFault for a line that begins like an object and is none: cut off, or damaged.
    """
    for number, line in lines_of(source, name):
        if not line.startswith("{"):
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise unreadable(name, "this line is no whole JSON object", READ_AGAIN, number, 1) from error
        yield number, found


def word(value: Any) -> str:
    """A field that must be text; "" for anything else."""
    return value if isinstance(value, str) else ""
