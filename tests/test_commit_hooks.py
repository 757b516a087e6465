"""What is said at a commit, early and without a verdict (design, sections 4 and 7)."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import pytest
from capture_world import CaptureWorld
from gate_world import GateWorld
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks import commit_hooks
from shipmoor_hooks.errors import UsageFault

WITH_REPORTS = '[suite.unit]\ncommand = ["pytest", "-q"]\nreports = ["build/*.xml"]\n'
LINE = "Test-Removed: tests/test_set.py::test_b -- the endpoint is gone (#212)"


@pytest.fixture
def world(repo: RepoBuilder) -> CaptureWorld:
    return CaptureWorld.create(repo, WITH_REPORTS)


def after_commit(world: CaptureWorld, **env: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert commit_hooks.run_post_commit(str(world.repo.path), world.repo.env | env, world.now, out, err) == 0
    assert err.getvalue() == ""
    return out.getvalue()


def message(repo: RepoBuilder, text: str, **env: str) -> tuple[int, str]:
    path = repo.path.parent / "COMMIT_EDITMSG"
    path.write_bytes(text.encode())
    err = io.StringIO()
    code = commit_hooks.run_commit_msg(str(path), str(repo.path), repo.env | env, time.time(), io.StringIO(), err)
    assert path.read_bytes() == text.encode()
    return code, err.getvalue()


# ---------------------------------------------------------------- post-commit


def test_no_run_for_this_tree(world: CaptureWorld) -> None:
    assert after_commit(world) == "shipmoor-hooks: unit: no run for this tree\n"


def test_n_of_n_and_how_long_ago(world: CaptureWorld) -> None:
    world.take(world.report("away/r.xml", age=245, a="passed", b="failed"), tree="HEAD")
    assert after_commit(world) == "shipmoor-hooks: unit 1 of 2, imported 4 min ago\n"


def test_a_line_for_each_suite(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo, WITH_REPORTS + '[suite.e2e]\ncommand = "true"\n')
    assert after_commit(world).splitlines() == [
        "shipmoor-hooks: unit: no run for this tree", "shipmoor-hooks: e2e: no run for this tree"
    ]  # fmt: skip


def test_a_fresh_report_is_picked_up_once(world: CaptureWorld) -> None:
    world.report(age=60)
    assert "unit 2 of 2, imported" in after_commit(world)
    assert "unit 2 of 2, imported" in after_commit(world)
    assert len(world.stored()) == 1


def test_a_stale_report_is_left_alone(world: CaptureWorld) -> None:
    world.report(age=90_000)
    assert "no run for this tree" in after_commit(world)
    assert world.stored() == []


def test_yesterday_s_report_of_another_tree_is_left_alone(world: CaptureWorld) -> None:
    world.report(age=60)
    after_commit(world)
    world.repo.commit(files={"src.py": "1\n"})
    world.settle()
    assert "no run for this tree" in after_commit(world)
    assert len(world.stored()) == 1


@pytest.mark.parametrize("content", ["", "<testsuite", "\0\0\0"], ids=["empty", "cut", "binary"])
def test_a_broken_report_disturbs_no_commit(world: CaptureWorld, content: str) -> None:
    world.report("build/r.xml", content)
    assert "no run" in after_commit(world)


def test_a_link_out_of_the_worktree_disturbs_no_commit(world: CaptureWorld, tmp_path: Path) -> None:
    (tmp_path / "away.xml").write_text("<testsuite/>")
    (world.repo.path / "build").mkdir()
    (world.repo.path / "build" / "r.xml").symlink_to(tmp_path / "away.xml")
    assert "no run" in after_commit(world)
    assert world.stored() == []


def test_a_repository_without_a_policy_and_a_bare_one_are_silent(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit()
    out = io.StringIO()
    assert commit_hooks.run_post_commit(str(repo.path), repo.env, time.time(), out, None) == 0
    bare = RepoBuilder.create(tmp_path / "bare.git", repo.env, "--bare")
    assert commit_hooks.run_post_commit(str(bare.path), repo.env, time.time(), out, None) == 0
    assert out.getvalue() == ""


def test_a_reader_that_left_changes_nothing(world: CaptureWorld) -> None:
    world.report(age=60)
    assert commit_hooks.run_post_commit(str(world.repo.path), world.repo.env, world.now, None, None) == 0
    assert len(world.stored()) == 1


# ---------------------------------------------------------------- commit-msg


@pytest.mark.parametrize(
    "text",
    [
        "Subject\n",
        "Subject\n\nA body about Test-Removed lines in general.\n",
        f"Subject\n\n{LINE}\n",
        f"Subject\n\n{LINE}\nTest-Renamed: a => b -- moved\nSigned-off-by: Ada <a@example.org>\n",
        "Subject\n\n# Test-Removed: nonsense\n",
        f"Subject\n\n{LINE}\n# ------------------------ >8 ------------------------\n-Test-Removed: nonsense\n",
        f"Subject\n\nwords\n---\nmore words\n\n{LINE}\n",
        "",
    ],
    ids=["none", "prose", "one", "several", "a comment", "below the scissors", "a line of dashes", "empty"],
)
def test_a_message_that_is_well_formed(world: CaptureWorld, text: str) -> None:
    assert message(world.repo, text) == (0, "")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("S\n\nTest-Removed: tests/a.py::b\n", "reason"),
        ("S\n\nTest-Removed:\n", "Test-Removed"),
        ("S\n\nTest-Removed: * -- all of it\n", "*"),
        ("S\n\nTest-Removed: tests/* -- without a count\n", "count"),
        ("S\n\nTest-Renamed: a -- b\n", "=>"),
        (f"S\n\n{LINE}\n\nMore words.\n", "last paragraph"),
        (f"S\n\n{LINE}\nand prose behind it\nand more\nand still more\n", "last paragraph"),
    ],
    ids=["no reason", "nothing", "a bare star", "a star without its count", "no target", "misplaced", "in prose"],
)
def test_a_message_that_git_or_we_would_read_otherwise_is_refused(world: CaptureWorld, text: str, word: str) -> None:
    code, said = message(world.repo, text)
    assert code == 1
    assert word in said
    assert "next:" in said


def test_a_hostile_message_reaches_no_terminal(world: CaptureWorld) -> None:
    code, said = message(world.repo, "S\n\nTest-Removed: \x1b[2J\u202eevil\n")
    assert code == 1
    assert not re.search("[\x1b\u202e]", said)


def test_a_message_file_that_is_not_there(world: CaptureWorld) -> None:
    with pytest.raises(UsageFault, match="cannot be read"):
        commit_hooks.run_commit_msg("/nowhere/msg", str(world.repo.path), world.repo.env, 0.0, None, None)


def test_the_first_commit_of_a_repository(repo: RepoBuilder) -> None:
    assert message(repo, "First\n") == (0, "")


def test_without_a_target_nothing_fails(world: CaptureWorld) -> None:
    world.repo.write("tests/test_set.py", "# a\n")
    world.repo.git("add", "-A")
    world.settle()
    world.take(world.report(a="passed"))
    assert message(world.repo, "Drop b\n") == (0, "")


@pytest.fixture
def gated(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    return GateWorld.create(repo, installed_python)


def test_the_run_at_hand_offers_its_lines(gated: GateWorld) -> None:
    gated.repo.write("tests/test_set.py", "# a\n")
    gated.repo.git("add", "-A")
    gated.measure({"a": "passed"})
    code, said = message(gated.repo, "Drop b\n")
    assert code == 0
    assert "CASE_REMOVED: Test-Removed: tests/test_set.py::test_b -- " in said
    assert message(gated.repo, f"Drop b\n\n{LINE}\n") == (0, "")


def test_without_a_run_of_the_tree_to_be_committed_nothing_is_offered(gated: GateWorld) -> None:
    gated.repo.write("tests/test_set.py", "# a\n")
    gated.repo.git("add", "-A")
    assert message(gated.repo, "Drop b\n") == (0, "")


def test_the_index_that_git_commits_is_looked_at(gated: GateWorld) -> None:
    """`git commit FILE` hands the hooks an index of its own; what is staged beside it is not committed."""
    gated.repo.write("tests/test_set.py", "# a\n")
    gated.measure({"a": "passed"})
    gated.repo.write("staged.py", "1\n")
    gated.repo.git("add", "staged.py")
    gated.repo.process(["git", "commit", "-q", "-m", "x", "tests/test_set.py"])
    gated.repo.git("reset", "-q", "--soft", "HEAD^")
    other = gated.repo.path.parent / "next-index"
    gated.repo.git("read-tree", "HEAD", env={"GIT_INDEX_FILE": str(other)})
    gated.repo.git("add", "tests/test_set.py", env={"GIT_INDEX_FILE": str(other)})
    assert "CASE_REMOVED" in message(gated.repo, "Drop b\n", GIT_INDEX_FILE=str(other))[1]
    assert "CASE_REMOVED" not in message(gated.repo, "Drop b\n")[1]


# ---------------------------------------------------------------- by git itself


def test_real_commits_with_both_hooks(world: CaptureWorld, installed_python: Path) -> None:
    for stage in ("post-commit", "commit-msg"):
        hook = world.repo.path / ".git" / "hooks" / stage
        hook.parent.mkdir(exist_ok=True)
        shim = (Path(__file__).parent.parent / "hooks" / stage).read_text()
        hook.write_text(shim.replace("python=''", f"python='{installed_python}'"))
        hook.chmod(0o755)
    env = {"PATH": path_with(installed_python.parent)}
    refused = world.repo.process(["git", "commit", "--allow-empty", "-m", "S\n\nTest-Removed: a"], env=env)
    assert refused.returncode == 1
    assert b"reason" in refused.stderr
    world.report(age=60)
    done = world.repo.process(["git", "commit", "--allow-empty", "-m", f"S\n\n{LINE}"], env=env)
    assert done.returncode == 0, done.stderr
    assert b"unit 2 of 2, imported" in done.stdout + done.stderr
