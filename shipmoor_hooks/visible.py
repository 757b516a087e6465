"""Names and messages are data from outside: nothing in them may move a terminal (design, section 9). Pure."""

from __future__ import annotations

import unicodedata


def visible(text: str) -> str:
    """The text with control, bidi, zero-width and surrogate characters spelled out as `\\xNN` or `\\uNNNN`.

    Tab and line feed are spelled out too: whoever prints several lines splits them first.
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(c if _plain(c) else _spelled(c) for c in text)


def _plain(character: str) -> bool:
    """Printable by Unicode's own categories: no control, format, surrogate, private or line separating character."""
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _spelled(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
