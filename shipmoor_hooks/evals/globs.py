"""The globs of `file_exists`: `**/`, `**`, `*`, `?`, and nothing else (design, section 8). Pure.

Not shell globs: `?` is one UTF-16 unit and takes a slash, braces and brackets are letters, the whole path must match, and
case counts. Matching takes time in proportion to pattern times path, whatever the pattern.
"""

from __future__ import annotations

FOLDERS, ANYTHING, NAME, ONE = "folders", "anything", "name", "one"
_WILD = (("**/", FOLDERS), ("**", ANYTHING), ("*", NAME), ("?", ONE))
_SLASH = ord("/")
# What JavaScript's `trim` takes off: Python's `strip` knows other characters.
SPACES = "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"


def candidates(created: tuple[str, ...]) -> tuple[str, ...]:
    """The names that a glob is tried on: what was created, cut at line feeds, trimmed, empty ones left out."""
    lines = (line.strip(SPACES) for path in created for line in path.split("\n"))
    return tuple(line for line in lines if line)


def matches(glob: str, path: str) -> bool:
    """Does the whole path match the glob?"""
    return _run(_tokens(glob), _units(path))


def _tokens(pattern: str) -> list[str | int]:
    found: list[str | int] = []
    at = 0
    while at < len(pattern):
        for text, token in _WILD:
            if pattern.startswith(text, at):
                found.append(token)
                at += len(text)
                break
        else:
            found += _units(pattern[at])
            at += 1
    return found


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


def _run(tokens: list[str | int], path: list[int]) -> bool:
    """All places in the path that the tokens so far can end at, one token after the other."""
    places = {0}
    for token in tokens:
        if not places:
            return False
        if token == FOLDERS:
            first = min(places)
            places |= {i + 1 for i in range(first, len(path)) if path[i] == _SLASH}
        elif token == ANYTHING:
            places = set(range(min(places), len(path) + 1))
        elif token == NAME:
            places = _names(places, path)
        elif token == ONE:
            places = {i + 1 for i in places if i < len(path)}
        else:
            places = {i + 1 for i in places if i < len(path) and path[i] == token}
    return len(path) in places


def _names(places: set[int], path: list[int]) -> set[int]:
    found = set(places)
    inside = False
    for i in range(len(path)):
        inside = (inside or i in places) and path[i] != _SLASH
        if inside:
            found.add(i + 1)
    return found
