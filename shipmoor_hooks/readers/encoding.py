"""Bytes to text, piece by piece: byte order marks, declared and wrong encodings (design, section 9: bad input).

Bytes that the encoding does not know become visible text (`\\xff`): deleting them would make two names one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.limits import shown, unreadable
from shipmoor_hooks.readers.source import Source, head_of, pieces_of

# The longest mark first: UTF-32's little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 1024  # bytes that can say how the file is written
_UNMARKED_WIDE = ((b"<\0\0\0", "utf-32-le"), (b"\0\0\0<", "utf-32-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_DECLARED = re.compile(rb"""\A\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([^"'<>]{0,80})["']""")

# Encodings in which ASCII text is itself. A codec outside the list (UTF-7 smuggles markup, others encode no text) is
# refused by name.
_ASCII_BASED = re.compile(
    r"utf-8|ascii|iso8859-\d+|latin[_-]?1|cp(125[0-8]|437|737|775|8\d\d|866|874|932|936|949|950|1006|1125)|koi8-[rtu]|kz1048|ptcp154"
    r"|tis-620|mac-[a-z]+|big5(hkscs)?|euc_(jp|kr|jis_2004|jisx0213)|gb2312|gbk|gb18030|hp-roman8|johab|shift_jis(_2004|x0213)?"
)
_SMUGGLED = re.compile("[\udc80-\udcff]")
_AS_TEXT = {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)}
_WIDE = re.compile(r"utf-(16|32)(-[lb]e)?")


def text_pieces(source: Source, name: str) -> Iterator[str]:
    """The file's text without its byte order mark, in pieces of some 64 Ki characters.

    Raises ReportFault for an encoding that is not known or not acceptable, and for one that the file is not in: more bad
    bytes than the cap.
    """
    encoding, start = encoding_of(source, name)
    # For UTF-8 the way over surrogates is ten times faster, which matters for a file that is nothing but bad bytes.
    errors = "surrogateescape" if encoding == "utf-8" else "backslashreplace"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    written = "\\x".encode(encoding)  # what a bad byte becomes may also stand there as text
    bad = 0
    for piece in pieces_of(source):
        chunk, start = piece[start:], max(0, start - len(piece))
        text = _visible(decoder.decode(chunk))
        if encoding != "utf-8":
            bad += max(0, text.count("\\x") - chunk.count(written))
            if bad > limits.MAX_BAD_BYTES:
                what = f"more than {limits.MAX_BAD_BYTES} bytes are no text in the encoding {encoding} (the cap for bad bytes)"
                raise unreadable(name, what, "write it as UTF-8")
        yield text
    yield _visible(decoder.decode(b"", True))


def encoding_of(source: Source, name: str) -> tuple[str, int]:
    """The codec of a report and where its text begins.

    A mark wins over a declaration. Eight-bit text that declares UTF-16 (it was written through a string) is UTF-8.
    """
    head = head_of(source, _HEAD)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    for mark, encoding in _UNMARKED_WIDE:
        if head.startswith(mark):
            return encoding, 0
    declared = _DECLARED.match(head)
    if declared is None:
        return "utf-8", 0
    word = declared.group(1).decode("ascii", "backslashreplace").strip()
    try:
        codec = codecs.lookup(word).name if word.isascii() and "\\" not in word else ""
    except (LookupError, ValueError):
        codec = ""
    if _WIDE.fullmatch(codec):
        return "utf-8", 0
    if not _ASCII_BASED.fullmatch(codec):
        raise unreadable(name, f"the encoding {shown(word)!r} is not one that a report can have", "write it as UTF-8")
    return codec, 0


def _visible(text: str) -> str:
    """The text with `\\xff` in the place of each byte that was smuggled through as a surrogate."""
    return text.translate(_AS_TEXT) if _SMUGGLED.search(text) else text
