"""What graders see of a trace, and JSON as JavaScript writes it."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py_mini_racer import MiniRacer
from trace_world import INIT, RESULT, block, line, result_of, said, trace_of, used

from shipmoor_hooks.evals import js_json, trace


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([], "", id="nothing was said"),
        pytest.param([said("one")], "one", id="one text"),
        pytest.param([said("one"), said("two")], "two", id="the last one"),
        pytest.param([said("one"), used("Bash"), result_of("x")], "one", id="a last turn without text"),
        pytest.param([said("one"), said("sub", "t9")], "one", id="a subagent's is not the answer"),
        pytest.param([said(" a\r\n")], " a\r\n", id="untrimmed"),
        pytest.param([said("one"), block({"type": "thinking", "thinking": "hm"})], "one", id="thoughts are no answer"),
        pytest.param([said("a\u2028b\x85c")], "a\u2028b\x85c", id="separators inside of a record"),
        pytest.param(
            [{"type": "user", "message": {"content": [{"type": "text", "text": "u"}]}}], "", id="a user's text"
        ),
        pytest.param([line(said("\ud800")).replace("\ud800", "\\ud800")], "\ud800", id="a lone surrogate"),
    ],
)
def test_the_last_message(records: list[object], expected: str) -> None:
    assert trace.read(trace_of(*records)).last_message == expected


def test_of_two_texts_in_one_record_the_last_counts() -> None:
    record = said("one")
    record["message"]["content"].append({"type": "text", "text": "two"})
    assert trace.read(trace_of(record)).last_message == "two"


def test_calls_stand_in_order_subagents_too() -> None:
    seen = trace.read(trace_of(used("Bash", {"command": "ls"}), used("Agent"), used("Glob", None, "t9")))
    assert [c.tool for c in seen.calls] == ["Bash", "Agent", "Glob"]
    assert seen.calls[0].input == '{"command":"ls"}'


def test_the_text_is_the_bytes_without_a_final_line_feed() -> None:
    data = trace_of(said("x"))
    assert trace.read(data).text == trace.read(data + b"\n").text == data.decode()


@pytest.mark.parametrize(
    ("data", "known"),
    [
        pytest.param(trace_of(said("x")), True, id="a whole one"),
        pytest.param(trace_of(said("x")) + b'\n{"type":"assistant","mess', True, id="cut off at its end"),
        pytest.param(trace_of(said("x"), '{"type":"assistant"'), False, id="cut off in the middle"),
        pytest.param(trace_of(said("x"), "[1]"), False, id="a line that is no object"),
        pytest.param(b"", False, id="empty"),
        pytest.param(b"\xff\xfe\x00 not a trace", False, id="bytes of something else"),
        pytest.param(b"[" * 100_000, False, id="nothing but depth"),
        pytest.param(
            trace_of(used("Bash", "DEEP")).replace(b'"DEEP"', b"[" * 90_000 + b"]" * 90_000), False, id="deep"
        ),
        pytest.param(trace_of(used("Bash", "N")).replace(b'"N"', b"9" * 9000), True, id="a number of 9000 digits"),
        pytest.param(trace_of(used("Bash", "N")).replace(b'"N"', b"NaN"), False, id="NaN is not JSON"),
        pytest.param(trace_of({"type": "assistant"}, {"type": "assistant", "message": {"content": 5}}), True, id="odd"),
    ],
)
def test_a_hostile_trace_is_unknown_and_never_an_error(data: bytes, known: bool) -> None:
    assert (trace.read(data).unreadable == "") is known


@given(st.binary(max_size=300))
def test_no_bytes_are_an_error(data: bytes) -> None:
    trace.read(data)
    trace.read(trace_of(said("x")) + b"\n" + data + b"\n" + line(RESULT).encode())


def test_a_run_that_ended_on_an_api_error_measured_nothing() -> None:
    ended = RESULT | {"is_error": True, "api_error_status": 500}
    rows = [INIT, said("started"), ended]
    assert "500" in trace.read("\n".join(map(line, rows)).encode()).unmeasured
    capped = RESULT | {"is_error": True, "subtype": "error_max_turns", "api_error_status": None}
    assert not trace.read("\n".join(map(line, [INIT, capped])).encode()).unmeasured


# ---------------------------------------------------------------- JSON.stringify


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param('{"b":1,"a":2}', '{"b":1,"a":2}', id="keys stay in order"),
        pytest.param('{"b":1,"10":2,"9":3,"01":4}', '{"9":3,"10":2,"b":1,"01":4}', id="indexes first"),
        pytest.param('{"a":1,"b":2,"a":3}', '{"a":3,"b":2}', id="the last of two keys, in the place of the first"),
        pytest.param('"a/\\u00e9\\u2028"', '"a/é\u2028"', id="only what must be is escaped"),
        pytest.param('"\\u0001\\n\\ud800"', '"\\u0001\\n\\ud800"', id="controls and lone surrogates"),
        pytest.param('"\\ud83d\\ude00"', '"😀"', id="a pair"),
        pytest.param(
            "[1e21,0.00001,1e-7,1.0,-0,9007199254740993]", "[1e+21,0.00001,1e-7,1,0,9007199254740992]", id="numbers"
        ),
        pytest.param("1e999", "null", id="infinity"),
    ],
)
def test_values_are_written_as_javascript_writes_them(given: str, expected: str) -> None:
    assert js_json.stringify(js_json.parse(given)) == expected


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4) | st.integers(0, 99).map(str), inner)
    ),
    max_leaves=8,
)


def test_v8_writes_the_same() -> None:
    with MiniRacer() as racer:
        racer.eval("globalThis.f = text => JSON.stringify(JSON.parse(text))")

        @settings(max_examples=40)
        @given(VALUES)
        def law(value: object) -> None:
            text = json.dumps(value)
            assert js_json.stringify(js_json.parse(text)) == racer.call("f", text)

        law()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_back_as_itself(value: float) -> None:
    assert math.isclose(float(js_json.number(value)), value, rel_tol=0, abs_tol=0)
