"""What the environment says to a runner, as conditions of a run: digests, never values. Pure.

A variable that is read as a command line (PYTEST_ADDOPTS) counts without the words that do not change what is measured, as
argv does (design 10.23); so a colour or a report's path makes no two runs different.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from shipmoor_hooks import runners
from shipmoor_hooks.runners.runner import shell_words
from shipmoor_hooks.runners.words import Effect, Grammar, parse

NAME = "environment"
NOTHING = "nothing of note"

_NODE = ("NODE_OPTIONS",)
_PYTHON = ("PYTHONOPTIMIZE", "PYTHONWARNINGS")
_JAVA = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
# Beside those of the runner's own row, whose words the table of runners reads.
_MORE: Mapping[str, tuple[str, ...]] = {
    "pytest": ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", *_PYTHON),
    "unittest": _PYTHON,
    "xmlrunner": _PYTHON,
    "nose2": _PYTHON,
    "behave": _PYTHON,
    "robot": ("ROBOT_OPTIONS", *_PYTHON),
    "jest": _NODE,
    "vitest": _NODE,
    "mocha": _NODE,
    "jasmine": _NODE,
    "playwright": _NODE,
    "cypress": _NODE,
    "tap": _NODE,
    "tape": _NODE,
    "maven": ("MAVEN_OPTS", *_JAVA),
    "gradle": ("GRADLE_OPTS", "JAVA_OPTS", *_JAVA),
    "cargo": ("RUSTFLAGS",),
    "nextest": ("RUSTFLAGS", "NEXTEST_PROFILE"),
    "rspec": ("RUBYOPT",),
    "minitest": ("RUBYOPT",),
    "prove": ("PERL5OPT", "HARNESS_PERL_SWITCHES"),
}
# Any variable that begins so, but for those that only say where a report goes.
_FAMILIES: Mapping[str, re.Pattern[str]] = {
    "jest": re.compile(r"JEST_(?!JUNIT_|WORKER_ID$|HTML_REPORTER_)"),
    "vitest": re.compile(r"VITEST_(?!WORKER_ID$|POOL_ID$)"),
    "googletest": re.compile(r"GTEST_(?!OUTPUT$|COLOR$|BRIEF$)"),
    "cypress": re.compile(r"CYPRESS_(?!CACHE_FOLDER$|RUN_BINARY$|INSTALL_BINARY$)"),
}
# How much memory there is, and what is printed, changes nothing that is measured.
_ROOM = re.compile(r"-Xm[snx]\S*|-Xss\S*|-XX:\S*|--max[-_](?:old|semi)[-_]space[-_]size=\S+|--no-warnings|--trace-\S+")


def condition(command: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """The one condition `environment`: each variable that changes what is measured with a digest; {} where no runner of
    the table is in the command."""
    runner = runners.recognise(command)
    if runner is None:
        return {}
    words = {v.name: v.words for v in runner.variables}
    family = _FAMILIES.get(runner.name)
    names = {*words, *_MORE.get(runner.name, ()), *(n for n in environ if family is not None and family.match(n))}
    said = [f"{name} {_digest(value)}" for name, value in _measured(sorted(names), environ, words)]
    return {NAME: ", ".join(said) or NOTHING}


def _measured(
    names: Iterable[str], environ: Mapping[str, str], grammars: Mapping[str, Grammar | None]
) -> Iterable[tuple[str, str]]:
    for name in names:
        value = environ.get(name, "").strip()
        grammar = grammars.get(name)
        if grammar is not None:
            kept = [t for w in parse(shell_words(value), grammar) if w.effect is not Effect.COSMETIC for t in w.tokens]
        else:
            kept = shell_words(value) if name.endswith(("OPTS", "OPTIONS", "FLAGS", "OPT", "ARGS")) else [value]
        kept = [word for word in kept if word and not _ROOM.fullmatch(word)]
        if kept:
            yield name, shlex.join(kept)


def _digest(value: str) -> str:
    """Enough to tell two values apart, and too little to read one out."""
    return hashlib.sha256(value.encode("utf-8", "surrogateescape")).hexdigest()[:12]
