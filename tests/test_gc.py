"""gc lets go of old runs and of nothing that something still stands on (design, 10.25 and 10.38)."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from repo_builder import RepoBuilder
from test_records import ONE_OF_EACH, PROOF

from shipmoor_hooks import place
from shipmoor_hooks.errors import EnvironmentFault, GitFault
from shipmoor_hooks.eval_model import EvalCase, EvalRun
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.model import Case, Code, Evidence, Outcome, Problem, ReportFile, Run, Shard
from shipmoor_hooks.store import gc, records, trace_store
from shipmoor_hooks.store.record_model import Clearing, Label, Proof, Regrade
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.trees import scoped_tree

NOW = 1_900_000_000.0
PARTIAL = (Problem(Code.RUN_PARTIAL, "a selection"),)
LOOSE = "d" * 40  # a tree that nothing reaches


@pytest.fixture
def spool(repo: RepoBuilder) -> Spool:
    repo.commit(files={"a.py": "1\n"})
    where = place.find(str(repo.path), repo.env)
    return Spool(where.common_dir, where.worktree)


def store(spool: Spool, number: int, tree: str = LOOSE, *, days: float = 100, **how: object) -> Run:
    moment = NOW - days * 86400
    run = Run(
        id=f"{number:032x}", suite="unit", tree=tree, scoped_tree=tree, first_tree=tree, evidence=Evidence.OBSERVED,
        started=moment, recorded=moment, cases=(Case(f"tests/t.py::test_{number}", Outcome.PASSED, passed=1),),
    )  # fmt: skip
    return spool.finish(replace(run, **how))  # type: ignore[arg-type]


def age(spool: Spool, days: float = 100) -> None:
    for path in Path(spool.root).rglob("*"):
        os.utime(path, (NOW - days * 86400,) * 2)


def collect(spool: Spool, repo: RepoBuilder, days: float = gc.DEFAULT_DAYS) -> list[str]:
    """The ids of the runs that are left, by their number."""
    age(spool)
    gc.collect(spool, place.find(str(repo.path), repo.env).git, NOW, days)
    found = spool.recent(1000)
    assert not [b for b in found.broken if "inventory" in b.text or "case ids" in b.text]
    return sorted(r.id.lstrip("0") for r in (*found.runs, *found.begun))


# ---------------------------------------------------------------- kept


def test_an_empty_spool(spool: Spool, repo: RepoBuilder) -> None:
    assert collect(spool, repo) == []


def test_a_young_run_of_a_tree_that_nothing_reaches(spool: Spool, repo: RepoBuilder) -> None:
    store(spool, 1, days=89)
    assert collect(spool, repo) == ["1"]


@pytest.mark.parametrize(
    "how", ["a branch", "a tag", "a remote's branch", "a detached HEAD", "another worktree's HEAD"]
)
def test_the_last_complete_run_of_a_tree_that_history_reaches(
    spool: Spool, repo: RepoBuilder, tmp_path: Path, how: str
) -> None:
    repo.git("switch", "-q", "-c", "side")
    tip = repo.commit(files={"a.py": f"{how}\n"})
    tree = repo.sha("HEAD^{tree}")
    repo.git("switch", "-q", "main")
    if how != "a branch":
        repo.git("branch", "-q", "-D", "side")
    if how == "a tag":
        repo.git("tag", "-a", "-m", "v1", "v1", tip)
    elif how == "a remote's branch":
        repo.git("update-ref", "refs/remotes/origin/side", tip)
    elif how == "a detached HEAD":
        repo.git("checkout", "-q", "--detach", tip)
    elif how == "another worktree's HEAD":
        repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), tip)
    store(spool, 1, tree, days=400)
    store(spool, 2, tree, days=300)
    assert collect(spool, repo) == ["2"]


def test_each_suite_variant_and_shard_keeps_its_own(spool: Spool, repo: RepoBuilder) -> None:
    tree = repo.sha("HEAD^{tree}")
    store(spool, 1, tree)
    store(spool, 2, tree, suite="e2e")
    store(spool, 3, tree, variant="mac")
    store(spool, 4, tree, shard=Shard(1, 2))
    store(spool, 5, tree, shard=Shard(2, 2))
    assert collect(spool, repo) == ["1", "2", "3", "4", "5"]


def test_a_partial_run_holds_no_complete_one_s_place(spool: Spool, repo: RepoBuilder) -> None:
    tree = repo.sha("HEAD^{tree}")
    store(spool, 1, tree, days=300)
    store(spool, 2, tree, days=200, problems=PARTIAL)
    assert collect(spool, repo) == ["1"]


def test_an_entry_that_cannot_be_read_and_every_list_of_ids_beside_it(spool: Spool, repo: RepoBuilder) -> None:
    """It may be a newer version's, and its list of ids cannot be seen from here."""
    store(spool, 1)
    path = Path(spool.paths()[0])
    newer = path.read_bytes().replace(b"version=1", b"version=9")
    path.write_bytes(newer)
    store(spool, 2)
    lists = set(spool.inventory_paths())
    assert collect(spool, repo) == []
    assert path.read_bytes() == newer
    assert set(spool.inventory_paths()) == lists


def test_a_young_run_that_began(spool: Spool, repo: RepoBuilder) -> None:
    begun = replace(store(spool, 1, days=1), id="2", cases=())
    spool.begin(begun)
    assert collect(spool, repo) == ["1", "2"]


def test_the_binding_of_reports_is_kept(spool: Spool, repo: RepoBuilder) -> None:
    """It is what refuses a report of another tree, however old."""
    file = ReportFile("r.xml", "0" * 64, 1)
    spool.bind_report(file, LOOSE)
    collect(spool, repo, days=0)
    assert spool.report_tree(file) == LOOSE


# ---------------------------------------------------------------- what else stands


def evals(**expectations: str) -> EvalRun:
    """Case to the name of its expectation."""
    cases = (EvalCase(name, f"evals/{name}", (), letter * 40) for name, letter in sorted(expectations.items()))
    return EvalRun(tuple(cases))


@pytest.mark.parametrize(
    ("second", "kept"),
    [
        pytest.param(evals(a="1", b="1"), ["1"], id="the same version again"),
        pytest.param(evals(a="1", b="2"), ["1", "2"], id="a new expectation"),
        pytest.param(evals(a="1"), ["1", "2"], id="a new version of known expectations"),
        pytest.param(None, ["1"], id="no eval run"),
    ],
)
def test_the_first_complete_run_of_a_version_and_of_an_expectation(
    spool: Spool, repo: RepoBuilder, second: EvalRun | None, kept: list[str]
) -> None:
    store(spool, 1, days=300, evals=evals(a="1", b="1"))
    store(spool, 2, days=200, evals=second)
    assert collect(spool, repo) == kept


def test_the_first_run_of_an_expectation_has_to_be_complete(spool: Spool, repo: RepoBuilder) -> None:
    store(spool, 1, days=400, evals=evals(a="1"), problems=PARTIAL)
    store(spool, 2, days=300, evals=evals(a="1"))
    assert collect(spool, repo) == ["2"]


def test_a_run_that_a_clearing_named(spool: Spool, repo: RepoBuilder) -> None:
    named = store(spool, 1, days=300)
    store(spool, 2, days=200)
    records.write(os.path.dirname(spool.root), Clearing("1" * 32, "unit", "x", NOW, "a" * 40, (named.id,)))
    assert collect(spool, repo) == ["1"]


@pytest.mark.parametrize("kind", [Proof, Regrade, Label], ids=lambda k: k.__name__)
def test_records_beside_runs_are_not_looked_at(spool: Spool, repo: RepoBuilder, kind: type) -> None:
    common = os.path.dirname(spool.root)
    (record,) = [replace(r, recorded=1.0) for r in ONE_OF_EACH if isinstance(r, kind)]
    records.write(common, record)
    assert collect(spool, repo, days=0) == []
    assert records.every(common, kind) == ((record,), ())


@pytest.mark.parametrize(
    ("run", "kept"),
    [
        pytest.param("1".rjust(32, "0"), True, id="of a run that stays"),
        pytest.param(PROOF.id, True, id="of a proof"),
        pytest.param("7" * 32, True, id="that a person labelled"),
        pytest.param("9" * 32, False, id="of a run that is gone"),
    ],
)
def test_traces(spool: Spool, repo: RepoBuilder, run: str, kept: bool) -> None:
    common = os.path.dirname(spool.root)
    store(spool, 1, days=1)
    records.write(common, PROOF)
    about = trace_store.KeptTrace("", "unit", "x", run, 1, NOW - 100 * 86400)
    sha = trace_store.keep(common, about, run.encode(), Workspace())
    if run == "7" * 32:
        records.write(common, Label("8" * 32, "unit", "x", NOW, sha, "wrong"))
    collect(spool, repo)
    assert [t.run for t in trace_store.every(common)[0]] == ([run] if kept else [])
    assert bool(list(Path(spool.root).glob("traces/blobs/*"))) is kept


SCOPED = '[suite.unit]\ncommand = "true"\nexclude = ["docs/**"]\n'


def test_a_run_that_the_gate_finds_only_by_its_scoped_tree(spool: Spool, repo: RepoBuilder) -> None:
    """It was taken on a tree that no commit holds; without the excluded paths it is the branch's tree."""
    repo.commit(files={"shipmoor-hooks.toml": SCOPED, "docs/a.md": "x\n"})
    where = place.find(str(repo.path), repo.env)
    scoped = scoped_tree.scoped_revision(where.git, "HEAD", ["docs/**"])
    store(spool, 1, days=300, scoped_tree=scoped)
    store(spool, 2, days=200, scoped_tree=scoped)
    store(spool, 3, days=200, scoped_tree="e" * 40)
    store(spool, 4, days=200, scoped_tree=scoped, suite="e2e")
    assert collect(spool, repo) == ["2"]


def test_a_scoped_tree_of_where_a_branch_left_its_target(spool: Spool, repo: RepoBuilder) -> None:
    repo.commit(files={"shipmoor-hooks.toml": '[gate]\ntarget = "main"\n' + SCOPED})
    where = place.find(str(repo.path), repo.env)
    scoped = scoped_tree.scoped_revision(where.git, "HEAD", ["docs/**"])
    store(spool, 1, days=300, scoped_tree=scoped)
    repo.git("switch", "-q", "-c", "work")
    repo.commit(files={"a.py": "work\n"})
    repo.git("switch", "-q", "main")
    repo.commit(files={"a.py": "main\n"})
    assert collect(spool, repo) == ["1"]


# ---------------------------------------------------------------- dropped


def test_old_runs_go_with_their_copies_lists_and_folders(spool: Spool, repo: RepoBuilder) -> None:
    store(spool, 1, scoped_tree="e" * 40)
    store(spool, 2, days=1)
    assert collect(spool, repo) == ["2"]
    assert not list(Path(spool.root).rglob("*" + "1".rjust(32, "0") + "*"))
    assert len(spool.inventory_paths()) == 1
    assert not list(Path(spool.root, "runs/main/scoped").glob("*"))


def test_an_old_run_that_began_and_what_a_crash_left(spool: Spool, repo: RepoBuilder) -> None:
    spool.begin(replace(store(spool, 1, days=200), id="9"))
    left = Path(spool.root, "inventories", ".abc.1f.tmp")
    left.write_text("half")
    assert collect(spool, repo) == []
    assert not left.exists()


def test_the_limit_is_what_was_asked_for(spool: Spool, repo: RepoBuilder) -> None:
    store(spool, 1, days=8)
    store(spool, 2, days=6)
    assert collect(spool, repo, days=7) == ["2"]


# ---------------------------------------------------------------- safely


def test_a_plan_drops_nothing(spool: Spool, repo: RepoBuilder) -> None:
    store(spool, 1)
    found = gc.plan(spool, place.find(str(repo.path), repo.env).git, NOW, 90)
    assert len(found.entries) == 1
    assert len(spool.paths()) == 1


def test_where_git_cannot_say_what_is_reached_nothing_is_dropped(spool: Spool, repo: RepoBuilder) -> None:
    store(spool, 1, repo.sha("HEAD^{tree}"))
    (repo.path / ".git/refs/heads/broken").write_text("f" * 40 + "\n")
    with pytest.raises(GitFault):
        collect(spool, repo)
    assert len(spool.paths()) == 1


def test_a_link_in_the_spool_leads_to_nobody_s_files(spool: Spool, repo: RepoBuilder, tmp_path: Path) -> None:
    store(spool, 1)
    victim = Path(spool.root, "runs/main/trees").rename(tmp_path / "victim")
    (victim / ".x.tmp").write_text("mine")
    Path(spool.root, "runs/main/trees").symlink_to(victim)
    before = sorted(victim.rglob("*"))
    collect(spool, repo)
    assert sorted(victim.rglob("*")) == before


def test_a_writer_waits_while_gc_looks_and_drops(spool: Spool) -> None:
    """A list of ids that was found unused must not be dropped under a run that has just named it."""
    done = threading.Event()

    def write() -> None:
        store(spool, 1, days=1)
        done.set()

    with spool.alone():
        writer = threading.Thread(target=write)
        writer.start()
        assert not done.wait(0.3)
    assert done.wait(10)
    writer.join()
    assert len(spool.at_tree(LOOSE).runs) == 1


def test_a_file_that_cannot_be_dropped_is_named(
    spool: Spool, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(spool, 1)
    monkeypatch.setattr(
        os, "unlink", lambda path: (_ for _ in ()).throw(PermissionError(13, "Permission denied", path))
    )
    with pytest.raises(EnvironmentFault, match="cannot be dropped"):
        collect(spool, repo)


def test_many_runs_are_looked_through_quickly(spool: Spool, repo: RepoBuilder) -> None:
    for number in range(1, 120):
        store(spool, number, days=number)
    began = time.monotonic()
    assert len(collect(spool, repo)) == 90
    assert time.monotonic() - began < 5


def test_traces_go_with_their_runs(spool: Spool, repo: RepoBuilder) -> None:
    kept, gone = store(spool, 1, days=10), store(spool, 2)
    shas = {}
    for run in (kept, gone):
        about = trace_store.KeptTrace("", "evals", "plan", run.id, 1, run.recorded, passed=True)
        shas[run.id] = trace_store.keep(str(Path(spool.root).parent), about, run.id.encode(), Workspace())
    unreadable = Path(spool.root, "runs", "main", "trees", LOOSE, f"0000000000001-{3:032x}.run")
    unreadable.write_bytes(b"a newer version's")
    about = trace_store.KeptTrace("", "evals", "plan", f"{3:032x}", 1, NOW - 100 * 86400, passed=True)
    shas["3"] = trace_store.keep(str(Path(spool.root).parent), about, b"3", Workspace())
    collect(spool, repo)
    left = trace_store.every(str(Path(spool.root).parent))[0]
    assert {k.sha for k in left} == {shas[kept.id], shas["3"]}
    blobs = {p.name for p in Path(spool.root, "traces", "blobs").iterdir()}
    assert blobs == {shas[kept.id], shas["3"]}
