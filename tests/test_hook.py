"""The shims and the entry, by real pushes: called, chained, refused, in every kind of repository (design, 7 and 9)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hook_world import path_with
from repo_builder import RepoBuilder

HOOKS = Path(__file__).parent.parent / "hooks"
STAGES = ("pre-push", "post-commit", "commit-msg")


def shim(stage: str, python: Path | str = "") -> str:
    text = (HOOKS / stage).read_text()
    return text.replace("python=''", f"python='{python}'") if python else text


def put(repo: RepoBuilder, name: str, text: str, mode: int = 0o755) -> Path:
    hooks = Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "hooks"
    hooks.mkdir(exist_ok=True)
    path = hooks / name
    path.write_text(text)
    path.chmod(mode)
    return path


def push(
    repo: RepoBuilder, probe: Path, *words: str, cwd: Path | None = None, **env: str
) -> subprocess.CompletedProcess[bytes]:
    return repo.process(["git", "push", *words], env={"SHIPMOOR_HOOKS_PROBE": str(probe), **env}, cwd=cwd)


@pytest.fixture
def pushable(repo: RepoBuilder, installed_python: Path) -> RepoBuilder:
    """One commit on main, a bare remote, our pre-push shim."""
    repo.commit(files={"a.txt": "1\n"})
    repo.bare_remote()
    put(repo, "pre-push", shim("pre-push", installed_python))
    return repo


@pytest.mark.parametrize("stage", STAGES)
def test_a_shim_is_short_says_what_it_is_and_is_executable(stage: str) -> None:
    lines = shim(stage).splitlines()
    assert lines[:2] == ["#!/bin/sh", f"# shipmoor-hooks shim: {stage}"]
    assert len(lines) <= 20
    assert os.access(HOOKS / stage, os.X_OK)


def test_every_ref_of_a_push_is_seen(pushable: RepoBuilder, tmp_path: Path) -> None:
    pushable.git("branch", "zz")
    done = push(pushable, tmp_path / "probe", "origin", "main", "zz", "HEAD~0:refs/heads/from-expression")
    seen = (tmp_path / "probe").read_text()
    assert done.returncode == 1
    assert seen.startswith("called\n")
    refs = {line.split()[2] for line in seen.splitlines()[1:]}
    assert refs == {"refs/heads/from-expression", "refs/heads/main", "refs/heads/zz"}
    assert pushable.git("ls-remote", "origin") == ""


def test_a_linked_worktree_uses_the_same_shim(pushable: RepoBuilder, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    pushable.git("worktree", "add", "-q", "-b", "side", str(linked))
    assert push(pushable, tmp_path / "probe", "origin", "side", cwd=linked).returncode == 1
    assert "refs/heads/side" in (tmp_path / "probe").read_text()


def test_a_bare_repository_uses_the_shim(pushable: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    bare = tmp_path / "mirror.git"
    pushable.git("clone", "-q", "--bare", str(pushable.path), str(bare))
    (bare / "hooks").mkdir(exist_ok=True)
    (bare / "hooks" / "pre-push").write_text(shim("pre-push", installed_python))
    (bare / "hooks" / "pre-push").chmod(0o755)
    done = push(pushable, tmp_path / "probe", str(tmp_path / "origin.git"), "main", cwd=bare)
    assert done.returncode == 1
    assert "refs/heads/main" in (tmp_path / "probe").read_text()


def test_the_probe_is_no_way_around_the_gate(pushable: RepoBuilder, tmp_path: Path) -> None:
    unwritable = tmp_path / "no" / "such" / "folder"
    victim = tmp_path / "victim"
    victim.write_text("dear\n")
    (tmp_path / "link").symlink_to(victim)
    for probe in (tmp_path / "probe", unwritable, tmp_path / "link", Path("/dev/full")):
        done = push(pushable, probe, "origin", "main")
        assert done.returncode == 1, probe
        assert b"Traceback" not in done.stderr
    assert victim.read_text() == "dear\n"
    assert pushable.git("ls-remote", "origin") == ""


def test_nothing_left_to_push_is_no_refusal(pushable: RepoBuilder) -> None:
    pushable.git("push", "-q", "--no-verify", "origin", "main")
    assert pushable.process(["git", "push", "origin", "main"]).returncode == 0


def test_without_its_python_the_shim_falls_back_to_the_path(
    pushable: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    put(pushable, "pre-push", shim("pre-push", "/no/such/python"))
    done = push(pushable, tmp_path / "probe", "origin", "main", PATH=path_with(installed_python.parent))
    assert done.returncode == 1
    assert (tmp_path / "probe").exists()


@pytest.mark.parametrize("stage", STAGES)
def test_without_any_python_the_shim_ends_at_once_with_one_line(pushable: RepoBuilder, stage: str) -> None:
    path = put(pushable, stage, shim(stage, "/no/such/python"))
    done = pushable.process([str(path), "origin", "url"], env={"PATH": path_with()})
    assert done.returncode == 1
    assert done.stderr.decode().count("\n") == 1
    assert f"the {stage} hook finds no Python" in done.stderr.decode()


EARLIER = '#!/bin/sh\necho "$0 $*" >> "$LOG"\ncat >> "$LOG"\nexit ${CODE:-0}\n'


@pytest.mark.parametrize(
    ("text", "mode", "code", "runs", "expected"),
    [
        pytest.param(EARLIER, 0o644, 5, False, 0, id="not executable: git would not have run it"),
        pytest.param(EARLIER, 0o755, 0, True, 0, id="content"),
        pytest.param(EARLIER, 0o755, 5, True, 5, id="refuses"),
        pytest.param(EARLIER.split("\n", 1)[1], 0o755, 5, True, 5, id="no first line: sh runs it"),
        pytest.param("#!/no/such/interpreter\n", 0o755, 0, False, 126, id="its interpreter is missing: said, not hung"),
        pytest.param("#!/bin/sh\nkill -9 $$\n", 0o755, 0, False, 137, id="killed"),
    ],
)
def test_the_hook_that_stood_there_before_runs_first(
    pushable: RepoBuilder,
    installed_python: Path,
    tmp_path: Path,
    text: str,
    mode: int,
    code: int,
    runs: bool,
    expected: int,
) -> None:
    put(pushable, "pre-push.shipmoor-chained", text, mode)
    path = put(pushable, "pre-push", shim("pre-push", installed_python))
    log = tmp_path / "log"
    done = pushable.process([str(path), "origin", "url"], env={"LOG": str(log), "CODE": str(code)})
    assert done.returncode == expected, done.stderr
    assert log.exists() == runs
    if runs:
        assert log.read_text().splitlines()[0].endswith("pre-push.shipmoor-chained origin url")


def test_a_probe_does_not_run_the_earlier_hook(pushable: RepoBuilder, tmp_path: Path) -> None:
    put(pushable, "pre-push.shipmoor-chained", EARLIER)
    push(pushable, tmp_path / "probe", "origin", "main", LOG=str(tmp_path / "log"))
    assert (tmp_path / "probe").exists()
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize(
    "words",
    [
        pytest.param([], id="no stage"),
        pytest.param(["pre-commit"], id="a stage that is none"),
        pytest.param(["commit-msg"], id="no message file"),
        pytest.param(["post-commit", "x"], id="too much"),
        pytest.param(["--shim"], id="half an option"),
    ],
)
def test_words_that_are_not_ours_are_a_usage_error(repo: RepoBuilder, words: Sequence[str]) -> None:
    done = repo.process([sys.executable, "-m", "shipmoor_hooks.hook", *words])
    assert done.returncode == 2
    assert done.stderr.startswith(b"usage: shipmoor-hooks-hook")
