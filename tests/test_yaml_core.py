"""`evals.yaml_core`: YAML 1.2 core as the program reads it, duplicate keys, and what is bounded."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shipmoor_hooks.evals import yaml_core
from shipmoor_hooks.evals.yaml_core import RepeatedKey, YamlFault, load

CORPUS = os.environ.get("SHIPMOOR_HOOKS_EVAL_CORPUS", "")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("a word", "a word", id="a plain word is a string"),
        pytest.param("yes", "yes", id="yes is a string"),
        pytest.param("Off", "Off", id="off is a string"),
        pytest.param("TRUE", True, id="three spellings of true"),
        pytest.param("tRue", "tRue", id="no fourth one"),
        pytest.param("~", None, id="a tilde is null"),
        pytest.param("", None, id="nothing is null"),
        pytest.param("0777", 777, id="a leading zero is not octal"),
        pytest.param("0o17", 15, id="octal"),
        pytest.param("-0xff", -255, id="hexadecimal with a sign"),
        pytest.param("0b11", "0b11", id="no binary"),
        pytest.param("1_000", "1_000", id="no underscores"),
        pytest.param("12:30", "12:30", id="no base sixty"),
        pytest.param("2001-01-01", "2001-01-01", id="no dates"),
        pytest.param("1e3", 1000, id="an exponent without a point"),
        pytest.param("5.", 5, id="a point and nothing"),
        pytest.param(".5", 0.5, id="a point first"),
        pytest.param("9007199254740993", 9007199254740992, id="beyond 53 bits as in JavaScript"),
        pytest.param("1e999", math.inf, id="beyond every number"),
        pytest.param("-.Inf", -math.inf, id="infinity with a sign"),
        pytest.param("!!str 1", "1", id="tagged a string"),
        pytest.param('!!int "1"', "1", id="a tag does not unquote"),
        pytest.param("!!float 1", 1, id="a number keeps being one"),
        pytest.param("!other", None, id="an unknown tag of nothing"),
        pytest.param("!!str", "", id="an empty string by its tag"),
        pytest.param("!other x", "x", id="an unknown tag says nothing"),
        pytest.param(r"'\d+\.\w'", r"\d+\.\w", id="backslashes in single quotes"),
        pytest.param(r"\d+", r"\d+", id="backslashes without quotes"),
        pytest.param(r'"\x41\u263a\e"', "A\u263a\x1b", id="escapes in double quotes"),
        pytest.param(r'"\ud83d\ude00"', "\U0001f600", id="two halves of one character"),
        pytest.param("a\u2028b", "a\u2028b", id="a line separator breaks no line"),
        pytest.param("a\x85b", "a\x85b", id="nor does a next line"),
        pytest.param("a\tb", "a\tb", id="a tab inside"),
        pytest.param("\tx", "x", id="a tab before"),
        pytest.param("colou?r", "colou?r", id="a question mark inside"),
        pytest.param("{p: colou?r}", {"p": "colou?r"}, id="a question mark inside braces"),
        pytest.param("[?x, :y, -z]", ["?x", ":y", "-z"], id="indicators that begin words in brackets"),
        pytest.param("x #c", "x", id="a comment behind"),
        pytest.param("|\n  \\d\n  x", "\\d\nx\n", id="a block that the end cuts off still ends its line"),
        pytest.param(">-\n  a\n  b\n\n  c", "a b\nc", id="a folded block"),
        pytest.param("a\n  b", "a b", id="a plain scalar over two lines"),
        pytest.param("a\n  \tb", "a b", id="with a tab behind the indentation"),
    ],
)
def test_a_value_is_what_the_program_makes_of_it(text: str, value: object) -> None:
    assert load(f"k: {text}").value == {"k": value}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(r'k: "\d+"', id="an escape that YAML does not know"),
        pytest.param("k: a: b", id="a mapping on a key's line"),
        pytest.param("k: - a", id="a list on a key's line"),
        pytest.param("k: *nope", id="an alias of nothing"),
        pytest.param("k: &a [*a]", id="an alias inside its own anchor"),
        pytest.param("k:\n\t- a", id="a tab that indents"),
        pytest.param("k: 'a", id="a quote that stays open"),
        pytest.param('k: "a\nb"', id="a quoted line left of its key"),
        pytest.param("k: [a\nb]", id="a word in brackets that goes on left of its key"),
        pytest.param("k:\n  [1,\n2]", id="a bracketed line left of its key"),
        pytest.param("k: 'a'#b", id="a comment without a blank"),
        pytest.param("k: {a", id="a brace that stays open"),
        pytest.param('k: "\\ud83d"', id="half a character"),
        pytest.param('k: "\\U00110000"', id="a character beyond the last"),
        pytest.param("k: a\0b", id="a null character"),
        pytest.param("%YAML x\n---\na: 1", id="a broken directive"),
    ],
)
def test_what_is_no_yaml_is_one_clear_error(text: str) -> None:
    with pytest.raises(YamlFault) as caught:
        load(text)
    assert "\n" not in caught.value.message
    assert caught.value.message.startswith("YAML Parse error: ")


def test_an_unknown_escape_names_its_line_and_the_quotes_that_cure_it() -> None:
    with pytest.raises(YamlFault, match=r"line 2: \\w is no escape .* single quotes") as caught:
        load('a: 1\nb: "\\w"\n')
    assert caught.value.line == 2


def test_the_last_of_two_equal_keys_counts_and_both_are_named() -> None:
    read = load("a: 1\ng:\n  - p: x\n    p: y\na: 2\n")
    assert read.value == {"a": 2, "g": [{"p": "y"}]}
    assert read.repeated == (RepeatedKey("g.0.p", 4), RepeatedKey("a", 5))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("x: &x {a: 1, b: 2}\n<<: *x\nb: 3", {"a": 1, "b": 3}, id="own keys win"),
        pytest.param("b: 3\n<<: {b: 2, c: 1}", {"b": 3, "c": 1}, id="wherever the merge stands"),
        pytest.param("<<: [{a: 1}, {a: 2, b: 3}]", {"a": 1, "b": 3}, id="the first of a list wins"),
    ],
)
def test_merge_keys(text: str, value: dict[str, object]) -> None:
    read = load(text)
    assert isinstance(read.value, dict)
    assert {k: v for k, v in read.value.items() if k != "x"} == value
    assert read.repeated == ()


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b"\xef\xbb\xbfa: 1", {"a": 1}, id="a byte order mark"),
        pytest.param(b"a: \xff", {"a": "\ufffd"}, id="bytes that are no UTF-8"),
        pytest.param(b"a: 1\r\nb: x\r\n", {"a": 1, "b": "x"}, id="carriage returns"),
        pytest.param(
            b"1: a\ntrue: b\n~: c\n.inf: d\n", {"1": "a", "true": "b", "null": "c", "Infinity": "d"}, id="keys"
        ),
        pytest.param(b"a: 1\n...\njunk\n", [{"a": 1}, "junk"], id="a second document"),
        pytest.param(b"", None, id="nothing"),
    ],
)
def test_documents(data: bytes, value: object) -> None:
    assert load(data).value == value


def bomb(levels: int, width: int) -> str:
    lines = ['a0: &a0 ["x"]']
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(bomb(12, 10), "20,000 values", id="aliases of aliases"),
        pytest.param("a: &a {k: 1}\n" + "\n".join(f"m{n}:\n  <<: [{'*a, ' * 500}]" for n in range(200)), "20,000 values",
                     id="merges of merges"),
        pytest.param("[" * 5000, "64 levels", id="five thousand brackets"),
        pytest.param("- " * 5000, "64 levels", id="five thousand lists on one line"),
        pytest.param("\n".join(" " * n + "a:" for n in range(500)), "64 levels", id="five hundred levels of keys"),
        pytest.param("[" + "1," * 30_000 + "]", "20,000 values", id="thirty thousand numbers"),
        pytest.param("a: " + "x" * yaml_core.MOST_BYTES, "1 MiB", id="a file too large"),
    ],
)  # fmt: skip
def test_a_hostile_text_is_one_error_in_bounded_time(text: str, says: str) -> None:
    before = time.process_time()
    with pytest.raises(YamlFault, match=says):
        load(text)
    assert time.process_time() - before < 8


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: " + "x " * 400_000, id="a long plain line"),
        pytest.param("a: |\n" + "  line\n" * 50_000, id="a long block"),
        pytest.param("a: 0x" + "f" * 900_000, id="a long number"),
        pytest.param("a: " + "9" * 900_000, id="a long decimal number"),
        pytest.param("#\n" * 400_000 + "a: 1", id="many comments"),
    ],
)
def test_a_large_honest_text_is_read(text: str) -> None:
    before = time.process_time()
    assert isinstance(load(text).value, dict)
    assert time.process_time() - before < 8


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab01-?:,[]{}#&*!|>'\"%@` \t\n\r\\\u2028.~<", max_size=40))
def test_any_text_is_a_document_or_a_fault(text: str) -> None:
    with contextlib.suppress(YamlFault):
        assert load(text).repeated is not None


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=8,
    ).filter(lambda value: "<<" not in json.dumps(value))
)
def test_json_is_yaml(value: object) -> None:
    assert load(json.dumps({"k": value})).value == {"k": value}


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from shipmoor_hooks.errors import EnvironmentFault

    monkeypatch.setitem(sys.modules, "shipmoor_hooks.evals.yaml_events", None)
    monkeypatch.delattr("shipmoor_hooks.evals.yaml_events", raising=False)
    with pytest.raises(EnvironmentFault) as caught:
        load("a: 1")
    assert caught.value.next_step == 'pip install "shipmoor-hooks[evals]"'


# ---------------------------------------------------------------- the program's own answers, where they lie


def vectors() -> list[dict[str, object]]:
    path = Path(CORPUS) / "oracle" / "yaml.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line] if CORPUS else []


@pytest.mark.skipif(not CORPUS, reason="SHIPMOOR_HOOKS_EVAL_CORPUS names no corpus of the program's answers")
@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: str(vector["id"]))
def test_the_recorded_answers_of_the_program(vector: dict[str, object], tmp_path: Path) -> None:
    from shipmoor_hooks.evals.loading import load_folder

    folder = tmp_path / "evals" / "case"
    folder.mkdir(parents=True)
    (folder / "case.yaml").write_bytes(str(vector["case_yaml"]).encode("utf-8", "surrogatepass"))
    suite = load_folder(str(tmp_path))
    if not vector["loaded"]:
        (fault,) = suite.faults
        assert fault.message.partition(" (line")[0] == vector["load_error"]
        return
    assert suite.faults == ()
    (case,) = suite.cases
    assert (case.name, case.runs) == (vector["name"], vector["runsPerCase"])
    graders = vector["graders"]
    assert isinstance(graders, list)
    for grader, told in zip(case.graders, graders, strict=True):
        assert (grader.name, grader.type) == (told["name"], told["type"])
        assert grader.weight == (math.inf if told["weight"] is None else told["weight"])
        assert {"target": "last_message", "flags": "", "match": "contains", **grader.config} == told["config"]
