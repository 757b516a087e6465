"""What the plugin adds to a session of 10,000 trivial tests."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks import world
from benchmarks.measure import Command, Row, paired

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
    program = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    repositories = {number: world.Repository(os.path.join(folder, str(number))) for number in (TESTS, 1)}
    for number, repository in repositories.items():
        for file in range(min(FILES, number)):
            each = max(1, number // FILES)
            repository.write(f"tests/test_{file}.py", "".join(f"def test_{i}():\n    pass\n" for i in range(each)))
        repository.commit("Add tests")
    few = max(3, times // 5)  # three sessions of some five seconds each a round
    for number, repository in repositories.items():
        environ = {k: v for k, v in repository.environ.items() if k != "CI"}
        commands = {
            "alone": Command([*program, "--no-shipmoor"], repository.folder, environ),
            "plugin": Command([*program, "--shipmoor"], repository.folder, environ),
            "--junitxml": Command(
                [*program, "--no-shipmoor", "--junitxml", os.path.join(folder, "r.xml")], repository.folder, environ
            ),
        }
        rounds = paired(commands, few if number == TESTS else times)
        if number == TESTS:
            yield _inside(repository, environ, few)
            yield rounds.row(
                "the same session with the plugin",
                "plugin",
                "alone",
                None,
                note="two sessions differ by more than that",
            )
            yield rounds.row("the same with --junitxml", "--junitxml", "alone", None, "pytest alone", note="a peer")
        else:
            pairs = zip(rounds.samples["plugin"], rounds.samples["alone"], strict=True)
            more = statistics.median(ours.cpu - theirs.cpu for ours, theirs in pairs)
            yield Row(
                "what the plugin adds to a session of one test", more, 20, "pytest alone", times=rounds.times, unit="ms"
            )


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
