"""git started without `subprocess`: whatever it takes in and says, nobody waits for anybody, and nothing is left open."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import git_process, place
from shipmoor_hooks.errors import GitFault, RepositoryFault
from shipmoor_hooks.git import Git

ROOT = Path(git_process.__file__).parent.parent


def fake(folder: Path, text: str) -> dict[str, str]:
    """An environment whose git is this shell script."""
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def open_files() -> set[str]:
    return set(os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"))


def test_it_says_what_git_says(repo: RepoBuilder) -> None:
    done = git_process.run(["-C", str(repo.path), "rev-parse", "--is-bare-repository"], repo.env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"false\n", b"")
    done = git_process.run(["-C", str(repo.path), "rev-parse", "--verify", "nothing"], repo.env)
    assert (done.returncode, done.stdout) == (128, b"")
    assert done.stderr.startswith(b"fatal: ")


@pytest.mark.parametrize("size", [1, 1 << 16, (1 << 16) + 1, 1 << 22], ids=["a byte", "a pipe", "a byte more", "4 MiB"])
def test_what_goes_in_comes_out_whole(tmp_path: Path, size: int) -> None:
    text = os.urandom(size)
    before = open_files()
    done = git_process.run([], fake(tmp_path, "exec tee /dev/stderr"), text)
    assert (done.returncode, done.stdout, done.stderr) == (0, text, text)
    assert open_files() == before


def test_a_flood_of_complaints_before_the_answer_is_heard(tmp_path: Path) -> None:
    done = git_process.run([], fake(tmp_path, "head -c 1000000 /dev/zero >&2; echo answer"))
    assert (done.stdout, len(done.stderr)) == (b"answer\n", 1_000_000)


def test_one_that_does_not_listen_is_heard_all_the_same(tmp_path: Path) -> None:
    done = git_process.run([], fake(tmp_path, "exec 0<&-; echo answer; exit 3"), b"x" * 1_000_000)
    assert (done.returncode, done.stdout) == (3, b"answer\n")


def test_a_signal_is_told_from_an_exit_code(tmp_path: Path) -> None:
    assert git_process.run([], fake(tmp_path, "kill -9 $$")).returncode == -9


@pytest.mark.parametrize("text", ["exec sleep 20", "while :; do echo more; done"], ids=["silent", "never silent"])
def test_one_that_takes_too_long_is_ended(tmp_path: Path, text: str) -> None:
    before, start = open_files(), time.monotonic()
    with pytest.raises(git_process.TookTooLong):
        git_process.run([], fake(tmp_path, f"echo $$ > {tmp_path}/number; {text}"), seconds=0.3)
    assert time.monotonic() - start < 10
    assert open_files() == before
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


def test_time_that_suffices_changes_nothing(tmp_path: Path) -> None:
    assert git_process.run([], fake(tmp_path, "echo answer"), seconds=20).stdout == b"answer\n"


def test_the_first_git_on_path_that_can_be_started_is_taken(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (first / "git").write_text("no program")
    environ = fake(second, "echo ours")
    assert git_process.run([], environ | {"PATH": f"/nowhere:{first}:{environ['PATH']}"}).stdout == b"ours\n"


def test_no_git_on_path_is_told(tmp_path: Path) -> None:
    before = open_files()
    with pytest.raises(RepositoryFault, match="git is not on PATH"):
        place.find(str(tmp_path), {"PATH": str(tmp_path)})
    assert open_files() == before


def test_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(RepositoryFault, match="there is no such folder"):
        Git(str(tmp_path / "gone"), os.environ).text("version")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_take_no_part(repo: RepoBuilder, closed: str) -> None:
    repo.write("a.txt", "a\n")
    out = repo.path.parent / "out"
    code = (
        "import os; from shipmoor_hooks import place; "
        "git = place.find('.', os.environ).git; "
        "told = git.output('hash-object', '--stdin-paths', stdin=b'a.txt\\n'); "
        f"open({str(out)!r}, 'wb').write(told)"
    )
    words = f'exec "$0" -c "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", words, sys.executable, code], cwd=repo.path, env=repo.env | {"PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == 0
    assert out.read_text().strip() == repo.git("hash-object", "a.txt")


def test_an_end_that_nobody_can_tell_is_no_success(repo: RepoBuilder) -> None:
    code = (
        "import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); from shipmoor_hooks import errors, git\n"
        "try: git.Git('.', os.environ).output('version')\n"
        "except errors.GitFault as fault: print(fault.message)"
    )
    done = repo.process([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)})
    assert done.stdout.decode().startswith("nobody can tell how git ended"), done.stderr


def test_git_is_given_back_the_default_of_sigpipe(repo: RepoBuilder) -> None:
    """Python ignores SIGPIPE and hands that down; git's own children must not inherit it."""
    done = Git(str(repo.path), repo.env).run("-c", "alias.probe=!yes | head -n 1; true", "probe")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"y\n", b"")


def test_a_failure_names_the_command_and_what_git_said(repo: RepoBuilder) -> None:
    with pytest.raises(GitFault, match=r"^git rev-parse --verify nothing failed: fatal: "):
        Git(str(repo.path), repo.env).output("-c", "core.quotePath=false", "rev-parse", "--verify", "nothing")
