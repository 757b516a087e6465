"""The pre-push gate with its evidence at hand, called as git calls it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import shipmoor_hooks
from benchmarks import world
from benchmarks.measure import Command, Row, paired, python


def gate(folder: str, name: str, number: int, worse: int = 0, gone: int = 0) -> Command:
    repository, line = world.gate_world(os.path.join(folder, name), number, worse=worse, gone=gone)
    return pushed(repository, line, code=1 if worse or gone else 0)


def pushed(repository: world.Repository, lines: bytes, code: int = 0) -> Command:
    """The hook as our own file starts it, with git's lines."""
    start = os.path.join(os.path.dirname(shipmoor_hooks.__file__), "start.py")
    return repository.command(python(start, "pre-push", "origin", repository.remote, isolated=True), lines, code=code)


def rows(folder: str, times: int) -> Iterator[Row]:
    start = "python -I -S -c pass"
    commands = {start: Command(python("-c", "pass", isolated=True))}
    commands |= {f"{number:,}": gate(folder, str(number), number) for number in (10_000, 100_000, 1_000_000)}
    sizes = list(commands)[1:]
    asked = commands[sizes[-1]]
    said = ["git", "ls-remote", "--symref", "--", "origin", "HEAD", "refs/heads/*"]
    commands["ls-remote"] = Command(said, asked.cwd, asked.environ)
    rounds = paired(commands, times)
    for name in sizes:
        note = "git's question to the remote apart; two further git processes with it"
        yield rounds.row(
            f"pre-push gate, {name} cases, unchanged",
            name,
            start,
            2.2,
            "a start of `python -I -S`",
            less=["ls-remote"],
            note=note,
        )
    yield rounds.row("pre-push gate, 1M cases over 10k", "1,000,000", "10,000", 1.15, "the same with 10,000 cases")
    commands = {start: Command(python("-c", "pass", isolated=True))}
    commands["worse"] = gate(folder, "worse", 100_000, worse=20)
    commands["gone"] = gate(folder, "gone", 100_000, gone=10)
    worse = commands["worse"]
    commands["ls-remote"] = Command(said, worse.cwd, worse.environ)
    rounds = paired(commands, times)
    note = "refused, with each case named; git's question to the remote apart"
    for name, goal, text in (("worse", 3.0, "20 worse"), ("gone", 5.0, "10 gone")):
        yield rounds.row(f"pre-push gate, 100,000 cases, {text}", name, start, goal, less=["ls-remote"], note=note)
