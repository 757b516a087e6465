"""Names and messages are data from outside: nothing in them may move a terminal (design, section 9). Pure."""

from __future__ import annotations

_OTHER = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
# Letters and marks by category, and yet drawn as nothing: grapheme joiner, fillers, Khmer vowels, variation selectors.
_UNSEEN = frozenset(
    map(
        chr,
        (
            0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
            *range(0xE0100, 0xE01F0),
        ),
    )
)  # fmt: skip


def visible(text: str) -> str:
    """The text with control, bidi, zero-width and surrogate characters spelled out as `\\xNN` or `\\uNNNN`.

    What is spelled out: Unicode's categories of other characters, line and paragraph separators, and the code points that
    a renderer may ignore (Default_Ignorable_Code_Point) or that are drawn as nothing.

    Tab and line feed are spelled out too: whoever prints several lines splits them first.
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(c if _plain(c) else _spelled(c) for c in text)


def _plain(character: str) -> bool:
    """Printable by Unicode's own categories: no control, format, surrogate, private or line separating character."""
    import unicodedata  # a library of its own, and most names are ASCII

    return unicodedata.category(character) not in _OTHER and character not in _UNSEEN


def _spelled(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
