"""What the plugin adds to a session of 10,000 trivial tests."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Iterator

from benchmarks import world
from benchmarks.measure import Command, Row, paired

TESTS, FILES = 10_000, 100


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
            yield rounds.row("pytest, 10,000 trivial tests, with the plugin", "plugin", "alone", 1.02, "pytest alone")
            yield rounds.row("the same with --junitxml", "--junitxml", "alone", None, "pytest alone", note="a peer")
        else:
            pairs = zip(rounds.samples["plugin"], rounds.samples["alone"], strict=True)
            more = statistics.median(ours.cpu - theirs.cpu for ours, theirs in pairs)
            yield Row(
                "what the plugin adds to a session of one test", more, 20, "pytest alone", times=rounds.times, unit="ms"
            )
