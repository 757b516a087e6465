"""Sealed runs in the spool: edits, strangers, gaps in the chain, quarantine, and what `verify` says (design, 9 and 10.8)."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from repo_builder import RepoBuilder
from test_spool import OTHER, SCOPED, TREE, run_of

from shipmoor_hooks import place
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.model import CaseList, Code, Evidence, Problem, Sealing
from shipmoor_hooks.seals import chain, key_ring, quarantine, seal
from shipmoor_hooks.seals.verification import Examined, verify
from shipmoor_hooks.store import envelope, gc
from shipmoor_hooks.store.entry import PAYLOAD_TYPE
from shipmoor_hooks.store.spool import Spool

DAY = 86400.0


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(str(tmp_path / "common"), "main")


@pytest.fixture(autouse=True)
def common(tmp_path: Path) -> Path:
    folder = tmp_path / "common"
    folder.mkdir()
    return folder


def again(spool: Spool) -> Spool:
    """The same spool, as another command opens it."""
    return Spool(spool.common_dir, spool.worktree)


def path_of(spool: Spool, number: int) -> Path:
    return next(p for p in map(Path, spool.paths()) if f"{number:032x}" in p.name)


def stranger(spool: Spool, tmp_path: Path) -> Spool:
    """The same spool in the hands of another user."""
    return Spool(spool.common_dir, spool.worktree, dict(os.environ) | {"XDG_STATE_HOME": str(tmp_path / "stranger")})


# ---------------------------------------------------------------- sealed, unsealed, foreign


def test_a_stored_run_is_sealed_and_counts_as_what_it_was(spool: Spool) -> None:
    stored = spool.finish(run_of())
    assert stored.sealing is Sealing.SEALED
    assert again(spool).at_tree(TREE).runs == (stored,)
    assert stored.counts_as is Evidence.OBSERVED


def test_an_unsealed_run_counts_as_imported_at_most(spool: Spool) -> None:
    off = Spool(spool.common_dir, "main", dict(os.environ) | {"SHIPMOOR_HOOKS_SEAL": "off"})
    off.finish(run_of())
    (found,) = spool.at_tree(TREE).runs
    assert (found.sealing, found.evidence, found.counts_as) == (Sealing.UNSEALED, Evidence.OBSERVED, Evidence.IMPORTED)


def test_an_entry_from_before_there_were_seals_and_chains_is_read(spool: Spool) -> None:
    spool.finish(run_of(1))
    path = path_of(spool, 1)
    fields = envelope.fields_of(PAYLOAD_TYPE, 1, path.read_bytes())
    old = {k: v for k, v in fields.items() if k not in (envelope.SEALED_BY, chain.FIELD)}
    path.write_bytes(envelope.wrap(PAYLOAD_TYPE, 1, json.dumps(old).encode()))
    Path(spool.root, "runs/main/sequence").write_bytes(b"%-20d\n" % 7)
    (found,) = again(spool).at_tree(TREE).runs
    assert found.counts_as is Evidence.IMPORTED
    assert again(spool).finish(run_of(2)).sequence == 8
    assert verify(again(spool)).is_whole


def test_a_strangers_run_is_foreign_until_its_key_is_known(spool: Spool, tmp_path: Path) -> None:
    spool.finish(run_of(1))
    stranger(spool, tmp_path).finish(run_of(2))
    found = again(spool).at_tree(TREE)
    assert [r.id for r in found.runs] == [run_of(1).id]
    assert [(r.id, r.sealing) for r in found.foreign] == [(run_of(2).id, Sealing.FOREIGN)]
    assert verify(again(spool)).seals[Sealing.FOREIGN] == 1
    key = key_ring.of(stranger(spool, tmp_path).environ).sealer().key
    assert key is not None
    key_ring.of(os.environ).take_in(key)
    assert [r.sealing for r in again(spool).at_tree(TREE).runs] == [Sealing.SEALED] * 2


def test_runs_from_before_a_rotation_stay_sealed(spool: Spool) -> None:
    spool.finish(run_of(1))
    key_ring.of(os.environ).rotate()
    spool.finish(run_of(2))
    assert [r.sealing for r in again(spool).at_tree(TREE).runs] == [Sealing.SEALED] * 2
    assert len({r.key for r in again(spool).at_tree(TREE).runs}) == 2


def test_a_run_that_has_begun_is_stored_also_when_the_key_is_refused_meanwhile(spool: Spool) -> None:
    spool.begin(run_of(1, cases=()))
    record = key_ring.of(os.environ).record()
    assert record is not None
    path = Path(os.environ["XDG_STATE_HOME"], "shipmoor-hooks/keys", f"{record.key}.key")
    path.chmod(0o644)
    with pytest.raises(EnvironmentFault, match="others can use it"):
        spool.finish(run_of(2))
    stored = spool.finish(run_of(1))
    assert stored.sealing is Sealing.UNSEALED
    assert "others can use it; so the run is stored unsealed" in spool.seal_note


# ---------------------------------------------------------------- bytes that changed


def test_one_byte_anywhere_in_a_sealed_entry_is_noticed(spool: Spool) -> None:
    spool.finish(run_of(1))
    path = path_of(spool, 1)
    whole = path.read_bytes()
    chance = random.Random(7)  # noqa: S311 # places, no secrets
    for position in sorted(chance.sample(range(len(whole)), 200)):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1 << chance.randrange(8)]) + whole[position + 1 :])
        found = spool.at_tree(TREE)
        assert found.runs == () == found.foreign, f"byte {position}"
        assert [b.code for b in found.broken] in ([Code.SEAL_BROKEN], [Code.ENTRY_NEWER])


def test_an_edit_with_a_digest_made_anew_is_noticed(spool: Spool) -> None:
    """What a digest alone cannot show: the outcome of a red case turned to green by hand."""
    spool.finish(run_of(1))
    path = path_of(spool, 1)
    fields = envelope.fields_of(PAYLOAD_TYPE, 1, path.read_bytes())
    fields["evidence"], fields["exit_code"] = "observed", 0
    outer = json.loads(envelope.wrap(PAYLOAD_TYPE, 1, json.dumps(fields, separators=(",", ":")).encode()))
    outer["signatures"] = json.loads(path.read_bytes())["signatures"]
    path.write_bytes(json.dumps(outer, separators=(",", ":")).encode() + b"\n")
    (broken,) = spool.at_tree(TREE).broken
    assert "does not fit its content" in broken.text


def test_a_broken_entry_is_set_aside_named_and_kept(spool: Spool) -> None:
    spool.finish(run_of(1, scoped_tree=SCOPED))
    path = path_of(spool, 1)
    damaged = path.read_bytes().replace(b"e", b"f", 3)
    path.write_bytes(damaged)
    seen = verify(again(spool))
    assert not seen.is_whole
    (moved,) = seen.set_aside
    assert Path(moved).read_bytes() == damaged
    assert not path.exists()
    assert [b.path for b in again(spool).at_tree(TREE).broken] == [moved]  # never taken as absent
    after = verify(again(spool))
    assert after.is_whole
    assert after.earlier == [moved]


def test_two_broken_entries_of_one_name_are_both_kept(spool: Spool) -> None:
    for content in (b"one", b"two"):
        spool.finish(run_of(1))
        path_of(spool, 1).write_bytes(content)
        verify(again(spool))
    assert {Path(p).read_bytes() for p in quarantine.paths(spool.root)} == {b"one", b"two"}


def test_a_damaged_list_of_ids_sets_no_run_aside(spool: Spool) -> None:
    """The next capture writes the list again, and every run that names it can be read again."""
    spool.finish(run_of(1))
    Path(spool.inventory_paths()[0]).write_bytes(b"damaged")
    assert verify(again(spool)).set_aside == []
    spool.finish(run_of(2))
    assert len(again(spool).at_tree(TREE).runs) == 2


def test_a_block_of_ids_that_was_forged_is_found_though_the_file_is_whole(spool: Spool) -> None:
    """Whoever asks for one id reads one block, and `verify` all of them."""
    ids = [f"tests/test_{i:04}.py::test_a" for i in range(2000)]
    spool.finish(replace(run_of(1), cases=CaseList(ids, b"p" * 2000, {})))
    path = Path(spool.inventory_paths()[0])
    data = bytearray(path.read_bytes()[:-32])
    data[-10] ^= 1
    path.write_bytes(bytes(data) + hashlib.sha256(path.name.encode() + data).digest())
    assert len(again(spool).at_tree(TREE).runs) == 1
    seen = verify(again(spool))
    assert (seen.is_whole, seen.set_aside) == (False, [])
    assert "does not hold what its name says" in seen.broken[0].text
    spool.finish(replace(run_of(2), cases=CaseList(ids, b"p" * 2000, {})))  # which writes the list again
    assert verify(again(spool)).is_whole
    assert [next(iter(run.cases)).id for run in again(spool).at_tree(TREE).runs] == ids[:1] * 2


def test_a_newer_versions_entry_is_left_where_it_is(spool: Spool) -> None:
    spool.finish(run_of(1))
    path = path_of(spool, 1)
    newer = path.read_bytes().replace(b"version=1", b"version=9")
    path.write_bytes(newer)
    seen = verify(again(spool))
    assert [b.code for b in seen.broken] == [Code.ENTRY_NEWER]
    assert path.read_bytes() == newer


# ---------------------------------------------------------------- the chain


def history(spool: Spool) -> list[Path]:
    """Runs that began and ended, one that did not end, an import, one whose command could not be started."""
    for number in (1, 2):
        spool.begin(run_of(number, cases=()))
        spool.finish(run_of(number))
    spool.begin(run_of(3, cases=()))
    spool.finish(run_of(4))
    spool.begin(run_of(5, cases=()))
    spool.withdraw(run_of(5))
    spool.begin(run_of(6, cases=()))
    spool.begin(run_of(7, cases=()))
    spool.finish(run_of(6))
    spool.finish(run_of(7))
    return sorted(map(Path, spool.paths()))


def test_a_history_has_no_gap(spool: Spool) -> None:
    assert len(history(spool)) == 6
    seen = verify(again(spool))
    assert (seen.is_whole, seen.entries, seen.notes) == (True, 6, [])


@pytest.mark.parametrize("number", [1, 2, 3, 4, 6, 7])
def test_each_entry_that_is_taken_out_is_missed_and_named(spool: Spool, number: int) -> None:
    history(spool)
    path = path_of(spool, number)
    path.unlink()
    gaps = verify(again(spool)).gaps
    assert any(path.name in gap for gap in gaps)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_an_entry_that_is_replaced_by_another_is_missed(spool: Spool, tmp_path: Path, number: int) -> None:
    """Sealed with the right key, for the right tree, and written later."""
    history(spool)
    path = path_of(spool, number)
    other = Spool(str(tmp_path / "elsewhere"), "main")
    Path(other.common_dir).mkdir()
    other.finish(run_of(number, exit_code=0))
    shutil.copy(path_of(other, number), path)
    assert any(path.name in gap for gap in verify(again(spool)).gaps)


def test_a_spool_that_was_set_back_shows_two_successors(spool: Spool, common: Path, tmp_path: Path) -> None:
    spool.finish(run_of(1))
    spool.finish(run_of(2))
    shutil.copytree(common, tmp_path / "backup")
    spool.finish(run_of(3))
    red = path_of(spool, 3).read_bytes()
    shutil.rmtree(common)
    shutil.copytree(tmp_path / "backup", common)
    spool.finish(run_of(4))
    assert verify(again(spool)).is_whole  # nothing on this machine can show it
    path_of(spool, 4).with_name(f"{'0' * 13}-x.run").write_bytes(red)  # until the lost entry comes back from anywhere
    path_of(spool, 4).parent.joinpath(f"{'0' * 13}-x.run").rename(
        path_of(spool, 4).parent / f"1700000003000-{run_of(3).id}.run"
    )
    assert any("set back" in gap for gap in verify(again(spool)).gaps)


def test_a_head_that_was_set_back_is_seen(spool: Spool) -> None:
    spool.finish(run_of(1))
    head = Path(spool.root, "runs/main/sequence")
    before = head.read_bytes()
    spool.finish(run_of(2))
    head.write_bytes(before)
    assert any("was set back" in gap for gap in verify(again(spool)).gaps)


@pytest.mark.parametrize("content", [b"", b"garbage", b"9" * 40 + b"\n", b"1\n{", b"1\n[" + b"[" * 90_000, b"-5\n{}"])
def test_a_head_that_is_damaged_is_told_and_rebuilt_by_the_next_writer(spool: Spool, content: bytes) -> None:
    spool.finish(run_of(1))
    Path(spool.root, "runs/main/sequence").write_bytes(content)
    assert verify(again(spool)).gaps == ["main: the file that names the newest entry is damaged"]
    assert spool.finish(run_of(2)).sequence == 2
    assert verify(again(spool)).is_whole


def test_a_head_that_is_gone_is_told_and_rebuilt(spool: Spool) -> None:
    spool.finish(run_of(1))
    Path(spool.root, "runs/main/sequence").unlink()
    assert verify(again(spool)).gaps == ["main: the file that names the newest entry is missing"]
    spool.finish(run_of(2))
    assert verify(again(spool)).is_whole


def test_what_gc_drops_is_no_gap(repo: RepoBuilder) -> None:
    repo.commit(files={"a.py": "1\n"})
    here = place.find(str(repo.path), repo.env)
    spool = Spool(here.common_dir, here.worktree)
    history(spool)
    now = run_of(9).started + 200 * DAY
    dropped = gc.collect(spool, here.git, now, 90)
    assert dropped.entries
    assert verify(again(spool)).is_whole
    spool.finish(run_of(10, tree=OTHER, scoped_tree=OTHER))
    assert verify(again(spool)).is_whole
    path_of(spool, 10).unlink()
    assert not verify(again(spool)).is_whole


def test_what_is_taken_out_before_gc_drops_its_neighbour_is_still_missed(repo: RepoBuilder) -> None:
    repo.commit(files={"a.py": "1\n"})
    here = place.find(str(repo.path), repo.env)
    spool = Spool(here.common_dir, here.worktree)
    spool.finish(run_of(1))
    victim = path_of(spool, 1)
    spool.begin(run_of(2, cases=()))
    spool.withdraw(run_of(2))
    victim.unlink()
    assert any(victim.name in gap for gap in verify(again(spool)).gaps)


def test_two_worktrees_have_two_chains(spool: Spool) -> None:
    for worktree in ("main", "linked"):
        for number in (1, 2):
            Spool(spool.common_dir, worktree).finish(run_of(number + 10 * len(worktree)))
    seen = verify(spool)
    assert (seen.is_whole, seen.entries) == (True, 4)


def test_a_spool_that_is_not_there_is_whole(spool: Spool) -> None:
    assert verify(spool) == Examined()


WRITER = """
import sys
from dataclasses import replace
from shipmoor_hooks.model import Case, Evidence, Outcome, Run
from shipmoor_hooks.store.spool import Spool
cases = tuple(Case(f"tests/test_many.py::test_{i:04}", Outcome.PASSED, passed=1) for i in range(300))
spool = Spool(sys.argv[1], "main")
for n in range(int(sys.argv[2]), 10**6):
    run = Run(id=f"{n:032x}", suite="unit", tree="a" * 40, scoped_tree="c" * 40, first_tree="a" * 40,
              evidence=Evidence.OBSERVED, started=1.7e9 + n, recorded=1.7e9 + n)
    spool.begin(run)
    spool.finish(replace(run, cases=cases[: 300 - n % 7]))
    print(n, flush=True)
"""


def test_a_kill_at_any_moment_leaves_a_chain_without_a_gap(spool: Spool, common: Path) -> None:
    told = []
    for turn in range(12):
        argv = [sys.executable, "-c", WRITER, str(common), str(1000 * turn)]
        with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            told.append(int(process.stdout.readline()))
            time.sleep(0.01 * turn)
            process.send_signal(signal.SIGKILL)
            told += [int(line) for line in process.stdout.read().split(b"\n")[:-1]]
    seen = verify(again(spool))
    assert seen.gaps == []
    assert seen.broken == []
    found = again(spool).at_tree(TREE)
    assert {f"{n:032x}" for n in told} <= {r.id for r in found.runs}
    assert {r.sealing for r in found.runs} == {Sealing.SEALED}
    numbers = [r.sequence for r in found.runs]
    assert len(numbers) == len(set(numbers))


# ---------------------------------------------------------------- the commands


def tool(repo: RepoBuilder, *words: str, **env: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "shipmoor_hooks", *words],
        cwd=repo.path, env=repo.env | env, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def filled(repo: RepoBuilder) -> tuple[RepoBuilder, Spool]:
    repo.commit(files={"a.py": "1\n"})
    here = place.find(str(repo.path), repo.env)
    spool = Spool(here.common_dir, here.worktree)
    partial = (Problem(Code.RUN_PARTIAL, "a part"),)
    spool.finish(run_of(1))
    spool.finish(replace(run_of(2), problems=partial))
    spool.finish(run_of(3))
    return repo, spool


def test_verify_tells_what_there_is(filled: tuple[RepoBuilder, Spool]) -> None:
    repo, spool = filled
    code, out, _ = tool(repo, "verify")
    assert (code, out.splitlines()[0]) == (0, "3 entries: 3 sealed (same-user)")
    assert "verified" not in out
    code, out, _ = tool(repo, "verify", f"{2:032x}", "--format", "json")
    assert (code, json.loads(out)["entries"]) == (0, 1)
    path_of(spool, 2).unlink()
    code, out, err = tool(repo, "verify", "--all")
    assert code == 3
    assert f"{2:032x}" in out
    assert "next: " in err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["verify", "../x"], 2, id="no id"),
        pytest.param(["verify", "ffff"], 3, id="no such run"),
        pytest.param(["verify", "--all", "0"], 2, id="all and one"),
        pytest.param(["key", "import", "no-such-file"], 2, id="no such file"),
        pytest.param(["key", "import", "a.py"], 2, id="no key"),
        pytest.param(["key"], 2, id="no command"),
        pytest.param(["key", "print"], 2, id="no such command"),
    ],
)
def test_what_cannot_be_asked(filled: tuple[RepoBuilder, Spool], words: list[str], code: int) -> None:
    found, _, err = tool(filled[0], *words)
    assert found == code
    assert "Traceback" not in err


def test_the_key_is_shown_by_its_id_rotated_and_imported(filled: tuple[RepoBuilder, Spool], tmp_path: Path) -> None:
    repo, _ = filled
    _, out, _ = tool(repo, "key", "show", "--format", "json")
    first = json.loads(out)
    secret = Path(first["file"]).read_text().strip()
    assert (first["backend"], first["retired"]) == ("file", [])
    _, text, _ = tool(repo, "key", "show")
    assert first["key"] in text
    code, out, _ = tool(repo, "key", "rotate", "--format", "json")
    assert (code, json.loads(out)["retired"]) == (0, [first["key"]])
    assert tool(repo, "verify")[0] == 0
    other = tmp_path / "container.key"
    strange = seal.key_of(b"\x05" * 32)
    other.write_text(seal.as_text(strange) + "\n")
    code, out, _ = tool(repo, "key", "import", str(other))
    assert (code, strange.id in out) == (0, True)
    assert secret.split(".")[2] not in text + out


def test_there_is_no_key_to_show_before_the_first_run(repo: RepoBuilder) -> None:
    code, _, err = tool(repo, "key", "show")
    assert code == 3
    assert "there is no key" in err
