"""Laws of the runners' table: nothing narrows itself, cosmetics never narrow, a filter always does (design 10.23, 10.27)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks import runners
from shipmoor_hooks.runners.operands import covers
from shipmoor_hooks.runners.words import Effect, Takes, parse

HEADS = {
    "plugin-eval": ["claude", "plugin", "eval", "."],
    "pytest": ["pytest"], "xmlrunner": ["python", "-m", "xmlrunner"], "unittest": ["python", "-m", "unittest"],
    "jest": ["npx", "jest"], "vitest": ["npx", "vitest", "run"], "mocha": ["npx", "mocha"], "node": ["node", "--test"],
    "gotestsum": ["gotestsum"], "go": ["go", "test"], "nextest": ["cargo", "nextest", "run"], "cargo": ["cargo", "test"],
    "maven": ["mvn", "test"], "gradle": ["gradle", "test"], "ctest": ["ctest"], "phpunit": ["phpunit"], "rspec": ["rspec"],
    "nose2": ["nose2"], "behave": ["behave"], "robot": ["robot"], "playwright": ["npx", "playwright", "test"],
    "cypress": ["npx", "cypress", "run"], "prove": ["prove"], "bats": ["bats"], "tap": ["npx", "tap"],
    "tape": ["npx", "tape"], "dotnet": ["dotnet", "test"], "googletest": ["./suite", "--gtest_color=no"],
    "jasmine": ["npx", "jasmine"], "minitest": ["rake", "test"],
}  # fmt: skip
NAMES = st.sampled_from(sorted(HEADS))
TOKENS = st.lists(st.text(st.sampled_from("-abkxn=/. :[]'\"é"), max_size=6), max_size=6)


def test_every_row_is_asked() -> None:
    assert set(HEADS) == set(runners.RUNNERS)


@given(NAMES, TOKENS)
def test_no_command_narrows_itself(name: str, tokens: list[str]) -> None:
    command = [*HEADS[name], *tokens]
    assert runners.narrowing(command, {}, command) == ()
    assert runners.added_selection(command, command) is None


@given(NAMES, TOKENS)
def test_the_words_hold_every_token_once(name: str, tokens: list[str]) -> None:
    """Nothing of a command line is lost by reading it; a cluster such as `-xvs` may come apart."""
    grammar = runners.RUNNERS[name].grammar
    read = [t for w in parse(tokens, grammar) for t in w.tokens]
    assert "".join(read).replace("-", "") == "".join(tokens).replace("-", "")


@given(NAMES, TOKENS, TOKENS)
def test_an_added_selection_is_what_a_run_would_be_told(name: str, base: list[str], tip: list[str]) -> None:
    """The policy's rule and the run's agree: what narrows a run against a command narrows a command against it."""
    one, other = [*HEADS[name], *base], [*HEADS[name], *tip]
    narrowing = runners.narrowing(other, {}, one)
    added = runners.added_selection(one, other) or ""
    assert all(word in added for word in narrowing)


def rows(name: str, effect: Effect) -> list[list[str]]:
    """One command for each option of a row's grammar that has this effect, with a value where it takes one."""
    found = []
    for option, row in runners.RUNNERS[name].grammar.table.items():
        if row.effect is effect and not row.keys:
            value = [option] if row.takes is Takes.NOTHING else [option, "1"]
            found.append([*HEADS[name], *([f"{option}=1"] if row.takes is Takes.ATTACHED else value)])
    return found


EACH = pytest.mark.parametrize("name", sorted(HEADS))


@EACH
def test_a_cosmetic_option_neither_narrows_nor_counts(name: str) -> None:
    for command in rows(name, Effect.COSMETIC):
        assert runners.narrowing(command, {}, HEADS[name]) == (), command
        assert runners.measured_argv(command) == runners.measured_argv(HEADS[name]), command


@EACH
def test_a_selecting_option_narrows_and_counts(name: str) -> None:
    for command in rows(name, Effect.SELECT):
        assert len(runners.narrowing(command, {}, HEADS[name])) == 1, command
        assert runners.added_selection(HEADS[name], command), command
        counts = runners.measured_argv(command) != runners.measured_argv(HEADS[name])
        assert counts is runners.RUNNERS[name].selection_is_measured, command


@EACH
def test_a_widening_option_narrows_where_it_is_left_out(name: str) -> None:
    for command in rows(name, Effect.WIDEN):
        assert runners.narrowing(command, {}, HEADS[name]) == (), command
        assert len(runners.narrowing(HEADS[name], {}, command)) == 1, command


@EACH
def test_a_bailing_option_bails_and_selects_nothing(name: str) -> None:
    for command in rows(name, Effect.BAIL):
        assert runners.bails(command, {}), command
        assert runners.narrowing(command, {}, HEADS[name]) == (), command


@EACH
def test_every_runner_has_options_that_select_and_that_do_not_matter(name: str) -> None:
    """The laws above say something about each of them."""
    assert rows(name, Effect.SELECT)
    assert rows(name, Effect.COSMETIC) or name == "tape"  # every option of tape's decides what is measured


PATHS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3).map("/".join)


@given(PATHS, PATHS, PATHS)
def test_covering_is_an_order(one: str, two: str, three: str) -> None:
    assert covers(one, one)
    if covers(one, two) and covers(two, three):
        assert covers(one, three)
    if covers(one, two) and covers(two, one):
        assert (one or ".") == (two or ".")
