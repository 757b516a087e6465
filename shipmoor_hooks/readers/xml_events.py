"""XML to a stream of elements through defusedxml, within the caps; text between elements is never kept.

The sink gets `start(tag, attributes)`, `end(tag)` and, where it has such a method, `text(piece)`; tags come without
their namespace. Line and column of a fault are those of the file (columns as after the repair of illegal characters).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import errors as expat_errors

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.readers import limits
from shipmoor_hooks.readers.documents import xml_pieces
from shipmoor_hooks.readers.encoding import text_pieces
from shipmoor_hooks.readers.limits import unreadable

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


class _RootFound(Exception):
    """The root is known; nothing more is read."""


def parse(data: bytes, name: str, sink: Sink) -> None:
    """Send every document of the file to the sink.

    Raises ReportFault: no text, not well-formed, cut off, a DTD, too deep, a token beyond the cap, an encoding.
    """
    stream: _Stream | None = None
    documents = 0
    for piece in xml_pieces(text_pieces(data, name)):
        if isinstance(piece, int):
            if stream is not None:
                stream.close()
            documents += 1
            if documents > limits.MAX_DOCUMENTS:
                raise unreadable(name, f"there are more than {limits.MAX_DOCUMENTS} documents (the cap for documents)")
            stream = _Stream(name, sink, lines_before=piece)
        elif stream is not None:
            stream.feed(piece)
    if stream is None:
        raise unreadable(name, "the file is empty, so it reports no run", "run the suite again")
    stream.close()


def root_of(data: bytes, name: str) -> str:
    """The local name of the first document's root. Raises ReportFault as `parse` does."""
    found = _Root()
    with suppress(_RootFound):
        parse(data, name, found)
    return found.tag


class _Root:
    tag = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:  # noqa: ARG002  (a Sink)
        self.tag = tag
        raise _RootFound

    def end(self, tag: str) -> None: ...


class _Stream:
    """One document on its way through expat."""

    def __init__(self, name: str, sink: Sink, lines_before: int) -> None:
        self.name, self.sink, self.lines_before = name, sink, lines_before
        self.depth = 0
        self.fed = 0
        self.parser = DefusedXMLParser(target=object(), encoding="utf-8", forbid_dtd=True)
        # expat's own handlers in the place of the slow ones that build a tree; those that forbid stay.
        self.expat = self.parser.parser
        self.expat.ordered_attributes = False
        self.expat.DefaultHandlerExpand = None
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        if hasattr(sink, "text"):
            self.expat.CharacterDataHandler = sink.text
        if hasattr(self.expat, "SetReparseDeferralEnabled"):
            self.expat.SetReparseDeferralEnabled(False)  # the cap on a token bounds the cost instead

    def feed(self, piece: str) -> None:
        data = piece.encode("utf-8")
        for position in range(0, len(data), limits.CHUNK):
            part = data[position : position + limits.CHUNK]
            self.fed += len(part)
            self._guarded(part)
            # Before 2.6 expat scans an unfinished token anew with every piece, and at any version it keeps it whole.
            if self.fed - max(self.expat.CurrentByteIndex, 0) > limits.MAX_TOKEN:
                raise self._fault(
                    f"one tag or comment is longer than {limits.MAX_TOKEN} bytes (the cap for one token)",
                    line=self.expat.CurrentLineNumber,
                    column=self.expat.CurrentColumnNumber,
                )

    def close(self) -> None:
        self._guarded(None)

    def _guarded(self, part: bytes | None) -> None:
        try:
            if part is None:
                self.parser.close()
            else:
                self.parser.feed(part)
        except ParseError as error:
            line, column = error.position
            if error.code in _CUT_OFF:
                raise self._fault("the report ends in the middle; it is cut off", READ_AGAIN, line, column) from error
            reason = expat_errors.messages.get(error.code, "syntax error")
            raise self._fault(f"not well-formed XML ({reason})", "write the report anew", line, column) from error
        except DefusedXmlException as error:
            raise self._fault(
                "the report declares a DTD or an entity, which no test report needs; it was not read",
                line=self.expat.CurrentLineNumber,
                column=self.expat.CurrentColumnNumber,
            ) from error

    def _fault(self, what: str, next_step: str = "", line: int = 0, column: int = 0) -> ReportFault:
        return unreadable(self.name, what, next_step, self.lines_before + line, column + 1)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > limits.MAX_DEPTH:
            raise self._fault(
                f"elements lie deeper than {limits.MAX_DEPTH} levels (the cap for depth)",
                line=self.expat.CurrentLineNumber,
                column=self.expat.CurrentColumnNumber,
            )
        self.sink.start(tag.rpartition("}")[2], attributes)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        self.sink.end(tag.rpartition("}")[2])
