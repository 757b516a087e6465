"""Scratch worktrees and held folders: gone when the block ends, however it ends, and after a kill at the next use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import place
from shipmoor_hooks.errors import EnvironmentFault, RepositoryFault
from shipmoor_hooks.scratch import worktree_at
from shipmoor_hooks.state import scratch_root
from shipmoor_hooks.trees import held_folder as held
from shipmoor_hooks.trees import tree
from shipmoor_hooks.trees.held_folder import held_folder, throwaway_root


@pytest.fixture
def here(repo: RepoBuilder) -> place.Place:
    """A repository of two commits, tool executable, a.txt edited and b.txt untracked."""
    repo.write("tool", "#!/bin/sh\n", 0o755)
    repo.commit("First", files={"a.txt": "1\n"})
    repo.commit("Second", files={"a.txt": "2\n", "dir/x": "x\n"})
    repo.write("a.txt", "edited\n")
    repo.write("b.txt", "untracked\n")
    return place.find(str(repo.path), repo.env)


def left_over(repo: RepoBuilder) -> list[str]:
    """Scratch folders and git's records of them."""
    records = repo.path / ".git/worktrees"
    return os.listdir(scratch_root(repo.env)) + (os.listdir(records) if records.is_dir() else [])


@pytest.mark.parametrize(
    "revision", ["HEAD", "main", "HEAD~1", "v1"], ids=["HEAD", "a branch", "its parent", "an annotated tag"]
)
def test_the_revision_lies_in_the_scratch_worktree(repo: RepoBuilder, here: place.Place, revision: str) -> None:
    repo.git("tag", "-a", "v1", "-m", "One", "HEAD~1")
    with worktree_at(here, revision, repo.env) as scratch:
        found = tree.capture(scratch)
        assert (found.tree, found.way) == (repo.sha(f"{revision}^{{tree}}"), "head")
        assert scratch.common_dir == here.common_dir
        assert scratch.require_top().startswith(scratch_root(repo.env))
        assert os.access(os.path.join(scratch.require_top(), "tool"), os.X_OK)
    assert left_over(repo) == []


def test_nothing_of_the_users_changes(repo: RepoBuilder, here: place.Place) -> None:
    def state() -> tuple[object, ...]:
        return (
            repo.index_bytes(),
            repo.git("status", "--porcelain"),
            repo.git("for-each-ref"),
            repo.git("stash", "list"),
        )

    before = state()
    with worktree_at(here, "HEAD~1", repo.env) as scratch:
        Path(scratch.require_top(), "a.txt").write_text("scratched\n")
        assert state() == before
    assert state() == before


def test_the_users_post_checkout_hook_is_not_run(repo: RepoBuilder, here: place.Place) -> None:
    repo.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch ran\n", 0o755)
    with worktree_at(here, "HEAD", repo.env) as scratch:
        assert not os.path.exists(os.path.join(scratch.require_top(), "ran"))
    assert not (repo.path / "ran").exists()


@pytest.mark.parametrize("ending", [ValueError, KeyboardInterrupt, SystemExit])
def test_it_is_removed_however_the_block_ends(
    repo: RepoBuilder, here: place.Place, ending: type[BaseException]
) -> None:
    with pytest.raises(ending), worktree_at(here, "HEAD", repo.env):
        raise ending
    assert left_over(repo) == []


def test_it_is_removed_whatever_a_test_left_in_it(repo: RepoBuilder, here: place.Place) -> None:
    with worktree_at(here, "HEAD", repo.env) as scratch:
        top = Path(scratch.require_top())
        (top / "closed/deep").mkdir(parents=True)
        (top / "closed/deep/x").write_text("x")
        (top / "closed/deep").chmod(0o000)
        (top / "closed").chmod(0o500)
        (top / "out").symlink_to(repo.path)
        (top / ".git").unlink()
    assert left_over(repo) == []
    assert (repo.path / "a.txt").exists()


def test_closed_folders_are_removed_for_ordinary_users_too() -> None:
    """Root needs no permission, so it becomes nobody for a moment."""
    with tempfile.TemporaryDirectory() as base:
        os.chmod(base, 0o777)
        root = Path(base, "root")
        (root / "closed/deep").mkdir(parents=True)
        (root / "closed/deep/x").write_text("x")
        (root / "closed/deep").chmod(0o000)
        (root / "closed").chmod(0o500)
        if os.geteuid() == 0:
            for path in (root, root / "closed", root / "closed/deep", root / "closed/deep/x"):
                os.chown(path, 65534, 65534)
        me = os.geteuid()
        os.seteuid(65534 if me == 0 else me)
        try:
            held.remove_tree(str(root))
        finally:
            os.seteuid(me)
        assert not root.exists()


HOLD = """
import os, sys, time
from shipmoor_hooks import place, scratch
with scratch.worktree_at(place.find('.', os.environ), 'HEAD', os.environ) as there:
    print(there.top, flush=True)
    time.sleep(60)
"""


def holding(repo: RepoBuilder) -> tuple[subprocess.Popen[bytes], str]:
    package = str(Path(held.__file__).parent.parent)
    env = repo.env | {"PYTHONPATH": package}
    process = subprocess.Popen([sys.executable, "-c", HOLD], cwd=repo.path, env=env, stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, process.stdout.readline().decode().strip()


def test_what_a_killed_process_left_is_cleared_at_the_next_use(repo: RepoBuilder, here: place.Place) -> None:
    process, top = holding(repo)
    process.kill()
    process.communicate()
    assert os.path.isdir(top)
    assert len(left_over(repo)) == 3
    with worktree_at(here, "HEAD", repo.env):
        assert not os.path.lexists(top)
        assert len(left_over(repo)) == 3
    assert left_over(repo) == []


def test_what_a_living_process_holds_is_left_alone(repo: RepoBuilder, here: place.Place) -> None:
    process, top = holding(repo)
    try:
        with worktree_at(here, "HEAD~1", repo.env):
            assert os.path.exists(os.path.join(top, "a.txt"))
        assert os.path.exists(os.path.join(top, "a.txt"))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert left_over(repo) == []


def test_another_users_missing_worktree_keeps_its_record(repo: RepoBuilder, here: place.Place) -> None:
    """`git worktree prune` would forget a worktree on a disk that is not plugged in."""
    repo.git("worktree", "add", "-q", "../elsewhere")
    (repo.path.parent / "elsewhere").rename(repo.path.parent / "unplugged")
    with worktree_at(here, "HEAD", repo.env):
        pass
    assert os.listdir(repo.path / ".git/worktrees") == ["elsewhere"]


@pytest.mark.parametrize(
    "revision", ["nowhere", "--help", "HEAD^{tree}", ""], ids=["unknown", "an option", "a tree", "empty"]
)
def test_no_such_commit(repo: RepoBuilder, here: place.Place, revision: str) -> None:
    with pytest.raises(RepositoryFault, match="is not a commit"), worktree_at(here, revision, repo.env):
        pass
    assert left_over(repo) == []


def test_git_that_cannot_check_out_is_an_environment_fault(repo: RepoBuilder, here: place.Place) -> None:
    blob = repo.git("rev-parse", "HEAD~1:a.txt")
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(EnvironmentFault, match="HEAD~1"), worktree_at(here, "HEAD~1", repo.env):
        pass
    assert left_over(repo) == []


def test_from_a_bare_repository(repo: RepoBuilder, here: place.Place) -> None:
    repo.git("clone", "-q", "--bare", ".", "../bare.git")
    bare = place.find(str(repo.path.parent / "bare.git"), repo.env)
    with worktree_at(bare, "main", repo.env) as scratch:
        assert tree.capture(scratch).tree == repo.sha("HEAD^{tree}")


# ---------------------------------------------------------------- held folders


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def test_a_held_folder_is_private_and_goes(root: Path) -> None:
    with held_folder(str(root), "x-") as folder:
        assert os.stat(folder).st_mode & 0o777 == 0o700
        Path(folder, "inside").write_text("x")
    assert os.listdir(root) == []


def test_two_held_folders_leave_each_other_alone(root: Path) -> None:
    with held_folder(str(root), "x-") as first:
        with held_folder(str(root), "x-") as second:
            assert first != second
        assert os.path.isdir(first)


def test_only_dead_folders_of_ours_are_cleared(root: Path) -> None:
    (root / f"x-{'0' * 16}.lock").touch()
    (root / f"x-{'0' * 16}").mkdir()
    (root / "stranger").mkdir()
    (root / "Cargo").mkdir()
    (root / "Cargo.lock").touch()
    with held_folder(str(root), "x-"):
        pass
    assert sorted(os.listdir(root)) == ["Cargo", "Cargo.lock", "stranger"]


def test_no_folder_can_be_made(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault), held_folder(str(tmp_path / "missing"), "x-"):
        pass


@pytest.mark.parametrize(
    ("temporary", "expected"),
    [("tmp", "tmp"), ("", "/tmp"), ("relative", "/tmp"), ("worktree/tmp", "/tmp"), ("missing", "/tmp")],
    ids=["TMPDIR", "unset", "relative", "inside of the worktree", "not there"],
)
def test_where_throwaway_data_lies(tmp_path: Path, temporary: str, expected: str) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "worktree/tmp").mkdir(parents=True)
    value = temporary if temporary in ("", "relative") else str(tmp_path / temporary)
    found = throwaway_root({"TMPDIR": value}, str(tmp_path / "worktree"), str(tmp_path / "worktree/.git"))
    assert os.path.dirname(found) == (expected if expected.startswith("/") else str(tmp_path / expected))


def test_a_link_where_others_can_write_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "mine").mkdir(mode=0o755)
    (tmp_path / "tmp" / f"shipmoor-hooks-{os.geteuid()}").symlink_to(tmp_path / "mine")
    found = throwaway_root({"TMPDIR": str(tmp_path / "tmp")}, str(tmp_path / "worktree"), str(tmp_path / ".git"))
    assert os.path.dirname(found) == "/tmp"
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o755


def test_a_worktree_that_holds_every_temporary_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    found = throwaway_root({"TMPDIR": "/tmp"}, "/", str(tmp_path / ".git"))
    assert os.path.dirname(found) == str(tmp_path / ".git")
