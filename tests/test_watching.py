"""Watching first: what is told before anything is refused, and how often it would have been (docs/how-to/watch-first.md)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from gate_world import POLICY, GateWorld, said
from repo_builder import RepoBuilder
from test_attestation import faults

from shipmoor_hooks.receipts import watched
from shipmoor_hooks.store.record_model import Receipt


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    """main is measured, and its policy warns."""
    made = GateWorld.create(repo, installed_python, push=False)
    repo.write("shipmoor-hooks.toml", POLICY.replace("[gate]", '[gate]\nmode = "warn"'))
    made.commit(["a", "b"], "Watch first")
    repo.git("push", "-q", "--no-verify", "-u", "origin", "main")
    repo.git("remote", "set-head", "origin", "main")
    repo.env["PATH"] = f"{installed_python.parent}:{repo.env['PATH']}"
    return made


def ask(world: GateWorld, *words: str) -> subprocess.CompletedProcess[bytes]:
    return world.repo.process(["shipmoor-hooks", *words])


def test_a_push_that_would_be_refused_goes_on_and_is_counted(world: GateWorld) -> None:
    world.branch("topic", ["a"])
    for number in range(2):
        pushed = world.push("-f", "origin", "topic" if not number else "main~0:refs/heads/other")
        assert pushed.returncode == 0, said(pushed)
    assert ask(world, "log", "--receipts").stdout.decode().splitlines()[-1] == "1 of 2 pushes would have been refused"
    assert "watching (the policy only warns): 1 of 2 pushes would have been refused" in said(ask(world, "status"))
    told = json.loads(ask(world, "log", "--receipts", "--format", "json").stdout)
    assert faults("receipts-1", told) == []
    assert (told["pushes"], told["would_have_been_refused"]) == (2, 1)
    assert [row["warned"] for row in told["receipts"]] == [False, True]


def test_evidence_that_is_missing_is_told_and_the_push_goes_on(world: GateWorld) -> None:
    world.repo.git("switch", "-q", "-c", "topic")
    world.commit(["a"], measured=False)
    pushed = world.push("origin", "topic")
    assert pushed.returncode == 0
    assert "TREE_DIFFERS" in said(pushed)
    assert "the policy only warns, so the push goes on" in said(pushed)
    assert "refs/heads/topic" in world.refs()
    assert "0 of 1 push would have been refused; 1 could not be judged" in said(ask(world, "log", "--receipts"))
    assert ask(world, "gate").returncode == 3


def test_a_dry_run_exits_0_and_says_the_word(repo: RepoBuilder, installed_python: Path) -> None:
    world = GateWorld.create(repo, installed_python)
    repo.env["PATH"] = f"{installed_python.parent}:{repo.env['PATH']}"
    assert "dry run: would be allowed" in said(ask(world, "gate", "--dry-run"))
    world.branch("topic", ["a"])
    dry = ask(world, "gate", "--dry-run")
    assert dry.returncode == 0
    assert "CASE_REMOVED" in dry.stdout.decode()
    assert "dry run: would be refused" in dry.stderr.decode()
    assert ask(world, "gate").returncode == 1
    world.commit(["a", "b", "c"], measured=False)
    dry = ask(world, "gate", "--dry-run", "--format", "json")
    assert (dry.returncode, json.loads(dry.stdout)["verdict"]) == (0, "cannot-evaluate")
    assert "dry run: cannot be evaluated" in dry.stderr.decode()


def test_adopting_on_a_branch_whose_base_has_no_policy(repo: RepoBuilder, installed_python: Path) -> None:
    """The target knows nothing of us; the branch brings the policy, measures, and pushes, with a failing test even."""
    repo.env["PATH"] = f"{installed_python.parent}:{repo.env['PATH']}"
    repo.commit("Add the cart", files={"tests/test_set.py": "# a\n", ".gitignore": "build/\n"})
    remote = repo.bare_remote()
    repo.git("push", "-q", "-u", "origin", "main")
    world = GateWorld(repo, remote)
    repo.git("switch", "-q", "-c", "adopt")
    assert ask(world, "init", "--yes").returncode == 0
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Measure the tests")
    early = world.push("origin", "adopt")
    assert early.returncode == 0, said(early)
    assert "FIRST_YARDSTICK" in said(early)
    world.measure({"a": "passed", "b": "failed"})
    repo.git("commit", "-q", "--allow-empty", "-m", "More")
    pushed = world.push("origin", "adopt")
    assert pushed.returncode == 0, said(pushed)
    assert "its yardstick starts with 1 of 2" in " ".join(said(pushed).split())


def receipt(verdict: str, *, commit: str = "1", warned: bool = False) -> Receipt:
    return Receipt("i", "", "", 1.0, "refs/heads/a", commit, "t", verdict, warned=warned)


@pytest.mark.parametrize(
    ("receipts", "want"),
    [
        pytest.param([], "0 of 0 pushes would have been refused", id="none"),
        pytest.param([receipt("allowed")] * 3, "0 of 1 push would have been refused", id="the same tip counts once"),
        pytest.param(
            [receipt("allowed", warned=True), receipt("allowed")],
            "0 of 1 push would have been refused",
            id="the newest answer about a tip counts",
        ),
        pytest.param(
            [receipt("allowed", warned=True), receipt("refused", commit="2"), receipt("cannot-evaluate", commit="3")],
            "1 of 3 pushes would have been refused; 1 was refused; 1 could not be judged",
            id="one of each",
        ),
    ],
)
def test_pushes_are_counted(receipts: list[Receipt], want: str) -> None:
    assert str(watched(receipts)) == want
