"""Where each key of a TOML document stands: tomllib tells values, not lines (design, section 5).

The scan walks a document that tomllib has accepted, so it only has to know where keys, strings, lists and tables begin
and end; a law holds it to tomllib's own answer, key for key.
"""

from __future__ import annotations

import re
import tomllib

Path = tuple[str | int, ...]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}\n#]*")
_BLANK = re.compile(r"[ \t]*")
_BLANK_LINES = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_STRINGS = (
    re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}', re.DOTALL),
    re.compile(r"'''(?:[^']|'(?!''))*'{3,5}", re.DOTALL),
    re.compile(r'"(?:[^"\\]|\\.)*"'),
    re.compile(r"'[^']*'"),
)


def key_lines(text: str) -> dict[Path, int]:
    """The line (from 1) on which each key and each element of a list first appears, by its path.

    `text` is TOML that tomllib accepts, with line feeds only. Elements of lists (and of arrays of tables) have their
    index as the last part.
    """
    scan = _Scan(text)
    scan.document()
    return scan.lines


class _Scan:
    """One walk over one document."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Path, int] = {}
        self._last: dict[Path, int] = {}  # arrays of tables: the index of the present element
        self._counted_to = 0
        self._line = 1

    def document(self) -> None:
        table: Path = ()
        while self._skip(_BLANK_LINES) < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def _record(self, path: Path) -> None:
        self._line += self.text.count("\n", self._counted_to, self.at)
        self._counted_to = self.at
        self.lines.setdefault(path, self._line)

    def _header(self) -> Path:
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        start = self.at
        self.at += brackets
        parts = self._key()
        self._skip(_BLANK)
        end, self.at = self.at + brackets, start
        path: Path = ()
        for number, part in enumerate(parts, 1):
            path = (*path, part)
            self._record(path)
            if brackets == 2 and number == len(parts):
                self._last[path] = self._last.get(path, -1) + 1
            if path in self._last:
                path = (*path, self._last[path])
                self._record(path)
        self.at = end
        return path

    def _pair(self, table: Path) -> None:
        start = self.at
        parts = self._key()
        end, self.at = self._skip(_BLANK) + 1, start
        for number in range(1, len(parts) + 1):
            self._record((*table, *parts[:number]))
        self.at = end
        self._skip(_BLANK)
        self._value((*table, *parts))

    def _key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            start = self._skip(_BLANK)
            if self.text[start] in "\"'":
                self._string()
                parts.append(tomllib.loads(f"key = {self.text[start : self.at]}")["key"])
            else:
                parts.append(self.text[start : self._skip(_BARE_KEY)])
            if not self.text.startswith(".", self._skip(_BLANK)):
                return tuple(parts)
            self.at += 1

    def _string(self) -> None:
        ends = (found.end() for pattern in _STRINGS if (found := pattern.match(self.text, self.at)))
        self.at = next(ends)

    def _value(self, path: Path) -> None:
        first = self.text[self.at]
        if first in "\"'":
            self._string()
        elif first == "[":
            self._items(path, "]")
        elif first == "{":
            self._items(path, "}")
        else:
            self._skip(_BARE_VALUE)

    def _items(self, path: Path, close: str) -> None:
        self.at += 1
        index = 0
        while self.text[self._skip(_BLANK_LINES)] != close:
            if close == "]":
                self._record((*path, index))
                self._value((*path, index))
            else:
                self._pair(path)
            index += 1
            if self.text[self._skip(_BLANK_LINES)] == ",":
                self.at += 1
        self.at += 1
