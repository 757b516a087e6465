"""What the pytest plugin's short way reads by itself, beside those that know it all: the table of runners, ids, secrets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shipmoor_hooks import runners
from shipmoor_hooks.case_id import identify
from shipmoor_hooks.model import Code as Codes
from shipmoor_hooks.model import Evidence, Problem, Record, Run
from shipmoor_hooks.pytest_records import dotted, split
from shipmoor_hooks.quick import plain_session
from shipmoor_hooks.quick.plain_names import are_plain_ids, dotted_paths, hold_no_secret
from shipmoor_hooks.runners import environment
from shipmoor_hooks.runners.pytest_runner import GRAMMAR
from shipmoor_hooks.sharing import redact

PYTEST = runners.RUNNERS["pytest"]
HEADS = [
    ["pytest"],
    ["python", "-m", "pytest"],
    ["python3", "-m", "pytest"],
    ["uv", "run", "pytest"],
    ["poetry", "run", "pytest"],
]
COMMON = st.sampled_from(["-q", "-x", "-v", "-k", "a or b", "tests", "tests/test_a.py", "-p", "-m", "--tb=short"])
WORDS = COMMON | COMMON | st.sampled_from([
    *GRAMMAR.table, "-qq", "-vv", "-vvv", "-ra", "-rA", "--tb=short", "--tb=no", "--color=yes", "--", "-", "", "x", "not slow",
    "tests", "tests/", "./tests", ".", "./", "tests/test_a.py", "tests/test_a.py::test_x[a b]", "docs", "no:x", "-kx", "a*",
    "tests/../docs", "@file", "é.py",
])  # fmt: skip
ARGUMENTS = st.lists(WORDS, max_size=5)
TESTPATHS = st.lists(st.sampled_from(["tests", "tests/", "docs", "./tests", "tests/unit"]), max_size=2)


@settings(max_examples=400)
@given(st.sampled_from(HEADS), st.lists(WORDS, max_size=2), ARGUMENTS, TESTPATHS)
def test_a_command_line_says_what_the_table_of_runners_says(
    head: list[str], more: list[str], arguments: list[str], testpaths: list[str]
) -> None:
    usual, command = (*head, *more), ("pytest", *arguments)
    told = plain_session.told(usual, arguments, testpaths, {})
    if told is None:
        return
    paths = [path.rstrip("/").removeprefix("./") for path in testpaths]
    moved = PYTEST.from_top(usual, "", paths)
    narrowing = PYTEST.narrowing(PYTEST.from_top(command, "", paths), {}, moved)
    own = PYTEST.measured_tail(usual) == PYTEST.measured_tail(command)
    assert (told.narrowing, told.is_policy_command) == (narrowing, own)
    assert told.argv == " ".join(runners.measured_argv(usual if own else command))
    assert environment.condition(command, {}) == {environment.NAME: plain_session.NO_VARIABLE}


@given(
    st.lists(
        WORDS | st.sampled_from(["npx", "jest", "python", "-m", "pytest", "py.test", "/usr/bin/pytest", "env"]),
        max_size=4,
    )
)
def test_no_command_of_pytest_is_taken_for_another(command: list[str]) -> None:
    if runners.recognise(command) is PYTEST:
        assert not plain_session.is_surely_no_pytest(command)


@pytest.mark.parametrize("name", ["PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTHONWARNINGS", "PYTHONOPTIMIZE"])
def test_variables_that_the_table_knows_are_its_own(name: str) -> None:
    assert environment.condition(["pytest"], {name: "1"}) != environment.condition(["pytest"], {})
    assert plain_session.told(["pytest"], [], [], {name: "1"}) is None


# ---------------------------------------------------------------- ids

PATHS = st.sampled_from([
    "test_a.py", "tests/test_a.py", "tests/test_a/TestX.py", "tests/test_a/__init__.py", "tests.test_a.py",
    "tests/test_a/data.json",    "a/tests/test_a.py", "tests/test_a.txt", "tests/v1.0/test_a.py",
    "tests/é.py", "conftest.py", "tests/sub/test_b.py",
])  # fmt: skip
PARTS = st.sampled_from([
    "test_x", "TestX", "test_x[1-2]", "test_x[a.b]", "test_x[0x7f0011223344]", "test_x[@3]",
    "test_x[/tmp/pytest-of-a/pytest-1]",    "test_x[a\nb]", "test_x[12:34:56]",
    "test_x[/r]", "test_x[/root]", "test_x[a::b]",
    "test_x[x-4abc-y]", "é", "module.f", "",
    "test_x[ at 0x12345678]", "test_x[C@abcdef]",
])  # fmt: skip


@settings(max_examples=400)
@given(st.sets(PATHS), PATHS, st.lists(PARTS, min_size=1, max_size=2))
def test_a_plain_node_id_is_the_id_of_its_case(tracked: set[str], path: str, parts: list[str]) -> None:
    nodeid = "::".join([path, *parts])
    if not are_plain_ids([nodeid], tracked, dotted_paths(tracked), "/root"):
        return
    where, names = split(nodeid)
    *classes, name = [dotted(where), *names]
    found = identify(Record(name, ".".join(classes), where), "pytest", frozenset(tracked), "/root")
    assert (found.id, found.raw) == (nodeid, nodeid)


def test_most_node_ids_are_plain() -> None:
    tracked = {"tests/test_a.py", "tests/test_b.py", "src/a.py"}
    told = ["tests/test_a.py::test_x", "tests/test_a.py::TestX::test_y[a-4]", "tests/test_b.py::test_z[é]"]
    assert are_plain_ids(told, tracked, dotted_paths(tracked), "/root")
    assert not are_plain_ids([*told, told[0]], tracked, dotted_paths(tracked), "/root")
    assert not are_plain_ids(["tests/test_c.py::test_x"], tracked, dotted_paths(tracked), "/root")


# ---------------------------------------------------------------- secrets

SAID = st.sampled_from([
    "pytest", "-k", "--api-key", "x y", "API_KEY=abc", "https://me:pw@host/", "token", "--no-token x", "not correct-horse",
    "passwd",    "correct-horse", "Y29ycmVjdC1ob3JzZQ", "a%2Fb%20c-long", "a/b c-long",
    "PASSPHRASE=1", "\u017fecret=x", "to\u212aen=1",
])  # fmt: skip
VARIABLES = st.dictionaries(
    st.sampled_from(["API_TOKEN", "MY-PASSWORD", "private_key", "HOME", "JWT", "to\u212aen", "ACCESS__KEY"]),
    st.sampled_from(["correct-horse", "a/b c-long", "short", "pytest", ""]),
)


@given(st.lists(SAID, min_size=1, max_size=4), VARIABLES)
def test_what_is_said_to_hold_no_secret_is_not_redacted(said: list[str], environ: dict[str, str]) -> None:
    if not hold_no_secret(said, environ):
        return
    run = Run(
        "1", "unit", None, None, Evidence.REPORTED, 1.0, 1.0, command=tuple(said), conditions=(("argv", " ".join(said)),),
        problems=(Problem(Codes.RUN_PARTIAL, "; ".join(said)),),
    )  # fmt: skip
    assert redact.run(run, environ) == run


def test_most_of_what_is_said_holds_no_secret() -> None:
    assert hold_no_secret(["pytest", "-q", "tests/test_a.py"], {"API_TOKEN": "correct-horse", "HOME": "/home/a"})
