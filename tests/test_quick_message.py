"""The quick path of commit-msg is taken where commit-msg has nothing to say, and only there."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gate_world import GateWorld
from repo_builder import RepoBuilder

from shipmoor_hooks import commit_hooks
from shipmoor_hooks.quick import quick_gate, quick_message

LINE = "Test-Removed: tests/test_set.py::test_b -- the endpoint is gone (#212)"


@pytest.fixture
def world(repo: RepoBuilder) -> GateWorld:
    made = GateWorld.create(repo, Path(sys.executable), cases=["a", "b"])
    made.branch("work", ["a", "b", "c"])
    return made


def quick(repo: RepoBuilder, text: str, **env: str) -> bool:
    """What the quick path says; where it is silent, the whole hook is held to be so, too."""
    path = repo.path.parent / "COMMIT_EDITMSG"
    path.write_bytes(text.encode())
    before = repo.objects(), (repo.path / ".git" / "index").read_bytes()
    found = quick_message.has_nothing_to_say(str(path), str(repo.path), repo.env | env)
    assert (repo.objects(), (repo.path / ".git" / "index").read_bytes()) == before
    if found:
        err = io.StringIO()
        assert commit_hooks.run_commit_msg(str(path), str(repo.path), repo.env | env, time.time(), None, err) == 0
        assert err.getvalue() == ""
    return found


def staged(world: GateWorld) -> None:
    world.repo.write("tests/test_set.py", "# a\n")
    world.repo.git("add", "-A")


def no_spool(world: GateWorld) -> None:
    staged(world)
    os.rename(world.repo.path / ".git" / "shipmoor-hooks", world.repo.path.parent / "away")


@pytest.mark.parametrize("change", [staged, no_spool], ids=lambda c: c.__name__)
@pytest.mark.parametrize("text", ["Subject\n", "", "Subject\n\nBody: of no test\nSigned-off-by: Ada <a@b.c>\n"])
def test_a_message_of_no_test_and_a_tree_without_a_run(
    world: GateWorld, change: Callable[[GateWorld], None], text: str
) -> None:
    change(world)
    assert quick(world.repo, text)


def test_the_first_commit_of_all(repo: RepoBuilder) -> None:
    repo.write("a.txt", "a\n")
    repo.git("add", "-A")
    assert quick(repo, "First\n")


@pytest.mark.parametrize(
    "text",
    [
        f"S\n\n{LINE}\n",
        "S\n\nTEST-REMOVED: a\n",
        "S\n\ntest-removed: a\n",
        "S\n\nte\u017ft-Removed: a -- b\n",
        "S\n\n# Test-x\n",
    ],
    ids=["well formed", "upper case", "lower case", "a long s", "a comment"],
)
def test_whatever_could_be_a_line_of_ours_is_looked_at(world: GateWorld, text: str) -> None:
    staged(world)
    assert not quick(world.repo, text)


def test_a_run_of_the_tree_is_looked_at(world: GateWorld) -> None:
    staged(world)
    world.measure({"a": "passed"})
    assert not quick(world.repo, "Drop b\n")


def test_a_run_of_the_tree_from_another_worktree_is_looked_at(world: GateWorld) -> None:
    staged(world)
    world.measure({"a": "passed"})
    runs = world.repo.path / ".git" / "shipmoor-hooks" / "runs"
    os.rename(runs / "main", runs / "other")
    assert not quick(world.repo, "Drop b\n")


def test_the_index_that_git_commits_is_looked_at(world: GateWorld) -> None:
    staged(world)
    world.measure({"a": "passed"})
    other = {"GIT_INDEX_FILE": str(world.repo.path.parent / "next-index")}
    world.repo.git("read-tree", "HEAD", env=other)
    world.repo.write("more.txt", "more\n")
    world.repo.git("add", "more.txt", env=other)
    assert quick(world.repo, "More\n", **other)
    assert not quick(world.repo, "Drop b\n")


def test_what_is_not_plain_is_left_to_the_hook(world: GateWorld) -> None:
    staged(world)
    assert not quick_message.has_nothing_to_say("/nowhere/message", str(world.repo.path), world.repo.env)
    world.repo.git("config", "include.path", "/nowhere")
    assert not quick(world.repo, "Subject\n")


def test_an_index_that_cannot_be_read_is_left_to_the_hook(world: GateWorld) -> None:
    (world.repo.path / ".git" / "index").write_bytes(b"no index")
    path = world.repo.path.parent / "COMMIT_EDITMSG"
    path.write_text("Subject\n")
    assert not quick_message.has_nothing_to_say(str(path), str(world.repo.path), world.repo.env)


def test_our_keys_begin_as_the_gate_has_them() -> None:
    assert quick_message.OURS == quick_gate._OURS
