"""Stale reports are refused by name, young or old; age alone refuses nothing (design, 10.4)."""

from __future__ import annotations

import hashlib
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from capture_world import CaptureWorld
from gate_world import junit
from repo_builder import RepoBuilder

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.model import ReportFile
from shipmoor_hooks.store.spool import UNBOUND, Spool

CASES = {"a": "passed", "b": "passed"}


@pytest.fixture
def world(repo: RepoBuilder) -> CaptureWorld:
    return CaptureWorld.create(repo)


def timed(world: CaptureWorld, age: float, zone: str = "+00:00") -> str:
    """A report that tells its own time, `age` seconds ago; with `zone` "" in no zone."""
    moment = datetime.fromtimestamp(world.now - age, UTC).replace(tzinfo=None).isoformat()
    return junit(CASES).replace('name="pytest"', f'name="pytest" timestamp="{moment}{zone}"')


def stale(world: CaptureWorld, *files: Path | str, **how: object) -> str:
    """The message of a refusal that stored nothing."""
    before = world.stored()
    with pytest.raises(ReportFault) as fault:
        world.take(*files, **how)
    assert fault.value.exit_code == 3
    assert world.stored() == before
    return fault.value.message


# ---------------------------------------------------------------- not stale


def test_age_alone_is_no_reason(world: CaptureWorld) -> None:
    world.settle(age=400 * 86400)
    assert world.take(world.report(age=399 * 86400)).run.is_complete


def test_a_report_as_old_as_the_newest_file(world: CaptureWorld) -> None:
    """Equal times prove nothing: some file systems keep whole seconds."""
    path = world.report()
    newest = (world.repo.path / "tests/test_set.py").stat().st_mtime_ns
    os.utime(path, ns=(newest, newest))
    assert world.take(path).run.is_complete


def test_a_report_in_the_worktree_is_not_older_than_itself(world: CaptureWorld) -> None:
    """The report's own time is the run's start, and where it is not ignored it is a file of the working tree."""
    path = world.report("report.xml", timed(world, 600), age=10)
    captured = world.take(path)
    assert captured.run.untracked == ("report.xml",)


def test_ignored_files_have_no_say(world: CaptureWorld) -> None:
    path = world.report(age=60)
    world.touch(world.repo.write("build/cache.bin", "x"), 1)
    assert world.take(path).run.is_complete


def test_a_deleted_file_has_no_time(world: CaptureWorld) -> None:
    (world.repo.path / "tests/test_set.py").unlink()
    assert world.take(world.report()).run.is_complete


def test_the_same_file_for_the_same_tree_again(world: CaptureWorld) -> None:
    path = world.report()
    first = world.take(path)
    again = world.take(path)
    assert (again.run, again.known) == (first.run, True)
    assert len(world.stored()) == 1


# ---------------------------------------------------------------- bound to another tree


def test_a_report_of_another_tree(world: CaptureWorld) -> None:
    path = world.report()
    world.take(path)
    world.repo.commit(files={"src.py": "1\n"})
    world.settle()
    said = stale(world, path)
    assert "build/r.xml" in said
    assert "another tree" in said


@pytest.mark.parametrize("tree", ["HEAD", "index"])
def test_a_report_of_another_tree_whatever_is_named(world: CaptureWorld, tree: str) -> None:
    path = world.report()
    world.take(path)
    world.repo.commit(files={"src.py": "1\n"})
    world.settle()
    assert "another tree" in stale(world, path, tree=tree)


def test_a_copy_with_its_time_kept_is_the_same_report(world: CaptureWorld) -> None:
    path = world.report()
    world.take(path)
    copy = Path(shutil.copy2(path, path.with_name("copy.xml")))
    world.repo.commit(files={"src.py": "1\n"})
    world.settle()
    assert "copy.xml" in stale(world, copy)


def test_equal_bytes_at_another_time_are_another_report(world: CaptureWorld) -> None:
    """A suite without times in its report writes the same bytes on every tree."""
    world.take(world.report(age=60))
    world.repo.commit(files={"src.py": "1\n"})
    world.settle()
    assert world.take(world.report(age=30)).run.is_complete


def test_other_bytes_at_the_same_time_are_another_report(world: CaptureWorld) -> None:
    world.take(world.report(age=60))
    world.repo.commit(files={"src.py": "1\n"})
    world.settle()
    assert world.take(world.report(age=60, a="passed")).run.is_complete


def test_a_report_of_a_run_that_is_bound_to_nothing(world: CaptureWorld) -> None:
    path = world.report()
    where = world.place
    status = path.stat()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    Spool(where.common_dir, where.worktree).bind_report(ReportFile("build/r.xml", digest, status.st_mtime_ns), UNBOUND)
    assert "bound to no tree" in stale(world, path)


# ---------------------------------------------------------------- older than the working tree


@pytest.mark.parametrize("name", ["tests/test_set.py", "shipmoor-hooks.toml", "brand-new.py"])
def test_older_than_any_file_by_its_mtime(world: CaptureWorld, name: str) -> None:
    path = world.report(age=60)
    target = world.repo.path / name
    world.touch(target if target.exists() else world.repo.write(name, "x\n"), 30)
    said = stale(world, path)
    assert "build/r.xml" in said
    assert name in said


def test_its_own_time_counts_when_it_carries_a_zone(world: CaptureWorld) -> None:
    """Unpacked a moment ago, measured yesterday."""
    path = world.report("build/r.xml", timed(world, 7200), age=0)
    assert "build/r.xml" in stale(world, path)


@pytest.mark.parametrize("zone", ["+02:00", "-05:00"])
def test_a_zone_is_reckoned_with(world: CaptureWorld, zone: str) -> None:
    """The clock of the report's zone shows `age` seconds ago in UTC's figures: two hours earlier, or five later."""
    path = world.report("build/r.xml", timed(world, 1800, zone), age=0)
    if zone.startswith("+"):
        stale(world, path)
    else:
        assert world.take(path).run.clock_suspect


def test_without_a_zone_its_own_time_says_nothing(world: CaptureWorld) -> None:
    assert world.take(world.report("build/r.xml", timed(world, 7200, ""), age=0)).run.is_complete


def test_its_own_time_counts_also_when_the_file_is_older(world: CaptureWorld) -> None:
    """A copy that lost its mtime: what the report says of itself is more."""
    assert world.take(world.report("build/r.xml", timed(world, 60), age=90_000)).run.is_complete


def test_with_a_revision_no_time_counts(world: CaptureWorld) -> None:
    path = world.report("build/r.xml", timed(world, 90_000), age=90_000)
    assert world.take(path, tree="HEAD").run.tree == world.repo.sha("HEAD^{tree}")


def test_with_the_index_the_files_count_that_are_as_the_index_has_them(world: CaptureWorld) -> None:
    path = world.report(age=60)
    world.touch(world.repo.write("tests/test_set.py", "# edited, not staged\n"), 1)
    world.touch(world.repo.write("unrelated.txt", "x"), 1)
    assert world.take(path, tree="index").run.tree == world.repo.sha("HEAD^{tree}")
    world.repo.git("add", "tests/test_set.py")
    other = world.report("build/r2.xml", age=59)
    assert "tests/test_set.py" in stale(world, other, tree="index")


# ---------------------------------------------------------------- several files


@pytest.mark.parametrize("order", [0, 1, 2])
def test_one_stale_file_of_several_stores_nothing_and_is_named(world: CaptureWorld, order: int) -> None:
    fresh = [world.report(f"build/fresh{i}.xml", age=10 + i) for i in range(2)]
    files = [*fresh]
    files.insert(order, world.report("build/yesterday.xml", age=90_000))
    said = stale(world, *files)
    assert "build/yesterday.xml" in said
    assert "fresh" not in said
    assert world.take(*fresh).run.is_complete


def test_a_report_that_was_refused_is_not_remembered(world: CaptureWorld) -> None:
    path = world.report(age=90_000)
    stale(world, path)
    world.settle(age=100_000)
    assert world.take(path).run.is_complete
