"""The quick path of post-commit says what post-commit says, or nothing."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gate_world import GateWorld
from repo_builder import RepoBuilder
from test_quick_gate import damaged, measured_again, rewrite, tip_run

from shipmoor_hooks import commit_hooks
from shipmoor_hooks.quick import quick_commit


@pytest.fixture
def world(repo: RepoBuilder) -> GateWorld:
    made = GateWorld.create(repo, Path(sys.executable), cases=["a", "b"])
    made.branch("work", ["a", "b", "c"])
    return made


def quick(world: GateWorld, now: float) -> str | None:
    lines = quick_commit.lines(str(world.repo.path), world.repo.env, now)
    return None if lines is None else "".join(f"{line}\n" for line in lines)


def whole(world: GateWorld, now: float) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert commit_hooks.run_post_commit(str(world.repo.path), world.repo.env, now, out, err) == 0
    assert err.getvalue() == ""
    return out.getvalue()


def nothing(world: GateWorld) -> None:
    pass


def no_run(world: GateWorld) -> None:
    world.repo.commit(files={"more.md": "more"})


def no_policy(world: GateWorld) -> None:
    world.repo.commit(files={"shipmoor-hooks.toml": None})


def another_suite(world: GateWorld) -> None:
    text = (world.repo.path / "shipmoor-hooks.toml").read_text()
    world.repo.commit(files={"shipmoor-hooks.toml": f'{text}[suite.e2e]\ncommand = "make e2e"\n'})
    world.measure({"a": "passed", "b": "failed", "c": "skipped"})


@pytest.mark.parametrize("age", [0, 45, 600, 7200, 260_000])
@pytest.mark.parametrize("change", [nothing, no_run, no_policy, another_suite], ids=lambda c: c.__name__)
def test_what_is_said_quickly_is_what_is_said(world: GateWorld, change: Callable[[GateWorld], None], age: int) -> None:
    change(world)
    now = time.time() + age
    said = quick(world, now)
    assert said is not None
    assert said == whole(world, now)


def reports(world: GateWorld) -> None:
    text = (world.repo.path / "shipmoor-hooks.toml").read_text()
    world.repo.commit(files={"shipmoor-hooks.toml": f'{text}reports = ["build/*.xml"]\n'})


def shared_file(world: GateWorld) -> None:
    world.repo.commit(files={"shipmoor-hooks.toml": None, "pyproject.toml": "[tool.shipmoor-hooks]\n"})


def wrong_policy(world: GateWorld) -> None:
    world.repo.write("shipmoor-hooks.toml", "[suite.unit]\ncommand = 1\n")


def unsealed(world: GateWorld) -> None:
    rewrite(tip_run(world), lambda _: None)


@pytest.mark.parametrize(
    "change", [reports, shared_file, wrong_policy, unsealed, damaged, measured_again], ids=lambda c: c.__name__
)
def test_whatever_is_odd_is_looked_at(world: GateWorld, change: Callable[[GateWorld], None]) -> None:
    if change is measured_again:
        world.measure({"a": "passed", "b": "passed", "c": "passed"})
    else:
        change(world)
    assert quick(world, time.time()) is None
