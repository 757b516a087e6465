"""The spool: found from everywhere, never lost, never overwritten, never through a link (design, sections 2, 9 and 10.38)."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import place, whole_files
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.model import (
    Case,
    CaseList,
    Change,
    Code,
    Evidence,
    Outcome,
    Problem,
    RecordKind,
    ReportFile,
    Run,
    Shard,
)
from shipmoor_hooks.seals import key_ring, quarantine
from shipmoor_hooks.seals.verification import verify
from shipmoor_hooks.store import entry, id_lists
from shipmoor_hooks.store.spool import UNBOUND, Spool

TREE = "a" * 40
OTHER = "b" * 40
SCOPED = "c" * 40
CASES = (Case("tests/test_a.py::test_a", Outcome.PASSED, passed=1), Case("tests/test_a.py::test_b", Outcome.FAILED))


def run_of(number: int = 1, **how: object) -> Run:
    """A complete run of two cases on TREE."""
    plain = Run(
        id=f"{number:032x}", suite="unit", tree=TREE, scoped_tree=TREE, first_tree=TREE, evidence=Evidence.OBSERVED,
        started=1_700_000_000.0 + number, recorded=1_700_000_001.0 + number, cases=CASES,
    )  # fmt: skip
    return replace(plain, **how)  # type: ignore[arg-type]


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    key_ring.of(os.environ).sealer()  # the key is there, so that what is counted here are the spool's own calls
    return Spool(str(tmp_path), "main")


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def entry_path(spool: Spool, suffix: str = ".run") -> Path:
    return next(p for p in map(Path, spool.paths()) if p.suffix == suffix)


# ---------------------------------------------------------------- round trip


def test_every_field_comes_back_as_it_was_stored(spool: Spool) -> None:
    full = run_of(
        7,
        scoped_tree=SCOPED,
        variant="linux-py312",
        shard=Shard(2, 4),
        finished=1_700_000_009.5,
        command=("pytest", "-q", "naïve\udcff"),
        cwd="sub/folder",
        exit_code=1,
        runner="pytest",
        runner_version="9.0",
        reader="junit",
        conditions=(("argv", "pytest"), ("harness", "pytest")),
        reports=(ReportFile("build/r.xml", "f" * 64, 1_700_000_000_123_456_789),),
        head=OTHER,
        changes=(Change("a.py", "100644", OTHER), Change("gone.py", None, None)),
        untracked=("new.py",),
        clock_suspect=True,
        problems=(Problem(Code.RUN_PARTIAL, "only a selection", "run it all"),),
        cases=(
            Case("<run>::exit 3", Outcome.FAILED, kind=RecordKind.RUN),
            Case("tests/ü.py::test_x", Outcome.XFAILED, count=2, passed=1, samples=3, raws=("0x1f", "0x2f")),
            Case("tests/z.py", Outcome.ERROR, kind=RecordKind.FILE, covers="tests/z.py::"),
        ),
    )
    stored = spool.finish(full)
    assert (stored.worktree, stored.sequence) == ("main", 1)
    assert spool.at_tree(TREE).runs == (stored,)
    assert spool.at_tree(SCOPED, scoped=True).runs == (stored,)
    assert spool.by_id(full.id[:30]).runs == (stored,)
    assert spool.recent(5).runs == (stored,)


def test_a_run_without_cases_and_an_unknown_tree(spool: Spool) -> None:
    spool.finish(run_of(cases=()))
    assert spool.at_tree(TREE).runs[0].cases == ()
    assert spool.at_tree(OTHER).runs == ()


def test_a_spool_that_is_not_there_is_an_empty_one(spool: Spool) -> None:
    assert spool.at_tree(TREE).runs == ()
    assert spool.paths() == [] == spool.inventory_paths() == spool.leftovers()
    assert spool.report_tree(ReportFile("r.xml", "0" * 64, 1)) is None


def test_a_run_bound_to_nothing_lies_with_the_tree_that_it_began_on(spool: Spool) -> None:
    changed = Problem(Code.TREE_CHANGED, "files changed")
    spool.finish(run_of(1, tree=None, scoped_tree=None, problems=(changed,)))
    spool.finish(run_of(2, tree=None, scoped_tree=None, first_tree=None, problems=(changed,)))
    assert [r.id for r in spool.at_tree(TREE).runs] == [run_of(1).id]
    assert [r.id for r in spool.at_tree(UNBOUND).runs] == [run_of(2).id]


def test_the_newest_come_first_and_not_more_than_asked_for(spool: Spool) -> None:
    for number in (3, 1, 2):
        spool.finish(run_of(number))
    assert [r.id for r in spool.recent(2).runs] == [run_of(3).id, run_of(2).id]


def test_the_same_ids_are_stored_once(spool: Spool, tmp_path: Path) -> None:
    for number in range(1, 6):
        spool.finish(run_of(number))
    assert len(spool.inventory_paths()) == 1


# ---------------------------------------------------------------- start entry, then finish entry


def test_a_run_that_began_is_seen_and_ends_once(spool: Spool) -> None:
    begun = spool.begin(
        run_of(cases=(), problems=(Problem(Code.RUN_INCOMPLETE, "the run was started and did not end"),))
    )
    found = spool.at_tree(TREE)
    assert (found.runs, found.begun) == ((), (begun,))
    assert spool.recent(9).begun == (begun,)
    done = spool.finish(run_of())
    found = spool.at_tree(TREE)
    assert (found.runs, found.begun) == ((done,), ())
    assert not list(Path(spool.root).rglob("*.begun"))


def test_a_writer_killed_between_the_two_entries_leaves_a_finished_run(spool: Spool) -> None:
    spool.begin(run_of(cases=()))
    kept = entry_path(spool, ".begun")
    bytes_of_start = kept.read_bytes()
    done = spool.finish(run_of())
    kept.write_bytes(bytes_of_start)
    for found in (spool.at_tree(TREE), spool.recent(9), spool.by_id(done.id)):
        assert (found.runs, found.begun) == ((done,), ())


def test_a_withdrawn_start_leaves_nothing(spool: Spool) -> None:
    spool.withdraw(spool.begin(run_of(cases=())))
    assert spool.paths() == []


# ---------------------------------------------------------------- worktrees


def test_found_from_every_worktree_also_when_its_own_is_removed(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit(files={"a.py": "1\n"})
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(linked), "-b", "other")
    there = place.find(str(linked), repo.env)
    assert there.worktree == "linked"
    stored = Spool(there.common_dir, there.worktree).finish(run_of())
    here = place.find(str(repo.path), repo.env)
    assert Spool(here.common_dir, here.worktree).at_tree(TREE).runs == (stored,)
    repo.git("worktree", "remove", "--force", str(linked))
    assert Spool(here.common_dir, here.worktree).at_tree(TREE).runs == (stored,)


WRITER = """
import sys
from dataclasses import replace
from shipmoor_hooks.model import Case, Evidence, Outcome, Run
from shipmoor_hooks.store.spool import Spool
root, worktree, first, number = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
cases = tuple(Case(f"tests/test_many.py::test_{i:04}", Outcome.PASSED, passed=1) for i in range(600))
spool = Spool(root, worktree)
for n in range(first, first + number):
    run = Run(id=f"{n:032x}", suite="unit", tree="a" * 40, scoped_tree="c" * 40, first_tree="a" * 40,
              evidence=Evidence.OBSERVED, started=1.7e9 + n, recorded=1.7e9 + n)
    spool.begin(run)
    # Every third list of ids is a new one, so that inventories are written while they are read.
    spool.finish(replace(run, cases=cases[: 600 - n // 3 % 500]))
    print(n, flush=True)
"""


def writer(tmp_path: Path, worktree: str, first: int, number: int) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", WRITER, str(tmp_path), worktree, str(first), str(number)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE)


def test_eight_processes_at_once_in_two_worktrees(tmp_path: Path) -> None:
    started = [writer(tmp_path, f"w{i % 2}", i * 100, 4) for i in range(8)]
    for process in started:
        process.communicate(timeout=60)
        assert process.returncode == 0
    found = Spool(str(tmp_path), "w0").at_tree(TREE)
    assert not found.broken
    assert not found.begun
    assert len({r.id for r in found.runs}) == len(found.runs) == 32
    for worktree in ("w0", "w1"):
        numbers = sorted(r.sequence for r in found.runs if r.worktree == worktree)
        assert len(set(numbers)) == 16
        assert max(numbers) == 32  # a start and a finish each
    assert Spool(str(tmp_path), "w0").at_tree(SCOPED, scoped=True).runs == found.runs
    assert Spool(str(tmp_path), "w0").leftovers() == []


def test_killed_at_random_moments_nothing_that_was_stored_is_lost(tmp_path: Path) -> None:
    dice = random.Random(20)  # noqa: S311 - moments, not secrets
    spool = Spool(str(tmp_path), "main")
    promised: set[int] = set()
    for round_number in range(12):
        process = writer(tmp_path, "main", round_number * 1000, 500)
        assert process.stdout is not None
        promised.add(int(process.stdout.readline()))
        time.sleep(dice.uniform(0, 0.05))
        process.kill()
        promised |= {int(line) for line in process.stdout.read().split(b"\n")[:-1]}
        process.wait()
        process.stdout.close()
    found = spool.at_tree(TREE)
    assert not found.broken
    assert {f"{n:032x}" for n in promised} <= {r.id for r in found.runs}
    assert len(found.begun) <= 12
    numbers = [r.sequence for r in (*found.runs, *found.begun)]
    assert len(set(numbers)) == len(numbers)
    after = spool.finish(run_of(99_999))
    assert after in spool.at_tree(TREE).runs
    assert after.sequence > max(numbers)


def test_a_number_is_taken_before_anything_is_stored(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that dies after its entry appeared must not leave its number to the next one."""
    monkeypatch.setattr(os, "rename", _fail_after(os.rename, 2, KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        spool.finish(run_of(1, scoped_tree=SCOPED))
    monkeypatch.undo()
    first = spool.at_tree(TREE).runs[0]
    assert spool.finish(run_of(2)).sequence > first.sequence


def _fail_after(real: Callable[..., object], number: int, fault: BaseException) -> Callable[..., object]:
    """The real function `number` times, then the fault."""
    calls = iter(range(10_000))

    def failing(*arguments: object, **how: object) -> object:
        if next(calls) < number:
            return real(*arguments, **how)
        raise fault

    return failing


def test_a_file_of_a_killed_writer_is_in_nobodys_way(spool: Spool) -> None:
    """A temporary name that is made of the process's number comes again in every container."""
    spool.finish(run_of(1))
    inventory = Path(spool.inventory_paths()[0])
    left = inventory.with_name(f".{inventory.name}.{os.getpid()}.tmp")
    inventory.rename(left)
    spool.finish(run_of(2))
    assert not spool.at_tree(TREE).broken
    assert spool.leftovers() == [str(left)]


# ---------------------------------------------------------------- a lock that is held


HOLDER = """
import fcntl, sys
handle = open(sys.argv[1], "rb+")
fcntl.flock(handle, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[bytes]:
    """Another process that holds the lock of a file until its input ends."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdin=-1, stdout=-1)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_lock_of_a_dead_process_keeps_nobody_waiting(spool: Spool) -> None:
    spool.finish(run_of(1))
    with holder(Path(spool.root, "runs/main/sequence")) as process:
        process.kill()
    began = time.monotonic()
    assert spool.finish(run_of(2)).sequence == 2
    assert time.monotonic() - began < 5


def test_a_stopped_process_with_the_lock_costs_no_run(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shipmoor_hooks.store.spool.LOCK_SECONDS", 0.2)
    begun = spool.begin(run_of(1, cases=()))
    with holder(Path(spool.root, "runs/main/sequence")) as process:
        stored = spool.finish(run_of(1))
        process.kill()
    assert (begun.worktree, stored.worktree) == ("main", "main~2")
    found = spool.at_tree(TREE)
    assert (found.runs, found.begun) == ((stored,), ())
    assert spool.finish(run_of(2)).worktree == "main"
    assert verify(Spool(spool.common_dir, "main")).is_whole


def test_a_spool_that_is_locked_as_a_whole_is_told(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.finish(run_of(1))
    monkeypatch.setattr(whole_files, "PATIENCE", 0.2)
    with holder(Path(spool.root, "lock")) as process:
        with pytest.raises(EnvironmentFault, match=r"another command has held .*lock for too long") as fault:
            spool.finish(run_of(2))
        process.kill()
    assert fault.value.next_step


# ---------------------------------------------------------------- a disk that says no


@pytest.mark.parametrize("name", ["fsync", "rename", "mkdir", "open"])
@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO], ids=lambda n: errno.errorcode[n]
)
def test_a_failing_disk_is_one_sentence_and_what_was_there_stays(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    first = spool.finish(run_of(1))
    before = files(Path(spool.root))
    error = OSError(number, os.strerror(number))
    monkeypatch.setattr(os, name, _fail_after(getattr(os, name), 0, error))
    with pytest.raises(EnvironmentFault) as fault:
        spool.finish(run_of(2, tree=OTHER, scoped_tree=SCOPED, first_tree=OTHER, cases=CASES[:1]))
    monkeypatch.undo()
    assert fault.value.exit_code == 4
    assert os.strerror(number) in fault.value.message
    assert fault.value.next_step
    assert spool.leftovers() == []
    after = files(Path(spool.root))
    assert {k: v for k, v in after.items() if k in before and not k.endswith("sequence")} == {
        k: v for k, v in before.items() if not k.endswith("sequence")
    }
    assert spool.at_tree(TREE).runs == (first,)
    spool.finish(run_of(3))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_really_full_disk(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.finish(run_of(1))
    real = os.open

    def onto_a_full_disk(path: str, flags: int, *how: int, **more: object) -> int:
        if str(path).endswith(".tmp"):
            real(path, flags, *how)
            return real("/dev/full", os.O_WRONLY)
        return real(path, flags, *how)

    monkeypatch.setattr(os, "open", onto_a_full_disk)
    with pytest.raises(EnvironmentFault, match="No space left"):
        spool.finish(run_of(2, cases=CASES[:1]))
    monkeypatch.undo()
    assert spool.leftovers() == []
    assert len(spool.at_tree(TREE).runs) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into every folder")
def test_a_read_only_folder(spool: Spool, tmp_path: Path) -> None:
    first = spool.finish(run_of(1))
    folder = Path(spool.root, "runs", "main")
    folder.chmod(0o500)
    try:
        with pytest.raises(EnvironmentFault):
            spool.finish(run_of(2, tree=OTHER, scoped_tree=OTHER))
        assert spool.at_tree(TREE).runs == (first,)
    finally:
        folder.chmod(0o700)


# ---------------------------------------------------------------- links, and other things in a file's place


PLACES = ["", "runs", "runs/main", "runs/main/trees", f"runs/main/trees/{TREE}", "inventories", "reports"]


@pytest.mark.parametrize("place_of_link", PLACES, ids=lambda p: p or "the whole spool")
def test_a_folder_that_is_a_link_is_refused_and_its_victim_unchanged(
    spool: Spool, tmp_path: Path, place_of_link: str
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").write_text("mine")
    (victim / ".precious.tmp").write_text("mine too")
    link = Path(spool.root, place_of_link)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(victim)
    file = ReportFile("r.xml", "0" * 64, 1)
    with pytest.raises(EnvironmentFault) as fault:
        _write_everything(spool, file)
    assert fault.value.exit_code == 4
    assert str(link) in fault.value.message
    assert files(victim) == {"precious": b"mine", ".precious.tmp": b"mine too"}
    assert not [p for p in (*spool.paths(), *spool.leftovers()) if "precious" in p]


def _write_everything(spool: Spool, file: ReportFile) -> None:
    spool.finish(run_of())
    spool.bind_report(file, TREE)


@pytest.mark.parametrize("linked", ["runs/main/sequence", "lock"])
def test_a_lock_that_is_a_link_is_refused(spool: Spool, tmp_path: Path, linked: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    spool.finish(run_of(1))
    lock = Path(spool.root, linked)
    lock.unlink()
    lock.symlink_to(victim)
    with pytest.raises(EnvironmentFault):
        spool.finish(run_of(2))
    assert victim.read_text() == "mine"


def test_a_file_where_a_folder_belongs_is_named(spool: Spool) -> None:
    Path(spool.root).mkdir()
    Path(spool.root, "runs").write_text("mine")
    with pytest.raises(EnvironmentFault, match="runs is not a folder"):
        spool.finish(run_of())
    assert Path(spool.root, "runs").read_text() == "mine"


def test_an_entry_that_is_a_link_is_named_and_not_read(spool: Spool, tmp_path: Path) -> None:
    spool.finish(run_of(1))
    path = entry_path(spool)
    victim = tmp_path / "copy"
    path.rename(victim)
    path.symlink_to(victim)
    found = spool.at_tree(TREE)
    assert found.runs == ()
    assert [b.path for b in found.broken] == [str(path)]


def test_a_pipe_in_an_entrys_place_is_not_waited_for(spool: Spool) -> None:
    spool.finish(run_of(1))
    path = entry_path(spool)
    path.unlink()
    os.mkfifo(path)
    (path.parent / "0000000000000-folder.run").mkdir()
    found = spool.at_tree(TREE)
    assert found.runs == ()
    assert len(found.broken) == 2
    assert all("not a plain file" in b.text for b in found.broken)


def test_runs_behind_a_link_are_not_followed(spool: Spool, tmp_path: Path) -> None:
    spool.finish(run_of(1))
    Path(spool.root, "runs", "main").rename(tmp_path / "elsewhere")
    Path(spool.root, "runs", "main").symlink_to(tmp_path / "elsewhere")
    assert spool.at_tree(TREE).runs == ()
    assert spool.paths() == []


# ---------------------------------------------------------------- entries that cannot be used


def flipped(data: bytes) -> bytes:
    at = data.index(b'"payload":"') + 60
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def rewrapped(change: Callable[[dict[str, object]], object]) -> Callable[[bytes], bytes]:
    """The entry with another payload, its digest made right again."""

    def remade(data: bytes) -> bytes:
        outer = json.loads(data)
        fields = json.loads(base64.b64decode(outer["payload"]))
        change(fields)
        payload = json.dumps(fields).encode()
        outer |= {
            "payload": base64.b64encode(payload).decode(),
            "digest": "sha256:" + hashlib.sha256(payload).hexdigest(),
        }
        return json.dumps(outer).encode()

    return remade


def with_field(name: str, value: object) -> Callable[[bytes], bytes]:
    return rewrapped(lambda fields: fields.update({name: value}))


def deep(data: bytes) -> bytes:
    payload = b"[" * 100_000
    outer = json.loads(data) | {"payload": base64.b64encode(payload).decode()}
    return json.dumps(outer | {"digest": "sha256:" + hashlib.sha256(payload).hexdigest()}).encode()


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut in the middle": lambda data: data[: len(data) // 2],
    "one bit flipped": flipped,
    "not JSON": lambda _: b"\x00\xff" * 50,
    "JSON of another kind": lambda _: b"[1, 2]",
    "nested without end": lambda _: b"[" * 100_000,
    "a payload nested without end": deep,
    "another payload type": lambda data: data.replace(b"vnd.shipmoor", b"vnd.elsewhere"),
    "no cases": rewrapped(lambda fields: fields.pop("cases")),
    "cases of the wrong type": with_field("cases", []),
    "another tree than its folder's": with_field("tree", OTHER),
    "another id than its name's": with_field("id", "f" * 32),
    "an id that is a number": with_field("id", 7),
    "a suite that is a list": with_field("suite", ["unit"]),
    "conditions that are a list": with_field("conditions", ["a"]),
    "evidence that is unknown": with_field("evidence", "sworn"),
    "evidence that is a number": with_field("evidence", 3),
    "a start that is no time": with_field("started", float("nan")),
    "a code that is unknown": with_field("problems", [["NEVER_HEARD", "a", "b"]]),
    "an inventory that leads out": with_field(
        "cases", {"inventory": "../../lock", "number": 2, "outcomes": "", "details": {}}
    ),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_entry_is_named_and_kept_and_the_others_stand(spool: Spool, reason: str) -> None:
    good = spool.finish(run_of(1))
    spool.finish(run_of(2))
    path = entry_path(spool)
    damaged = BROKEN[reason](path.read_bytes())
    path.write_bytes(damaged)
    found = spool.at_tree(TREE)
    assert found.runs == (good,)
    assert [(b.path, b.code) for b in found.broken] == [(str(path), Code.SEAL_BROKEN)]
    assert found.broken[0].text
    spool.finish(run_of(3))  # a command that writes moves it out of the way
    moved = quarantine.paths(spool.root)
    assert [Path(p).read_bytes() for p in moved] == [damaged]
    assert [(b.path, b.code) for b in spool.at_tree(TREE).broken] == [(moved[0], Code.SEAL_BROKEN)]


def test_a_newer_version_is_named_and_untouched(spool: Spool) -> None:
    spool.finish(run_of(1))
    path = entry_path(spool)
    newer = path.read_bytes().replace(b"version=1", b"version=2")
    path.write_bytes(newer)
    found = spool.at_tree(TREE)
    assert [b.code for b in found.broken] == [Code.ENTRY_NEWER]
    spool.finish(run_of(2))
    assert path.read_bytes() == newer


def test_an_entry_put_under_another_tree_proves_nothing_there(spool: Spool) -> None:
    """A copy in another tree's folder is as good as a forged run, and as easy."""
    spool.finish(run_of(1, scoped_tree=SCOPED))
    path = entry_path(spool)
    for folder in (Path(spool.root, "runs/main/trees", OTHER), Path(spool.root, "runs/main/scoped", OTHER)):
        folder.mkdir(parents=True)
        shutil.copy(path, folder)
    for scoped in (False, True):
        found = spool.at_tree(OTHER, scoped=scoped)
        assert found.runs == ()
        assert len(found.broken) == 1


def test_names_that_are_not_ours_are_left_alone(spool: Spool) -> None:
    spool.finish(run_of(1))
    stranger = entry_path(spool).parent / "README.run"
    stranger.write_text("hello")
    assert len(spool.by_id("0").runs) == 1
    assert stranger.read_text() == "hello"


# ---------------------------------------------------------------- inventories


def other_list() -> bytes:
    ids = ["tests/test_a.py::test_a"]
    return id_lists.packed(ids, id_lists.cut(ids))


DAMAGED: dict[str, Callable[[bytes], bytes | None]] = {
    "gone": lambda _: None,
    "empty": lambda _: b"",
    "one bit flipped": lambda data: data[:12] + bytes([data[12] ^ 1]) + data[13:],
    "another list, well compressed": lambda _: zlib.compress(b"tests/test_a.py::test_a"),
    "another list, marked for its own name": lambda _: other_list(),
    "its last byte is missing": lambda data: data[:-33] + data[-32:],
}


@pytest.mark.parametrize("reason", DAMAGED)
def test_a_damaged_inventory_is_found_and_rewritten_by_the_next_run(spool: Spool, reason: str) -> None:
    first = spool.finish(run_of(1))
    path = Path(spool.inventory_paths()[0])
    whole = path.read_bytes()
    damaged = DAMAGED[reason](whole)
    path.unlink() if damaged is None else path.write_bytes(damaged)
    assert [b.code for b in spool.at_tree(TREE).broken] == [Code.SEAL_BROKEN]
    second = spool.finish(run_of(2))
    assert path.read_bytes() == whole
    assert spool.at_tree(TREE).runs == (first, second)


def test_one_more_run_with_the_same_ids_costs_less_than_two_bits_a_case(spool: Spool) -> None:
    """Where 7 of 100 cases are red or skipped, in any order; a run's own fields take a kilobyte and a half at most."""
    letters = bytes(random.Random(7).choices(b"pfs", (93, 3, 4), k=100_000))  # noqa: S311
    cases = CaseList([f"tests/test_{i // 40}.py::test_{i}" for i in range(100_000)], letters, {})
    for number in (1, 2):
        spool.finish(replace(run_of(number), cases=cases))
    assert len(spool.inventory_paths()) == 1
    assert [os.path.getsize(path) <= 20_000 for path in spool.paths()] == [True, True]
    assert spool.at_tree(TREE).runs[0].cases == cases


# ---------------------------------------------------------------- reports, and names from outside


def test_a_report_is_known_by_digest_and_time_together(spool: Spool) -> None:
    file = ReportFile("r.xml", "0" * 64, 5)
    spool.bind_report(file, TREE)
    spool.bind_report(file, OTHER)
    assert spool.report_tree(file) == TREE
    assert spool.report_tree(replace(file, name="elsewhere/other.xml")) == TREE
    assert spool.report_tree(replace(file, mtime_ns=6)) is None
    assert spool.report_tree(replace(file, sha256="1" * 64)) is None


@pytest.mark.parametrize(
    "name", ["../../../escape", "/tmp/escape", "a/b", "-rf", "x\n\x1b[31m", "ü" * 300, "..", "CON"]
)
def test_what_a_suite_or_variant_is_called_is_in_no_path(spool: Spool, tmp_path: Path, name: str) -> None:
    spool.finish(run_of(1, suite="unit"))
    before = set(tmp_path.rglob("*"))
    stored = spool.finish(run_of(2, suite=name, variant=name, cwd=name, reader=name, command=(name,)))
    assert stored in spool.at_tree(TREE).runs
    (new,) = set(tmp_path.rglob("*")) - before
    assert (new.parent, new.name) == (entry_path(spool).parent, f"1700000002000-{stored.id}.run")


def test_an_entry_is_what_the_module_says_it_is(spool: Spool) -> None:
    """DSSE's shape: payload type with its version, payload, signatures; the payload's digest beside them."""
    spool.finish(run_of())
    outer = json.loads(entry_path(spool).read_bytes())
    assert set(outer) == {"payloadType", "payload", "signatures", "digest"}
    assert outer["payloadType"] == f"{entry.PAYLOAD_TYPE};version={entry.VERSION}"
