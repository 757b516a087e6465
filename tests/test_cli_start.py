"""The command line starts with what a call needs: `--help` and one command load no other command's modules."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
import typer

from shipmoor_hooks.cli import app as commands
from shipmoor_hooks.cli.main import app_for


def rows(app: typer.Typer) -> list[tuple[str | None, str | None]]:
    named = (*app.registered_commands, *app.registered_groups)
    return [(c.name, str(c.short_help)) for c in named]


def test_the_names_that_help_shows_are_those_of_the_modules() -> None:
    assert rows(app_for([])) == rows(app_for(None))
    assert [name for name, _ in rows(app_for(None))] == list(commands.NAMES)


@pytest.mark.parametrize("name", commands.NAMES)
def test_a_command_is_found_without_the_others(name: str) -> None:
    assert name in [found for found, _ in rows(app_for(["-C", "somewhere", "-q", name, "--help"]))]


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ([], ""),
        (["--help"], ""),
        (["--help", "gate"], ""),
        (["--version"], ""),
        (["gate"], "gate"),
        (["-C", "gate", "tree"], "tree"),
        (["-Cgate", "tree"], "tree"),
        (["-q", "--verbose", "log", "--help"], "log"),
        (["--unknown", "gate"], ""),
        (["-C"], ""),
    ],
)
def test_which_command_is_called(words: Sequence[str], command: str) -> None:
    assert commands.command_of(words) == command


def test_a_shell_that_asks_for_completions_gets_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SHIPMOOR_HOOKS_COMPLETE", "complete_bash")
    assert all(c.callback.__name__ != "_not_loaded" for c in app_for([]).registered_commands if c.callback)


def loaded(words: list[str]) -> set[str]:
    code = f"import sys; from shipmoor_hooks.cli.main import run; run({words!r})"
    whole = f"{code}; print('\\n', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, check=True, timeout=60)
    return set(done.stdout.decode().splitlines()[-1].split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["explain", "CASE_RED"]], ids=lambda w: w[0])
def test_what_says_only_what_is_known_loads_no_flow(words: list[str]) -> None:
    modules = loaded(words)
    flows = {"capture", "evaluate", "gate", "store", "policy", "place", "readers", "runners", "evals"}
    assert not {m for m in modules if m.startswith("shipmoor_hooks.") and m.split(".")[1] in flows}
    assert not modules & {"pydantic", "pygit2", "keyring", "platformdirs", "rich.console"}
