"""How one value of the policy is read: a reader gives the value, or tells the fault and gives None (section 5)."""

# `return faults.add(…)` is how a reader says no: one statement that tells the fault and gives None.
# mypy: disable-error-code="func-returns-value"

from __future__ import annotations

import math
import re
import shlex
import warnings
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.model import Evidence, Normalise
from shipmoor_hooks.toml_lines import Path

T = TypeVar("T")


@dataclass(slots=True)
class Faults:
    """What is wrong with a document so far: paths and sentences, in the order of discovery."""

    found: list[tuple[Path, str]] = field(default_factory=list)

    def add(self, path: Path, message: str) -> None:
        self.found.append((path, message))


Reader = Callable[[object, Path, Faults], T | None]


def told(value: object) -> str:
    """What stands in the document instead, in words; strings are escaped, so that nothing odd reaches a terminal."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the string {value[:60]!r}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "a table" if isinstance(value, dict) else f"the date or time {value}"


def expected(what: str, value: object) -> str:
    return f"expected {what}, found {told(value)}"


def hint(word: str, valid: Collection[str]) -> str:
    """The nearest valid word as a question, or all of them."""
    import difflib  # only a fault needs it, and the hook path is counted in milliseconds

    plain = {v.lower().replace("_", ""): v for v in valid}
    near = difflib.get_close_matches(word.lower().replace("_", "").replace("-", ""), plain, n=1, cutoff=0.5)
    return f"did you mean {plain[near[0]]}?" if near else f"valid are {', '.join(sorted(valid))}"


def text(value: object, path: Path, faults: Faults) -> str | None:
    """A string that is not empty and holds no control characters."""
    if not isinstance(value, str):
        return faults.add(path, expected("a string", value))
    if not value.strip():
        return faults.add(path, "expected a string that is not empty")
    if any(ord(c) < 32 or ord(c) == 127 for c in value):
        return faults.add(path, f"expected a string without control characters, found {told(value)}")
    return value


def revision(value: object, path: Path, faults: Faults) -> str | None:
    """A branch or another name of a commit."""
    name = text(value, path, faults)
    if name is not None and (name.startswith("-") or any(c.isspace() for c in name)):
        return faults.add(path, expected('the name of a branch such as "origin/main"', value))
    return name


def choice(*words: str) -> Reader[str]:
    """One of a few words."""

    def read(value: object, path: Path, faults: Faults) -> str | None:
        if isinstance(value, str) and value in words:
            return value
        near = f"; {hint(value, words)}" if isinstance(value, str) else ""
        return faults.add(path, expected(" or ".join(f'"{w}"' for w in words), value) + near)

    return read


def evidence(value: object, path: Path, faults: Faults) -> Evidence | None:
    word = choice(*(e.word for e in sorted(Evidence, reverse=True)))(value, path, faults)
    return None if word is None else Evidence[word.upper()]


def flag(value: object, path: Path, faults: Faults) -> bool | None:
    return value if isinstance(value, bool) else faults.add(path, expected("true or false", value))


def positive(unit: str) -> Reader[float]:
    """A number above zero; infinity and nan are none."""

    def read(value: object, path: Path, faults: Faults) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
            return faults.add(path, expected(f"{unit} above 0", value))
        return float(value)

    return read


def shards(value: object, path: Path, faults: Faults) -> int | None:
    if not isinstance(value, int) or value < 2:  # true and false are 1 and 0, so they fall here as well
        return faults.add(path, expected("a whole number of parts, 2 or more", value))
    return value


def items(what: str, value: object, path: Path, faults: Faults, read: Reader[T]) -> tuple[T, ...] | None:
    """Every element of a list by one reader; one bad element spoils the list, and each is told."""
    if not isinstance(value, list):
        return faults.add(path, expected(what, value))
    found = [read(element, (*path, index), faults) for index, element in enumerate(value)]
    kept = tuple(f for f in found if f is not None)
    return kept if len(kept) == len(found) else None


def strings(value: object, path: Path, faults: Faults) -> tuple[str, ...] | None:
    """A list of strings, each once."""
    found = items("a list of strings", value, path, faults, text)
    return None if found is None else _unique(found, path, faults)


def sentences(value: object, path: Path, faults: Faults) -> tuple[str, ...] | None:
    """A list of strings over any number of lines."""
    return items("a list of sentences", value, path, faults, _sentence)


def _sentence(value: object, path: Path, faults: Faults) -> str | None:
    found = text(" ".join(value.split()) if isinstance(value, str) else value, path, faults)
    return None if found is None else found.strip()


def _unique(found: tuple[str, ...], path: Path, faults: Faults) -> tuple[str, ...] | None:
    twice = [i for i, word in enumerate(found) if word in found[:i]]
    for index in twice:
        faults.add((*path, index), f"expected each value once, found {told(found[index])} again")
    return None if twice else found


def command(value: object, path: Path, faults: Faults) -> tuple[str, ...] | None:
    """A list of words, or a string that is split as a shell splits words; no shell is ever started."""
    if isinstance(value, str):
        try:
            words: Iterable[object] = shlex.split(value)
        except ValueError as fault:
            return faults.add(path, f"expected a command that can be split into words: {str(fault).lower()}")
    elif isinstance(value, list):
        words = value
    else:
        return faults.add(path, expected("a string or a list of strings", value))
    found = items("a list of strings", list(words), path, faults, _word)
    if found is not None and not (found and found[0].strip()):
        return faults.add(path, "expected a command that names a program")
    return found


def _word(value: object, path: Path, faults: Faults) -> str | None:
    if not isinstance(value, str):
        return faults.add(path, expected("a string", value))
    return faults.add(path, "expected a word without a null character") if "\0" in value else value


def commands(value: object, path: Path, faults: Faults) -> tuple[tuple[str, ...], ...] | None:
    return items("a list of commands", value, path, faults, command)


def globs(value: object, path: Path, faults: Faults) -> tuple[str, ...] | None:
    """Paths with wildcards that never leave the worktree."""
    found = items("a list of paths", value, path, faults, _glob)
    return None if found is None else _unique(found, path, faults)


def _glob(value: object, path: Path, faults: Faults) -> str | None:
    pattern = text(value, path, faults)
    if pattern is not None and pattern.startswith(("/", "~")):
        return faults.add(path, expected("a path relative to the worktree's root", value))
    return _inside(pattern, path, faults)


def _inside(pattern: str | None, path: Path, faults: Faults) -> str | None:
    if pattern is not None and ".." in pattern.replace("\\", "/").split("/"):
        return faults.add(path, f'expected a path inside the worktree, without "..", found {told(pattern)}')
    return pattern


def excludes(value: object, path: Path, faults: Faults) -> tuple[str, ...] | None:
    """Patterns of gitignore without `!`; a leading slash ties one to the worktree's root, as it does there."""
    found = items("a list of patterns", value, path, faults, _exclude)
    return None if found is None else _unique(found, path, faults)


def _exclude(value: object, path: Path, faults: Faults) -> str | None:
    pattern = text(value, path, faults)
    if pattern is not None and pattern.startswith("!"):
        return faults.add(path, 'expected a pattern without "!": a path that is excluded cannot be taken back')
    if pattern is not None and not pattern.strip("*/ "):
        return faults.add(path, f"expected a pattern that leaves something to test, found {told(pattern)}")
    return _inside(pattern, path, faults)


def expression(value: object, path: Path, faults: Faults) -> str | None:
    """A regular expression of Python's `re`."""
    if not isinstance(value, str):
        return faults.add(path, expected("a regular expression", value))
    return _compiled(value, "", path, faults)


def _compiled(pattern: str, replace: str, path: Path, faults: Faults) -> str | None:
    """The pattern, when it compiles and the replacement speaks of groups that it has."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        return faults.add(path, f"expected a regular expression that compiles: {fault}")
    try:
        compiled.sub(replace, "")
    except (re.error, IndexError) as fault:
        return faults.add((*path[:-1], "replace"), f"expected a replacement that fits its pattern: {fault}")
    return pattern


def normalise(value: object, path: Path, faults: Faults) -> tuple[Normalise, ...] | None:
    return items("a list of { pattern, replace } tables", value, path, faults, _replacement)


def _replacement(value: object, path: Path, faults: Faults) -> Normalise | None:
    if not isinstance(value, dict):
        return faults.add(path, expected("a table { pattern, replace }", value))
    valid = ("pattern", "replace")
    for key in value:
        if key not in valid:
            faults.add((*path, key), f"unknown key; {hint(key, valid)}")
    for key in valid:
        if not isinstance(value.get(key, ""), str):
            faults.add((*path, key), expected("a string", value[key]))
        elif key not in value:
            faults.add(path, f"expected the key {key} as well")
    pattern, replace = value.get("pattern"), value.get("replace")
    if not isinstance(pattern, str) or not isinstance(replace, str):
        return None
    if not pattern:
        return faults.add((*path, "pattern"), "expected a regular expression that is not empty")
    compiled = _compiled(pattern, replace, (*path, "pattern"), faults)
    return None if compiled is None or len(value) > 2 else Normalise(pattern, replace)
