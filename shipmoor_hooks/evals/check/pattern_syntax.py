"""The shape of a JavaScript regular expression, as far as a lint needs it. Pure.

Nothing is matched here: an engine does that. The reader takes what V8 takes without the `v` flag and says None to the rest.
"""

from __future__ import annotations

from shipmoor_hooks.data_classes import dataclass

MANY = 1 << 30
_DEEPEST = 60
# Candidates for a character that a class holds or does not hold.
PROBES = "a0A _-./!\"'<>=@#\n\t\u00e9"


@dataclass(frozen=True, slots=True)
class Text:
    """One character, or a class of them: `sample` is a character that it takes, `literal` whether it takes only that."""

    sample: str
    literal: bool = True
    takes_newline: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """An assertion without width: `^`, `$`, `\\b`, `\\B`, or a look-around ("look")."""

    kind: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """A piece so many times; `most` is MANY where there is no bound."""

    body: Node
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """Pieces one after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    branches: tuple[Node, ...]


Node = Text | Edge | Repeat | Sequence | Choice


def parse(pattern: str) -> Node | None:
    """The shape of a pattern, None where this reader does not follow it."""
    reader = _Reader(pattern)
    try:
        found = reader.choice(0)
    except (_NotFollowed, IndexError, ValueError):
        return None
    return found if reader.at == len(pattern) else None


class _NotFollowed(Exception):
    pass


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def _next(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self, word: str) -> bool:
        if self.pattern.startswith(word, self.at):
            self.at += len(word)
            return True
        return False

    def choice(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise _NotFollowed
        branches = [self._sequence(depth)]
        while self._take("|"):
            branches.append(self._sequence(depth))
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.at < len(self.pattern) and self._next() not in "|)":
            parts.append(self._repeated(self._atom(depth)))
        return Sequence(tuple(parts))

    def _repeated(self, atom: Node) -> Node:
        bounds = {"*": (0, MANY), "+": (1, MANY), "?": (0, 1)}.get(self._next())
        if bounds is not None:
            self.at += 1
        elif self._next() == "{":
            bounds = self._braces()
        if bounds is None:
            return atom
        self._take("?")
        return Repeat(atom, *bounds)

    def _braces(self) -> tuple[int, int] | None:
        end = self.pattern.find("}", self.at)
        inside = self.pattern[self.at + 1 : end] if end > 0 else ""
        low, comma, high = inside.partition(",")
        if not low.isdecimal() or not (high == "" or high.isdecimal()):
            return None
        self.at = end + 1
        least = min(int(low), MANY)
        return least, least if not comma else int(high) if high else MANY

    def _atom(self, depth: int) -> Node:
        character = self._next()
        self.at += 1
        if character == "(":
            return self._group(depth)
        if character == "[":
            return self._class()
        if character == "\\":
            return self._escape()
        if character in "^$":
            return Edge(character)
        if character == ".":
            return Text("a", literal=False)
        return Text(character, takes_newline=character == "\n")

    def _group(self, depth: int) -> Node:
        look = any(self._take(word) for word in ("?=", "?!", "?<=", "?<!"))
        if not look and self._take("?"):
            end = ":" if self._next() != "<" else ">"
            self.at = self.pattern.index(end, self.at) + 1
        inside = self.choice(depth + 1)
        if not self._take(")"):
            raise _NotFollowed
        return Edge("look") if look else inside

    def _escape(self) -> Node:
        character = self.pattern[self.at]
        self.at += 1
        if character in "bB":
            return Edge(f"\\{character}")
        if character in "dDwWsS":
            sample = next(p for p in PROBES if in_escape(character, p))
            return Text(sample, literal=False, takes_newline=in_escape(character, "\n"))
        if character == "k" or (character.isdecimal() and character != "0"):
            raise _NotFollowed
        return Text(self._escaped(character), takes_newline=character == "n")

    def _escaped(self, character: str) -> str:
        digits = {"x": 2, "u": 4, "c": 1}.get(character, 0)
        if digits:
            code = self.pattern[self.at : self.at + digits]
            self.at += digits
            return chr(ord(code) % 32) if character == "c" else chr(int(code, 16))
        return {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0"}.get(character, character)

    def _class(self) -> Node:
        negated = self._take("^")
        items: list[tuple[str, str]] = []
        while not self._take("]"):
            items.append(self._class_item())
        taken = [p for p in (*PROBES, *(low for low, high in items if high)) if _holds(items, p) != negated]
        if not taken:
            raise _NotFollowed
        only = not negated and len(items) == 1 and items[0][0] == items[0][1]
        return Text(taken[0] if not only else items[0][0], literal=only, takes_newline=_holds(items, "\n") != negated)

    def _class_item(self) -> tuple[str, str]:
        """A range of characters, or an escape letter with "" for its end."""
        low = self._class_character()
        if len(low) > 1 or self._next() != "-" or self.pattern[self.at + 1] == "]":
            return (low[1], "") if len(low) > 1 else (low, low)
        self.at += 1
        high = self._class_character()
        if len(high) > 1:
            raise _NotFollowed
        return low, high

    def _class_character(self) -> str:
        character = self.pattern[self.at]
        self.at += 1
        if character != "\\":
            return character
        letter = self.pattern[self.at]
        self.at += 1
        if letter in "dDwWsS":
            return f"\\{letter}"
        return "\b" if letter == "b" else self._escaped(letter)


def in_escape(letter: str, character: str) -> bool:
    """Whether `\\d`, `\\w`, `\\s` or their opposites take a character of ASCII."""
    inside = {
        "d": character in "0123456789",
        "w": character.isascii() and (character.isalnum() or character == "_"),
        "s": character in " \t\n\r\v\f\u00a0",
    }[letter.lower()]
    return inside != letter.isupper()


def _holds(items: list[tuple[str, str]], character: str) -> bool:
    return any(low <= character <= high if high else in_escape(low, character) for low, high in items)
