"""Versions of an eval suite: distinct sets of committed cases, each with its commit, its date and its first run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from eval_rule_world import eval_run
from eval_world import POLICY, EvalSpec
from test_eval_capture import EvalCaptureWorld

from shipmoor_hooks import suite_versions as flow
from shipmoor_hooks.rules import suite_versions

PLAN, CHECK = EvalSpec("plan"), EvalSpec("check")


@pytest.mark.parametrize(
    ("runs", "numbers"),
    [
        pytest.param([], [], id="no-run"),
        pytest.param([eval_run("a P", 2, head="1"), eval_run("a F", 1, head="2")], ["1"], id="one-set-run-twice"),
        pytest.param([eval_run("a P", 2, head="1"), eval_run("a P, b P", 1, head="2")], ["1", "2"], id="a-case-more"),
        pytest.param([eval_run("a P", 2, head="1"), eval_run("a@x P", 1, head="2")], ["1", "2"], id="another-expectation"),
        pytest.param(
            [eval_run("a P", 3, head="1"), eval_run("a@x P", 2, head="2"), eval_run("a P", 1, head="3")], ["1", "2"],
            id="back-to-the-first",
        ),
        pytest.param([eval_run("a P", 2, registered=False, head="1")], [], id="never-committed-first"),
        pytest.param([eval_run("a P", 2, alone=True, head="1")], [], id="a-case-alone"),
    ],
)  # fmt: skip
def test_first_runs(runs: list[Any], numbers: list[str]) -> None:
    assert [r.head for r in suite_versions.first_runs(runs)] == numbers
    assert [r.head for r in suite_versions.first_runs(reversed(runs))] == numbers


@pytest.fixture
def world(repo: Any) -> EvalCaptureWorld:
    return EvalCaptureWorld.create(repo, POLICY)  # type: ignore[return-value]


def test_versions_of_a_repository(world: EvalCaptureWorld) -> None:
    one = world.start([PLAN], {"evals/plan/prompt.md": "---\ndescription: stops without a brief\n---\nRun it."})
    world.of([EvalSpec("plan", "F")], age=300, name="one")
    two = world.start([PLAN, CHECK])
    world.of([PLAN, CHECK], age=200, name="two")
    world.of([PLAN, EvalSpec("check", "F")], age=100, name="again")
    found = flow.ask(world.place, "evals")
    assert [(v.number, v.commit, str(v.first)) for v in found] == [(1, one, "0 of 1"), (2, two, "2 of 2")]
    assert found[0].cases[0].promise == "stops without a brief"
    assert found[0].cases[0].outcome == "fail (1 of 2; fell: says-fail; held: no-agent)"
    assert found[0].date is not None
    done = world.repo.tool("log", "--versions", "--format", "json")
    assert [v["first"]["of"] for v in json.loads(done.stdout)["versions"]] == [1, 2]
    text = world.repo.tool("log", "--versions").stdout.decode()
    assert text.startswith(f"v1  {one[:12]}  20")
    assert "plan: fail" in text


def test_a_suite_without_versions_says_so(world: EvalCaptureWorld) -> None:
    done = world.repo.tool("log", "--versions")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"no complete run" in done.stderr
