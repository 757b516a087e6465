"""Where in a command line the runner stands: behind `uv run`, `npx`, `python -m`, `env NAME=value` and their like.

Pure. A launcher's own options are skipped with their values; a command that starts a shell, a make target or an npm
script names no runner, and none is guessed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass, field


@dataclass(frozen=True, slots=True)
class Call:
    """A command line taken apart: `head` up to and with the runner's own name, `tail` behind it, and what `env` sets.

    `recorded` is False behind a launcher that leaves files of its own (coverage): no second start of it for a question.
    `moved` are a launcher's words that start the runner in another folder (`uv run --directory web`).
    """

    runner: str
    head: tuple[str, ...]
    tail: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    recorded: bool = True
    moved: tuple[str, ...] = ()


PYTHON = re.compile(r"(python|pypy)[0-9.]*$")
MODULE_FLAG = re.compile(r"-[bBdEhiIOPqsSuvx]*m|--module")
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")

# The program's name, without its folder, and the runner that it is.
PROGRAMS = {
    "pytest": "pytest", "py.test": "pytest",
    "jest": "jest", "jest.js": "jest", "vitest": "vitest", "vitest.mjs": "vitest",
    "mocha": "mocha", "_mocha": "mocha", "mocha.js": "mocha",
    "gotestsum": "gotestsum", "ctest": "ctest", "phpunit": "phpunit", "phpunit.phar": "phpunit", "rspec": "rspec",
    "mvn": "maven", "mvnw": "maven", "mvnd": "maven", "gradle": "gradle", "gradlew": "gradle",
    "cargo-nextest": "nextest", "nose2": "nose2", "behave": "behave", "robot": "robot",
    "jasmine": "jasmine", "jasmine.js": "jasmine", "tap": "tap", "tape": "tape", "bats": "bats", "prove": "prove",
}  # fmt: skip
# Runners only as a module, behind `-m`.
MODULES = {"unittest": "unittest", "xmlrunner": "xmlrunner"}
# Two or three words that name one runner.
PAIRS = {
    ("go", "test"): "go", ("cargo", "nextest"): "nextest", ("cargo", "test"): "cargo",
    ("playwright", "test"): "playwright", ("cypress", "run"): "cypress", ("dotnet", "test"): "dotnet",
    ("rake", "test"): "minitest", ("rails", "test"): "minitest",
}  # fmt: skip
TRIPLES = {("claude", "plugin", "eval"): "plugin-eval", ("claude-code", "plugin", "eval"): "plugin-eval"}
# A test program that somebody built has any name. One of googletest is told by the options that it is given.
GOOGLETEST_OPTION = "--gtest_"

# A launcher's words, and its options whose value is the next word.
_PYTHON_OPTIONS = frozenset({"-X", "-W", "--check-hash-based-pycs"})
_UV = frozenset(
    [
        "--with",
        "--with-editable",
        "--with-requirements",
        "--extra",
        "--no-extra",
        "--group",
        "--no-group",
        "--only-group",
        "--env-file",
        "--package",
        "--project",
        "--directory",
        "--python",
        "-p",
        "--index",
        "--default-index",
        "--index-url",
        "-i",
        "--extra-index-url",
        "--find-links",
        "-f",
        "--config-file",
        "--cache-dir",
        "--resolution",
        "--prerelease",
        "--upgrade-package",
        "-P",
        "--refresh-package",
        "--color",
        "--link-mode",
        "--from",
        "--config-setting",
        "-C",
    ]
)
LAUNCHERS: Mapping[tuple[str, ...], frozenset[str]] = {
    ("uv", "run"): _UV,
    ("uvx",): _UV,
    ("uv", "tool", "run"): _UV,
    ("poetry", "run"): frozenset({"-C", "--directory", "-P", "--project"}),
    ("pdm", "run"): frozenset({"-p", "--project", "--venv"}),
    ("hatch", "run"): frozenset(),
    ("rye", "run"): frozenset({"--pyproject"}),
    ("pipenv", "run"): frozenset(),
    ("pixi", "run"): frozenset({"-e", "--environment", "--manifest-path"}),
    ("coverage", "run"): frozenset(
        {"--context", "--data-file", "--include", "--omit", "--rcfile", "--source", "--concurrency"}
    ),
    ("npx",): frozenset({"-p", "--package", "-w", "--workspace", "--prefix"}),
    ("npm", "exec"): frozenset({"-p", "--package", "-w", "--workspace", "--prefix"}),
    ("npm", "x"): frozenset({"-p", "--package", "-w", "--workspace", "--prefix"}),
    ("pnpm", "exec"): frozenset({"-C", "--dir", "--filter", "-F"}),
    ("pnpm", "dlx"): frozenset({"--package"}),
    ("pnpm",): frozenset({"-C", "--dir", "--filter", "-F"}),
    ("yarn", "run"): frozenset({"--cwd"}),
    ("yarn", "exec"): frozenset({"--cwd"}),
    ("yarn", "dlx"): frozenset({"-p", "--package"}),
    ("yarn",): frozenset({"--cwd"}),
    ("bunx",): frozenset(),
    ("bundle", "exec"): frozenset(),
    ("php",): frozenset({"-d", "-c", "--define", "--php-ini"}),
    ("env",): frozenset({"-u", "--unset", "-C", "--chdir"}),
    ("xvfb-run",): frozenset({"-s", "--server-args", "-n", "--server-num", "-e", "--error-file", "-f", "--auth-file"}),
    ("time",): frozenset({"-f", "-o"}),
    ("nice",): frozenset({"-n", "--adjustment"}),
    ("timeout",): frozenset({"-k", "--kill-after", "-s", "--signal"}),
}
# The options by which a launcher starts the runner in another folder.
MOVING: Mapping[str, frozenset[str]] = {
    "env": frozenset({"-C", "--chdir"}),
    "uv": frozenset({"--directory"}),
    "poetry": frozenset({"-C", "--directory"}),
    "pnpm": frozenset({"-C", "--dir"}),
    "yarn": frozenset({"--cwd"}),
    "npx": frozenset({"--prefix"}),
    "npm": frozenset({"--prefix"}),
}
# A launcher that runs in some of the packages of a workspace selects; it is not seen through.
SELECTING = frozenset({"--filter", "-F", "-w", "--workspace", "--workspaces", "-ws"})


def locate(command: Sequence[str]) -> Call | None:
    """The runner in a command line, or None. The launchers may be nested."""
    tokens = tuple(command)
    environ: dict[str, str] = {}
    moved: list[str] = []
    at, recorded = 0, True
    while at < len(tokens):
        name = _name(tokens[at])
        if found := _runner(tokens, at, name):
            runner, length = found
            head = tokens[: at + length]
            return Call(runner, head, tokens[at + length :], environ, recorded, tuple(moved))
        after = _behind(tokens, at, name, environ)
        if after is None:
            built = any(token.startswith(GOOGLETEST_OPTION) for token in tokens[at + 1 :])
            return (
                Call("googletest", tokens[: at + 1], tokens[at + 1 :], environ, moved=tuple(moved)) if built else None
            )
        moved += _moving(tokens[at:after], name)
        recorded = recorded and name != "coverage"
        at = after
    return None


def _runner(tokens: Sequence[str], at: int, name: str) -> tuple[str, int] | None:
    """The runner that starts at a word, and how many words name it."""
    triple = (name, *tokens[at + 1 : at + 3])
    if len(triple) == 3 and triple in TRIPLES:
        return TRIPLES[triple], 3
    pair = (name, *tokens[at + 1 : at + 2])
    if len(pair) == 2 and pair in PAIRS:
        return PAIRS[pair], 2
    if name in PROGRAMS:
        return PROGRAMS[name], 1
    if name in MODULES and at > 0 and MODULE_FLAG.fullmatch(tokens[at - 1]):
        return MODULES[name], 1
    if name == "node" and "--test" in tokens[at:]:
        return "node", 1
    return None


def _behind(tokens: Sequence[str], at: int, name: str, environ: dict[str, str]) -> int | None:
    """Where the program or module that a launcher starts stands, or None when the word is no launcher."""
    if PYTHON.fullmatch(name) or name == "node":
        return _interpreted(tokens, at + 1, name)
    for words in sorted(LAUNCHERS, key=len, reverse=True):
        if (name, *tokens[at + 1 : at + len(words)]) == words:
            return _skipped(tokens, at + len(words), words, environ)
    return None


def _interpreted(tokens: Sequence[str], at: int, name: str) -> int | None:
    """Behind an interpreter: the script, or the module of `-m`."""
    while at < len(tokens) and tokens[at].startswith("-"):
        word = tokens[at]
        if name != "node" and MODULE_FLAG.fullmatch(word):
            return at + 1
        if word in {"-c", "-e", "-p"}:
            return None
        at += 2 if word in _PYTHON_OPTIONS or (name == "node" and word in {"-r", "--require", "--import"}) else 1
    return at


def _skipped(tokens: Sequence[str], at: int, words: tuple[str, ...], environ: dict[str, str]) -> int | None:
    """Behind a launcher's options (and, for `timeout` and `env`, its operands)."""
    takes = LAUNCHERS[words]
    operands = 1 if words == ("timeout",) else 0
    while at < len(tokens):
        word = tokens[at]
        if word.partition("=")[0] in SELECTING and words[0] in {"npx", "npm", "pnpm", "yarn"}:
            return None
        if word == "--":
            return at + 1
        if (word == "-m" and words[0] in {"uv", "coverage"}) or word == "--module":
            return at + 1
        if words == ("env",) and ASSIGNMENT.match(word):
            name, _, value = word.partition("=")
            environ[name] = value
            at += 1
        elif word.startswith("-"):
            at += 2 if word in takes else 1
        elif operands:
            operands -= 1
            at += 1
        else:
            return at
    return at


def _moving(tokens: Sequence[str], name: str) -> list[str]:
    """Of a launcher's words those that start the runner in another folder, each with its value."""
    wanted = MOVING.get(name, frozenset())
    found = []
    for index, word in enumerate(tokens):
        option, equals, _ = word.partition("=")
        if option in wanted:
            found.append(word if equals else " ".join(tokens[index : index + 2]))
    return found


def _name(token: str) -> str:
    """A program's name without its folder and without the endings that Windows gives it."""
    name = os.path.basename(token.replace("\\", "/"))
    for ending in (".exe", ".cmd", ".bat"):
        name = name.removesuffix(ending)
    return name
