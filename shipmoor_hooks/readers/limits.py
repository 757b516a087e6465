"""What a report file may cost, and the one way in which a reader says that it cannot read it (design, section 10.20).

Sizes are bytes unless a name says otherwise. Nothing is ever cut silently: a file beyond a cap is refused as a whole;
only a single name is shortened, to its head and the digest of the whole, which keeps two long names apart.
"""

from __future__ import annotations

import hashlib

from shipmoor_hooks.errors import ReportFault

MAX_FILE = 512 * 1024 * 1024
MAX_JSON = 64 * 1024 * 1024  # one JSON document, which becomes objects as a whole
MAX_DEPTH = 64
MAX_CASES = 2_000_000
MAX_DOCUMENTS = 10_000
MAX_TOKEN = 1024 * 1024
MAX_NAME = 4096
MAX_BAD_BYTES = 1024 * 1024  # in another encoding than UTF-8, where each costs a microsecond
HEAD_OF_LONG_NAME = 512  # characters

CHUNK = 64 * 1024


def unreadable(name: str, what: str, next_step: str = "", line: int = 0, column: int = 0) -> ReportFault:
    """One clear line about the file `name`; `line` and `column` count from 1 (0: not known)."""
    place = f"{shown(name, 400)}, line {line}, column {column}" if line else shown(name, 400)
    return ReportFault(f"{place}: {what}", next_step)


def within_cap(count: int, name: str) -> None:
    """Raises ReportFault when a file holds more cases (or suites, or tests that run) than the cap."""
    if count > MAX_CASES:
        raise unreadable(name, f"there are more than {MAX_CASES} cases (the cap for cases)")


def shown(text: str, limit: int = 80) -> str:
    """Text from outside as it may stand in a message: one line, nothing that moves a terminal, `limit` characters."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)


def bounded(text: str) -> str:
    """A name of at most 4 KiB (in UTF-8); a longer one becomes its head and the SHA-256 of the whole."""
    if len(text) * 4 <= MAX_NAME:
        return text
    encoded = text.encode("utf-8", "backslashreplace")
    if len(encoded) <= MAX_NAME:
        return text
    return f"{text[:HEAD_OF_LONG_NAME]}…sha256:{hashlib.sha256(encoded).hexdigest()}"
