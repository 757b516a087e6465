"""What the environment says to a runner is a condition of the run, as a digest and never as a value."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_world import run

from shipmoor_hooks.model import Code, Run, Suite
from shipmoor_hooks.rules import reduction
from shipmoor_hooks.rules.conditions import comparable
from shipmoor_hooks.runners import RUNNERS
from shipmoor_hooks.runners.environment import NOTHING, condition

# reason: command, environment, the variables that count
ROWS: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "nothing-is-set": ("pytest", {"HOME": "/home/ada", "PATH": "/bin"}, []),
    "a-variable-that-is-empty": ("pytest", {"PYTEST_ADDOPTS": " "}, []),
    "only-what-is-printed": ("pytest -q", {"PYTEST_ADDOPTS": "-v --color=yes --junitxml=r.xml -n 4"}, []),
    "another-runner-s-variable": ("pytest", {"NODE_OPTIONS": "--require ./x.js"}, []),
    "how-much-memory-there-is": ("npx jest", {"NODE_OPTIONS": "--max-old-space-size=4096"}, []),
    "memory-of-a-jvm": ("mvn test", {"MAVEN_OPTS": "-Xmx2g -XX:+UseSerialGC"}, []),
    "where-a-report-goes": ("npx jest", {"JEST_JUNIT_OUTPUT_DIR": "out", "JEST_WORKER_ID": "1"}, []),
    "a-plugin": ("pytest", {"PYTEST_PLUGINS": "greener"}, ["PYTEST_PLUGINS"]),
    "a-plugin-by-option": ("pytest", {"PYTEST_ADDOPTS": "-q -p greener"}, ["PYTEST_ADDOPTS"]),
    "asserts-are-left-out": ("python -m pytest", {"PYTHONOPTIMIZE": "1"}, ["PYTHONOPTIMIZE"]),
    "a-module-that-node-loads-first": ("npx jest", {"NODE_OPTIONS": "-r ./x.js"}, ["NODE_OPTIONS"]),
    "a-family-of-variables": ("npx jest", {"JEST_RETRY": "3"}, ["JEST_RETRY"]),
    "the-flags-of-go": ("go test ./...", {"GOFLAGS": "-tags=fast"}, ["GOFLAGS"]),
    "the-flags-of-rust": ("cargo nextest run", {"RUSTFLAGS": "--cfg fast"}, ["RUSTFLAGS"]),
    "the-properties-of-a-jvm": ("mvn test", {"MAVEN_OPTS": "-Xmx2g -Dskip=x"}, ["MAVEN_OPTS"]),
}


@pytest.mark.parametrize(("words", "environ", "names"), ROWS.values(), ids=ROWS)
def test_what_counts(words: str, environ: dict[str, str], names: list[str]) -> None:
    told = condition(words.split(), environ)["environment"]
    assert [part.split(" ")[0] for part in told.split(", ")] == (names or NOTHING.split(", ")[0].split(" ")[:1])


def test_of_a_command_that_nobody_knows_nothing_is_said() -> None:
    assert condition(["sh", "test.sh"], {"PYTEST_ADDOPTS": "-k a"}) == {}


@pytest.mark.parametrize("name", RUNNERS)
def test_no_value_is_ever_kept(name: str) -> None:
    secret = "hunter2hunter2"
    environ = dict.fromkeys(
        ("PYTEST_ADDOPTS", "NODE_OPTIONS", "JEST_X", "GOFLAGS", "MAVEN_OPTS", "GTEST_X"), f"-Dtoken={secret}"
    )
    environ |= {v.name: secret for v in RUNNERS[name].variables}
    heads = {
        "go": "go test",
        "cargo": "cargo test",
        "playwright": "npx playwright test",
        "pytest": "pytest",
        "jest": "npx jest",
    }
    assert secret not in str(condition(heads.get(name, name).split(), environ))


@given(st.text(st.characters(codec="ascii"), max_size=20), st.text(st.characters(codec="ascii"), max_size=20))
def test_equal_values_are_equal_and_others_are_not(one: str, other: str) -> None:
    told = [condition(["pytest"], {"PYTEST_PLUGINS": value}) for value in (one, other)]
    assert (told[0] == told[1]) is (one.strip() == other.strip())


# ---------------------------------------------------------------- and what follows


def measured(spec: str, environ: dict[str, str], number: int) -> Run:
    return replace(run(spec, number), conditions=tuple(condition(["pytest"], environ).items()))


SIDES = measured("a P", {}, 2), measured("a P", {"PYTEST_PLUGINS": "greener"}, 1)


def test_a_difference_is_named() -> None:
    base, tip = SIDES
    found = reduction.compare(reduction.Question(Suite("unit"), None, (base,), (tip,), now=tip.started)).findings
    (told,) = [f.message for f in found if f.code is Code.CONDITIONS_DIFFER]
    assert f"environment {NOTHING}, then PYTEST_PLUGINS " in told


def test_in_same_it_makes_them_incomparable() -> None:
    base, tip = SIDES
    kept, _, (told,) = comparable([base], [tip], ["environment"])
    assert (kept, told.code) == ((), Code.NOT_COMPARABLE)
    assert "environment" in told.message


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        pytest.param({"PYTEST_PLUGINS": "redder"}, Code.CASE_RED, id="another-environment"),
        pytest.param({}, Code.CLEARED, id="the-same"),
    ],
)
def test_a_red_under_another_environment_clears_nothing(environ: dict[str, str], code: Code) -> None:
    base = measured("a P", {}, 4), measured("a F", environ, 3)
    tip = measured("a F", {}, 2)
    question = reduction.Question(Suite("unit"), None, base, (tip,), tip.started)
    codes = {f.code for f in reduction.compare(question).findings}
    assert codes & {Code.CASE_RED, Code.CLEARED} == {code}
