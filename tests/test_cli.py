"""The command line for people: exit codes, which stream says what, the options before the command, and the demonstration."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from gate_world import GateWorld
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks import __version__
from shipmoor_hooks.cli.main import main


class Shell:
    """`shipmoor-hooks`, called in this process: the exit code, stdout, stderr."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capfd = capfd

    def __call__(self, *words: str, at: Path | None = None) -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, "argv", ["shipmoor-hooks", *(["-C", str(at)] if at else []), *words])
        self.capfd.readouterr()
        code = main()
        said = self.capfd.readouterr()
        return code, said.out, said.err


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capfd)


# ---------------------------------------------------------------- before the command


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_is_an_answer(shell: Shell, flag: str) -> None:
    code, out, err = shell(flag)
    assert (code, err) == (0, "")
    assert out.startswith("Usage: shipmoor-hooks [OPTIONS] COMMAND")


def test_without_a_command_the_help_is_shown_plainly_and_it_is_a_fault(shell: Shell) -> None:
    code, out, err = shell()
    assert (code, err) == (2, "")
    assert out.startswith("Usage: shipmoor-hooks [OPTIONS] COMMAND")


def test_no_line_of_the_command_list_is_cut(shell: Shell) -> None:
    assert "..." not in shell("--help")[1].partition("Commands:")[2]


def test_version(shell: Shell) -> None:
    assert shell("--version") == (0, f"shipmoor-hooks {__version__}\n", "")


def test_a_folder_that_is_not_there(shell: Shell, tmp_path: Path) -> None:
    code, out, err = shell("status", at=tmp_path / "gone")
    assert (code, out) == (2, "")
    assert "there is no such folder" in err


@pytest.mark.parametrize(
    ("words", "said", "step"),
    [
        pytest.param(["gat"], "No such command 'gat'. Did you mean 'gate'?", "shipmoor-hooks --help", id="command"),
        pytest.param(["gate", "--nope"], "No such option: --nope", "shipmoor-hooks gate --help", id="option"),
        pytest.param(["show"], "Missing argument 'RUN'.", "shipmoor-hooks show --help", id="argument"),
        pytest.param(["gc", "--older-than", "x"], "Invalid value", "shipmoor-hooks gc --help", id="value"),
    ],
)
def test_a_word_that_is_wrong_is_one_line_and_the_help_to_ask(
    shell: Shell, words: list[str], said: str, step: str
) -> None:
    code, out, err = shell(*words)
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith("shipmoor-hooks: ")
    assert said in first
    assert second == f"  next: {step}"


# ---------------------------------------------------------------- nothing there yet


@pytest.mark.parametrize(
    "command", ["status", "run", "gate", "tree", "log", "disclose", "init", "doctor", "gc", "capture"]
)
def test_outside_a_repository_every_command_says_so(shell: Shell, tmp_path: Path, command: str) -> None:
    code, out, err = shell(command, at=tmp_path)
    assert (code, out) == (2, "")
    assert err.splitlines()[1:] == ["  next: git init"]


@pytest.mark.parametrize("command", ["status", "run", "capture"])
def test_without_a_policy_the_way_is_init(shell: Shell, repo: RepoBuilder, command: str) -> None:
    code, _, err = shell(command, at=repo.path)
    assert code == 2
    assert "there is no policy here" in err
    assert "next: shipmoor-hooks init" in err


def test_a_policy_without_a_suite(shell: Shell, repo: RepoBuilder) -> None:
    repo.commit(files={"shipmoor-hooks.toml": "[gate]\n"})
    code, _, err = shell("run", at=repo.path)
    assert code == 2
    assert err.splitlines() == [
        "shipmoor-hooks: shipmoor-hooks.toml names no suite, so nothing is measured",
        "  next: edit shipmoor-hooks.toml",
    ]
    assert "names no suite" in shell("status", at=repo.path)[2]


def test_a_branch_without_a_commit(shell: Shell, repo: RepoBuilder) -> None:
    code, _, err = shell("gate", at=repo.path)
    assert code == 2
    assert err.splitlines() == [
        "shipmoor-hooks: HEAD names no commit: this branch has none yet",
        "  next: git commit",
    ]


# ---------------------------------------------------------------- a measured repository


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    """A pushed main with two cases, and a branch that lost one of them."""
    made = GateWorld.create(repo, installed_python)
    made.branch("work", ["a"])
    return made


def test_the_verdict_is_the_answer_and_its_code_the_exit_code(shell: Shell, world: GateWorld) -> None:
    code, out, err = shell("gate", at=world.repo.path)
    assert (code, err) == (1, "")
    assert out.startswith("refused: 1 case is gone\n")
    code, out, err = shell("gate", "--format", "json", at=world.repo.path)
    assert (code, err) == (1, "")
    assert json.loads(out)["verdict"] == "refused"


def test_a_format_that_is_not_there(shell: Shell, world: GateWorld) -> None:
    code, out, err = shell("gate", "--format", "yaml", at=world.repo.path)
    assert (code, out) == (2, "")
    assert err == "shipmoor-hooks: --format takes text or json, not 'yaml'\n"


def test_status_says_what_is_measured(shell: Shell, world: GateWorld) -> None:
    code, out, err = shell("status", at=world.repo.path)
    assert (code, err) == (0, "")
    assert "unit 1 of 1, imported" in out


def test_status_of_what_is_not_measured_is_no_evidence_and_tells_the_next_step(shell: Shell, world: GateWorld) -> None:
    world.commit(["a", "c"], measured=False)
    code, out, err = shell("status", at=world.repo.path)
    assert code == 3
    assert "unit: no run for this tree" in out
    assert err == "  next: shipmoor-hooks run --suite unit\n"
    assert shell("--quiet", "status", at=world.repo.path)[::2] == (3, "")


def test_quiet_hides_talk_and_no_fault(shell: Shell, world: GateWorld) -> None:
    assert shell("tree", at=world.repo.path)[2] == "the working tree is HEAD's tree\n"
    code, out, err = shell("--quiet", "tree", at=world.repo.path)
    assert (code, len(out), err) == (0, 41, "")
    assert "names no commit" in shell("--quiet", "tree", "nosuch", at=world.repo.path)[2]


def test_verbose_shows_every_finding(shell: Shell, world: GateWorld) -> None:
    names = [f"n{i}" for i in range(12)]
    world.repo.git("switch", "-q", "main")
    world.commit(["a", "b", *names], "Many")
    world.repo.git("push", "-q", "--no-verify", "origin", "main")
    world.branch("less", ["a"])
    short, long = shell("gate", at=world.repo.path)[1], shell("--verbose", "gate", at=world.repo.path)[1]
    assert "CASE_REMOVED (13)" in short
    assert "--verbose" in short
    assert "--verbose" not in long
    assert [n for n in names if f"test_{n} stands at the base" not in long] == []


def test_log_and_show_name_the_same_run(shell: Shell, world: GateWorld) -> None:
    run = shell("log", "-n", "1", at=world.repo.path)[1].split()[0]
    code, out, _ = shell("show", run, at=world.repo.path)
    assert code == 0
    assert "tests/test_set.py::test_a" in out
    code, _, err = shell("show", "0" * 32, at=world.repo.path)
    assert code == 3
    assert "next: shipmoor-hooks log" in err


def test_disclose_writes_one_trailer_and_the_tree_stays(shell: Shell, world: GateWorld) -> None:
    tree = world.repo.git("rev-parse", "HEAD^{tree}")
    code, out, err = shell("disclose", "--reason", "it is old (#212)", at=world.repo.path)
    assert (code, err) == (0, "shipmoor-hooks: 1 trailer was added to the message of HEAD\n")
    assert out == "Test-Removed: tests/test_set.py::test_b -- it is old (#212)\n"
    assert out.strip() in world.repo.git("log", "-1", "--format=%B")
    assert world.repo.git("rev-parse", "HEAD^{tree}") == tree
    assert shell("gate", at=world.repo.path)[0] == 0


def test_disclose_without_a_reason_and_nobody_to_ask_changes_nothing(shell: Shell, world: GateWorld) -> None:
    before = world.repo.sha()
    code, _, err = shell("disclose", at=world.repo.path)
    assert code == 2
    assert "needs a reason" in err
    assert shell("disclose", "--reason", "x", "--dry-run", at=world.repo.path)[0] == 0
    assert world.repo.sha() == before


def test_gc_says_what_it_would_drop(shell: Shell, world: GateWorld) -> None:
    code, out, _ = shell("gc", "--dry-run", at=world.repo.path)
    assert (code, out) == (0, "would drop 0 entries, 0 inventories, 0 leftovers\n")


# ---------------------------------------------------------------- the demonstration


def test_the_demonstration_tells_the_whole_story_and_leaves_nothing(
    repo: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    (tmp_path / "tmp").mkdir()
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "pytest").write_text(f'#!/bin/sh\nexec {installed_python} -m pytest "$@"\n')
    (tools / "pytest").chmod(0o755)
    env = {"TMPDIR": str(tmp_path / "tmp"), "PATH": path_with(tools)}
    done = repo.process([str(installed_python), "-m", "shipmoor_hooks", "demo"], env=env, cwd=tmp_path)
    told = done.stdout.decode()
    assert done.returncode == 0, told + done.stderr.decode()
    steps = [
        "allowed: unit 3 of 3",
        "refused: 1 case is gone",
        "1 trailer was added",
        "allowed: unit 2 of 2, 1 disclosed",
        "refused: 2 cases turned red",
        "CASE_RED cannot be disclosed",
    ]
    found = [told.find(step) for step in steps]
    assert found == sorted(found)
    assert -1 not in found
    assert list((tmp_path / "tmp").iterdir()) == []
