"""Reports that somebody hands us become runs, bound to the tree that was tested (design, sections 6, 9 and 10)."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shlex
import sys
import zlib
from pathlib import Path

import pytest
from capture_world import POLICY, CaptureWorld
from gate_world import junit
from repo_builder import RepoBuilder

from shipmoor_hooks.capture import pick_suite
from shipmoor_hooks.errors import EvidenceFault, ReportFault, ShipmoorError, UsageFault
from shipmoor_hooks.model import Code, Evidence, Outcome, Policy, Shard, Suite
from shipmoor_hooks.store import id_lists

CANARY = "hunter2-canary-7f3a"


@pytest.fixture
def world(repo: RepoBuilder) -> CaptureWorld:
    return CaptureWorld.create(repo)


def ids(world: CaptureWorld) -> list[list[str]]:
    return [[c.id for c in run.cases] for run in world.found().runs]


# ---------------------------------------------------------------- what is stored


def test_a_report_is_a_complete_run_of_the_tree(world: CaptureWorld) -> None:
    captured = world.take(world.report(a="passed", b="failed", c="skipped"))
    run = captured.run
    assert run.is_complete
    assert run.evidence is Evidence.IMPORTED
    assert run.tree == run.scoped_tree == world.repo.sha("HEAD^{tree}")
    assert str(run.count) == "1 of 3"
    assert [c.outcome for c in run.cases] == [Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED]
    assert run.cases[0].id == "tests/test_set.py::test_a"
    assert world.found().runs == (run,)
    assert captured.warnings == ()


def test_nothing_of_the_user_s_is_touched(world: CaptureWorld) -> None:
    world.repo.write("tests/test_new.py", "# new\n")
    world.repo.write("staged.py", "1\n")
    world.repo.git("add", "staged.py")
    world.settle()
    world.repo.git("status")  # git's own look renews the times in the index
    before = (world.repo.index_bytes(), world.repo.git("status", "--porcelain"), world.repo.objects(), world.repo.sha())
    world.take(world.report())
    after = (world.repo.index_bytes(), world.repo.git("status", "--porcelain"), world.repo.objects(), world.repo.sha())
    assert before == after


def test_several_files_are_one_run_whatever_their_order(world: CaptureWorld) -> None:
    one = world.report("build/1.xml", a="passed")
    two = world.report("build/2.xml", b="passed")
    first = world.take(one, two)
    assert [c.id for c in first.run.cases] == ["tests/test_set.py::test_a", "tests/test_set.py::test_b"]
    assert len(world.stored()) == 1


@pytest.mark.parametrize("second", ["build/r.xml", "build/../build/r.xml", "build/link.xml"])
def test_the_same_file_twice_counts_once(world: CaptureWorld, second: str) -> None:
    path = world.report()
    (path.parent / "link.xml").symlink_to("r.xml")
    run = world.take(path, second).run
    assert [c.count for c in run.cases] == [1, 1]
    assert len(run.reports) == 1


def test_captured_again_nothing_is_stored_twice(world: CaptureWorld) -> None:
    paths = [world.report("build/1.xml", a="passed"), world.report("build/2.xml", b="passed")]
    first = world.take(*paths)
    again = world.take(*paths)
    assert (again.run, again.known) == (first.run, True)
    assert "captured before" in again.warnings[0]
    assert len(world.stored()) == 1


def test_another_claim_about_the_same_file_is_another_run(world: CaptureWorld) -> None:
    path = world.report()
    world.take(path, partial=True)
    assert world.take(path).run.is_complete
    assert len(world.stored()) == 2


def test_a_run_whose_entry_is_broken_is_captured_again(world: CaptureWorld) -> None:
    path = world.report()
    world.take(path)
    stored = Path(world.stored()[0])
    stored.write_bytes(stored.read_bytes()[:100])
    assert not world.take(path).known
    assert len(world.found().runs) == 1


def test_one_case_in_two_files_counts_twice_and_the_worst_wins(world: CaptureWorld) -> None:
    run = world.take(world.report("build/1.xml", a="passed"), world.report("build/2.xml", a="failed")).run
    assert [(c.count, c.outcome) for c in run.cases] == [(2, Outcome.FAILED)]


def test_a_class_that_does_not_load_beside_full_files_is_red_and_the_run_whole(world: CaptureWorld) -> None:
    """surefire writes a file a class: one that does not load is a red file, not a lost report."""
    broken = (
        '<testsuite name="com.example.BrokenTest" tests="1" errors="1"><properties/><testcase name="initializationError" '
        'classname="com.example.BrokenTest" time="0"><error message="no" type="java.lang.Error">no</error></testcase>'
        "</testsuite>"
    )
    run = world.take(world.report("build/1.xml", a="passed"), world.report("build/2.xml", broken)).run
    assert run.is_complete, run.problems
    assert any(c.outcome.is_red for c in run.cases)


# ---------------------------------------------------------------- bad reports store nothing


def broken(world: CaptureWorld, name: str) -> str:
    """A path of this kind, made in build/."""
    folder = world.repo.path / "build"
    folder.mkdir(exist_ok=True)
    made = {
        "missing": lambda _: None,
        "a folder": lambda p: p.mkdir(),
        "a pipe": os.mkfifo,
        "a link out": lambda p: p.symlink_to("/etc/hostname"),
        "a link to a device": lambda p: p.symlink_to("/dev/zero"),
        "empty": lambda p: p.write_bytes(b""),
        "binary": lambda p: p.write_bytes(os.urandom(4096)),
        "truncated": lambda p: p.write_text(junit({"a": "passed", "b": "passed"})[:-40]),
        "an entity bomb": lambda p: p.write_text(
            '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
        ),
    }
    made[name](folder / "bad.xml")
    return "build/bad.xml"


@pytest.mark.parametrize(
    "kind",
    [
        "missing",
        "a folder",
        "a pipe",
        "a link out",
        "a link to a device",
        "empty",
        "binary",
        "truncated",
        "an entity bomb",
    ],
)
def test_a_bad_report_stores_nothing_and_is_named(world: CaptureWorld, kind: str) -> None:
    good = world.report("build/good.xml")
    bad = broken(world, kind)
    for files in ((bad,), (good, bad), (bad, good)):
        with pytest.raises(ReportFault) as fault:
            world.take(*files)
        assert fault.value.exit_code == 3
        assert "bad.xml" in fault.value.message
    assert world.stored() == []
    assert world.take(good).run.is_complete


def test_no_file_at_all(world: CaptureWorld) -> None:
    with pytest.raises(EvidenceFault, match="no report of unit"):
        world.take()


INCOMPLETE = {
    "no case": "<testsuites><testsuite name='pytest' tests='0'/></testsuites>",
    "a case without a name": "<testsuite name='pytest' tests='1'><testcase classname='tests.test_set' name=''/></testsuite>",
    "far more counted than listed": junit({"a": "passed"}).replace('tests="1"', 'tests="900"'),
}


@pytest.mark.parametrize("reason", INCOMPLETE)
def test_an_incomplete_report_is_stored_as_that_and_shows_no_case_gone(world: CaptureWorld, reason: str) -> None:
    captured = world.take(world.report("build/r.xml", INCOMPLETE[reason]))
    assert {p.code for p in captured.run.problems} == {Code.RUN_INCOMPLETE}
    assert "build/r.xml" in captured.run.problems[0].message
    assert captured.warnings
    assert world.found().runs == (captured.run,)
    assert world.take(world.repo.path / "build/r.xml").known


# ---------------------------------------------------------------- which tree


def test_the_index_and_its_tree(world: CaptureWorld) -> None:
    world.repo.write("tests/test_set.py", "# staged\n")
    world.repo.git("add", "-A")
    world.repo.write("tests/test_set.py", "# edited afterwards\n")
    world.settle()
    run = world.take(world.report(), tree="index").run
    assert run.tree == world.repo.git("write-tree")
    assert [c.path for c in run.changes] == ["tests/test_set.py"]


def test_in_a_pre_commit_hook_the_index_is_the_one_that_git_commits(world: CaptureWorld) -> None:
    """`git commit FILE` makes an index of its own and tells it by GIT_INDEX_FILE; what is staged beside it stays out."""
    repo = world.repo
    hook = repo.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    tool = f"{shlex.quote(sys.executable)} -m shipmoor_hooks"
    hook.write_text(f"#!/bin/sh\nexec {tool} capture --tree index build/r.xml\n")
    hook.chmod(0o755)
    repo.write("tests/test_set.py", "# committed\n")
    repo.write("staged.py", "1\n")
    repo.git("add", "staged.py")
    world.settle()
    world.report(age=5)
    done = repo.process(["git", "commit", "-m", "Only one", "tests/test_set.py"])
    assert done.returncode == 0, done.stderr
    (run,) = world.found("HEAD").runs
    assert run.is_complete
    assert [c.path for c in run.changes] == ["tests/test_set.py"]


def test_a_revision_and_its_tree(world: CaptureWorld) -> None:
    first = world.repo.sha()
    world.repo.commit(files={"src.py": "1\n"})
    world.settle()
    run = world.take(world.report(), tree=first).run
    assert (run.tree, run.head) == (world.repo.sha(f"{first}^{{tree}}"), first)


@pytest.mark.parametrize("name", ["nowhere", "--all", "", "HEAD^{tree}", "worktree2"])
def test_a_revision_that_is_none(world: CaptureWorld, name: str) -> None:
    with pytest.raises(UsageFault):
        world.take(world.report(), tree=name)
    assert world.stored() == []


def test_the_working_tree_with_what_is_untracked(world: CaptureWorld) -> None:
    world.repo.write("tests/test_new.py", "# new\n")
    world.settle()
    captured = world.take(world.report())
    assert captured.run.untracked == ("tests/test_new.py",)
    assert any("tests/test_new.py" in w for w in captured.warnings)
    world.repo.git("add", "-A")
    assert captured.run.tree == world.repo.git("write-tree")


def test_untracked_files_are_refused_where_the_policy_says_so(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo, '[gate]\nuntracked = "refuse"\n' + POLICY)
    world.repo.write("tests/test_new.py", "# new\n")
    world.settle()
    path = world.report()
    with pytest.raises(EvidenceFault, match=r"tests/test_new\.py"):
        world.take(path)
    assert world.stored() == []
    assert world.take(path, tree="HEAD").run.is_complete
    world.repo.git("add", "-A")
    assert world.take(world.report("build/r2.xml", age=50)).run.is_complete


def test_an_ignored_conftest_counts_as_untracked(world: CaptureWorld) -> None:
    """10.12: ignored files of the test surface decide what a suite does and are in no commit."""
    world.repo.commit(files={".gitignore": "build/\nconftest.py\n"})
    world.repo.write("conftest.py", "collect_ignore = ['tests/test_set.py']\n")
    world.settle()
    world.repo.write("build/venv/conftest.py", "# somebody else's\n")
    captured = world.take(world.report())
    assert captured.run.untracked == ("conftest.py",)
    assert any("conftest.py" in w for w in captured.warnings)


def test_a_worktree_that_no_tree_stands_for_binds_the_run_to_nothing(world: CaptureWorld) -> None:
    (world.repo.path / "tests/test_set.py").unlink()
    os.mkfifo(world.repo.path / "tests/test_set.py")
    world.settle()
    run = world.take(world.report()).run
    assert run.tree is None
    assert run.problems[0].code is Code.TREE_CHANGED
    assert "tests/test_set.py" in run.problems[0].message


def test_the_scoped_tree_leaves_out_what_the_suite_excludes(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo, POLICY + 'exclude = ["docs/**"]\n')
    first = world.take(world.report()).run
    world.repo.commit(files={"docs/page.md": "more\n"})
    world.settle()
    second = world.take(world.report("build/r2.xml", age=50)).run
    assert first.tree != second.tree
    assert first.scoped_tree == second.scoped_tree


# ---------------------------------------------------------------- clocks


@pytest.mark.parametrize(("ahead", "suspect"), [(-60.0, False), (119.0, False), (121.0, True)])
def test_a_report_from_the_future_is_suspect_beyond_two_minutes(
    world: CaptureWorld, ahead: float, suspect: bool
) -> None:
    captured = world.take(world.report(age=-ahead))
    assert captured.run.clock_suspect is suspect
    assert captured.run.is_complete
    assert any("future" in w for w in captured.warnings) is suspect


def test_the_older_of_its_own_time_and_the_file_s_is_the_start(world: CaptureWorld) -> None:
    content = junit({"a": "passed"}).replace('name="pytest"', 'name="pytest" timestamp="2024-01-01T00:00:00+00:00"')
    run = world.take(world.report("build/r.xml", content), tree="HEAD").run
    assert run.started == 1_704_067_200.0
    assert world.take(world.report("build/r2.xml", age=500), tree="HEAD").run.started == pytest.approx(world.now - 500)


# ---------------------------------------------------------------- partial runs, variants, shards, suites


def test_a_partial_run_says_so(world: CaptureWorld) -> None:
    run = world.take(world.report(), partial=True).run
    assert run.is_partial
    assert not run.is_complete


def test_a_suite_with_variants_needs_one_and_keeps_one_that_is_not_listed(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo, POLICY + 'variants = ["linux", "mac"]\n')
    path = world.report()
    with pytest.raises(UsageFault, match="linux, mac"):
        world.take(path)
    assert world.stored() == []
    assert world.take(path, variant="linux").run.variant == "linux"
    assert world.take(path, variant="beos").run.variant == "beos"


def test_shards_are_kept_apart(world: CaptureWorld) -> None:
    world.take(world.report("build/1.xml", age=60, a="passed"), shard=Shard(1, 2))
    world.take(world.report("build/2.xml", age=50, b="passed"), shard=Shard(2, 2))
    assert [r.shard for r in world.found().runs] == [Shard(1, 2), Shard(2, 2)]


def test_the_suite_is_the_only_one_or_the_named_one(world: CaptureWorld) -> None:
    assert pick_suite(Policy({"unit": Suite("unit")}), None).name == "unit"
    two = Policy({"unit": Suite("unit"), "e2e": Suite("e2e")})
    assert pick_suite(two, "e2e").name == "e2e"
    for wrong in (None, "unitt", "../unit"):
        with pytest.raises(UsageFault, match="e2e, unit"):
            pick_suite(two, wrong)


# ---------------------------------------------------------------- secrets


def test_nothing_but_ids_and_outcomes_is_kept(world: CaptureWorld, home: Path) -> None:
    """Failure texts, output, properties and the environment hold secrets: not a byte of them is stored."""
    body = (
        f'<testsuites><testsuite name="pytest" tests="2" hostname="{CANARY}-host">'
        f'<properties><property name="token" value="{CANARY}"/></properties>'
        f'<testcase classname="tests.test_set" name="test_a"><failure message="{CANARY}">assert {CANARY}</failure>'
        f"<system-out>{CANARY}</system-out><system-err>{CANARY}</system-err></testcase>"
        f'<testcase classname="tests.test_set" name="test_b"><skipped message="{CANARY}">{CANARY}</skipped></testcase>'
        f"<system-out>{CANARY}</system-out></testsuite></testsuites>"
    )
    captured = world.take(world.report("build/r.xml", body), environ=world.repo.env | {"SECRET": CANARY})
    assert str(captured.run.count) == "0 of 2"
    assert holding(CANARY, world.repo.path / ".git", home) == []
    assert CANARY not in " ".join(captured.warnings)


def holding(word: str, *folders: Path) -> list[Path]:
    """The files with this word in a byte of them, also inside of what the spool packs."""
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in paths if any(word.encode() in data for data in _unpacked(path))]


def _unpacked(path: Path) -> list[bytes]:
    layers = [path.read_bytes()]
    if path.parent.name == "inventories" and (ids := id_lists.read(str(path.parent), path.name)) is not None:
        layers.append(id_lists.text_of(ids))
    with contextlib.suppress(zlib.error):
        layers.append(zlib.decompress(layers[0]))
    with contextlib.suppress(ValueError, KeyError, TypeError):
        payload = base64.b64decode(json.loads(layers[0])["payload"])
        layers += [payload, zlib.decompress(base64.b64decode(json.loads(payload)["cases"]["outcomes"]))]
    return layers


def test_the_search_for_secrets_would_find_one(world: CaptureWorld, home: Path) -> None:
    """The known positive of the test above: an id is kept, in the packed list of ids."""
    world.take(world.report("build/r.xml", junit({CANARY: "passed"})))
    assert [p.parent.name for p in holding(CANARY, world.repo.path / ".git", home)] == ["inventories"]


def test_a_hostile_name_is_kept_as_data(world: CaptureWorld) -> None:
    names = ["../../../etc/passwd", "a b::c\u202e", "x" * 5000, "$(rm -rf ~)"]
    body = "".join(f'<testcase classname="{n}" name="{n}"/>' for n in names)
    run = world.take(world.report("build/r.xml", f'<testsuite name="pytest" tests="4">{body}</testsuite>')).run
    assert len(run.cases) == 4
    assert world.found().runs == (run,)


def test_every_refusal_has_a_sentence(world: CaptureWorld) -> None:
    for how in ({"reader": "nonsense"}, {"tree": "nowhere"}):
        with pytest.raises(ShipmoorError) as fault:
            world.take(world.report(), **how)
        assert len(fault.value.message) > 20
