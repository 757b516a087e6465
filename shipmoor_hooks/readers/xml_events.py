"""XML to a stream of elements through defusedxml, within the caps; text between elements is never kept.

The sink gets `start(tag, attributes)`, `end(tag)` and, where it has such methods, `text(piece)`, and `pause()` after
each piece of the file; tags come without their namespace. Line and column of a fault are those of the file (columns as
after the repair of illegal characters).

A file is first parsed as it is. Only what that refuses is read again from its beginning, through the repair: what expat
takes as it is holds nothing that the repair would change.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import errors as expat_errors

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.documents import xml_pieces
from shipmoor_hooks.readers.encoding import encoding_of, text_pieces
from shipmoor_hooks.readers.limits import unreadable
from shipmoor_hooks.readers.source import Source, pieces_of

_CUT_OFF = {
    expat_errors.codes[text]
    for text in (
        expat_errors.XML_ERROR_NO_ELEMENTS,
        expat_errors.XML_ERROR_UNCLOSED_TOKEN,
        expat_errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat_errors.XML_ERROR_PARTIAL_CHAR,
    )
}
READ_AGAIN = "let the run finish and read its report again"


class Sink(Protocol):
    """Takes the elements of all documents of one file, in order."""

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...

    def end(self, tag: str) -> None: ...


class RawSink(Protocol):
    """As `Sink`, with elements as expat hands them out fastest: tags with their namespace (`uri}tag`), attributes as a list
    of names and values in turn."""

    def start(self, tag: str, attributes: list[str]) -> None: ...

    def end(self, tag: str) -> None: ...


class TooDeep(Exception):
    """Elements lie deeper than the cap; whoever counts the levels raises it."""


class _RootFound(Exception):
    """The root is known; nothing more is read."""


S = TypeVar("S", bound=Sink)
R = TypeVar("R", bound=RawSink)
E = TypeVar("E", bound=Sink | RawSink)


def parse(source: Source, name: str, make: Callable[[str], S]) -> S:
    """The sink that `make(name)` gave, after every document of the file was sent to it.

    Raises ReportFault: no text, not well-formed, cut off, a DTD, too deep, a token beyond the cap, an encoding.
    """
    return _parsed(source, name, lambda name: _Levels(make(name)), raw=False).sink


def parse_raw(source: Source, name: str, make: Callable[[str], R]) -> R:
    """As `parse`, for a sink that counts the levels itself (TooDeep)."""
    return _parsed(source, name, make, raw=True)


def _parsed(source: Source, name: str, make: Callable[[str], E], *, raw: bool) -> E:
    sink = make(name)
    if not _sent_as_it_is(source, name, sink, raw):
        sink = make(name)
        _send_repaired(source, name, sink, raw)
    return sink


def _sent_as_it_is(source: Source, name: str, sink: Sink | RawSink, raw: bool) -> bool:
    """Send one document of plain UTF-8. False where the file is anything else; the sink then counts for nothing."""
    encoding, start = encoding_of(source, name)
    if encoding != "utf-8":
        return False
    stream = _Stream(name, sink, raw, lines_before=0)
    try:
        for piece in pieces_of(source):
            stream.feed(piece[start:])
            start = 0
        stream.close()
    except ParseError:
        return False
    return True


def _send_repaired(source: Source, name: str, sink: Sink | RawSink, raw: bool) -> None:
    stream: _Stream | None = None
    documents = 0
    for piece in xml_pieces(text_pieces(source, name)):
        if isinstance(piece, int):
            if stream is not None:
                _guarded(stream, None)
            documents += 1
            if documents > limits.MAX_DOCUMENTS:
                raise unreadable(name, f"there are more than {limits.MAX_DOCUMENTS} documents (the cap for documents)")
            stream = _Stream(name, sink, raw, lines_before=piece)
        elif stream is not None:
            data = piece.encode("utf-8")
            for position in range(0, len(data), limits.CHUNK):
                _guarded(stream, data[position : position + limits.CHUNK])
    if stream is None:
        raise unreadable(name, "the file is empty, so it reports no run", "run the suite again")
    _guarded(stream, None)


def root_of(source: Source, name: str) -> str:
    """The local name of the first document's root. Raises ReportFault as `parse` does."""
    found = _Root()
    with suppress(_RootFound):
        parse(source, name, lambda name: found)  # noqa: ARG005  (nothing of the name is told)
    return found.tag


class _Root:
    tag = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:  # noqa: ARG002  (a Sink)
        self.tag = tag
        raise _RootFound

    def end(self, tag: str) -> None: ...


class _Levels(Generic[S]):
    """Between expat and a sink: counts the levels, takes the namespaces away."""

    def __init__(self, sink: S) -> None:
        self.sink = sink
        self.depth = 0
        if hasattr(sink, "text"):
            self.text = sink.text

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > limits.MAX_DEPTH:
            raise TooDeep
        self.sink.start(tag.rpartition("}")[2], attributes)

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.sink.end(tag.rpartition("}")[2])


class _Stream:
    """One document on its way through expat. Raises ParseError where it is not well-formed, else ReportFault."""

    def __init__(self, name: str, sink: Sink | RawSink, raw: bool, lines_before: int) -> None:
        self.name, self.lines_before = name, lines_before
        self.fed = self.unfinished = 0  # bytes; the unfinished ones are those of a tag that is not yet whole
        self.held: list[bytes] = []
        self.parser = DefusedXMLParser(target=object(), encoding="utf-8", forbid_dtd=True)
        # expat's own handlers in the place of the slow ones that build a tree; those that forbid stay.
        self.expat = self.parser.parser
        self.expat.ordered_attributes = raw
        self.expat.DefaultHandlerExpand = None
        self.expat.StartElementHandler = sink.start
        self.expat.EndElementHandler = sink.end
        self.pause: Callable[[], None] | None = getattr(sink, "pause", None)
        if hasattr(sink, "text"):
            self.expat.CharacterDataHandler = sink.text
        if hasattr(self.expat, "SetReparseDeferralEnabled"):
            self.expat.SetReparseDeferralEnabled(False)  # the cap on a token bounds the cost instead

    def feed(self, part: bytes) -> None:
        """Parse a piece, later where a long tag is unfinished: before 2.6 expat scans it anew with every piece, so each
        of them has to bring as much as was there."""
        self.held.append(part)
        if self.unfinished > limits.CHUNK and sum(map(len, self.held)) < min(self.unfinished, limits.MAX_TOKEN // 2):
            return
        self._parse(b"".join(self.held))
        self.held.clear()

    def _parse(self, part: bytes) -> None:
        self.fed += len(part)
        try:
            self.parser.feed(part)
        except DefusedXmlException as error:
            what = "the report declares a DTD or an entity, which no test report needs; it was not read"
            raise self._fault_here(what) from error
        except TooDeep as error:
            what = f"elements lie deeper than {limits.MAX_DEPTH} levels (the cap for depth)"
            raise self._fault_here(what) from error
        if self.pause is not None:
            self.pause()
        # Expat keeps it whole.
        self.unfinished = self.fed - max(self.expat.CurrentByteIndex, 0)
        if self.unfinished > limits.MAX_TOKEN:
            raise self._fault_here(
                f"one tag or comment is longer than {limits.MAX_TOKEN} bytes (the cap for one token)"
            )

    def close(self) -> None:
        if self.held:
            self._parse(b"".join(self.held))
        self.parser.close()

    def _fault_here(self, what: str) -> ReportFault:
        return self.fault(what, line=self.expat.CurrentLineNumber, column=self.expat.CurrentColumnNumber)

    def fault(self, what: str, next_step: str = "", line: int = 0, column: int = 0) -> ReportFault:
        return unreadable(self.name, what, next_step, self.lines_before + line, column + 1)


def _guarded(stream: _Stream, part: bytes | None) -> None:
    """Feed a piece (None: the end). What is not well-formed is refused with its place."""
    try:
        if part is None:
            stream.close()
        else:
            stream.feed(part)
    except ParseError as error:
        line, column = error.position
        if error.code in _CUT_OFF:
            raise stream.fault("the report ends in the middle; it is cut off", READ_AGAIN, line, column) from error
        reason = expat_errors.messages.get(error.code, "syntax error")
        raise stream.fault(f"not well-formed XML ({reason})", "write the report anew", line, column) from error
