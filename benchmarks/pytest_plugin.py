"""What the plugin adds to a session of 10,000 trivial tests, and to one of a single test."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks import world
from benchmarks.measure import Command, Row, paired, python

TESTS, FILES = 10_000, 100
# A session whose seconds inside the plugin's hooks are counted: two sessions differ by more than what a plugin takes.
INSIDE = """
import functools, json, sys, time
import pytest
from shipmoor_hooks.pytest_plugin import Recording
inside = 0.0
def counted(hook):
    @functools.wraps(hook)
    def call(*given, **named):
        global inside
        began = time.perf_counter()
        try:
            return hook(*given, **named)
        finally:
            inside += time.perf_counter() - began
    return call
for name in [n for n in vars(Recording) if n.startswith("pytest_")]:
    setattr(Recording, name, counted(getattr(Recording, name)))
began = time.perf_counter()
code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--shipmoor"])
print(json.dumps([inside, time.perf_counter() - began]))
sys.exit(code)
"""


def rows(folder: str, times: int) -> Iterator[Row]:
    whole = _repository(folder, "whole", TESTS)
    few = max(3, times // 5)  # three sessions of some five seconds each a round
    rounds = paired(_commands(whole), few)
    yield _inside(whole, _environ(whole), few)
    yield rounds.row(
        "the same session with the plugin", "plugin", "alone", None, note="two sessions differ by more than that"
    )
    yield rounds.row("the same with --junitxml", "--junitxml", "alone", None, "pytest alone", note="a peer")
    clean, edited = _repository(folder, "clean", 1), _repository(folder, "edited", 1)
    edited.write("tests/test_0.py", "def test_0():\n    assert True\n")
    edited.write("tests/test_new.py", "def test_new():\n    pass\n")
    for repository, where in ((clean, ""), (edited, ", in a worktree with an edited and a new file")):
        yield from _one_test(repository, where, times)


def _one_test(repository: world.Repository, where: str, times: int) -> Iterator[Row]:
    """What is added, in milliseconds and in starts of Python, since a goal in milliseconds is one of a machine."""
    start = {"start": Command(python("-c", "pass"), repository.folder, _environ(repository))}
    rounds = paired(_commands(repository) | start, times)
    pairs = list(zip(rounds.samples["plugin"], rounds.samples["alone"], strict=True))
    more = statistics.median(ours.cpu - theirs.cpu for ours, theirs in pairs)
    waited = statistics.median(ours.wall - theirs.wall for ours, theirs in pairs)
    what = f"what the plugin adds to a session of one test{where}"
    note = f"wall clock {waited:.0f} ms"
    yield Row(what, more, 20, "pytest alone", times=rounds.times, unit="ms", note=note)
    starts = more / rounds.median("start").cpu
    yield Row(f"the same over `python -c pass`{where}", starts, 2, "where that takes 10 ms", times=rounds.times)


def _repository(folder: str, name: str, tests: int) -> world.Repository:
    repository = world.Repository(os.path.join(folder, name))
    repository.write(".gitignore", "build/\n__pycache__/\n")
    each = max(1, tests // FILES)
    for file in range(min(FILES, tests)):
        repository.write(f"tests/test_{file}.py", "".join(f"def test_{i}():\n    pass\n" for i in range(each)))
    repository.commit("Add tests")
    return repository


def _environ(repository: world.Repository) -> dict[str, str]:
    return {k: v for k, v in repository.environ.items() if k != "CI"}


def _commands(repository: world.Repository) -> dict[str, Command]:
    program = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly")
    environ, report = _environ(repository), os.path.join(os.path.dirname(repository.folder), "r.xml")
    return {
        "alone": Command([*program, "--no-shipmoor"], repository.folder, environ),
        "plugin": Command([*program, "--shipmoor"], repository.folder, environ),
        "--junitxml": Command([*program, "--no-shipmoor", "--junitxml", report], repository.folder, environ),
    }


def _inside(repository: world.Repository, environ: dict[str, str], times: int) -> Row:
    """The session over what it would be without the seconds inside the plugin's hooks."""
    ratios = []
    for _ in range(times):
        done = subprocess.run(
            [sys.executable, "-c", INSIDE], cwd=repository.folder, env=environ, capture_output=True, check=True
        )
        inside, whole = json.loads(done.stdout.splitlines()[-1])
        ratios.append(whole / (whole - inside))
    what = "pytest, 10,000 trivial tests, the plugin's hooks counted"
    return Row(what, statistics.median(ratios), 1.02, "the rest of the session", times=times, note="wall clock")
