"""What cleared a red in a push is kept for gc; the gate asked by hand writes nothing (design, 10.25)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from gate_world import GateWorld, said
from repo_builder import RepoBuilder

from shipmoor_hooks import place
from shipmoor_hooks.store import records
from shipmoor_hooks.store.record_model import Clearing

CASE = "tests/test_set.py::test_b"


@pytest.fixture
def world(repo: RepoBuilder) -> GateWorld:
    """The tip is red in b, and so was the base a moment ago."""
    world = GateWorld.create(repo, Path(sys.executable))
    world.measure({"a": "passed", "b": "failed"})
    world.branch("work", ["a", "b"])
    repo.write("shop.py", "1\n")
    repo.commit()
    world.measure({"a": "passed", "b": "failed"})
    return world


def kept(world: GateWorld) -> list[Clearing]:
    found, broken = records.find(place.find(str(world.repo.path), world.repo.env).common_dir, Clearing, "unit", CASE)
    assert broken == ()
    return list(found)


def test_a_push_keeps_what_cleared_its_red_once(world: GateWorld) -> None:
    done = world.push("origin", "work")
    assert (done.returncode, "CLEARED" in said(done)) == (0, True)
    (clearing,) = kept(world)
    assert (clearing.tip, len(clearing.runs)) == (world.repo.sha("work"), 1)
    assert clearing.runs[0][:12] in said(done)
    world.repo.git("push", "-q", "--no-verify", "origin", ":work")
    assert world.push("origin", "work").returncode == 0
    assert kept(world) == [clearing]


def test_the_gate_by_hand_writes_nothing(world: GateWorld) -> None:
    assert b"CLEARED" in world.repo.tool("gate").stdout
    assert kept(world) == []


def test_a_push_without_a_clearing_writes_nothing(repo: RepoBuilder) -> None:
    world = GateWorld.create(repo, Path(sys.executable))
    world.branch("work", ["a", "b", "c"])
    assert world.push("origin", "work").returncode == 0
    assert not list(Path(place.find(str(repo.path), repo.env).common_dir).rglob("clearing"))
