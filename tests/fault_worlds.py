"""Programs that are killed, and a library that makes system calls fail: for the tests of endurance."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("system_call_faults.c")

# One Python start for many writers: a copy of a started process is killed, not a new one each time.
KILLED_WRITERS = """
import os, random, select, signal, sys, time
from dataclasses import replace
from shipmoor_hooks.model import Case, Evidence, Outcome, Run
from shipmoor_hooks.store.spool import Spool

cases = tuple(Case(f"tests/test_many.py::test_{i:04}", Outcome.PASSED, passed=1) for i in range(200))
dice = random.Random(int(sys.argv[3]))

def write(first, told):
    spool = Spool(sys.argv[1], "main")
    for n in range(first, first + 1000):
        run = Run(id=f"{n:032x}", suite="unit", tree="a" * 40, scoped_tree="c" * 40, first_tree="a" * 40,
                  evidence=Evidence.OBSERVED, started=1.7e9 + n, recorded=1.7e9 + n)
        spool.begin(run)
        spool.finish(replace(run, cases=cases[: 200 - n // 3 % 150]))
        os.write(told, b"%d\\n" % n)

for turn in range(int(sys.argv[2])):
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        write(turn * 1000, theirs)
        os._exit(0)
    os.close(theirs)
    if turn % 4 == 0:  # so that there is something to lose, however slow the disk is
        select.select([ours], [], [], 5)
    time.sleep(dice.uniform(0, 0.08))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(ours, "rb") as stream:
        sys.stdout.buffer.write(b"".join(line for line in stream if line.endswith(b"\\n")))
"""

# Every system call that changes a file fails once, in a run of its own, until a run needs fewer calls than that.
FAILING_WRITES = """
import ctypes, os, sys
from dataclasses import replace
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.model import Case, Evidence, Outcome, Run
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.seals.verification import verify

faults = ctypes.CDLL(os.environ["LD_PRELOAD"])
number, lasting = int(sys.argv[2]), int(sys.argv[3])
cases = tuple(Case(f"tests/test_a.py::test_{i}", Outcome.PASSED, passed=1) for i in range(9))

def run_of(n):
    # Every run has a tree and a list of ids of its own, so that every folder and file is made anew.
    return Run(id=f"{n:032x}", suite="unit", tree=f"{n:040x}", scoped_tree=f"{n + 10**6:040x}", first_tree=f"{n:040x}",
               evidence=Evidence.OBSERVED, started=1.7e9 + n, recorded=1.7e9 + n,
               cases=(*cases, Case(f"tests/test_a.py::only_{n}", Outcome.PASSED, passed=1)))

spool = Spool(sys.argv[1], "main")
spool.finish(run_of(0))
kept, refused, at = [0], 0, 1
while True:
    run = run_of(at)
    faults.arm(at, number, lasting)
    try:
        spool.begin(replace(run, cases=()))
        spool.finish(run)
        told = True
    except EnvironmentFault as fault:
        told = False
        assert os.strerror(number) in fault.message and fault.next_step, fault.message
    needed = faults.calls()
    faults.arm(0, 0, 0)
    if not lasting:
        assert spool.leftovers() == [], spool.leftovers()
    if told:
        kept.append(at)
    for n in kept:
        found = spool.at_tree(f"{n:040x}")
        assert [r.id for r in found.runs] == [f"{n:032x}"] and not found.broken, (at, n, found)
    refused += not told
    if needed < at:
        break
    at += 1
seen = verify(Spool(sys.argv[1], "main"))
assert seen.is_whole, (seen.gaps, seen.broken)
print(at - 1, refused)
"""


def python(program: str, *words: object, **environ: str) -> subprocess.CompletedProcess[str]:
    """A program in a Python of its own; ends after 200 seconds at the latest."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        env=os.environ | environ, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip


def faults_library(folder: Path) -> Path | None:
    """The compiled library; None where there is no C compiler, or it makes none."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    made = folder / "faults.so"
    words = [compiler, "-shared", "-fPIC", "-o", str(made), str(SOURCE), "-ldl"]
    done = subprocess.run(words, capture_output=True, timeout=60, check=False)
    return made if done.returncode == 0 else None
