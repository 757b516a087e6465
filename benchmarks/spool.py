"""Storing one more run, and finding the runs of a tree."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks import world
from benchmarks.measure import Command, Row, Sample, paired, python
from benchmarks.readers import WORK
from shipmoor_hooks.model import CaseList, Evidence, Run
from shipmoor_hooks.store.spool import Spool

TREE, NONE = "a" * 40, "b" * 40


def rows(folder: str, times: int) -> Iterator[Row]:
    for number, bytes_goal in ((100_000, 20_000), (10_000, 2_000)):
        yield from _one_more(folder, number, bytes_goal, times)
    yield from _look_up(folder, times)


def _one_more(folder: str, number: int, goal: int, times: int) -> Iterator[Row]:
    """Timed inside of this process: what is compared takes a few milliseconds."""
    ids = world.ids(number)
    cases = CaseList(ids, world.letters(number), {})
    spool = Spool(os.path.join(folder, f"spool{number}"), "main", world.git_environ(folder))
    os.mkdir(os.path.dirname(spool.root))
    spool.finish(_run(0, f"{0:040x}", cases))
    ours, theirs = [], []
    for position in range(1, times + 1):
        ours.append(_timed(partial(spool.finish, _run(position, f"{position:040x}", cases))))
        theirs.append(_timed(lambda: hashlib.sha256("\0".join(ids).encode()).hexdigest()))
    ratio = statistics.median(a.cpu / b.cpu for a, b in zip(ours, theirs, strict=True))
    what = f"one more run, the same {number:,} ids"
    note = "of another tree; synced to the disk, sealed, and linked to the run before it"
    yield Row(what, ratio, 1.5, "join + sha256 of the ids", _middle(ours), _middle(theirs), times, note)
    yield _size(spool, what, goal, "7 of 100 cases red or skipped, in any order")
    few = world.letters(number).translate(bytes.maketrans(b"f", b"p"))[::-1].replace(b"s", b"p", number * 3 // 100)
    spool.finish(_run(times + 1, f"{times + 1:040x}", CaseList(ids, few, {})))
    yield _size(spool, what, goal, "1 of 100 cases skipped, in any order")


def _size(spool: Spool, what: str, goal: int, note: str) -> Row:
    """What the newest entry takes."""
    size = os.path.getsize(spool.paths()[0])
    return Row(f"{what}, on disk", size / 1000, goal / 1000, "nothing", times=1, note=note, unit="kB")


def _run(number: int, tree: str, cases: CaseList) -> Run:
    now = 1_700_000_000.0 + number
    return Run(f"{number:032x}", "unit", tree, tree, Evidence.OBSERVED, now, now, cases, first_tree=tree)


def _timed(work: Callable[[], object]) -> Sample:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Sample((time.process_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000, 0.0)


def _middle(samples: list[Sample]) -> Sample:
    return Sample(statistics.median(s.cpu for s in samples), statistics.median(s.wall for s in samples), 0.0)


def _look_up(folder: str, times: int) -> Iterator[Row]:
    """The same entries in the spool (linked, so that 100,000 take no room) and in SQLite, by tree."""
    made, environ = {}, world.git_environ(folder)
    for number in (1_000, 100_000):
        common, base = os.path.join(folder, f"runs{number}"), os.path.join(folder, f"runs{number}.db")
        os.mkdir(common)
        spool = Spool(common, "main", environ)
        spool.finish(_run(0, TREE, CaseList(world.ids(100), world.letters(100), {})))
        entry = spool.paths()[0]
        trees = os.path.dirname(os.path.dirname(entry))
        with open(entry, "rb") as stream:
            stored = stream.read()
        with sqlite3.connect(base) as connection:
            connection.execute("create table runs (tree text, entry blob)")
            connection.execute("create index by_tree on runs (tree)")
            connection.execute("insert into runs values (?, ?)", (TREE, stored))
            for position in range(1, number):
                tree = f"{position:040x}"
                os.mkdir(os.path.join(trees, tree))  # empty: what lies in the folders of others is not looked at
                connection.execute("insert into runs values (?, ?)", (tree, b"x" * 100))
        connection.close()
        made[number] = (common, base)
    commands = {}
    for number, (common, base) in made.items():
        commands[f"spool {number}"] = Command(python(WORK, "at_tree", common, TREE), environ=environ)
        commands[f"none {number}"] = Command(python(WORK, "no_run_at", common, NONE), environ=environ)
        commands[f"sqlite {number}"] = Command(python(WORK, "sqlite", base, TREE), environ=environ)
    commands["imports"] = Command(python(WORK, "at_tree_imports", "", ""))
    commands["start"] = Command(python("-c", "pass"))
    rounds = paired(commands, times)
    apart = {"less": ["imports"], "less_theirs": ["start"]}
    peer = "SQLite, open + select"
    note = "100 look-ups; our imports apart, SQLite with its own"
    yield rounds.row(
        "that a tree has no run, among 100,000", "none 100000", "sqlite 100000", 0.3, peer, note=note, **apart
    )
    note = f"{note}; an entry of 100 cases is read, its seal and digest checked, its ids unpacked: SQLite gives bytes"
    what = "the runs of a tree among 100,000"
    yield rounds.row(what, "spool 100000", "sqlite 100000", None, peer, note=note, **apart)
    flat = {"less": ["imports"], "less_theirs": ["imports"]}
    yield rounds.row(
        f"{what}, over that among 1,000", "spool 100000", "spool 1000", 1.15, "itself", note="flat", **flat
    )
