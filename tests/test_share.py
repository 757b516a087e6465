"""Sharing through a real bare remote: publish, fetch, races, age, and that nothing of the user's is touched."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import time
from pathlib import Path

import pytest
from gate_world import GateWorld, junit, said
from repo_builder import RepoBuilder
from share_world import REF, Key, cli, clone, files_below, published, runs, state_of

from shipmoor_hooks import place
from shipmoor_hooks.model import Case, Evidence, Outcome, Run
from shipmoor_hooks.sharing.foreign import foreign_dir
from shipmoor_hooks.sharing.shared_runs import SharedRuns
from shipmoor_hooks.store import records
from shipmoor_hooks.store.envelope import payload_text
from shipmoor_hooks.store.record_model import Proof, Receipt
from shipmoor_hooks.store.spool import Spool

ADDED = "tests/test_set.py::test_c"


@pytest.fixture
def world(repo: RepoBuilder) -> GateWorld:
    """main and a branch, each measured once by an import under a relative name, pushed; no hook."""
    made = GateWorld(repo, repo.bare_remote())
    repo.write(".gitignore", "build/\n")
    repo.write("shipmoor-hooks.toml", '[suite.unit]\ncommand = ["pytest", "-q"]\n')
    commit(made, ["a", "b"])
    repo.git("push", "-q", "-u", "origin", "main")
    repo.git("remote", "set-head", "origin", "main")
    return made


def commit(world: GateWorld, cases: list[str]) -> str:
    made = world.commit(cases, measured=False)
    measure(world, cases)
    return made


def measure(world: GateWorld, cases: list[str], *words: str) -> None:
    world.reports += 1
    world.repo.write("build/r.xml", junit(dict.fromkeys(cases, "passed"), f"tests.test_set{world.reports}"[:14]))
    done = cli(world.repo, "capture", "--suite", "unit", *words, "build/r.xml")
    assert done.returncode == 0, said(done)


def publish(world: GateWorld, *words: str) -> subprocess.CompletedProcess[bytes]:
    done = cli(world.repo, "publish", *words)
    assert done.returncode == 0, said(done)
    return done


def sign_for(world: GateWorld, *lines: str) -> None:
    """Name signers beside the policy, on main, and measure that tree."""
    world.repo.write(".shipmoor-hooks/allowed_signers", "".join(lines))
    commit(world, ["a", "b"])
    world.repo.git("push", "-q", "origin", "main")


# ---------------------------------------------------------------- publish


def test_publishing_again_changes_nothing(world: GateWorld) -> None:
    publish(world)
    before = world.refs()
    assert "published 0 runs" in said(publish(world))
    assert world.refs() == before


def test_a_run_is_one_file_below_its_scoped_tree(world: GateWorld) -> None:
    before = state_of(world.repo)
    assert "published 1 runs, 0 records, 0 signatures (origin)" in said(publish(world))
    tree = world.repo.sha("HEAD^{tree}")
    (path,) = runs(published(world))
    assert path.startswith(f"runs/{tree[:2]}/{tree[2:]}/")
    assert [p.split("/")[0] for p in published(world)] == ["inventories", "runs"]
    assert state_of(world.repo) == before
    author = world.repo.git("log", "-1", "--format=%an|%ae|%cn|%ce", REF, cwd=world.remote)
    assert author == "shipmoor-hooks||shipmoor-hooks|"


def test_a_dry_run_says_what_would_leave_and_sends_nothing(world: GateWorld) -> None:
    before = world.refs()
    assert "would publish 1 runs" in said(publish(world, "--dry-run"))
    listed = json.loads(publish(world, "--dry-run", "--format", "json").stdout)
    assert len(runs(listed["new"])) == 1
    assert world.refs() == before


def test_what_others_published_stays(world: GateWorld) -> None:
    other = clone(world, "other")
    measure(other, ["a", "b"])
    publish(other)
    first = published(world)
    publish(world)
    assert set(first) < set(published(world))
    assert len(runs(published(world))) == 2


def test_what_is_unknown_stays_as_it_is(world: GateWorld) -> None:
    blob = world.repo.git("hash-object", "-w", "--stdin", stdin=b"of a newer version")
    inner = world.repo.git("mktree", stdin=f"100644 blob {blob}\tx.y\n".encode())
    tree = world.repo.git("mktree", stdin=f"040000 tree {inner}\tattestations\n100644 blob {blob}\tREADME\n".encode())
    world.repo.git("push", "-q", "origin", f"{world.repo.git('commit-tree', '-m', 'x', tree)}:{REF}")
    publish(world)
    assert published(world)["attestations/x.y"] == published(world)["README"] == blob


def test_records_leave_and_traces_do_not(world: GateWorld) -> None:
    common = str(world.repo.path / ".git")
    told = Proof("p1", "unit", "t::a", time.time(), "ab", "", "", "", "c", "t", "f", (), ())
    records.write(common, told)
    records.write(common, Receipt("r1", "", "", time.time(), "refs/heads/x", "c", "t", "allowed"))
    trace = world.repo.path / ".git" / "shipmoor-hooks" / "traces" / "x"
    trace.parent.mkdir()
    trace.write_text("a reply")
    publish(world)
    assert sorted({"/".join(p.split("/")[:2]) for p in published(world) if p.startswith("records")}) == [
        "records/proof",
        "records/receipt",
    ]
    other = clone(world, "other")
    assert cli(other.repo, "fetch").returncode == 0
    assert records.every(foreign_dir(str(other.repo.path / ".git")), Proof)[0] == (told,)


def test_an_entry_that_names_a_home_folder_is_withheld_by_name(world: GateWorld) -> None:
    tree, now = world.repo.sha("HEAD^{tree}"), time.time()
    argv = (("argv", f"{world.repo.env['HOME']}/venv/bin/pytest -q"),)
    told = Run(
        "f" * 32, "unit", tree, tree, Evidence.OBSERVED, now, now, (Case("t::a", Outcome.PASSED),), conditions=argv
    )
    Spool(str(world.repo.path / ".git"), "main").finish(told)
    done = publish(world)
    assert "published 1 runs" in said(done)
    assert "it names" in said(done)
    assert len(runs(published(world))) == 1
    publish(world, "--all")
    assert len(runs(published(world))) == 2


def test_no_person_and_no_machine_is_named(world: GateWorld) -> None:
    publish(world)
    bundle = b""
    for oid in published(world).values():
        bundle += world.repo.process(["git", "cat-file", "blob", oid], cwd=world.remote).stdout
    text = payload_text(bundle.split(b"\n")[-2]) + bundle.decode("utf-8", "replace")
    for word in (world.repo.env["HOME"], str(world.repo.path), "ada@example.org"):
        assert word not in text


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        pytest.param(["nowhere"], 2, "no remote", id="no such remote"),
        pytest.param(["--sign", "x", "--no-sign"], 2, "opposite", id="both"),
        pytest.param(["--sign", "/nowhere/key"], 4, "no key that ssh-keygen can read", id="no key"),
        pytest.param(["gone"], 4, "does not answer", id="a remote that is gone"),
    ],
)
def test_what_cannot_be_done_is_one_line(world: GateWorld, words: list[str], code: int, told: str) -> None:
    world.repo.git("remote", "add", "gone", str(world.repo.path.parent / "gone.git"))
    done = cli(world.repo, "publish", *words)
    assert done.returncode == code
    assert told in said(done)
    assert "Traceback" not in said(done)


# ---------------------------------------------------------------- age and size


def old_runs(world: GateWorld, number: int, days: float) -> None:
    """Runs of the present tree that began some days ago."""
    then = time.time() - days * 86400
    tree = world.repo.sha("HEAD^{tree}")
    spool = Spool(str(world.repo.path / ".git"), "main")
    for i in range(number):
        cases = (Case("t::a", Outcome.PASSED, passed=1), Case(f"t::{i}", Outcome.PASSED, passed=1))
        cases = tuple(sorted(cases, key=lambda c: c.id))
        spool.finish(Run(f"{i:032x}", "unit", tree, tree, Evidence.OBSERVED, then + i, then + i, cases))


def test_old_runs_are_let_go_and_the_history_with_them(world: GateWorld) -> None:
    old_runs(world, 3, days=10)
    publish(world)
    assert len(runs(published(world))) == 4
    world.repo.commit("Move on", files={"x": "y"})
    world.repo.git("push", "-q", "origin", "main")
    done = publish(world, "--older-than", "5")
    assert "let go of" in said(done)
    assert len(runs(published(world))) == 1
    assert len(published(world)) == 2  # and its list of case ids
    assert world.repo.git("rev-list", "--count", REF, cwd=world.remote) == "1"


def test_runs_of_the_targets_present_tree_stay_whatever_their_age(world: GateWorld) -> None:
    old_runs(world, 1, days=10)
    publish(world)
    publish(world, "--older-than", "5")
    assert len(runs(published(world))) == 2


def test_a_server_that_takes_no_new_beginning_gets_one_more_commit(world: GateWorld) -> None:
    hook = world.remote / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nexpr "$2" : "0*$" >/dev/null || git merge-base --is-ancestor "$2" "$3"\n')
    hook.chmod(0o755)
    old_runs(world, 1, days=10)
    publish(world)
    world.repo.commit("Move on", files={"x": "y"})
    world.repo.git("push", "-q", "origin", "main")
    publish(world, "--older-than", "5")
    assert len(runs(published(world))) == 1
    assert world.repo.git("rev-list", "--count", REF, cwd=world.remote) == "2"


# ---------------------------------------------------------------- races


def test_eight_publishers_at_once_lose_nothing(world: GateWorld) -> None:
    clones = [clone(world, f"c{i}") for i in range(8)]
    for number, one in enumerate(clones):
        measure(one, ["a", "b", f"only{number}"])
    forked = multiprocessing.get_context("fork")
    begun = [forked.Process(target=publish, args=(one,)) for one in clones]
    for process in begun:
        process.start()
    for process in begun:
        process.join(timeout=150)
        assert process.exitcode == 0
    assert len(runs(published(world))) == 8
    assert world.repo.git("rev-list", "--count", REF, cwd=world.remote) == "8"
    world.repo.git("fsck", "--strict", cwd=world.remote)


# ---------------------------------------------------------------- fetch, and what counts


def test_a_remote_without_runs_is_no_error(world: GateWorld) -> None:
    done = cli(world.repo, "fetch")
    assert (done.returncode, "has no published runs" in said(done)) == (0, True)


def test_signed_runs_count_where_the_base_names_the_signer(world: GateWorld, tmp_path: Path) -> None:
    key = Key.create(tmp_path / "key")
    sign_for(world, key.line("ada@example.org"))
    world.repo.git("switch", "-q", "-c", "work")
    commit(world, ["a", "b", "c"])
    publish(world, "--sign", str(key.file))
    world.repo.git("push", "-q", "origin", "work")
    other = clone(world, "other")
    other.repo.git("switch", "-q", "work")
    none = cli(other.repo, "gate")
    assert none.returncode == 3
    assert "NO_RUN_AT_BASE" in said(none)
    found = json.loads(cli(other.repo, "gate", "--format", "json").stdout)["findings"]
    (ways,) = [f["next"].split("\n") for f in found if f["code"] == "NO_RUN_AT_BASE"]
    assert [way.split(" ")[1] for way in ways] == ["fetch", "run"]
    before = state_of(other.repo)
    assert "3 new runs" in said(cli(other.repo, "fetch"))
    assert state_of(other.repo) == before
    done = cli(other.repo, "gate")
    assert done.returncode == 0, said(done)
    assert "unit 3 of 3" in said(done)
    assert "0 new runs" in said(cli(other.repo, "fetch"))


@pytest.mark.parametrize(
    ("signed", "named", "told"),
    [
        pytest.param(False, True, "nobody signed it", id="nobody signed"),
        pytest.param(True, False, "names no allowed_signers", id="nobody is named"),
        pytest.param(True, True, "names none of its signers", id="another is named"),
    ],
)
def test_other_runs_are_shown_and_count_for_nothing(
    world: GateWorld, tmp_path: Path, signed: bool, named: bool, told: str
) -> None:
    key, other_key = Key.create(tmp_path / "key"), Key.create(tmp_path / "other key")
    if named:
        sign_for(world, other_key.line("bob@example.org"))
    world.repo.git("switch", "-q", "-c", "work")
    # A signer that the branch itself names has no say: the file is read from the base.
    world.repo.write(".shipmoor-hooks/allowed_signers", key.line("mallory@example.org"))
    commit(world, ["a", "b", "c"])
    publish(world, *(["--sign", str(key.file)] if signed else ["--no-sign"]))
    world.repo.git("push", "-q", "origin", "work")
    other = clone(world, "other")
    other.repo.git("switch", "-q", "work")
    assert cli(other.repo, "fetch").returncode == 0
    done = cli(other.repo, "gate")
    assert done.returncode == 3
    assert "SEAL_FOREIGN" in said(done)
    assert told in " ".join(said(done).split())
    measure(other, ["a", "b", "c"])
    other.repo.git("switch", "-q", "--detach", "main")
    measure(other, ["a", "b"])
    assert cli(other.repo, "gate", "--base", "main", "--tip", "work").returncode == 0


def test_a_signature_counts_for_the_bytes_that_it_signed_alone(world: GateWorld, tmp_path: Path) -> None:
    key = Key.create(tmp_path / "key")
    sign_for(world, key.line("ada@example.org"))
    publish(world, "--sign", str(key.file))
    other = clone(world, "other")
    assert cli(other.repo, "fetch").returncode == 0
    assert cli(other.repo, "gate", "--base", "HEAD").returncode == 0
    top = other.repo.path / ".git" / "shipmoor-hooks" / "foreign"
    (good, bad) = (p for p in sorted(top.rglob("trees/*/*.sig")))
    good.write_bytes(bad.read_bytes())
    bad.write_bytes(b"-----BEGIN SSH SIGNATURE-----\nx\n")
    assert cli(other.repo, "gate", "--base", "HEAD").returncode == 3


@pytest.mark.parametrize("signed", [True, False], ids=["signed", "signed by nobody"])
def test_a_fetched_proof_counts_like_a_run(world: GateWorld, tmp_path: Path, signed: bool) -> None:
    key = Key.create(tmp_path / "key")
    sign_for(world, key.line("ada@example.org"))
    told = Proof("p1", "unit", "t::a", time.time(), "ab", "", "", "", "c", "t", "f", (), ())
    records.write(str(world.repo.path / ".git"), told)
    publish(world, *(["--sign", str(key.file)] if signed else ["--no-sign"]))
    other = clone(world, "other")
    assert cli(other.repo, "fetch").returncode == 0
    shared = SharedRuns(place.find(str(other.repo.path), other.repo.env), "HEAD")
    assert shared.records(Proof, "cases", records.case_folder("unit", "t::a")) == ((told,) if signed else ())
    assert shared.records(Proof, "keys", records.key_folder("ab")) == ((told,) if signed else ())


def test_gits_own_signing_key_signs(world: GateWorld, tmp_path: Path) -> None:
    key = Key.create(tmp_path / "key")
    world.repo.git("config", "gpg.format", "ssh")
    world.repo.git("config", "user.signingkey", str(key.file.with_suffix(".pub")))
    assert "1 signatures" in said(publish(world))
    assert "published 0 runs, 0 records, 0 signatures" in said(publish(world))


def test_the_place_of_fetched_runs_is_their_own(world: GateWorld) -> None:
    publish(world)
    other = clone(world, "other")
    assert cli(other.repo, "fetch").returncode == 0
    spool = other.repo.path / ".git" / "shipmoor-hooks"
    assert {name.split("/")[0] for name in files_below(spool)} == {"foreign"}
    assert place.find(str(other.repo.path), other.repo.env).worktree == "main"
