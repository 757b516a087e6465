"""Which runs of eval suites gc never lets go: the first of each version and of each expectation (design, 10.25)."""

from __future__ import annotations

import pytest
from rule_world import run

from shipmoor_hooks.eval_model import EvalCase, EvalRun
from shipmoor_hooks.model import Code, Problem, Run, Shard
from shipmoor_hooks.rules.keeping import first_runs

PARTIAL = (Problem(Code.RUN_PARTIAL, "a selection"),)


def eval_run(name: str, age: float, text: str, **how: object) -> Run:
    """`a1 b2` are the cases a and b under the expectations 1 and 2; `age` in hours; `a?` has none that is known."""
    cases = (EvalCase(w[0], f"evals/{w[0]}", (), None if w[1] == "?" else w[1] * 40) for w in text.split())
    return run("a P", age, id=name, **{"evals": EvalRun(tuple(cases)), **how})


@pytest.mark.parametrize(
    ("runs", "kept"),
    [
        pytest.param([], "", id="none"),
        pytest.param([run("a P", id="1")], "", id="a run that is no eval"),
        pytest.param([eval_run("1", 3, "a1"), eval_run("2", 2, "a1")], "1", id="the same version twice"),
        pytest.param([eval_run("2", 2, "a1"), eval_run("1", 3, "a1")], "1", id="in any order"),
        pytest.param([eval_run("1", 3, "a1"), eval_run("2", 2, "a2")], "12", id="a new expectation"),
        pytest.param([eval_run("1", 3, "a1 b1"), eval_run("2", 2, "a1")], "12", id="a case fewer is a version"),
        pytest.param([eval_run("1", 3, "a1"), eval_run("2", 2, "a1", suite="other")], "12", id="another suite"),
        pytest.param([eval_run("1", 3, "a1"), eval_run("2", 2, "a1", variant="mac")], "12", id="another variant"),
        pytest.param([eval_run("1", 3, "a1", shard=Shard(1, 2)), eval_run("2", 2, "a1", shard=Shard(2, 2))], "12", id="shards"),
        pytest.param([eval_run("1", 3, "a1", problems=PARTIAL), eval_run("2", 2, "a1")], "2", id="the first is partial"),
        pytest.param([eval_run("1", 3, "a1"), eval_run("2", 2, "a2"), eval_run("3", 1, "a1")], "12", id="back to the first"),
        pytest.param([eval_run("1", 3, "a? b1"), eval_run("2", 2, "b1")], "1", id="an expectation that nobody knows"),
    ],
)  # fmt: skip
def test_first_runs(runs: list[Run], kept: str) -> None:
    assert first_runs(runs) == frozenset(kept)
