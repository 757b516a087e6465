"""The gate by real pushes: every kind of push that git knows is judged, or has nothing to judge (design, 3 and 10.31)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from gate_world import GateWorld, said
from hook_world import path_with
from repo_builder import RepoBuilder

REMOVED = "Test-Removed: tests/test_set.py::test_b -- the legacy endpoint is gone (#212)"


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    return GateWorld.create(repo, installed_python)


def pushed(world: GateWorld, done: subprocess.CompletedProcess[bytes], *refs: str) -> None:
    assert done.returncode == 0, said(done)
    assert set(refs) <= set(world.refs())


def refused(done: subprocess.CompletedProcess[bytes], *words: str) -> None:
    assert done.returncode != 0, said(done)
    for word in words:
        assert word in said(done)


# ---------------------------------------------------------------- nothing is lost: allowed


def test_a_branch_with_the_same_cases(world: GateWorld) -> None:
    world.branch("work", ["a", "b", "c"])
    done = world.push("origin", "work")
    pushed(world, done, "refs/heads/work")
    assert "unit 3 of 3" in said(done)


def test_a_new_branch_at_a_commit_that_the_remote_has(world: GateWorld) -> None:
    world.repo.git("branch", "copy", "main")
    pushed(world, world.push("origin", "copy"), "refs/heads/copy")


def test_a_disclosed_removal(world: GateWorld) -> None:
    world.branch("work", ["a"], [REMOVED])
    done = world.push("origin", "work")
    pushed(world, done, "refs/heads/work")
    assert "1 disclosed" in said(done)
    assert "legacy endpoint is gone" in said(done)


def test_an_amended_message_a_squash_and_a_rebase_onto_equal_content_keep_their_evidence(world: GateWorld) -> None:
    world.branch("work", ["a", "b", "c"])
    world.repo.git("commit", "-q", "--amend", "-m", "Say it better")
    pushed(world, world.push("origin", "work"), "refs/heads/work")
    world.commit(["a", "b", "c", "d"])
    world.repo.git("reset", "-q", "--soft", "main")
    world.repo.git("commit", "-q", "-m", "All of it")
    pushed(world, world.push("-f", "origin", "work"), "refs/heads/work")


def test_a_deletion_a_tag_and_notes_have_nothing_to_judge(world: GateWorld) -> None:
    world.repo.git("push", "-q", "--no-verify", "origin", "main:gone")
    assert world.push("origin", ":gone").returncode == 0
    world.branch("work", ["a"])
    world.repo.git("tag", "v1")
    world.repo.git("notes", "add", "-m", "note")
    pushed(world, world.push("origin", "v1", "refs/notes/commits"), "refs/tags/v1", "refs/notes/commits")


def test_a_dry_run_is_judged_and_an_up_to_date_push_is_not_refused(world: GateWorld) -> None:
    pushed(world, world.push("origin", "main"))
    world.branch("work", ["a"])
    refused(world.push("--dry-run", "origin", "work"), "test_b")


def test_the_first_push_into_an_empty_remote(repo: RepoBuilder, installed_python: Path) -> None:
    world = GateWorld.create(repo, installed_python, push=False)
    done = world.push("origin", "main")
    pushed(world, done, "refs/heads/main")
    assert "2 of 2" in said(done)


def test_a_first_push_that_was_never_measured_says_so(repo: RepoBuilder, installed_python: Path) -> None:
    world = GateWorld.create(repo, installed_python, push=False)
    world.commit(["a", "b", "c"], measured=False)
    done = world.push("origin", "main")
    pushed(world, done, "refs/heads/main")
    assert "not measured yet" in said(done)


def test_gh_pages_has_neither_policy_nor_common_ancestor(world: GateWorld) -> None:
    world.repo.git("switch", "-q", "--orphan", "gh-pages")
    world.repo.write("index.html", "hello\n")
    world.repo.commit("Pages")
    pushed(world, world.push("origin", "gh-pages"), "refs/heads/gh-pages")


# ---------------------------------------------------------------- something is lost: refused


@pytest.mark.parametrize("order", [("good", "bad"), ("bad", "good")], ids=["the-bad-one-last", "the-bad-one-first"])
def test_several_refs_are_all_judged(world: GateWorld, order: tuple[str, str]) -> None:
    world.branch("good", ["a", "b"])
    world.branch("bad", ["a"])
    before = world.refs()
    refused(world.push("origin", *order), "refs/heads/bad", "test_b")
    assert world.refs() == before


def test_what_is_pushed_counts_not_what_is_checked_out(world: GateWorld) -> None:
    world.branch("bad", ["a"])
    world.repo.git("switch", "-q", "main")
    refused(world.push("origin", "bad"), "test_b")
    refused(world.push("origin", "bad~0:refs/heads/else where".replace(" ", "-")), "test_b")


def test_a_detached_head(world: GateWorld) -> None:
    world.branch("bad", ["a"])
    world.repo.git("switch", "-q", "--detach")
    refused(world.push("origin", "HEAD:refs/heads/elsewhere"), "test_b")


def test_an_expression_with_blanks_as_the_source(world: GateWorld) -> None:
    world.branch("bad", ["a"])
    refused(world.push("origin", "HEAD^{/Work on bad}:refs/heads/elsewhere"), "test_b")


def test_from_a_linked_worktree(world: GateWorld, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    world.branch("bad", ["a"])
    world.repo.git("switch", "-q", "main")
    world.repo.git("worktree", "add", "-q", str(linked), "bad")
    refused(world.push("origin", "bad", cwd=linked), "test_b")


def test_from_a_bare_repository_with_worktrees(repo: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    world = GateWorld.create(repo, installed_python)
    world.branch("bad", ["a"])
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.path), str(bare), cwd=tmp_path)
    repo.git("remote", "set-url", "origin", str(world.remote), cwd=bare)
    (bare / "hooks").mkdir(exist_ok=True)
    (bare / "hooks" / "pre-push").write_bytes((repo.path / ".git/hooks/pre-push").read_bytes())
    (bare / "hooks" / "pre-push").chmod(0o755)
    copied = subprocess.run(
        ["cp", "-r", str(repo.path / ".git/shipmoor-hooks"), str(bare / "shipmoor-hooks")], check=False
    )
    assert copied.returncode == 0
    refused(world.push("origin", "bad", cwd=bare), "test_b")


def test_to_a_url_instead_of_a_name(world: GateWorld) -> None:
    world.branch("bad", ["a"])
    refused(world.push(str(world.remote), "bad"), "test_b")


def test_to_a_second_remote(world: GateWorld) -> None:
    world.repo.bare_remote("fork")
    world.branch("bad", ["a"])
    refused(world.push("fork", "bad"), "test_b")


def test_a_rewind_of_the_target_loses_what_the_remote_has(world: GateWorld) -> None:
    world.commit(["a", "b", "c"], "Add c")
    pushed(world, world.push("origin", "main"))
    refused(world.push("-f", "origin", "main~1:main"), "test_c")


def test_a_forced_push_after_a_rebase_of_the_target(world: GateWorld) -> None:
    world.commit(["a", "b", "c"], "Add c")
    pushed(world, world.push("origin", "main"))
    world.repo.git("reset", "-q", "--hard", "HEAD~1")
    world.commit(["a", "b", "d"], "Another history")
    refused(world.push("-f", "origin", "main"), "test_c")


def test_a_forced_push_over_a_branch_is_measured_against_the_target(world: GateWorld) -> None:
    world.branch("good", ["a", "b"])
    pushed(world, world.push("origin", "good:feature"), "refs/heads/feature")
    world.branch("bad", ["a"])
    refused(world.push("origin", "+bad:feature"), "test_b")


def test_what_the_branch_itself_had_at_its_last_push_is_a_note(world: GateWorld) -> None:
    world.branch("work", ["a", "b", "c"])
    pushed(world, world.push("origin", "work"))
    world.commit(["a", "b"], "Drop c again")
    done = world.push("origin", "work")
    pushed(world, done)
    assert "LOST_SINCE_PUSH" in said(done)


def test_what_the_target_has_by_now_is_a_note(world: GateWorld) -> None:
    world.repo.git("branch", "work")
    world.commit(["a", "b", "late"], "Main goes on")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    world.repo.git("switch", "-q", "work")
    world.repo.write("src.txt", "x\n")
    world.commit(["a", "b"], "Work")
    done = world.push("origin", "work")
    pushed(world, done)
    assert "TARGET_AHEAD" in said(done)
    assert "test_late" in said(done)


def test_the_remotes_own_word_counts_not_a_stale_or_planted_tracking_ref(world: GateWorld) -> None:
    tip = world.branch("bad", ["a"])
    world.repo.git("update-ref", "refs/remotes/origin/main", tip)
    refused(world.push("origin", "bad"), "test_b")


def test_a_policy_that_names_the_branch_itself_as_target_is_no_way_out(world: GateWorld) -> None:
    world.repo.git("push", "-q", "--no-verify", "origin", "main:refs/heads/mine")
    world.repo.git("switch", "-q", "-c", "mine")
    world.repo.write("shipmoor-hooks.toml", 'gate.target = "origin/mine"\n[suite.unit]\ncommand = ["pytest", "-q"]\n')
    world.commit(["a"], "My own yardstick")
    refused(world.push("origin", "mine"), "test_b")


def test_replace_refs_do_not_move_the_base(world: GateWorld) -> None:
    base = world.repo.sha()
    world.branch("bad", ["a"])
    world.repo.git("replace", base, world.repo.git("commit-tree", "HEAD^{tree}", "-m", "Another base"))
    refused(world.push("origin", "bad"), "test_b")


def test_several_merge_bases_a_case_of_any_of_them_must_be_kept(world: GateWorld) -> None:
    repo = world.repo
    start = repo.sha()
    repo.git("switch", "-q", "-c", "side1", start)
    one = world.commit(["a", "b", "one"], "Add one")
    repo.git("switch", "-q", "-c", "side2", start)
    two = world.commit(["a", "b", "two"], "Add two")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-s", "ours", "-m", "Merge both", one)
    repo.git("merge", "-q", "--no-ff", "-s", "ours", "-m", "Merge both", two)
    world.measure({"a": "passed", "b": "passed"})
    repo.git("push", "-q", "--no-verify", "origin", "main")
    repo.git("switch", "-q", "-c", "work", one)
    repo.git("merge", "-q", "--no-ff", "-s", "ours", "-m", "Merge two", two)
    world.commit(["a", "b"], "Lose both")
    assert len(repo.git("merge-base", "--all", "main", "work").split()) == 2
    refused(world.push("origin", "work"), "test_one", "test_two")


# ---------------------------------------------------------------- no answer: never allowed, never a list of removed cases


def test_a_tip_that_was_never_run(world: GateWorld) -> None:
    world.branch("work", ["a", "b"])
    world.commit(["a"], measured=False)
    done = world.push("origin", "work")
    refused(done, "NO_RUN_AT_TIP", "shipmoor-hooks run --suite unit")
    assert "CASE_REMOVED" not in said(done)


def test_a_base_that_was_never_run(repo: RepoBuilder, installed_python: Path) -> None:
    world = GateWorld.create(repo, installed_python)
    base = world.commit(["a", "b", "c"], measured=False)
    repo.git("push", "-q", "--no-verify", "origin", "main")
    world.branch("work", ["a", "b", "c", "d"])
    refused(world.push("origin", "work"), "NO_RUN_AT_BASE", f"shipmoor-hooks run --suite unit --at {base[:12]}")


def test_unrelated_histories(world: GateWorld) -> None:
    world.repo.git("switch", "-q", "--orphan", "fresh")
    world.repo.write("shipmoor-hooks.toml", '[suite.unit]\ncommand = "pytest"\n')
    world.repo.write(".gitignore", "build/\n")
    world.commit(["a"])
    refused(world.push("origin", "fresh"), "NO_MERGE_BASE")


def test_a_shallow_clone_whose_history_ends_before_the_base(world: GateWorld, tmp_path: Path) -> None:
    world.branch("work", ["a", "b"])
    for number in range(3):
        world.commit(["a", "b", f"c{number}"])
    world.repo.git("push", "-q", "--no-verify", "origin", "work")
    shallow = tmp_path / "shallow"
    world.repo.git(
        "clone", "-q", "--depth", "2", "--no-single-branch", f"file://{world.remote}", str(shallow), cwd=tmp_path
    )
    (shallow / ".git/hooks").mkdir(exist_ok=True)
    (shallow / ".git/hooks/pre-push").write_bytes((world.repo.path / ".git/hooks/pre-push").read_bytes())
    (shallow / ".git/hooks/pre-push").chmod(0o755)
    world.repo.git("switch", "-q", "work", cwd=shallow)
    refused(world.push("origin", "HEAD:refs/heads/again", cwd=shallow), "SHALLOW", "git fetch --unshallow")


def test_a_remote_that_moved_on_is_taken_from_the_last_fetch_and_said(world: GateWorld, tmp_path: Path) -> None:
    other = tmp_path / "other"
    world.repo.git("clone", "-q", str(world.remote), str(other), cwd=tmp_path)
    world.repo.git("commit", "-q", "--allow-empty", "-m", "Somebody else", cwd=other)
    world.repo.git("push", "-q", "origin", "main", cwd=other)
    world.branch("work", ["a", "b"])
    done = world.push("origin", "work")
    pushed(world, done)
    assert "TARGET_UNCONFIRMED" in said(done)
    world.branch("bad", ["a"])
    refused(world.push("origin", "bad"), "test_b")


def test_a_target_that_names_no_remote_here(world: GateWorld) -> None:
    world.repo.git("remote", "rename", "origin", "upstream")
    world.branch("work", ["a", "b"])
    refused(world.push("upstream", "work"), "target", "upstream")


def test_no_upstream_is_needed(world: GateWorld) -> None:
    world.branch("work", ["a", "b"])
    world.repo.git("config", "push.default", "current")
    pushed(world, world.push("origin"), "refs/heads/work")


# ---------------------------------------------------------------- hosts, by their environment


def test_under_a_host_the_one_ref_is_judged_and_the_rest_is_said_to_be_hidden(
    world: GateWorld, installed_python: Path
) -> None:
    base = world.repo.sha()
    tip = world.branch("bad", ["a"])
    shown = {
        "PRE_COMMIT": "1",
        "PRE_COMMIT_FROM_REF": base,
        "PRE_COMMIT_TO_REF": tip,
        "PRE_COMMIT_REMOTE_NAME": "origin",
        "PRE_COMMIT_REMOTE_URL": str(world.remote),
        "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/bad",
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/bad",
    }
    path = path_with(installed_python.parent)
    done = world.repo.process(["shipmoor-hooks-hook", "pre-push"], env=shown | {"PATH": path})
    assert done.returncode == 1
    assert "test_b" in said(done)
    assert "REFS_HIDDEN" in said(done)


def test_a_gate_by_hand_gives_the_same_answer_as_json(world: GateWorld) -> None:
    world.branch("bad", ["a"])
    done = world.repo.tool("gate", "--format", "json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["verdict"] == "refused"
    assert [f["case"] for f in told["findings"] if f["level"] == "refuse"] == ["tests/test_set.py::test_b"]


def test_merge_result_finds_the_case_that_a_merge_drops(world: GateWorld) -> None:
    repo = world.repo
    repo.git("switch", "-q", "-c", "work")
    repo.write("conftest.py", "collect_ignore = ['test_late.py']\n")
    repo.commit("Narrow the collection")
    world.measure({"a": "passed", "b": "passed"})
    repo.git("switch", "-q", "main")
    repo.write("tests/test_late.py", "# test_late\n")
    repo.commit("A case for main")
    world.measure({"a": "passed", "b": "passed", "late": "passed"})
    repo.git("push", "-q", "--no-verify", "origin", "main")
    repo.git("switch", "-q", "--detach", "work")
    repo.git("merge", "-q", "--no-ff", "-m", "Try the merge", "main")
    world.measure({"a": "passed", "b": "passed"})
    repo.git("switch", "-q", "work")
    objects = repo.objects()
    assert repo.tool("gate").returncode == 0
    done = repo.tool("gate", "--merge-result")
    assert done.returncode == 1
    assert b"test_late" in done.stdout
    assert repo.objects() == objects


def test_a_measured_red_at_the_base_clears_a_red_at_the_tip(world: GateWorld) -> None:
    world.measure({"a": "passed", "b": "failed"})
    world.branch("work", ["a", "b"])
    world.repo.commit("Touch", files={"src.txt": "x\n"})
    world.measure({"a": "passed", "b": "failed"})
    done = world.push("origin", "work")
    pushed(world, done)
    assert "CLEARED" in said(done)


def test_the_gate_reads_objects_and_the_spool_never_the_working_tree(world: GateWorld) -> None:
    world.branch("work", ["a", "b"])
    world.repo.write("tests/test_set.py", "# all gone\n")
    world.repo.write("shipmoor-hooks.toml", "this is no policy\n")
    pushed(world, world.push("origin", "work"), "refs/heads/work")


def test_the_gate_leaves_no_byte_behind(world: GateWorld) -> None:
    world.branch("work", ["a", "b"])
    before = (world.repo.objects(), world.repo.index_bytes(), world.repo.git("for-each-ref"))
    assert world.repo.tool("gate").returncode == 0
    assert (world.repo.objects(), world.repo.index_bytes(), world.repo.git("for-each-ref")) == before


def test_a_case_whose_own_block_moved_to_another_file_is_moved_not_removed(world: GateWorld) -> None:
    block = "def test_late():\n    basket = shop.basket()\n    assert basket.total() == 5\n"
    world.repo.write("tests/test_more.py", "import shop\n\n\n" + block)
    world.commit(["a", "b"], "Add late", measured=False)
    world.measure_ids({"tests.test_set": ["a", "b"], "tests.test_more": ["late"]})
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    world.repo.git("switch", "-q", "-c", "work")
    world.repo.write("tests/test_more.py", "import shop\n")
    world.repo.write("tests/test_moved.py", "import shop\n\n\n" + block)
    world.commit(["a", "b"], "Move late", measured=False)
    world.measure_ids({"tests.test_set": ["a", "b"], "tests.test_moved": ["late"]})
    done = world.push("origin", "work")
    pushed(world, done)
    assert json.loads(world.repo.tool("gate", "--format", "json").stdout)["findings"][0]["code"] == "CASE_MOVED"


# ---------------------------------------------------------------- paths that do not count


def test_the_first_excluded_file_needs_no_new_run(repo: RepoBuilder, installed_python: Path) -> None:
    world = GateWorld.create(repo, installed_python)
    repo.write("shipmoor-hooks.toml", '[suite.unit]\ncommand = ["pytest", "-q"]\nexclude = ["docs/**"]\n')
    world.commit(["a", "b"])
    pushed(world, world.push("--no-verify", "origin", "main"))
    repo.commit("Words", files={"docs/page.md": "words\n"})
    done = world.push("origin", "main")
    pushed(world, done)
    assert "unit 2 of 2" in said(done)
