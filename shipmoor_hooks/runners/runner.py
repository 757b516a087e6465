"""A runner of the table: how it is told to write its report, and how a selection shows (design, section 2, 10.23,
10.27).

Pure: argv and the environment are arguments. Each family's module fills in rows; what a row means is decided here.
"""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Callable, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.runners.launch import ASSIGNMENT, Call, locate
from shipmoor_hooks.runners.operands import Compare, Paths, paths
from shipmoor_hooks.runners.words import Effect, Grammar, Word, effective, narrowed, parse


@dataclass(frozen=True, slots=True)
class Prepared:
    """A command that writes a report.

    `environ` holds what to change in the environment. `reports` are absolute paths or globs in the fresh folder, or,
    for a runner that is not told or whose user chose the place, paths and globs relative to the folder where the
    command starts. `reader` names the reader of `--as` (None: let the file tell). `hint` is the next step when no
    report comes. `named_below`: a report's path below this folder is the path of the test file it speaks of.
    """

    command: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    reports: tuple[str, ...] = ()
    reader: str | None = "junit"
    hint: str = ""
    named_below: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """What a row is asked to prepare: the call, the environment that it will have, and the fresh folder, absolute."""

    call: Call
    environ: Mapping[str, str]
    folder: str

    @property
    def command(self) -> tuple[str, ...]:
        return (*self.call.head, *self.call.tail)

    def file(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def first(self, *words: str) -> tuple[str, ...]:
        """The command with words put straight behind the runner's name."""
        return (*self.call.head, *words, *self.call.tail)

    def last(self, *words: str) -> tuple[str, ...]:
        """The command with words put at its end, but before any `--`."""
        tail = self.call.tail
        at = tail.index("--") if "--" in tail else len(tail)
        return (*self.call.head, *tail[:at], *words, *tail[at:])

    def value(self, how: Grammar, *names: str) -> str | None:
        """The last value that the user gave to an option in argv, None when it is not there."""
        wanted = {how.table[n] for n in names}
        given = [w.value for w in parse(self.call.tail, how) if w.option in wanted]
        return given[-1] if given else None


Tell = Callable[[Order], Prepared]


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that a runner obeys. With `words` its value is read as a command line, before argv's;
    else the variable has the effect by being set to something other than "" or "0". One that is not `shared` has a name
    that other programs use too, and says nothing behind a script whose runner is not known."""

    name: str
    words: Grammar | None = None
    effect: Effect = Effect.SELECT
    shared: bool = True


@dataclass(frozen=True, slots=True)
class Runner:
    """One row. `listing` are first operands that run nothing (`vitest list`); `version` is appended to the head.

    Where `selection_is_measured` is False, what was selected is no condition: each case is measured by itself.
    """

    name: str
    grammar: Grammar
    tell: Tell
    operands: Compare = field(default_factory=paths)
    subcommands: frozenset[str] = frozenset()
    listing: frozenset[str] = frozenset()
    variables: tuple[Variable, ...] = ()
    bails_by_default: bool = False
    version: tuple[str, ...] = ("--version",)
    selection_is_measured: bool = True

    def prepare(self, command: Sequence[str], environ: Mapping[str, str], folder: str) -> Prepared:
        """The command told to write its report into `folder`, which is fresh and absolute."""
        call = _call(command)
        return self.tell(Order(call, {**environ, **call.environ}, folder))

    def narrowing(self, command: Sequence[str], environ: Mapping[str, str], usual: Sequence[str]) -> tuple[str, ...]:
        """In words, what makes this run smaller than the policy's command `usual` would; () when nothing does.

        `usual` may be empty (no command in the policy): then every filter narrows.
        """
        words = self.words(command, environ)
        return (
            *self._narrowed(words, self.usual_words(usual)),
            *self.set_filters(command, environ),
            *_moved(command, usual),
        )

    def added(self, base: Sequence[str], tip: Sequence[str]) -> tuple[str, ...]:
        """What the command `tip` selects that `base` does not, the environment left aside (`env NAME=value` counts)."""
        words, usual = self.words(tip, {}), self.words(base, {})
        lists = [str(w) for w in effective(words, Effect.LIST) if not effective(usual, Effect.LIST)]
        before = self.set_filters(base, {})
        filters = [f for f in self.set_filters(tip, {}) if f not in before]
        return (*self._narrowed(words, usual), *lists, *filters, *_moved(tip, base))

    def bails(self, command: Sequence[str], environ: Mapping[str, str]) -> bool:
        """Whether a red case ends the run early."""
        words = self.words(command, environ)
        asked = [w for w in words if w.effect in (Effect.BAIL, Effect.GO_ON)]
        answer = self.bails_by_default
        for word in asked:  # the last one decides
            answer = word.effect is Effect.BAIL and not word.is_off
        merged = {**environ, **_call(command).environ}
        return answer or any(v.effect is Effect.BAIL for v in self._set(merged))

    def lists_only(self, command: Sequence[str], environ: Mapping[str, str] | None = None) -> bool:
        """Whether the command runs no case at all: a collection, a listing, a dry run."""
        words = self.words(command, environ or {})
        first = next((w.value for w in parse(_call(command).tail, self.grammar) if w.is_operand), None)
        return first in self.listing or bool(effective(words, Effect.LIST))

    def measured_argv(self, command: Sequence[str]) -> tuple[str, ...]:
        """The command without what does not change what is measured (design 10.23). Absolute programs lose their
        folder: it names a machine, or a person's home."""
        return (*(self._told_of(t) for t in _call(command).head), *self.measured_tail(command))

    def measured_tail(self, command: Sequence[str]) -> tuple[str, ...]:
        """The same without what stands before the runner's options."""
        words = parse(_call(command).tail, self.grammar)
        kept = [t for w in words if w.effect is not Effect.COSMETIC and not self._only_selects(w) for t in w.tokens]
        while kept and kept[-1] == "--":
            kept.pop()
        return tuple(kept)

    def _only_selects(self, word: Word) -> bool:
        return not self.selection_is_measured and (word.effect is Effect.SELECT or word.is_operand)

    def _told_of(self, token: str) -> str:
        name, equals, _ = token.partition("=")
        if equals and ASSIGNMENT.match(token) and name not in {v.name for v in self.variables}:
            return name
        return os.path.basename(token) if token.startswith("/") else token

    def version_command(self, command: Sequence[str]) -> tuple[str, ...] | None:
        """How to ask the runner for its version, None where the question would leave a file or its report tells."""
        call = _call(command)
        return (*call.head, *self.version) if call.recorded and self.version else None

    def from_top(self, command: Sequence[str], folder: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """The command as if it had been started at the worktree's root instead of in `folder`, which is relative to it.

        Only for runners whose operands are paths. Without operands the runner starts with `default` (relative to the
        root already), or else with the folder itself.
        """
        call = _call(command)
        words = parse(call.tail, self.grammar)
        moved = [t for w in words for t in ((_joined(folder, w.value or ""),) if w.is_operand else w.tokens)]
        if not any(w.is_operand for w in words):
            moved += default or ([folder] if folder else [])
        return (*call.head, *moved)

    def is_placed_by_paths(self) -> bool:
        """Whether `from_top` can say what a start in a sub-folder runs: only where the operands are paths."""
        return isinstance(self.operands, Paths)

    # ---------------------------------------------------------------- the parts

    def words(self, command: Sequence[str], environ: Mapping[str, str]) -> list[Word]:
        """All words that the runner obeys: those of its environment variables first, then argv's."""
        call = _call(command)
        argv = self._without_subcommand(parse(call.tail, self.grammar))
        return self.environment_words({**environ, **call.environ}) + argv

    def environment_words(self, environ: Mapping[str, str]) -> list[Word]:
        found: list[Word] = []
        for variable in self.variables:
            if variable.words is not None:
                found += parse(shell_words(environ.get(variable.name, "")), variable.words, variable.name)
        return found

    def environment_filters(self, environ: Mapping[str, str]) -> list[str]:
        """What the environment alone selects, whatever the command is."""
        words = self.environment_words(environ)
        chosen = [v.name for v in self._set(environ) if v.effect is Effect.SELECT and v.shared]
        return self._narrowed(words, ()) + chosen

    def usual_words(self, usual: Sequence[str]) -> list[Word]:
        return self.words(usual, {}) if (call := locate(usual)) is not None and call.runner == self.name else []

    def set_filters(self, command: Sequence[str], environ: Mapping[str, str]) -> list[str]:
        """The environment variables that select by being set, by name only: their values may be anything."""
        merged = {**environ, **_call(command).environ}
        return [v.name for v in self._set(merged) if v.effect is Effect.SELECT]

    def _set(self, environ: Mapping[str, str]) -> list[Variable]:
        return [v for v in self.variables if v.words is None and environ.get(v.name, "") not in ("", "0")]

    def _without_subcommand(self, words: list[Word]) -> list[Word]:
        for index, word in enumerate(words):
            if word.is_operand:
                return words[:index] + words[index + 1 :] if word.value in self.subcommands else words
        return words

    def _narrowed(self, words: Sequence[Word], usual: Sequence[Word]) -> list[str]:
        return narrowed(words, usual) + self.operands(words, usual)


def _call(command: Sequence[str]) -> Call:
    call = locate(command)
    if call is None:
        raise ValueError(f"no known runner in {shlex.join(command)}")
    return call


def _moved(command: Sequence[str], usual: Sequence[str]) -> tuple[str, ...]:
    """A launcher's words that start the runner in another folder than `usual` does, or leave that folder."""
    call = locate(usual)
    have, want = _call(command).moved, () if call is None else call.moved
    if have == want:
        return ()
    return have or tuple(f"without {words}" for words in want)


def _joined(folder: str, path: str) -> str:
    """A path operand moved up; what names no path (`@file`, an absolute path) stays."""
    if not folder or path.startswith(("/", "@")):
        return path
    return os.path.normpath(f"{folder}/{path}")


def literal(path: str) -> str:
    """A path as a glob that means it alone."""
    return glob.escape(path)


def shell_words(text: str) -> list[str]:
    """Split as a shell splits words; where a quote is open, at blanks: an unreadable filter is still a filter."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
