"""YAML as `claude plugin eval` reads it: values in the core schema of YAML 1.2, with merge keys.

A key that is written twice counts by its last value, as it does there, and is named. What is read is bounded before it is
built: bytes, depth, parts, and the parts that aliases stand for. Values are None, bool, str, int, float, list and dict;
every number is what a JavaScript number is (a whole one as int), every key a string.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault, ReportFault

MOST_BYTES = 1 << 20
MOST_PARTS = 20_000
MOST_DEPTH = 64

_CORE = re.compile(
    r"(?P<null>null|Null|NULL|~|)"
    r"|(?P<true>true|True|TRUE)|(?P<false>false|False|FALSE)"
    r"|(?P<sign>[-+]?)(?:(?P<octal>0o[0-7]+)|(?P<hex>0x[0-9a-fA-F]+))"
    r"|(?P<decimal>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<infinite>[-+]?\.(?:inf|Inf|INF))|(?P<nan>\.(?:nan|NaN|NAN))"
)
_STRING_TAG = "tag:yaml.org,2002:str"
_PLAIN_TAGS = (None, *(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "bool", "null")))
# Line breaks of YAML 1.1 that are plain characters in 1.2, hidden from PyYAML by characters that the text does not use.
TABS = "Tab characters cannot be used as indentation"
_OLD_BREAKS = "\x85\u2028\u2029"


class YamlFault(ReportFault):
    """A text that is not YAML, or more of it than a case needs; `line` is counted from 1, 0 where it is not known."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """A key that stands more than once in one mapping: its path (`graders.0.pattern`) and the line of the later one."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """What a text holds. `repeated` names the keys of which only the last counted."""

    value: object
    repeated: tuple[RepeatedKey, ...] = ()


def load(data: bytes | str) -> Document:
    """The document in `data`: bytes are UTF-8, with or without a byte order mark, and bad bytes become U+FFFD.

    Two documents are a list of both, as the program has it. Raises YamlFault; EnvironmentFault where PyYAML is missing.
    """
    try:
        from shipmoor_hooks.evals import yaml_events
    except ImportError as missing:
        raise EnvironmentFault(
            "eval suites need PyYAML, which is not installed here", 'pip install "shipmoor-hooks[evals]"'
        ) from missing
    if len(data) > MOST_BYTES:
        raise YamlFault(f"the file is larger than {MOST_BYTES >> 20} MiB, which no case needs")
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    if "\0" in text:
        raise YamlFault("YAML Parse error: Unexpected character", text.count("\n", 0, text.index("\0")) + 1)
    # A block scalar that the end of the file cuts off ends with a line feed all the same.
    text = text.removeprefix("\ufeff") + ("" if text.endswith("\n") else "\n")
    text, hidden = _hide_old_breaks(text)
    builder = _Builder(hidden)
    try:
        documents = list(builder.documents(yaml_events.events(text)))
    except yaml_events.YAMLError as fault:
        raise _told(fault, text) from fault
    except ValueError as fault:  # PyYAML's own: an escape above U+10FFFF, a version of thousands of digits
        raise YamlFault("YAML Parse error: Unexpected character") from fault
    value = documents if len(documents) > 1 else documents[0] if documents else None
    return Document(value, tuple(builder.repeated))


def _hide_old_breaks(text: str) -> tuple[str, dict[int, str]]:
    """The text without U+0085, U+2028 and U+2029, and the table that puts them back."""
    used = [c for c in _OLD_BREAKS if c in text]
    if not used:
        return text, {}
    free = (chr(n) for n in range(0xF0000, 0xFFFFE) if chr(n) not in text)
    pairs = list(zip(used, free, strict=False))
    return text.translate({ord(old): new for old, new in pairs}), {ord(new): old for old, new in pairs}


class _Builder:
    """Events to values, each part counted before it is built."""

    def __init__(self, hidden: dict[int, str]) -> None:
        self.hidden = hidden
        self.repeated: list[RepeatedKey] = []
        self.anchors: dict[str, tuple[object, int]] = {}
        self.parts = 0

    def documents(self, events: Iterator[Any]) -> Iterator[object]:
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                self.anchors = {}
                yield self._value(next(events), events, ())

    def _count(self, parts: int, line: int) -> None:
        self.parts += parts
        if self.parts > MOST_PARTS:
            raise YamlFault(f"the file stands for more than {MOST_PARTS:,} values, aliases written out", line)

    def _value(self, event: Any, events: Iterator[Any], path: tuple[str, ...]) -> object:
        line = event.start_mark.line + 1 if event.start_mark else 0
        if len(path) > MOST_DEPTH:
            raise YamlFault(f"the file is nested more than {MOST_DEPTH} levels deep", line)
        kind = type(event).__name__
        before = self.parts
        self._count(1, line)
        anchor = getattr(event, "anchor", None)
        if kind == "AliasEvent":
            if anchor not in self.anchors:
                raise YamlFault("YAML Parse error: Unresolved alias", line)
            value, parts = self.anchors[anchor]
            self._count(parts, line)
            return value
        if kind == "ScalarEvent":
            value = self._scalar(event)
        elif kind == "SequenceStartEvent":
            value = self._sequence(events, path)
        else:
            value = self._mapping(events, path)
        if anchor is not None:
            self.anchors[anchor] = (value, self.parts - before)
        return value

    def _scalar(self, event: Any) -> object:
        text: str = event.value.translate(self.hidden) if self.hidden else event.value
        if not text.isascii():
            text = _joined(text, event.start_mark.line + 1)
        if event.style or (event.tag not in _PLAIN_TAGS and (text or event.tag == _STRING_TAG)):
            return text
        return core(text)

    def _sequence(self, events: Iterator[Any], path: tuple[str, ...]) -> list[object]:
        found: list[object] = []
        for event in events:
            if type(event).__name__ == "SequenceEndEvent":
                break
            found.append(self._value(event, events, (*path, str(len(found)))))
        return found

    def _mapping(self, events: Iterator[Any], path: tuple[str, ...]) -> dict[str, object]:
        own: dict[str, object] = {}
        merged: dict[str, object] = {}
        for event in events:
            if type(event).__name__ == "MappingEndEvent":
                break
            line = event.start_mark.line + 1 if event.start_mark else 0
            is_merge = getattr(event, "value", None) == "<<"
            key = key_text(self._value(event, events, (*path, "?")))
            value = self._value(next(events), events, (*path, key))
            sources = value if isinstance(value, list) else [value]
            tables = [source for source in sources if isinstance(source, dict)]
            if is_merge and (len(tables) == len(sources) or isinstance(value, list)):
                for table in tables:
                    self._count(len(table), line)
                    merged = table | merged
                continue
            if key in own:
                self.repeated.append(RepeatedKey(".".join((*path, key)), line))
            own[key] = value
        return merged | own


def core(text: str) -> object:
    """The value of a plain scalar in the core schema of YAML 1.2 (section 10.3)."""
    found = _CORE.fullmatch(text)
    kind = found.lastgroup if found else ""
    if found and kind in ("octal", "hex"):
        sign = -1 if found["sign"] == "-" else 1
        try:
            return whole(sign * float(int(found[kind][2:], 8 if kind == "octal" else 16)))
        except OverflowError:
            return sign * math.inf
    if kind == "decimal":
        return whole(float(text))
    if kind == "infinite":
        return -math.inf if text.startswith("-") else math.inf
    constants: dict[str | None, object] = {"null": None, "true": True, "false": False, "nan": math.nan}
    return constants.get(kind, text)


def whole(number: float) -> int | float:
    """A JavaScript number as Python has it: int where it is a whole number."""
    return int(number) if number.is_integer() else number


def key_text(key: object) -> str:
    """A key of a mapping as JavaScript has it, a string."""
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    if isinstance(key, list):
        return ",".join("" if k is None else key_text(k) for k in key)
    if isinstance(key, float) and not math.isfinite(key):
        return "NaN" if math.isnan(key) else "Infinity" if key > 0 else "-Infinity"
    return "[object Object]" if isinstance(key, dict) else str(key)


def _joined(text: str, line: int) -> str:
    """The text with two escaped halves of a character as one. Raises YamlFault for half a character."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as fault:
        raise YamlFault("YAML Parse error: Unexpected character", line) from fault


_ESCAPE = re.compile(r"found unknown escape character '(.+)'")


def _told(fault: Any, text: str) -> YamlFault:
    """PyYAML's complaint in the program's words, with the line; ours about an escape, since the cure is one of quotes."""
    mark = getattr(fault, "problem_mark", None) or getattr(fault, "context_mark", None)
    problem = str(getattr(fault, "problem", None) or getattr(fault, "reason", None) or fault)
    line = mark.line + 1 if mark else 0
    escape = _ESCAPE.search(problem)
    if escape:
        return YamlFault(
            f"YAML Parse error: Unexpected character (line {line}: \\{escape[1]} is no escape inside double quotes; "
            "put the pattern into single quotes)",
            line,
        )
    words = "Unexpected token"
    if problem == TABS:
        words = TABS
    elif "unexpected end of stream" in problem or (mark and mark.index >= len(text.rstrip("\n"))):
        words = "Unexpected EOF"
    elif "expected chomping or indentation indicators" in problem or "escape" in problem:
        words = "Unexpected character"
    elif "special characters are not allowed" in problem:
        line = text.count("\n", 0, getattr(fault, "position", 0)) + 1
        words = "Unexpected character"
    return YamlFault(f"YAML Parse error: {words}" + (f" (line {line})" if line else ""), line)
