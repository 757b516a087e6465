"""Command lines, read by a table: which words select, stop early, only list, or say nothing about what is measured.

Design 10.23, 10.24 and 10.27. Pure: a table of options and a list of words in, typed words out. A word that no table
knows is kept as it is; one that stands alone counts as an operand (a path, a pattern, a task), which is the careful
reading: an operand too many makes a run partial, never complete.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.enums import Enum

END = "--"


class Effect(Enum):
    """What an option does to a run."""

    SELECT = "select"  # given: fewer cases run
    WIDEN = "widen"  # left out: fewer cases run
    BAIL = "bail"  # stops at a red case
    GO_ON = "go on"  # takes back a bail
    LIST = "list"  # nothing is run
    COSMETIC = "cosmetic"  # reports, verbosity, colour, workers: not what is measured
    PLAIN = "plain"


class Takes(Enum):
    """Where an option's value stands."""

    NOTHING = "nothing"  # a flag; `--flag=false` takes it back
    VALUE = "value"  # `--name value` or `--name=value`
    ATTACHED = "attached"  # `--name` or `--name=value`, never the next word
    PERHAPS = "perhaps"  # the next word unless it begins with a dash
    MANY = "many"  # all words up to the next option


@dataclass(frozen=True, slots=True)
class Option:
    """One option under all its names. `repeats`: every value counts, else only the last. `keys`: an option such as `-o
    KEY=VALUE` has its effect only for these keys."""

    names: tuple[str, ...]
    effect: Effect
    takes: Takes = Takes.NOTHING
    repeats: bool = False
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Word:
    """One option with its value, or an operand (`option` is None and `name` ""); `tokens` are the words as given."""

    name: str
    value: str | None
    tokens: tuple[str, ...]
    option: Option | None = None
    source: str = ""

    @property
    def effect(self) -> Effect:
        if self.option is None:
            return Effect.PLAIN
        if self.option.keys and (self.value or "").partition("=")[0].strip() not in self.option.keys:
            return Effect.PLAIN
        return self.option.effect

    @property
    def is_operand(self) -> bool:
        return self.name == ""

    @property
    def is_off(self) -> bool:
        """`--bail=0`, `--only=false`, `-k ""`: given, and without effect."""
        if self.value is None or self.option is None:
            return False
        said = self.value.strip().lower()
        if self.effect is Effect.BAIL:
            return said in {"0", "false", "all"}
        return not said or (self.option.takes is Takes.NOTHING and said == "false")

    def __str__(self) -> str:
        said = shlex.join(self.tokens)
        return f"{self.source}: {said}" if self.source else said


def option(
    names: str, effect: Effect, takes: Takes = Takes.NOTHING, *, repeats: bool = False, keys: Iterable[str] = ()
) -> Option:
    """A row of a table: the names separated by blanks."""
    return Option(tuple(names.split()), effect, takes, repeats, frozenset(keys))


def options(names: str, effect: Effect, takes: Takes = Takes.NOTHING) -> tuple[Option, ...]:
    """Rows that differ in their name alone, one for each word."""
    return tuple(Option((name,), effect, takes) for name in names.split())


def repeated(names: str, effect: Effect) -> tuple[Option, ...]:
    """Rows for options that take a value and may be given several times, each time with effect."""
    return tuple(Option((name,), effect, Takes.VALUE, repeats=True) for name in names.split())


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one runner reads its words.

    `clusters`: `-xvs` is three options. `joined`: `-n4` is `-n` with a value. `one_dash`: `-run` and `--run` are the
    same (Go). `merged` lists options whose next word belongs to the same token (`-D test=X`). `rest` reads what
    follows `--` (or, with `rest_at_once`, the first operand): None (operands), or the grammar of the program behind
    it. `abbreviates`: `--dry` is `--dry-run` where no other option begins so. `folded`: `--Dry-Run` is `--dryrun`.
    """

    table: Mapping[str, Option]
    clusters: bool = False
    joined: bool = True
    one_dash: bool = False
    merged: tuple[str, ...] = ()
    rest: Grammar | None = None
    rest_at_once: bool = False
    abbreviates: bool = False
    folded: bool = False


def grammar(
    *rows: Option | tuple[Option, ...],
    clusters: bool = False,
    joined: bool = True,
    one_dash: bool = False,
    merged: tuple[str, ...] = (),
    rest: Grammar | None = None,
    rest_at_once: bool = False,
    abbreviates: bool = False,
    folded: bool = False,
) -> Grammar:
    table: dict[str, Option] = {}
    for row in rows:
        for one in (row,) if isinstance(row, Option) else row:
            table |= dict.fromkeys(one.names, one)
    return Grammar(table, clusters, joined, one_dash, merged, rest, rest_at_once, abbreviates, folded)


@dataclass(slots=True)
class _Reading:
    """The words that are still to be read, in order."""

    grammar: Grammar
    tokens: list[str]
    source: str
    read: list[Word] = field(default_factory=list)

    def run(self) -> list[Word]:
        while self.tokens:
            token = self.tokens.pop(0)
            if token == END:
                self.read.append(Word(token, None, (token,), source=self.source))
                self.behind()
            elif token.startswith("-") and len(token) > 1:
                self.dashed(token)
            else:
                self.read.append(Word("", token, (token,), source=self.source))
                if self.grammar.rest_at_once:
                    self.behind()
        return self.read

    def behind(self) -> None:
        """What is left belongs to the program behind, or is operands."""
        if self.grammar.rest is not None:
            self.read += parse(self.tokens, self.grammar.rest, self.source)
        else:
            self.read += [Word("", t, (t,), source=self.source) for t in self.tokens]
        self.tokens = []

    def add(self, name: str, value: str | None, tokens: tuple[str, ...], found: Option | None) -> None:
        self.read.append(Word(name, value, tokens, found, self.source))

    def dashed(self, token: str) -> None:
        if token in self.grammar.merged and self.tokens:
            token += self.tokens.pop(0)
        name, equals, value = token.partition("=")
        found = self.look_up(name)
        if found is not None and equals:
            self.add(name, value, (token,), found)
        elif found is not None:
            self.with_value(name, found)
        elif not token.startswith("--") and not self.grammar.one_dash and len(token) > 2:
            self.short(token)
        else:
            self.add(name, value if equals else None, (token,), None)

    def look_up(self, name: str) -> Option | None:
        if self.grammar.one_dash and name.startswith("--"):
            name = name[1:]
        if self.grammar.folded and name.startswith("--"):
            name = "--" + name[2:].replace("-", "").lower()
        found = self.grammar.table.get(name)
        if found is None and self.grammar.abbreviates and name.startswith("--"):
            meant = {option for full, option in self.grammar.table.items() if full.startswith(name)}
            found = meant.pop() if len(meant) == 1 else None
        return found

    def with_value(self, name: str, found: Option, token: str = "") -> None:
        taken: list[str] = []
        if (found.takes is Takes.VALUE and self.tokens) or (
            found.takes is Takes.PERHAPS and self.tokens and not self.tokens[0].startswith("-")
        ):
            taken = [self.tokens.pop(0)]
        elif found.takes is Takes.MANY:
            while self.tokens and not self.tokens[0].startswith("-"):
                taken.append(self.tokens.pop(0))
        self.add(name, " ".join(taken) if taken else None, (token or name, *taken), found)

    def short(self, token: str) -> None:
        """`-n4`, and where the runner allows it `-xvs`. Each letter of a cluster becomes a word of its own."""
        first = self.grammar.table.get(token[:2])
        if first is not None and first.takes is not Takes.NOTHING and self.grammar.joined:
            self.add(token[:2], token[2:], (token,), first)
        elif first is not None and self.grammar.clusters:
            self.add(token[:2], None, (token[:2],), first)
            rest = "-" + token[2:]
            if len(rest) == 2 and (last := self.grammar.table.get(rest)) is not None:
                self.with_value(rest, last)
            else:
                self.dashed(rest)
        else:
            self.add(token, None, (token,), None)


def parse(tokens: Sequence[str], how: Grammar, source: str = "") -> list[Word]:
    """The words of a command line behind the runner's name."""
    return _Reading(how, list(tokens), source).run()


def effective(words: Sequence[Word], effect: Effect) -> list[Word]:
    """The words with this effect that count: of an option that does not repeat only the last, and none that is off."""
    last: dict[tuple[str, ...], Word] = {}
    kept: list[Word] = []
    for word in words:
        if word.effect is not effect or word.option is None:
            continue
        if word.option.repeats or word.option.keys:
            kept.append(word)
        else:
            last[word.option.names] = word
    return [w for w in (*last.values(), *kept) if not w.is_off]


def narrowed(words: Sequence[Word], usual: Sequence[Word]) -> list[str]:
    """The selections in `words` that `usual` has not, and the widening options of `usual` that are left out."""
    known = {(w.option, w.value) for w in effective(usual, Effect.SELECT)}
    said = [str(w) for w in effective(words, Effect.SELECT) if (w.option, w.value) not in known]
    wide = {(w.option, w.value) for w in effective(words, Effect.WIDEN)}
    return said + [f"without {w}" for w in effective(usual, Effect.WIDEN) if (w.option, w.value) not in wide]
