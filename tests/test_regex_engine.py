"""The engine for graders' patterns: JavaScript's rules, a deadline, a memory limit, and a parent that survives all of it."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.evals import regex_engine, regex_request, regex_worker
from shipmoor_hooks.evals.matching import Answer, Question
from shipmoor_hooks.evals.regex_engine import RegexEngine
from shipmoor_hooks.evals.regex_request import Asked


@pytest.fixture(scope="module")
def engine() -> Iterator[RegexEngine]:
    with RegexEngine() as made:
        yield made


def number(engine: RegexEngine, pattern: str, text: str, flags: str = "", *, count: bool = False) -> int:
    answer = engine.ask([Question(pattern, flags, (text,), count)])[0]
    assert (answer.threw, answer.unknown) == ("", "")
    return answer.counts[0]


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        pytest.param("b", "", "abc", 1, id="found"),
        pytest.param("z", "", "abc", 0, id="not found"),
        pytest.param("", "", "", 1, id="nothing matches in nothing"),
        pytest.param(r"a$", "m", "a\r\nb", 1, id="CR ends a line under m"),
        pytest.param(r"\Aa", "", "Aa", 1, id="backslash A is a letter"),
        pytest.param("[^]", "", "\n", 1, id="an empty negated class takes anything"),
        pytest.param(r"(?<!n['’]t .{0,9})pass", "", "does pass", 1, id="a lookbehind of any length"),
        pytest.param(r"(?<!n['’]t .{0,9})pass", "", "doesn't pass", 0, id="a lookbehind that refuses"),
        pytest.param(r"\d", "", "٣", 0, id="digits are ASCII"),
        pytest.param(r"\s", "", "\ufeff", 1, id="a byte order mark is space"),
        pytest.param(r"\s", "", "\x85", 0, id="NEL is none"),
        pytest.param("(?i:x)Y", "", "XY", 1, id="inline modifiers"),
        pytest.param("^..$", "", "😀", 1, id="UTF-16 units without u"),
        pytest.param("^.$", "u", "😀", 1, id="code points with u"),
        pytest.param(r"\u{61}", "", "a", 0, id="braces are letters without u"),
        pytest.param("b", "y", "ab", 0, id="sticky stands at the start"),
        pytest.param("a", "g", "ba", 1, id="g changes nothing"),
        pytest.param("x\0y", "", "x\0y", 1, id="NUL"),
        pytest.param("\ud83d", "", "a\ud83db", 1, id="a lone surrogate"),
        pytest.param("\ud83d", "", "x" * 5000 + "\ud83d", 1, id="a lone surrogate in a long text"),
        pytest.param("\u2028x", "", "é" * 5000 + "\u2028x", 1, id="a long text that is not ASCII"),
    ],
)
def test_patterns_are_javascript_s(engine: RegexEngine, pattern: str, flags: str, text: str, expected: int) -> None:
    assert number(engine, pattern, text, flags) == expected


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        pytest.param("a", "", "banana", 3, id="each once"),
        pytest.param("aa", "", "aaaaa", 2, id="without overlap"),
        pytest.param("", "", "😀", 3, id="empty ones by UTF-16 unit"),
        pytest.param("", "u", "😀", 2, id="empty ones by code point with u"),
        pytest.param("a", "y", "aaba", 2, id="sticky ends at the first gap"),
        pytest.param("a*", "g", "baa", 3, id="g is there already"),
        pytest.param("x", "", "abc", 0, id="none"),
    ],
)
def test_matches_are_counted(engine: RegexEngine, pattern: str, flags: str, text: str, expected: int) -> None:
    assert number(engine, pattern, text, flags, count=True) == expected


@pytest.mark.parametrize(
    ("pattern", "flags", "why"),
    [
        pytest.param("(", "", "Unterminated group", id="a group that does not end"),
        pytest.param("a", "gg", "Invalid flags", id="a flag twice"),
        pytest.param("a", "l", "Invalid flags", id="a flag that only V8 has"),
        pytest.param("a(?:++)b: c", "", "Nothing to repeat", id="a pattern with a colon"),
    ],
)
def test_what_is_no_pattern_is_told(engine: RegexEngine, pattern: str, flags: str, why: str) -> None:
    assert engine.ask([Question(pattern, flags, ("x",))])[0].threw.startswith(why)


def test_many_questions_are_answered_in_their_order(engine: RegexEngine) -> None:
    texts = [f"{'x' * 30_000}{i}" for i in range(300)]  # more than one batch
    answers = engine.ask([Question(f"x{i}$", "", (texts[i], texts[(i + 1) % 300])) for i in range(300)])
    assert answers == (Answer((1, 0)),) * 300


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["", "a", "", "b"], id="nothing between others"),
        pytest.param(["\ufeffa", "\ufeff", "b"], id="a byte order mark at the start"),
        pytest.param(["a\0b", "\0", "\n", "a\nb\r"], id="NULs and ends of lines"),
        pytest.param(["\u2028", "a\u2029b", "\x85"], id="line separators"),
        pytest.param(["é", "😀😀", "a", "\uffff", "\U0010ffff"], id="one to four bytes of UTF-8"),
        pytest.param(["\ud83d", "\ude00", "\ude00\ud83d", "😀", "a\ud800"], id="lone surrogates beside others"),
        pytest.param(['["}', "\\u0041", "12", "."], id="what a message could be mistaken for"),
    ],
)
def test_every_text_arrives_as_it_is(engine: RegexEngine, texts: list[str]) -> None:
    assert_each_is_itself(engine, texts)


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.text(st.characters(exclude_categories=())), max_size=6))
def test_any_text_arrives_as_it_is(engine: RegexEngine, texts: list[str]) -> None:
    assert_each_is_itself(engine, texts)


def assert_each_is_itself(engine: RegexEngine, texts: list[str]) -> None:
    """Every text against the UTF-16 units of each, written in ASCII."""
    written = ["".join(f"\\u{unit:04x}" for unit in memoryview(units(text)).cast("H")) for text in texts]
    told = engine.each([Question(f"^{literal}$", "", texts) for literal in written])
    assert told == [[int(units(other) == units(text)) for other in texts] for text in texts]


def units(text: str) -> bytes:
    return text.encode(f"utf-16-{sys.byteorder[0]}e", "surrogatepass")


def test_what_is_asked_twice_travels_once_and_is_tried_once() -> None:
    texts = [f"reply {number}" for number in range(1000)]
    graders = [Question(f"word{number}", "", list(texts)) for number in range(10)]
    asked = Asked([*graders, *graders, Question("word1", "", texts, count=True)])
    (batch,) = asked.batches({})
    assert (len(batch.texts), len(batch.matches), len(batch.patterns)) == (1000, 11_000, 11)
    size = sum(map(len, batch.parts()))
    assert size < sum(map(len, texts)) + 11_000 * 6 + 1000 * 3 + 1000  # a match is a number of at most five digits


def test_a_batch_holds_so_much_text_and_no_more() -> None:
    texts = ["x" * (regex_request.BATCH // 3) + str(number) for number in range(5)] + ["y" * (3 * regex_request.BATCH)]
    batches = list(Asked([Question("x", "", texts), Question("y", "", texts[::-1])]).batches({}))
    assert [len(batch.texts) for batch in batches] == [2, 2, 1, 1]
    assert [len(batch.matches) for batch in batches] == [4, 4, 2, 2]


def test_no_question_needs_no_engine() -> None:
    made = RegexEngine()
    assert made.ask([]) == ()
    assert made._process is None


# ---------------------------------------------------------------- limits

A40 = "a" * 40


def test_a_match_that_takes_too_long_is_unknown_and_the_others_are_answered() -> None:
    with RegexEngine(deadline=0.3) as engine:
        slow = Question("^(?:(?:a+)+$|a*b)", "", (A40 + "b",))  # it does match, if one waits for days
        before, late, after = engine.ask([Question("a", "", ("a",)), slow, Question("b", "", ("ab", "c"))])
    assert (before, after) == (Answer((1,)), Answer((1, 0)))
    assert late == Answer(unknown="no answer within 0.3 s")


def test_a_text_that_takes_too_long_leaves_the_other_texts_their_answers() -> None:
    with RegexEngine(deadline=0.3) as engine:
        told = engine.each([Question("^(?:(?:a+)+$|a*b)", "", ("b", A40 + "b", "c")), Question("c", "", ("b", "c"))])
    assert told == [[1, Answer(unknown="no answer within 0.3 s"), 0], [0, 1]]


def test_behind_a_match_that_took_too_long_the_rest_is_tried_together() -> None:
    """A call into the engine costs half a millisecond: one for each of the rest would take ten seconds."""
    (batch,) = Asked([Question("^(?:(?:a+)+$|a*b)", "", [A40 + "b", *map(str, range(20_000))])]).batches({})
    size, head, texts = b"".join(batch.parts()).split(b"\n", 2)
    assert len(texts) == int(size)
    matcher = regex_worker.Matcher(0.3)
    engine, calls = matcher._racer, []

    class Counted:
        def eval(self, text: str, **how: float) -> object:
            calls.append(text)
            return engine.eval(text, **how)

    matcher._racer = Counted()  # type: ignore[assignment]
    told = json.loads(matcher.answers(head.decode("ascii"), texts.decode(), io.BytesIO()))
    assert told == [{"late": True}, *([0] * 20_000)]
    assert len(calls) < 12, calls


def test_no_match_is_believed_where_the_engine_that_never_backtracks_finds_none() -> None:
    with RegexEngine(deadline=0.3) as engine:
        assert engine.ask([Question("^(a+)+$", "", (A40 + "b",))]) == (Answer((0,)),)


def test_a_pattern_that_needs_backtracking_and_is_late_is_unknown() -> None:
    with RegexEngine(deadline=0.3) as engine:
        assert engine.ask([Question(r"^(a+)+\1$", "", (A40 + "b",))])[0].unknown


def test_a_pattern_that_was_late_three_times_is_not_tried_again() -> None:
    with RegexEngine(deadline=0.2) as engine:
        engine.ask([Question("a", "", ("a",))])
        begun = time.monotonic()
        answers = engine.ask([Question(r"^(a+)+\1$", "", (f"{A40}b{i}",)) for i in range(40)])
        assert all(a.unknown for a in answers)
        assert time.monotonic() - begun < 6


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        pytest.param("(?:a|b)*c", "a" * 10_000_000, id="more to go back to than the engine remembers"),
        pytest.param("(" * 30_000 + ")" * 30_000, "a", id="a pattern that takes the whole process down"),
        pytest.param("a" * (regex_request.LONGEST_PATTERN + 1), "a", id="a pattern that is too long"),
        pytest.param("b", "a" * (regex_request.LONGEST_TEXT + 1), id="a text that is too long"),
    ],
)
def test_what_is_beyond_a_limit_is_unknown_and_the_next_question_is_answered(pattern: str, text: str) -> None:
    with RegexEngine() as engine:
        answers = engine.ask([Question(pattern, "", (text,)), Question("b", "", ("abc",))])
        assert answers[0].unknown
        assert answers[0].counts == ()
        assert answers[1] == Answer((1,))


def test_an_engine_that_was_ended_starts_again() -> None:
    with RegexEngine() as engine:
        assert engine.ask([Question("a", "", ("a",))]) == (Answer((1,)),)
        assert engine._process is not None
        engine._process.kill()
        assert engine.ask([Question("a", "", ("a",)), Question("a", "", ("b",))]) == (Answer((1,)), Answer((0,)))


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_engine.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(EnvironmentFault) as fault:
        RegexEngine().ask([Question("a", "", ("a",))])
    assert "shipmoor-hooks[evals]" in fault.value.next_step
