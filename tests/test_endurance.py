"""What runs into the spool endures: the robustness table, row by row, and where each row is proved.

`bytes` is test_endurance_bytes.

    kill -9 at random times          here (200 kills; 24 in the ordinary suite), test_spool, test_verify (the chain)
    a full disk, at every call       here (a library that makes the n-th system call fail; a file system of 64 KiB), test_spool
    a read-only state                here (every writing call fails), test_cli (`capture` is 4)
    eight writers, two worktrees     here (160 runs and their chains), test_spool, test_records (records)
    first key, eight processes       test_key_ring (a file), test_key_store (a real Secret Service)
    a stale lock, a live lock        test_spool
    a worktree that was removed      test_spool
    links in the place of folders    test_spool, test_records, test_trace_store, test_key_ring, test_share_hostile,
                                     test_report_files (reports)
    clocks that jump                 bytes (midnight, both changes of summer time, a day back, a year ahead)
    one flipped byte                 bytes (200 places of ids and of a head), test_verify (200 of an entry)
    a newer version's entry          bytes (every command), test_verify
    an older version's entry         test_verify, test_entry
    hostile names on a terminal      bytes (every command that prints), test_visible (the law), test_cli, test_readers_bytes
    path traversal                   test_share_hostile, test_report_files, test_records
    secrets                          bytes (every byte that is stored, published or printed), test_capture, test_redact
    huge inputs, each cap            bytes (cap - 1, cap, cap + 1), test_readers_bytes, test_readers_formats, test_junit_stream
    XML, JSON and YAML bombs         test_readers_bytes, test_readers_fuzz, test_yaml_core
    patterns without an end          test_regex_engine
    commands in names                test_capture, test_share_hostile
    somebody else's repository       test_cli
    a key store that does not answer test_key_store
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import fault_worlds
import pytest
from capture_world import CaptureWorld
from repo_builder import RepoBuilder
from test_spool import SCOPED, TREE, run_of, writer

from shipmoor_hooks.seals import key_ring
from shipmoor_hooks.seals.verification import verify
from shipmoor_hooks.store.spool import Spool

CANARY = "canary-5d0f2a-7c31e9b8"
HOSTILE = "ev\x1b[2Jil\x9b\u202e\u200b\x07\r\x85"
# What moves a terminal or hides text: control characters but line feed and tab, 8-bit ones, directions, zero width.
MOVING = {chr(n) for n in (*range(9), *range(11, 32), 127, *range(128, 160))} | set("\u202e\u200b\u2066\u2028\ufeff")


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    key_ring.of(os.environ).sealer()
    (tmp_path / "common").mkdir()
    return Spool(str(tmp_path / "common"), "main")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    made = fault_worlds.faults_library(tmp_path)
    if made is None:
        pytest.skip("no C compiler that makes a library for preloading")
    return made


def again(spool: Spool) -> Spool:
    return Spool(spool.common_dir, spool.worktree)


# ---------------------------------------------------------------- kill -9


@pytest.mark.parametrize("kills", [24, pytest.param(200, marks=pytest.mark.matrix)])
def test_whatever_was_told_to_be_stored_outlives_a_kill(spool: Spool, kills: int) -> None:
    done = fault_worlds.python(fault_worlds.KILLED_WRITERS, spool.common_dir, kills, 11)
    assert done.returncode == 0, done.stderr
    told = {f"{int(n):032x}" for n in done.stdout.split()}
    assert told
    found = again(spool).at_tree(TREE)
    assert told <= {r.id for r in found.runs}
    assert not found.broken
    seen = verify(again(spool))
    assert (seen.gaps, seen.broken, seen.set_aside) == ([], [], [])
    numbers = [r.sequence for r in (*found.runs, *found.begun)]
    assert len(set(numbers)) == len(numbers)
    assert again(spool).at_tree(SCOPED, scoped=True).runs
    after = again(spool).finish(run_of(9_999_999))
    assert after.sequence > max(numbers)


# ---------------------------------------------------------------- a disk that says no


@pytest.mark.parametrize(
    ("number", "lasting"),
    [
        pytest.param(errno.ENOSPC, 0, id="full once"),
        pytest.param(errno.ENOSPC, 1, id="full from then on"),
        pytest.param(errno.EIO, 0, id="a bad block", marks=pytest.mark.matrix),
        pytest.param(errno.EDQUOT, 1, id="over quota from then on", marks=pytest.mark.matrix),
        pytest.param(errno.EROFS, 1, id="read-only from then on", marks=pytest.mark.matrix),
    ],
)
def test_each_system_call_of_a_write_may_fail(spool: Spool, library: Path, number: int, lasting: int) -> None:
    """One sentence, nothing half stored, and every run from before is there: whichever call it is."""
    preload = {"LD_PRELOAD": str(library), "FAULT_BELOW": spool.common_dir}
    done = fault_worlds.python(fault_worlds.FAILING_WRITES, spool.common_dir, number, lasting, **preload)
    assert done.returncode == 0, done.stderr
    calls, refused = map(int, done.stdout.split())
    assert calls > 30, "the library saw too few calls: does it still stand in for those that Python makes?"
    assert refused > 30


FILLER = """
import sys
from test_spool import run_of
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.store.spool import Spool
spool, kept = Spool(sys.argv[1], "main"), 0
try:
    for number in range(1, 500):
        spool.finish(run_of(number, tree=f"{number:040x}"))
        kept = number
except EnvironmentFault as fault:
    assert "No space left" in fault.message, fault.message
for number in range(1, kept + 1):
    assert spool.at_tree(f"{number:040x}").runs, number
print(kept, len(spool.leftovers()))
"""


def test_a_small_file_system_that_fills_up(tmp_path: Path) -> None:
    """A real full disk, in a mount namespace of its own."""
    key_ring.of(os.environ).sealer()
    disk = tmp_path / "disk"
    disk.mkdir()
    script = 'mount -t tmpfs -o size=256k none "$1" && shift && exec "$@"'
    words = ["unshare", "-m", "sh", "-c", script, "sh", str(disk), sys.executable, "-c", FILLER, str(disk)]
    try:
        done = subprocess.run(
            words, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=100, check=False
        )
    except FileNotFoundError:
        pytest.skip("no unshare(1) here")
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip("a mount namespace needs rights that are not there")
    assert done.returncode == 0, done.stderr
    kept, leftovers = map(int, done.stdout.split())
    assert 0 < kept < 499
    assert leftovers == 0


@pytest.fixture
def measured(repo: RepoBuilder) -> CaptureWorld:
    world = CaptureWorld.create(repo)
    world.take(world.report())
    return world


def quiet(done: subprocess.CompletedProcess[bytes]) -> str:
    """What a command printed; no traceback, nothing that moves a terminal."""
    said = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
    assert "Traceback" not in said
    assert not MOVING & set(said)
    return said


def test_a_state_that_cannot_be_written_is_read_all_the_same(measured: CaptureWorld, library: Path) -> None:
    repo = measured.repo
    read_only = {
        "LD_PRELOAD": str(library),
        "FAULT_BELOW": str(repo.path / ".git" / "shipmoor-hooks"),
        "FAULT_ERRNO": str(errno.EROFS),
    }
    done = repo.tool("gate", "--base", "HEAD", env=read_only)
    assert (done.returncode, "2 of 2" in quiet(done)) == (0, True)
    measured.report("build/new.xml")
    done = repo.tool("capture", "build/new.xml", env=read_only)
    assert done.returncode == 4
    assert "Read-only file system" in quiet(done)


# ---------------------------------------------------------------- many writers


@pytest.mark.parametrize("each", [5, pytest.param(20, marks=pytest.mark.matrix)])
def test_eight_writers_in_two_worktrees_lose_nothing(spool: Spool, each: int) -> None:
    started = [writer(Path(spool.common_dir), f"w{i % 2}", i * 1000, each) for i in range(8)]
    for process in started:
        process.communicate(timeout=200)
        assert process.returncode == 0
    found = spool.at_tree(TREE)
    assert not found.broken
    assert len({r.id for r in found.runs}) == len(found.runs) == 8 * each
    assert verify(again(spool)).is_whole
    assert spool.leftovers() == []
