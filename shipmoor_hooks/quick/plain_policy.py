"""A policy in the plain form that most have, read without a TOML library, for the quick paths of the hooks. Pure.

What is taken: ASCII, the tables `[gate]` and `[suite.NAME]`, one key a line, strings without a backslash, lists of such
strings, whole numbers. Whatever else a policy may hold gives None, and `policy` reads it: so this never judges a policy, and
what it takes means the same there (tests/test_plain_policy.py).
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping

    Value = str | int | list[str]
    Table = dict[str, Value]

EVIDENCE = ("imported", "reported", "observed")  # the weakest first
_CHOICES = {
    "evidence": EVIDENCE,
    "untracked": ("warn", "refuse"),
    "mode": ("refuse", "warn"),
    "reruns": ("latest", "all"),
    "format": ("junit", "tap", "trx", "go-test"),
    "traces": ("keep", "drop"),
}
_GATE = ("target", "evidence", "untracked", "mode", "window")
_SUITE = ("command", "reports", "format", "reruns", "not_covered", "same", "traces")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SHELL_PLAIN = _LETTERS | frozenset(" ./=:,@%+")


class Plain:
    """What the quick paths ask of a policy: the target's name, the weakest evidence that counts, what a reduced tip leads to,
    how many hours a base run clears a red, what is done about untracked files, the suites' own tables."""

    __slots__ = ("evidence", "mode", "suites", "target", "untracked", "window")

    def __init__(self, gate: Table, suites: dict[str, Table]) -> None:
        self.target, self.evidence = str(gate.get("target", "origin/HEAD")), str(gate.get("evidence", "imported"))
        window = gate.get("window")
        self.mode, self.window = str(gate.get("mode", "refuse")), window if isinstance(window, int) else 24
        self.untracked, self.suites = str(gate.get("untracked", "warn")), suites


def read(data: bytes) -> Plain | None:
    """The policy of a `shipmoor-hooks.toml`; None for one that is not plain."""
    tables = _tables(data)
    if tables is None:
        return None
    gate = tables.pop("gate", {})
    if not _fits(gate, _GATE):
        return None
    suites = {}
    for name, table in tables.items():
        kind, _, suite = name.partition(".")
        if kind != "suite" or not suite or not _fits(table, _SUITE):
            return None
        suites[suite] = table
    return Plain(gate, suites)


def words(command: Value | None) -> list[str]:
    """The words of a suite's command; [] for none. A string is plain: it is split at its blanks."""
    if isinstance(command, str):
        return command.split()
    return command if isinstance(command, list) else []


def _tables(data: bytes) -> dict[str, Table] | None:
    """Each table by its dotted name, in the order of the file."""
    if not data.isascii():
        return None
    found: dict[str, Table] = {}
    table: Table | None = None
    for line in data.decode("ascii").split("\n"):
        line = line.strip(" ")
        if not line.isprintable():
            return None
        if not line or line[0] == "#":
            continue
        if line[0] == "[":
            name = line[1:-1]
            if line[-1] != "]" or name in found or not _is_name(name):
                return None
            table = found[name] = {}
            continue
        key, equals, text = line.partition("=")
        key, value = key.strip(" "), _value(text.strip(" "))
        if table is None or not equals or value is None or key in table or not key or not _LETTERS.issuperset(key):
            return None
        table[key] = value
    return found


def _is_name(name: str) -> bool:
    first, dot, second = name.partition(".")
    return (name == "gate" and not dot) or (first == "suite" and bool(second) and _LETTERS.issuperset(second))


def _value(text: str) -> Value | None:
    if text[:1] == "[":
        return _list(text[1:].lstrip(" "))
    if text[:1] == '"':
        word, rest = _string(text)
        return word if _ends(rest) else None
    digits, _, rest = text.partition(" ")
    if digits.isdigit() and str(int(digits[:9])) == digits and _ends(rest):
        return int(digits)
    return None


def _list(text: str) -> list[str] | None:
    """The strings of a list, behind its bracket."""
    found: list[str] = []
    while text[:1] == '"':
        word, text = _string(text)
        if word is None:
            return None
        found.append(word)
        text = text.lstrip(" ")
        if text[:1] != ",":
            break
        text = text[1:].lstrip(" ")
    return found if text[:1] == "]" and _ends(text[1:]) else None


def _string(text: str) -> tuple[str | None, str]:
    """The basic string at the start and what follows it; None for one with an escape or over several lines."""
    end = text.find('"', 1)
    word = text[1:end]
    if end < 0 or "\\" in word or text.startswith('"""'):
        return None, ""
    return word, text[end + 1 :]


def _ends(rest: str) -> bool:
    rest = rest.lstrip(" ")
    return not rest or rest[0] == "#"


def _fits(table: Mapping[str, Value], keys: tuple[str, ...]) -> bool:
    return all(key in keys and _is_valid(key, value) for key, value in table.items())


def _is_valid(key: str, value: Value) -> bool:
    """Whether a value is one that `policy_values` surely takes."""
    if key in _CHOICES:
        return value in _CHOICES[key]
    if key == "window":
        return isinstance(value, int) and value > 0
    if key == "target":
        return isinstance(value, str) and bool(value) and (_LETTERS | {"/", "."}).issuperset(value) and value[0] != "-"
    if key == "command" and isinstance(value, str):
        return bool(value.strip(" ")) and _SHELL_PLAIN.issuperset(value)
    if not isinstance(value, list) or not all(word.strip(" ") for word in value):
        return False
    if key == "command":
        return bool(value)
    if key == "reports" and any(w[0] in "/~" or ".." in w.split("/") for w in value):
        return False
    return key == "not_covered" or len(set(value)) == len(value)
