"""Text to XML documents: what reporters write and XML does not allow is made visible; the rest is parsed strictly.

Several documents may stand in one file (one for each test binary), white space before the first, control characters
in names and messages. Comments and CDATA sections are recognised: printed markup splits no file and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator

# What is illegal, one by one: compiling all that is not legal takes ten times as long.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MARKUP = re.compile(r"<!--|<!\[CDATA\[|<\?xml(?=[ \t\r\n])|\]\]>|&#(?:[0-9]+|[xX][0-9a-fA-F]+);")
_CLOSING = {"<!--": "-->", "<![CDATA[": "]]>"}
_LONGEST_MARKUP = 64  # characters; a longer reference (leading zeros) is left to the parser, which refuses it
_MAY_BEGIN_MARKUP = re.compile(r"[<&\]]")


def xml_pieces(text: Iterable[str]) -> Iterator[str | int]:
    """The text, repaired, in pieces; before every document, the first included, the number of line breaks before it.

    Illegal characters and references to them become visible text (`\\x1b`), `]]>` in plain text becomes `]]&gt;`. Line
    breaks are never added or taken away. Text without anything but white space: nothing at all.
    """
    breaks = 0
    document_is_empty = begun = False
    for is_markup, piece in _pieces(legal(piece) for piece in text):
        rest = piece if begun else piece.lstrip(" \t\r\n")
        if not rest:
            breaks += piece.count("\n")
            continue
        if not begun or (is_markup and piece == "<?xml" and not document_is_empty):
            breaks += (len(piece) - len(rest)) and piece[: len(piece) - len(rest)].count("\n")
            yield breaks
            begun = document_is_empty = True
        yield _repaired(rest) if is_markup else rest
        breaks += rest.count("\n")
        document_is_empty = False


def legal(text: str) -> str:
    """The text with every character made visible that XML (and a name) cannot carry."""
    return _ILLEGAL.sub(lambda m: visible(m.group()), text)


def visible(character: str) -> str:
    """The text that stands for a character that XML does not allow: `\\x1b`, `\\ufffe`."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _pieces(text: Iterable[str]) -> Iterator[tuple[bool, str]]:
    """(True, one piece of markup that needs a look) or (False, text that stands as it is)."""
    held = closing = ""
    for piece in text:
        held, closing = yield from _scan(held + piece, closing, is_last=False)
    if held:
        yield from _scan(held, closing, is_last=True)


def _scan(text: str, closing: str, is_last: bool) -> Generator[tuple[bool, str], None, tuple[str, str]]:
    """Take `text` apart up to where the next piece could change its meaning.

    `closing` is what ends the section that the text begins in ("" for none). Returns what is held back and the section
    that the end lies in.
    """
    position = 0
    limit = len(text) if is_last else _safe_end(text)
    while True:
        if closing:
            end = text.find(closing, position)
            stop = end if end >= 0 else len(text) if is_last else max(position, len(text) - len(closing) + 1)
            yield False, text[position:stop]
            if end < 0:
                return text[stop:], closing
            yield False, closing
            position, closing = end + len(closing), ""
        found = _MARKUP.search(text, position)
        if found is None or found.start() >= limit:
            stop = max(position, limit)
            yield False, text[position:stop]
            return text[stop:], ""
        yield False, text[position : found.start()]
        yield True, found.group()
        position, closing = found.end(), _CLOSING.get(found.group(), "")


def _safe_end(text: str) -> int:
    """Where the last characters begin that may be the beginning of some markup."""
    found = _MAY_BEGIN_MARKUP.search(text, max(0, len(text) - _LONGEST_MARKUP))
    return found.start() if found else len(text)


def _repaired(markup: str) -> str:
    if markup == "]]>":
        return "]]&gt;"
    if markup.startswith("&#"):
        digits = markup[2:-1]
        code = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            return visible_code(code)
        return markup if not _ILLEGAL.match(chr(code)) else visible(chr(code))
    return markup


def visible_code(code: int) -> str:
    """As `visible`, for a number that is no character (a surrogate, beyond Unicode)."""
    return f"\\u{code:04x}"
