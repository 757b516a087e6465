"""How a pytest session was started, read without the table of runners where its words are the common ones. Pure.

`told` says what `pytest_session` and the table say of the same words, and None wherever another word stands among them
(tests/test_plain_session.py asks both).
"""

from __future__ import annotations

import posixpath
import shlex

TYPE_CHECKING = False  # typing's own costs the hook path milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# As the policy may start pytest: the words that the condition `argv` keeps.
_HEADS = (("pytest",), ("python", "-m", "pytest"), ("python3", "-m", "pytest"), ("uv", "run", "pytest"))
_COSMETIC = frozenset(
    ("-q", "-qq", "-v", "-vv", "-vvv", "-s", "-l", "--quiet", "--verbose", "--no-header", "--no-summary", "--shipmoor",
     "--tb=short", "--tb=long", "--tb=line", "--tb=native", "--tb=no", "--tb=auto", "--color=no", "--color=yes", "-ra", "-rA")
)  # fmt: skip
# Options that change what is measured and select nothing: "" alone, else with the next word as their value.
_KEPT = {"-x": False, "--exitfirst": False, "-p": True}
_SELECTING = ("-k", "-m")
# Any of them set, and the table of runners is asked: it reads them.
_VARIABLES = (
    "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTHONOPTIMIZE", "PYTHONWARNINGS",
)  # fmt: skip
NO_VARIABLE = "nothing of note"  # `environment.NOTHING`
_OF_PATHS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:[],=+")


class Words:
    """A command line behind the runner: what is measured of it, what it selects in words, the paths that it names."""

    __slots__ = ("measured", "paths", "selections")

    def __init__(self, measured: tuple[str, ...], selections: list[str], paths: list[str]) -> None:
        self.measured, self.selections, self.paths = measured, selections, paths


class Told:
    """`narrowing` in words, whether it is the suite's own command, the conditions `argv` and `environment`."""

    __slots__ = ("argv", "environment", "is_policy_command", "narrowing")

    def __init__(self, narrowing: tuple[str, ...], is_policy_command: bool, argv: str, environment: str) -> None:
        self.narrowing, self.is_policy_command = narrowing, is_policy_command
        self.argv, self.environment = argv, environment


def told(
    command: Sequence[str], arguments: Sequence[str], testpaths: Sequence[str], environ: Mapping[str, str]
) -> Told | None:
    """What a session at the worktree's root with these arguments is beside a suite's `command`; None where not plain."""
    head = next((head for head in _HEADS if tuple(command[: len(head)]) == head), None)
    if head is None or any(environ.get(name) for name in _VARIABLES):
        return None
    usual, own = _read(command[len(head) :]), _read(arguments)
    if usual is None or own is None or usual.selections or usual.paths:
        return None
    narrowing = tuple(own.selections)
    wanted = [posixpath.normpath(path) for path in testpaths] or ["."]
    if own.paths and not all(any(_covers(wide, narrow) for wide in own.paths) for narrow in wanted):
        narrowing += tuple(f"only {shlex.quote(path)}" for path in own.paths)
    is_policy_command = usual.measured == own.measured
    argv = (*head, *usual.measured) if is_policy_command else ("pytest", *own.measured)
    return Told(narrowing, is_policy_command, " ".join(argv), NO_VARIABLE)


def is_surely_no_pytest(command: Sequence[str]) -> bool:
    """Whether the table of runners surely takes this command for another runner's, or for none that it knows."""
    return not any("pytest" in word or "py.test" in word for word in command)


def _read(words: Sequence[str]) -> Words | None:
    measured: list[str] = []
    selected: dict[str, str] = {}
    paths: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word in _COSMETIC:
            continue
        if word[:1] != "-":
            # Where a path leads is looked at only for an absolute one.
            if not word or word[0] == "/" or not _OF_PATHS.issuperset(word):
                return None
            paths.append(word)
            measured.append(word)
        elif word in _SELECTING and word not in selected and left and left[0].strip():
            selected[word] = left.pop(0)
            measured += word, selected[word]
        elif word in _KEPT and (not _KEPT[word] or left):
            measured += (word, left.pop(0)) if _KEPT[word] else (word,)
        else:
            return None
    return Words(tuple(measured), [shlex.join(pair) for pair in selected.items()], paths)


def _covers(wide: str, narrow: str) -> bool:
    """Whether all that one path names is below the other (`runners.operands.covers`)."""
    wide, narrow = _plain(wide), _plain(narrow)
    return wide in (narrow, ".") or narrow.startswith((wide + "/", wide + ":", wide + "["))


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path.rstrip("/") or "."
