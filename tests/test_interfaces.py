"""The ways in that are not the plain command: git's own subcommand, a shell's completion, lines for scripts."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from capture_world import CaptureWorld
from repo_builder import RepoBuilder

HERE = [sys.executable, "-m", "shipmoor_hooks"]


def called(words: list[str], cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=cwd, env=dict(env), capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("shell", "words", "found"),
    [
        pytest.param("bash", "shipmoor-hooks ga", "gate", id="bash-a-command"),
        pytest.param("bash", "shipmoor-hooks gate --mer", "--merge-result", id="bash-an-option"),
        pytest.param("zsh", "shipmoor-hooks expl", "explain", id="zsh-a-command"),
        pytest.param("fish", "shipmoor-hooks stat", "status", id="fish-a-command"),
    ],
)
def test_a_shell_completes(
    shell: str, words: str, found: str, environment: dict[str, str], installed_python: Path, tmp_path: Path
) -> None:
    asked = {
        "_SHIPMOOR_HOOKS_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
        "_TYPER_COMPLETE_ARGS": words,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_TESTING": "1",
    }
    program = str(installed_python.parent / "shipmoor-hooks")
    assert found in called([program], tmp_path, environment | asked).stdout


def test_the_script_of_a_shell_is_shown(environment: dict[str, str], tmp_path: Path) -> None:
    asked = shlex.join([*HERE, "--show-completion"])
    done = called(
        ["bash", "-c", f"{asked}; exit $?"], tmp_path, environment
    )  # the shell that calls is the one that is shown
    assert done.returncode == 0
    assert "complete -o default" in done.stdout


def test_lines_for_scripts(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo)
    before = called([*HERE, "status", "--porcelain"], repo.path, repo.env)
    assert (before.returncode, before.stdout) == (3, "NO_RUN_AT_TIP\tunit\t-\t-\t-\t-\n")
    world.report(a="passed", b="failed")
    assert called([*HERE, "capture", "build/r.xml"], repo.path, repo.env).returncode == 0
    after = called([*HERE, "status", "--porcelain"], repo.path, repo.env)
    state, suite, variant, run, passed, of = after.stdout.rstrip("\n").split("\t")
    assert (after.returncode, state, suite, variant, passed, of) == (0, "measured", "unit", "-", "1", "2")
    assert len(run) == 32
    assert after.stderr == ""
