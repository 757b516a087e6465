"""JUnit: reading, refusing and capturing against expat, defusedxml and other readers."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping

from benchmarks import world
from benchmarks.measure import Command, Row, paired, python

WORK = os.path.join(os.path.dirname(__file__), "work.py")
SIZES = ((10_000, 1.0), (100_000, 1.0), (1_000_000, 0.2))  # cases, and which part of the rounds
OTHERS = {"lxml_target": "lxml", "junitparser": "junitparser"}


def work(*words: str, home: str = "") -> Command:
    return Command(python(WORK, *words), environ=world.git_environ(home) if home else None)


def rows(folder: str, times: int) -> Iterator[Row]:
    peaks = {}
    for number, part in SIZES:
        path = world.report(os.path.join(folder, f"{number}.xml"), number)
        commands = {
            "start": Command(python("-c", "pass")),
            "imports": work("count_imports", path),
            "more": work("read_imports", path),
        }
        commands |= {name: work(name, path) for name in ("expat", "iterparse", "count", "read")}
        rounds = paired(commands, max(3, int(times * part)))
        apart = {"less": ["imports"], "less_theirs": ["start"]}
        what = f"JUnit, {number:,} cases, counted"
        yield rounds.row(
            what, "count", "expat", 1.6, "expat, one no-op handler", note="imports and start apart", **apart
        )
        yield rounds.row(
            what, "count", "iterparse", 0.65, "defusedxml iterparse", note="imports and start apart", **apart
        )
        yield rounds.row(
            f"JUnit, {number:,} cases, ids and outcomes kept",
            "read",
            "expat",
            None,
            note="imports and start apart",
            less=["more"],
            less_theirs=["start"],
        )
        peaks[number] = rounds.median("count").peak
    yield Row(
        "peak of 1M cases over that of 10k, counted", peaks[1_000_000] - peaks[10_000], 4, "itself", times=3, unit="MiB"
    )
    yield from _others(folder, times)
    yield from _capture(folder, times)
    yield from _hostile(folder, times)  # last: what is made for it stays with this process, and no peak is below that


def _others(folder: str, times: int) -> Iterator[Row]:
    path = world.report(os.path.join(folder, "100000.xml"), 100_000)
    for name, module in OTHERS.items():
        if importlib.util.find_spec(module) is None:
            yield Row(f"JUnit, 100,000 cases, {module}", None, None, "expat", note=f"{module} is not installed here")
            continue
        rounds = paired({"expat": work("expat", path), name: work(name, path)}, max(3, times // 3))
        yield rounds.row(
            f"JUnit, 100,000 cases, {module}",
            name,
            "expat",
            None,
            "expat, one no-op handler",
            note="a peer, whole processes",
        )


HOSTILE: Mapping[str, Callable[[], bytes]] = {
    "an attribute of 60 MB": lambda: b'<testsuite name="' + b"x" * 60_000_000 + b'"/>',
    "a comment of 60 MB": lambda: b"<testsuite><!--" + b"x" * 60_000_000 + b"--></testsuite>",
    "300,000 attributes": lambda: b"<testsuite " + b" ".join(b'a%d="1"' % i for i in range(300_000)) + b"/>",
    "a billion laughs": lambda: b'<!DOCTYPE x [<!ENTITY a "ha">' + b"".join(
        b'<!ENTITY %c "&%c;&%c;&%c;&%c;">' % (c + 1, c, c, c, c) for c in range(97, 110)) + b"]><testsuite>&n;</testsuite>",
    "an external DTD": lambda: b'<!DOCTYPE testsuite SYSTEM "http://localhost/x.dtd"><testsuite/>',
    "200,000 levels": lambda: b"<testsuite>" * 200_000,
    "cut off after 14 MB": lambda: b"<testsuite>" + b'<testcase name="a" classname="c" time="1"/>' * 320_000,
}  # fmt: skip


def _hostile(folder: str, times: int) -> Iterator[Row]:
    for name, make in HOSTILE.items():
        path = os.path.join(folder, "hostile.xml")
        with open(path, "wb") as out:
            out.write(make())
        few = max(3, times // 3)
        rounds = paired({"python -c pass": Command(python("-c", "pass")), "refuse": work("refuse", path)}, few)
        limit = None if name.startswith("cut off") else 5.0
        note = "a large file, read twice" if limit is None else ""
        yield rounds.row(f"refused: {name}", "refuse", "python -c pass", limit, note=note)


def _capture(folder: str, times: int) -> Iterator[Row]:
    path, number = world.report(os.path.join(folder, "100000.xml"), 100_000), 100_000
    common = os.path.join(folder, "common")
    os.makedirs(common, exist_ok=True)
    commands = {"start": Command(python("-c", "pass")), "expat": work("expat", path)}
    commands |= {"imports": work("store_imports", path, common), "store": work("store", path, common, home=folder)}
    rounds = paired(commands, times)
    yield rounds.row(
        "capture of 100,000 cases, ids known: read, fold, sort, hash, store", "store", "expat", 2.0,
        "expat, one no-op handler", note="imports, start and the tree apart", less=["imports"], less_theirs=["start"],
    )  # fmt: skip
    more = (rounds.median("store").peak - rounds.median("imports").peak) * 1024 / number
    yield Row("memory of that capture, a case", more, 0.4, "the process that only imports", times=times, unit="KiB")
