"""Processes, timed in turn: A B C A B C, so that what else the machine does falls on all of them alike.

CPU is user and system time of the whole process tree, wall clock the time from start to end, peak memory the largest of
its processes (never below that of this one, which the kernel hands down). A ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

TIMES = 15


@dataclass(frozen=True, slots=True)
class Command:
    """One process: its words, where it runs, what it reads, and what is put right before each round."""

    words: Sequence[str]
    cwd: str = "."
    environ: Mapping[str, str] | None = None
    stdin: bytes = b""
    before: Callable[[], object] | None = None
    code: int | None = 0  # the exit code that it must have (None: any)


@dataclass(frozen=True, slots=True)
class Sample:
    """CPU and wall clock in milliseconds, peak memory in MiB."""

    cpu: float
    wall: float
    peak: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the page. `ratio` is what the goal speaks of; `limit` the goal as a number (None: nothing to reach)."""

    what: str
    ratio: float | None
    limit: float | None
    peer: str
    ours: Sample | None = None
    theirs: Sample | None = None
    times: int = TIMES
    note: str = ""
    unit: str = "x"


@dataclass
class Rounds:
    """The samples of several commands by name, one of each in every round."""

    samples: dict[str, list[Sample]] = field(default_factory=dict)
    times: int = 0

    def median(self, name: str) -> Sample:
        told = self.samples[name]
        return Sample(
            statistics.median(s.cpu for s in told), statistics.median(s.wall for s in told), max(s.peak for s in told)
        )

    def ratio(
        self, ours: str, theirs: Sequence[str], less: Sequence[str] = (), less_theirs: Sequence[str] = ()
    ) -> float:
        """The median of ours / the sum of theirs, what `less` costs taken off each side."""

        def cost(i: int, names: Sequence[str], less: Sequence[str]) -> float:
            return sum(self.samples[name][i].cpu for name in names) - sum(self.samples[name][i].cpu for name in less)

        rounds = range(self.times)
        return statistics.median(cost(i, [ours], less) / max(cost(i, theirs, less_theirs), 0.1) for i in rounds)

    def row(
        self, what: str, ours: str, theirs: Sequence[str] | str, limit: float | None, peer: str = "", *, note: str = "",
        less: Sequence[str] = (), less_theirs: Sequence[str] = (),
    ) -> Row:  # fmt: skip
        names = [theirs] if isinstance(theirs, str) else list(theirs)
        ratio = self.ratio(ours, names, less, less_theirs)
        named = peer or " + ".join(names)
        return Row(what, ratio, limit, named, self.median(ours), self.median(names[0]), self.times, note)


def paired(commands: Mapping[str, Command], times: int = TIMES) -> Rounds:
    """Run each command once unmeasured, then `times` rounds of all of them in turn."""
    rounds = Rounds({name: [] for name in commands}, times)
    for command in commands.values():
        run(command)
    for _ in range(times):
        for name, command in commands.items():
            rounds.samples[name].append(run(command))
    return rounds


def run(command: Command) -> Sample:
    """One process from start to end. Raises SystemExit when it ends with another code than it must."""
    if command.before is not None:
        command.before()
    read, write = os.pipe()
    os.set_inheritable(read, True)
    words = list(command.words)
    environ = _without_python(os.environ if command.environ is None else command.environ)
    actions = [
        (os.POSIX_SPAWN_DUP2, read, 0),
        (os.POSIX_SPAWN_CLOSE, write),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        *(() if os.environ.get("BENCH_DEBUG") else ((os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),)),
    ]
    here = os.getcwd()
    os.chdir(command.cwd)
    try:
        begin = time.perf_counter()
        process = os.posix_spawnp(words[0], words, environ, file_actions=actions)
    finally:
        os.chdir(here)
    os.close(read)
    os.write(write, command.stdin)
    os.close(write)
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    code = os.waitstatus_to_exitcode(status)
    if command.code is not None and code != command.code:
        raise SystemExit(f"{' '.join(words)[:200]} ended with {code}, not {command.code} (BENCH_DEBUG=1 shows why)")
    return Sample(
        (used.ru_utime + used.ru_stime) * 1000,
        wall * 1000,
        used.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024),
    )


def _without_python(environ: Mapping[str, str]) -> dict[str, str]:
    """Without what changes how Python starts: a user's machine keeps compiled modules, and so does this run."""
    return {name: value for name, value in environ.items() if not name.startswith("PYTHON")}


def python(*words: str, isolated: bool = False) -> list[str]:
    """This Python with some words; `isolated` as hooks start it."""
    return [sys.executable, *(["-I", "-S"] if isolated else []), *words]
