"""PyYAML's events, by a scanner that follows YAML 1.2 where PyYAML follows 1.1; the only importer of PyYAML.

What differs was found by comparing with the parser that `claude plugin eval` is built on (docs/decisions/eval-yaml.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from yaml import YAMLError as YAMLError
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError
from yaml.tokens import DirectiveToken, DocumentEndToken, DocumentStartToken, ScalarToken, StreamEndToken

TABS = "Tab characters cannot be used as indentation"
OUTDENTED = "a line of a value stands left of its key"


def events(text: str) -> Iterator[Any]:
    """The events of a text that ends with a line feed and holds no U+0000, U+0085, U+2028 and U+2029. Raises YAMLError."""
    parser = _Events(text)
    while parser.check_event():
        yield parser.get_event()


class _Events(Reader, Scanner, Parser):  # type: ignore[misc]
    """Reader, scanner and parser in one, as PyYAML puts its loaders together."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        self.ended = False

    def check_printable(self, data: str) -> None:
        """Control characters are read as they stand: the program does."""

    def scan_to_next_token(self) -> None:
        """Skip blanks, comments and line breaks; a tab separates, it never indents."""
        fresh = not self.buffer[self.pointer - self.column : self.pointer].strip()
        while True:
            spaces = self._skip_blanks()
            if self.peek() == "#":
                while self.peek() not in "\0\r\n":
                    self.forward()
            if not self.scan_line_break():
                break
            fresh = True
            if not self.flow_level:
                self.allow_simple_key = True
        if not fresh or self.peek() == "\0":
            return
        if not self.flow_level and spaces != self.column:
            raise ScannerError(None, None, TABS, self.get_mark())
        if self.flow_level and spaces <= self.indent and self.peek() not in "]},":
            raise ScannerError(None, None, OUTDENTED, self.get_mark())

    def _skip_blanks(self) -> int:
        """Pass spaces and tabs; the column of the first tab, or of what follows."""
        spaces = None
        while self.peek() in " \t":
            if self.peek() == "\t" and spaces is None:
                spaces = self.column
            self.forward()
        return int(self.column if spaces is None else spaces)

    def check_key(self) -> bool:
        return self._ends_indicator()

    def check_value(self) -> bool:
        """A colon that ends a key: before a blank, or right behind a key that a quote or bracket closed."""
        adjacent = self.flow_level and self.pointer and self.buffer[self.pointer - 1] in "\"']}"
        return bool(adjacent) or self._ends_indicator()

    def check_plain(self) -> bool:
        if self.peek() in "-?:":
            return not self._ends_indicator()
        return self.peek() not in "\0 \t\r\n[]{}#&*!|>'\"%@`" and not (self.flow_level and self.peek() == ",")

    def _ends_indicator(self) -> bool:
        return self._is_blank_or_bracket(self.peek(1))

    def _is_blank_or_bracket(self, character: str) -> bool:
        return character in "\0 \t\r\n" or bool(self.flow_level and character in ",[]{}")

    def scan_plain(self) -> Any:
        """A plain scalar, over any number of lines that stand right of its key (YAML 1.2, section 7.3.3)."""
        pieces: list[str] = []
        start = end = self.get_mark()
        least = self.indent + 1
        blanks = ""
        while self.peek() != "#":
            length = 0
            while not self._ends_plain(length):
                length += 1
            if not length:
                break
            self.allow_simple_key = False
            pieces += [blanks, self.prefix(length)]
            self.forward(length)
            end = self.get_mark()
            blanks = self._plain_blanks(least)
            if not blanks or (not self.flow_level and self.column < least):
                break
        return ScalarToken("".join(pieces), True, start, end)

    def _ends_plain(self, ahead: int) -> bool:
        character = self.peek(ahead)
        if character in "\0 \t\r\n" or (self.flow_level and character in ",[]{}"):
            return True
        return character == ":" and self._is_blank_or_bracket(self.peek(ahead + 1))

    def _plain_blanks(self, least: int) -> str:
        """What blanks and line breaks inside a plain scalar stand for, "" where the document ends behind them."""
        length = 0
        while self.peek(length) in " \t":
            length += 1
        blanks = str(self.prefix(length))
        self.forward(length)
        breaks = []
        while line_break := self.scan_line_break():
            breaks.append(line_break)
            self.allow_simple_key = True
            if self.prefix(3) in ("---", "...") and self.peek(3) in "\0 \t\r\n":
                return ""
            while self.peek() == " " or (self.peek() == "\t" and (self.flow_level or self.column >= least)):
                self.forward()
        if not breaks:
            return blanks
        if self.flow_level and self.column <= self.indent and self.peek() not in "]},#\0":
            raise ScannerError(None, None, OUTDENTED, self.get_mark())
        return "".join(breaks[1:]) or " "

    def fetch_flow_entry(self) -> None:
        """A comma outside brackets begins a plain scalar."""
        if self.flow_level:
            super().fetch_flow_entry()
        else:
            self.fetch_plain()

    def scan_flow_scalar(self, style: str) -> Any:
        """A quoted scalar; each further line of it stands right of its key."""
        token = super().scan_flow_scalar(style)
        lines = self.buffer[token.start_mark.index : token.end_mark.index].replace("\r", "\n").split("\n")[1:]
        if any(line.strip() and len(line) - len(line.lstrip(" ")) <= self.indent for line in lines):
            raise ScannerError(None, None, OUTDENTED, token.start_mark)
        if self.peek() == "#":
            raise ScannerError(None, None, "a comment needs a blank before it", token.end_mark)
        return token

    def parse_document_start(self) -> Any:
        """A document may begin without a mark after one that `...` ended."""
        while self.check_token(DocumentEndToken):
            self.get_token()
        if self.ended and not self.check_token(DirectiveToken, DocumentStartToken, StreamEndToken):
            self.ended = False
            return self.parse_implicit_document_start()
        return super().parse_document_start()

    def parse_document_end(self) -> Any:
        event = super().parse_document_end()
        self.ended = event.explicit
        return event
