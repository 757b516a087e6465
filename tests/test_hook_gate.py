"""The gate behind every way of hooking it in, by pushes: a lost case stops the push, a word about it lets it by."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hook_world import path_with
from repo_builder import RepoBuilder
from test_hook_imports import banned, loaded

from shipmoor_hooks import capture
from shipmoor_hooks.place import find
from shipmoor_hooks.policy import load_worktree
from shipmoor_hooks.wiring.hook_source import HookSource
from shipmoor_hooks.wiring.install import apply, plan_init

POLICY = '[gate]\ntarget = "origin/main"\n[suite.unit]\ncommand = "make test"\n'
LOST = "Test-Removed: t::b -- it was about the old importer"


def measure(repo: RepoBuilder, names: Sequence[str], cwd: Path | None = None) -> None:
    """Capture a run of the present tree in which these cases passed."""
    report = repo.path.parent / "report.xml"
    cases = "".join(f'<testcase classname="t" name="{name}"/>' for name in names)
    report.write_text(f'<testsuites><testsuite name="s" tests="{len(names)}">{cases}</testsuite></testsuites>')
    place = find(str(cwd or repo.path), repo.env)
    policy = load_worktree(place)
    assert policy is not None
    suite = policy.suites["unit"]
    capture.import_reports(place, policy, suite, [str(report)], environ=repo.env, now=time.time())


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path, tmp_path: Path) -> RepoBuilder:
    """A first commit and an empty remote; pre-commit and our entry are on PATH."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "pre-commit").symlink_to(Path(sys.executable).with_name("pre-commit"))
    repo.env["PATH"] = path_with(tools, installed_python.parent)
    repo.commit(files={"shipmoor-hooks.toml": POLICY, "tests.txt": "a b\n", ".pre-commit-config.yaml": "repos: []\n"})
    repo.bare_remote()
    return repo


def commit_past_hooks(repo: RepoBuilder, message: str) -> None:
    repo.git("add", "-A")
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", message)


def init(repo: RepoBuilder, python: Path, host: str) -> None:
    if host == "git":
        (repo.path / ".pre-commit-config.yaml").unlink()
    assert (made := plan_init(find(str(repo.path), repo.env), repo.env, str(python), HookSource())).host == host
    assert apply(made) == ()
    commit_past_hooks(repo, "Hooks")
    repo.git("push", "-q", "--no-verify", "-u", "origin", "main")
    measure(repo, ["a", "b"])


def drop_case(repo: RepoBuilder, branch: str, trailers: Sequence[str] = ()) -> None:
    repo.git("switch", "-q", "-C", branch, "main")
    repo.write("tests.txt", "a\n")
    commit_past_hooks(repo, "\n\n".join(["Drop b", *trailers]))
    measure(repo, ["a"])


def push(repo: RepoBuilder, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return repo.process(["git", "push", "origin", *words], cwd=cwd)


@pytest.mark.parametrize("host", ["git", "pre-commit"])
def test_a_lost_case_stops_the_push_and_a_disclosure_lets_it_pass(
    world: RepoBuilder, installed_python: Path, host: str
) -> None:
    init(world, installed_python, host)
    drop_case(world, "work")
    done = push(world, "work")
    assert done.returncode == 1
    assert (done.stdout + done.stderr).count(b"CASE_REMOVED") == 1
    assert b"REFS_HIDDEN" not in done.stdout + done.stderr
    assert "work" not in world.git("ls-remote", "origin")
    drop_case(world, "work", [LOST])
    done = push(world, "work")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "work" in world.git("ls-remote", "origin")


@pytest.mark.parametrize("host", ["git", pytest.param("pre-commit", marks=pytest.mark.matrix)])
def test_the_second_of_two_refs_is_judged_too(world: RepoBuilder, installed_python: Path, host: str) -> None:
    init(world, installed_python, host)
    drop_case(world, "zz-bad")
    world.git("branch", "aa-good", "main")
    done = push(world, "aa-good", "zz-bad")
    assert done.returncode == 1
    assert "good" not in world.git("ls-remote", "origin")


def test_a_clone_that_only_ran_pre_commit_install_is_gated(
    world: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    init(world, installed_python, "pre-commit")
    clone = RepoBuilder(tmp_path / "clone", world.env)
    world.git("clone", "-q", str(tmp_path / "origin.git"), str(clone.path), cwd=tmp_path)
    assert clone.process(["pre-commit", "install"]).returncode == 0
    measure(clone, ["a", "b"])
    drop_case(clone, "work")
    done = push(clone, "work")
    assert done.returncode == 1
    assert b"CASE_REMOVED" in done.stdout + done.stderr
    assert b"REFS_HIDDEN" in done.stdout + done.stderr
    assert "work" not in clone.git("ls-remote", "origin")


@pytest.mark.matrix
def test_asked_by_hand_the_host_shows_the_whole_verdict_and_refuses_without_our_own_hook_too(
    world: RepoBuilder, installed_python: Path
) -> None:
    init(world, installed_python, "pre-commit")
    drop_case(world, "work")
    words = ["pre-commit", "run", "--hook-stage", "pre-push", "--from-ref", "main", "--to-ref", "work"]
    asked = world.process(words)
    assert asked.returncode == 1
    assert b"CASE_REMOVED" in asked.stdout
    (world.path / ".git" / "hooks" / "pre-push.legacy").write_text(
        "#!/bin/sh\n# shipmoor-hooks shim: pre-push\nexit 0\n"
    )
    assert push(world, "work").returncode == 1


def test_a_deletion_a_tag_and_a_push_of_nothing_pass(world: RepoBuilder, installed_python: Path) -> None:
    init(world, installed_python, "git")
    world.git("push", "-q", "--no-verify", "origin", "main:gone")
    drop_case(world, "work")
    world.git("tag", "v1")
    for word in (":gone", "v1", "main"):
        assert push(world, word).returncode == 0, word


def test_a_linked_worktree_and_another_branch_than_the_checked_out_one(
    world: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    init(world, installed_python, "git")
    drop_case(world, "work")
    world.git("switch", "-q", "main")
    linked = tmp_path / "linked"
    world.git("worktree", "add", "-q", "--detach", str(linked), "main")
    for cwd in (world.path, linked):
        assert push(world, "work", cwd=cwd).returncode == 1
    assert "work" not in world.git("ls-remote", "origin")


@pytest.mark.parametrize("elsewhere", ["in another repository", "in no repository", "in a folder of its own worktree"])
def test_a_push_by_git_dir_is_judged_by_the_repository_that_is_pushed(
    world: RepoBuilder, installed_python: Path, tmp_path: Path, elsewhere: str
) -> None:
    init(world, installed_python, "git")
    drop_case(world, "work")
    other = RepoBuilder.create(tmp_path / "other", world.env)
    (world.path / "sub").mkdir()
    cwd = {"in another repository": other.path, "in no repository": tmp_path}.get(elsewhere, world.path / "sub")
    words = ["git", f"--git-dir={world.path / '.git'}", f"--work-tree={world.path}", "push", "origin", "work"]
    done = world.process(words, cwd=cwd)
    assert done.returncode == 1
    assert b"CASE_REMOVED" in done.stdout, done.stderr
    relative = ["git", f"--git-dir={os.path.relpath(world.path / '.git', cwd)}", "push", "origin", "work"]
    assert b"CASE_REMOVED" in world.process(relative, cwd=cwd).stdout
    assert "work" not in world.git("ls-remote", "origin")


def test_an_object_that_is_not_here_is_refused_and_a_tree_is_nothing_to_judge(
    world: RepoBuilder, installed_python: Path
) -> None:
    init(world, installed_python, "git")
    hook = [str(world.path / ".git" / "hooks" / "pre-push"), "origin", str(world.path.parent / "origin.git")]
    line = f"refs/heads/x {'e' * 40} refs/heads/x {'0' * 40}\n"
    assert world.process(hook, stdin=line.encode()).returncode == 2
    assert push(world, "main^{tree}:refs/trees/x").returncode == 0


def test_an_earlier_hook_refuses_beside_a_gate_that_allows(
    world: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    world.write(".git/hooks/pre-push", f"#!/bin/sh\ncat > '{log}'\nexit ${{EARLIER:-0}}\n", 0o755)
    init(world, installed_python, "git")
    world.git("branch", "same")
    refused = world.process(["git", "push", "origin", "same"], env={"EARLIER": "7"})
    assert refused.returncode == 1
    assert push(world, "same").returncode == 0
    assert b"refs/heads/same" in log.read_bytes()


@pytest.mark.matrix
def test_other_tools_switches_do_not_switch_it_off(world: RepoBuilder, installed_python: Path) -> None:
    init(world, installed_python, "pre-commit")
    drop_case(world, "work")
    switches = {"SKIP": "shipmoor-gate", "HUSKY": "0", "LEFTHOOK": "0", "PREK_SKIP": "shipmoor-gate", "CI": "true"}
    assert world.process(["git", "push", "origin", "work"], env=switches).returncode == 1


def test_a_malformed_disclosure_stops_the_commit(world: RepoBuilder, installed_python: Path) -> None:
    init(world, installed_python, "git")
    bad = world.process(["git", "commit", "--allow-empty", "-m", "Drop b\n\nTest-Removed: t::b"])
    assert bad.returncode == 1, bad.stderr
    good = world.process(["git", "commit", "--allow-empty", "-m", f"Drop b\n\n{LOST}"])
    assert good.returncode == 0, good.stderr


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        pytest.param([], b"", id="neither arguments nor list nor host"),
        pytest.param(["origin", "url"], b"x\n", id="a line that is not git's"),
    ],
)
def test_who_does_not_say_what_is_pushed_is_refused(world: RepoBuilder, words: Sequence[str], stdin: bytes) -> None:
    done = world.process([sys.executable, "-m", "shipmoor_hooks.hook", "pre-push", *words], stdin=stdin)
    assert done.returncode == 2
    assert done.stderr.startswith(b"shipmoor-hooks: the pre-push hook was")
    closed = world.process(["sh", "-c", f"'{sys.executable}' -m shipmoor_hooks.hook pre-push origin url <&-"])
    assert closed.returncode == 2


def test_the_whole_way_of_a_push_loads_no_framework(world: RepoBuilder, installed_python: Path) -> None:
    init(world, installed_python, "git")
    drop_case(world, "work")
    # A branch that is not there before is pushed beside: two refs are not the quick path's to judge.
    line = "".join(
        f"refs/heads/{name} {world.sha()} refs/heads/{name} {'0' * 40}\n" for name in ("work", "other")
    ).encode()
    code = (
        f"import os; os.chdir({str(world.path)!r}); sys.argv = ['hook', 'pre-push', 'origin', 'url'];"
        "from shipmoor_hooks.hook import main; assert main() == 1"
    )
    modules = loaded(code, line, env=world.env | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")})
    assert "shipmoor_hooks.evaluate" in modules
    assert banned(modules) == set()
