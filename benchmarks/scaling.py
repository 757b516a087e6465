"""How the cost of a push grows with cases, runs, worktrees, commits and refs: a fitted curve each, none worse than linear."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence

from benchmarks import world
from benchmarks.gate import gate, pushed
from benchmarks.measure import Command, Row, paired
from shipmoor_hooks.model import CaseList

ZEROS = "0" * 40
POWERS = [i / 20 for i in range(41)]


def rows(folder: str, times: int) -> Iterator[Row]:
    few = max(3, times // 3)
    for what, sizes, make in GROWING:
        commands = {str(size): make(os.path.join(folder, what.partition(" ")[0]), size) for size in sizes}
        rounds = paired(commands, few)
        costs = [rounds.median(str(size)).cpu for size in sizes]
        told = ", ".join(f"{size:,}: {cost:.0f}" for size, cost in zip(sizes, costs, strict=True))
        power = fitted(sizes, costs)
        yield Row(
            f"cost of a push against {what}",
            power,
            1.1,
            "cost = a + b * n^x",
            times=few,
            note=f"CPU ms {told}",
            unit="= x",
        )
        shutil.rmtree(os.path.join(folder, what.partition(" ")[0]), ignore_errors=True)


def fitted(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The x of a + b * n^x that lies closest (least squares); 0 where the cost grows by less than a tenth."""
    if max(costs) < 1.1 * costs[0]:
        return 0.0
    return min(POWERS[1:], key=lambda power: _error([size**power for size in sizes], costs))


def _error(at: Sequence[float], costs: Sequence[float]) -> float:
    mean, middle = sum(at) / len(at), sum(costs) / len(costs)
    spread = sum((x - mean) ** 2 for x in at) or 1.0
    slope = sum((x - mean) * (y - middle) for x, y in zip(at, costs, strict=True)) / spread
    return sum((y - middle - slope * (x - mean)) ** 2 for x, y in zip(at, costs, strict=True))


def _cases(folder: str, number: int) -> Command:
    return gate(folder, str(number), number)


def _runs(folder: str, number: int) -> Command:
    """Runs of other trees beside those of the two that are compared."""
    command = gate(folder, str(number), 1000)
    trees = os.path.join(command.cwd, ".git", "shipmoor-hooks", "runs", "main", "trees")
    [first, *_] = os.listdir(trees)
    entry = os.path.join(trees, first, os.listdir(os.path.join(trees, first))[0])
    for i in range(number):
        os.mkdir(os.path.join(trees, f"{i:040x}"))
        os.link(entry, os.path.join(trees, f"{i:040x}", os.path.basename(entry)))
    return command


def _worktrees(folder: str, number: int) -> Command:
    """Runs of the same tree from other worktrees."""
    repository, line = world.gate_world(os.path.join(folder, str(number)), 1000)
    passed = world.letters(1000).replace(b"f", b"p")
    for i in range(number):
        repository.measure(CaseList(world.ids(1000), passed, {}), worktree=f"w{i}")
    return pushed(repository, line)


def _commits(folder: str, number: int) -> Command:
    repository, _ = world.gate_world(os.path.join(folder, str(number)), 1000)
    for i in range(number):
        tip = repository.commit(f"Change {i}")
    line = f"refs/heads/topic {tip} refs/heads/topic {ZEROS}\n".encode()
    return pushed(repository, line)


def _refs(folder: str, number: int) -> Command:
    repository, line = world.gate_world(os.path.join(folder, str(number)), 1000)
    tip = line.split()[1].decode()
    lines = "".join(f"refs/heads/t{i} {tip} refs/heads/t{i} {ZEROS}\n" for i in range(number))
    return pushed(repository, lines.encode())


GROWING: Sequence[tuple[str, Sequence[int], Callable[[str, int], Command]]] = (
    ("cases", (1_000, 10_000, 100_000), _cases),
    ("runs in the spool", (10, 100, 1_000, 10_000), _runs),
    ("worktrees with a run of the tree", (1, 3, 10, 30), _worktrees),
    ("commits in the branch", (1, 10, 30, 100), _commits),
    ("refs in one push", (2, 30, 100, 300), _refs),
)
