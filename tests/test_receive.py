"""The pre-receive hook by real pushes to a bare repository: judged before anything is taken in, and nothing is written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from gate_world import GateWorld, said
from repo_builder import RepoBuilder
from share_world import Key, cli
from test_hook_imports import banned, loaded

from shipmoor_hooks import push
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.git import alternates, quarantine

ROOT = Path(__file__).parent.parent
REMOVED = "Test-Removed: tests/test_set.py::test_b -- the legacy endpoint is gone (#212)"


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    """A pushed and measured main, no hook on the client, ours on the server, which reads the client's spool as its own."""
    made = GateWorld.create(repo, installed_python)
    (repo.path / ".git" / "hooks" / "pre-push").unlink()
    put_hook(made.remote, installed_python)
    share_spool(made)
    return made


def put_hook(bare: Path, python: Path, state: Path | None = None) -> None:
    """`state` is where the keys of the server's own user are: as long as none is given, client and server are one user."""
    text = (ROOT / "hooks" / "pre-receive").read_text().replace("python=''", f"python='{python}'")
    if state is not None:
        text = text.replace("python='", f"export XDG_STATE_HOME='{state}'\npython='", 1)
    (bare / "hooks").mkdir(exist_ok=True)
    (bare / "hooks" / "pre-receive").write_text(text)
    (bare / "hooks" / "pre-receive").chmod(0o755)


def share_spool(world: GateWorld) -> None:
    """The spool in the bare repository's own folder: what a runner on the server would have put there."""
    spool = world.repo.path / ".git" / "shipmoor-hooks"
    spool.rename(world.remote / "shipmoor-hooks")
    spool.symlink_to(world.remote / "shipmoor-hooks")


def measured(world: GateWorld, cases: Mapping[str, str]) -> None:
    """`capture` refuses a spool that is a link, and rightly: it is one only from the server's side."""
    spool = world.repo.path / ".git" / "shipmoor-hooks"
    spool.unlink()
    (world.remote / "shipmoor-hooks").rename(spool)
    world.measure(cases)
    share_spool(world)


def commit(world: GateWorld, branch: str, cases: list[str], *trailers: str, at: str = "main") -> None:
    world.repo.git("switch", "-q", "-c", branch, at)
    world.repo.write("tests/test_set.py", "".join(f"# test_{c}\n" for c in cases))
    world.repo.commit(f"Work on {branch}", trailers)
    measured(world, dict.fromkeys(cases, "passed"))


def taken_in(done: subprocess.CompletedProcess[bytes]) -> None:
    assert done.returncode == 0, said(done)


def refused(done: subprocess.CompletedProcess[bytes], *words: str) -> None:
    assert done.returncode == 1, said(done)
    assert "pre-receive hook declined" in said(done)
    for word in words:
        assert word in said(done), said(done)


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but the hooks: to prove that nothing was written."""
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and "hooks" not in p.relative_to(folder).parts[:1]
    }


# ---------------------------------------------------------------- real pushes


def test_a_branch_that_keeps_its_cases_is_taken_in(world: GateWorld) -> None:
    commit(world, "work", ["a", "b", "c"])
    done = world.push("origin", "work")
    taken_in(done)
    assert "unit 3 of 3" in said(done)
    assert "refs/heads/work" in world.refs()


@pytest.mark.parametrize("flags", [[], ["--no-verify"]], ids=["plain", "--no-verify has no say here"])
def test_a_branch_that_loses_a_case_is_refused_and_nothing_stays(world: GateWorld, flags: list[str]) -> None:
    commit(world, "work", ["a"])
    before = files(world.remote)
    refused(world.push(*flags, "origin", "work"), "CASE_REMOVED", "tests/test_set.py::test_b", "refs/heads/work")
    assert files(world.remote) == before
    assert "refs/heads/work" not in world.refs()


def test_a_disclosed_loss_is_taken_in(world: GateWorld) -> None:
    commit(world, "work", ["a"], REMOVED)
    taken_in(world.push("origin", "work"))


def test_into_the_target_itself_the_old_value_is_the_base(world: GateWorld) -> None:
    commit(world, "work", ["a"])
    refused(world.push("origin", "work:main"), "CASE_REMOVED")
    commit(world, "more", ["a", "b", "c"], at="main")
    taken_in(world.push("origin", "more:main"))


def test_a_rewind_of_the_target_is_measured_against_what_stood_there(world: GateWorld) -> None:
    commit(world, "more", ["a", "b", "c"])
    taken_in(world.push("origin", "more:main"))
    refused(world.push("--force", "origin", "main:main"), "test_c")


def test_one_of_several_refs_refuses_the_whole_push(world: GateWorld) -> None:
    commit(world, "good", ["a", "b", "c"])
    commit(world, "bad", ["a"], at="main")
    done = world.push("origin", "good", "bad")
    refused(done, "refs/heads/good: allowed", "refs/heads/bad: refused")
    assert set(world.refs()) == {"refs/heads/main"}


def test_deletions_tags_and_notes_have_nothing_to_judge(world: GateWorld) -> None:
    commit(world, "good", ["a", "b"])
    taken_in(world.push("origin", "good"))
    taken_in(world.push("origin", ":good"))
    commit(world, "bad", ["a"], at="main")
    world.repo.git("tag", "-a", "-m", "x", "v1")
    taken_in(world.push("origin", "v1"))
    taken_in(world.push("origin", "bad:refs/notes/x"))


def test_a_tip_without_a_run_is_refused_with_what_to_do(world: GateWorld) -> None:
    world.repo.git("switch", "-q", "-c", "work")
    world.repo.commit(files={"src.py": "x = 1\n"})
    done = world.push("origin", "work")
    refused(done, "NO_RUN_AT_TIP", "shipmoor-hooks publish", "exit 3")


def test_the_first_push_to_an_empty_server_starts_the_yardstick(
    repo: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    world = GateWorld.create(repo, installed_python, push=False)
    (repo.path / ".git" / "hooks" / "pre-push").unlink()
    put_hook(world.remote, installed_python)
    done = world.push("origin", "main")
    taken_in(done)
    assert "FIRST_YARDSTICK" in said(done)


def test_excluded_paths_are_taken_out_of_trees_that_are_still_in_quarantine(
    repo: RepoBuilder, installed_python: Path
) -> None:
    repo.write("shipmoor-hooks.toml", "")
    world = GateWorld(repo, repo.bare_remote())
    repo.write(".gitignore", "build/\n")
    repo.write("shipmoor-hooks.toml", '[suite.unit]\ncommand = ["pytest"]\nexclude = ["docs/**"]\n')
    world.commit(["a", "b"])
    repo.git("push", "-q", "origin", "main")
    put_hook(world.remote, installed_python)
    repo.commit("Words", files={"docs/page.md": "words\n"})
    (repo.path / ".git" / "shipmoor-hooks").rename(world.remote / "shipmoor-hooks")
    before = files(world.remote / "shipmoor-hooks")
    done = world.push("origin", "main:work")
    taken_in(done)
    assert "unit 2 of 2" in said(done)
    assert files(world.remote / "shipmoor-hooks") == before


def test_the_policys_target_is_the_servers_own_branch(world: GateWorld) -> None:
    policy = '[gate]\ntarget = "origin/stable"\n\n[suite.unit]\ncommand = ["pytest", "-q"]\n'
    world.repo.write("shipmoor-hooks.toml", policy)
    world.repo.commit("Measure against stable")
    measured(world, {"a": "passed", "b": "passed"})
    taken_in(world.push("origin", "main", "main:stable"))
    commit(world, "work", ["a"])
    refused(world.push("origin", "work"), "CASE_REMOVED")


def test_init_in_a_bare_repository_puts_the_hook_in_place(world: GateWorld, installed_python: Path) -> None:
    hook = world.remote / "hooks" / "pre-receive"
    hook.unlink()
    done = world.repo.process([str(installed_python), "-m", "shipmoor_hooks", "init", "--yes"], cwd=world.remote)
    assert done.returncode == 0, said(done)
    assert os.access(hook, os.X_OK)
    commit(world, "work", ["a"])
    refused(world.push("--no-verify", "origin", "work"), "CASE_REMOVED")


def test_a_hook_that_stood_there_before_is_asked_first(world: GateWorld) -> None:
    earlier = world.remote / "hooks" / "pre-receive.shipmoor-chained"
    earlier.write_text("#!/bin/sh\ncat >&2\nexit 1\n")
    earlier.chmod(0o755)
    commit(world, "work", ["a", "b"])
    refused(world.push("origin", "work"), "remote: 000000", "allowed: unit 2 of 2")


def test_runs_that_were_published_to_the_server_count_when_the_base_names_their_signer(
    repo: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    key = Key.create(tmp_path / "key")
    repo.write(".shipmoor-hooks/allowed_signers", key.line("ada@example.org"))
    world = GateWorld.create(repo, installed_python)
    (repo.path / ".git" / "hooks" / "pre-push").unlink()
    put_hook(world.remote, installed_python, tmp_path / "state of the server")
    world.branch("work", ["a", "b", "c"])
    refused(world.push("origin", "work"), "NO_RUN_AT_BASE")
    assert cli(repo, "publish", "--all", "--no-sign").returncode == 0
    refused(world.push("origin", "work"), "SEAL_FOREIGN", "nobody")
    assert cli(repo, "publish", "--all", "--sign", str(key.file)).returncode == 0
    world.branch("less", ["a"], at="main")
    assert cli(repo, "publish", "--all", "--sign", str(key.file)).returncode == 0
    before = files(world.remote)
    refused(world.push("origin", "less"), "CASE_REMOVED")
    assert files(world.remote) == before
    done = world.push("origin", "work")
    taken_in(done)
    assert "unit 3 of 3" in said(done)
    assert not (world.remote / "shipmoor-hooks").exists()


def test_it_loads_no_framework(world: GateWorld) -> None:
    commit(world, "work", ["a", "b"])
    world.repo.git(
        "push", "-q", "--no-verify", "--receive-pack=git -c core.hooksPath=/x receive-pack", "origin", "work"
    )
    line = f"{'0' * 40} {world.repo.sha()} refs/heads/other\n".encode()
    code = (
        f"import os; os.chdir({str(world.remote)!r}); sys.argv = ['hook', 'pre-receive'];"
        "from shipmoor_hooks.hook import main; assert main() == 0"
    )
    modules = loaded(code, line, env=world.repo.env | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")})
    assert "shipmoor_hooks.evaluate" in modules
    assert banned(modules) == set()


# ---------------------------------------------------------------- what git tells


def test_the_lines_of_git_are_read() -> None:
    one, zero = "1" * 40, "0" * 40
    told = push.from_receive(f"{zero} {one} refs/heads/a b\n{one} {zero} refs/heads/x\n".encode())
    assert [(u.local, u.remote_ref, u.remote_oid) for u in told.updates] == [
        (one, "refs/heads/a b", None),
        (None, "refs/heads/x", one),
    ]
    assert push.from_receive(b"").updates == ()


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"refs/heads/a 1 2\n", id="another hook's line"),
        pytest.param(b"\xff\x00\n", id="bytes"),
        pytest.param(f"{'1' * 40} {'2' * 40}\n".encode(), id="no ref"),
        pytest.param(f"{'1' * 40} {'z' * 40} x\n".encode(), id="no object name"),
    ],
)
def test_any_other_line_is_refused(line: bytes) -> None:
    with pytest.raises(UsageFault, match="not git's"):
        push.from_receive(line)


def test_the_quarantine_is_taken_over_only_where_git_speaks_of_one() -> None:
    told = {"GIT_QUARANTINE_PATH": "/q", "GIT_OBJECT_DIRECTORY": "/q", "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/o:/x"}
    assert quarantine(told | {"GIT_DIR": "."}) == told
    assert quarantine({"GIT_OBJECT_DIRECTORY": "/leaked"}) == {}
    assert alternates({}, "/a:b") == '"/a:b"'
    assert alternates(told, "/o") == "/o:/q:/o:/x"
