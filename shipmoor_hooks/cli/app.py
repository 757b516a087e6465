"""The commands of `shipmoor-hooks`, each module loaded when one of its commands is called.

Every command with what it needs is loaded in a second on a slow machine; `--help` and one command need not wait for the
others. So their names and what `--help` says of them stand here, and tests/test_cli_start.py holds them to the modules.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import typer

from shipmoor_hooks.cli.context import CONTEXT

EVAL = "eval"
# In the order of `--help`.
MODULES: Mapping[str, Mapping[str, str]] = {
    "measure_commands": {
        "run": "Run a suite and store what it reported.",
        "capture": "Import report files as a run.",
        "read": "Show what a reader sees in a report.",
    },
    "gate_commands": {
        "gate": "Judge the tip against the base.",
        "disclose": "Write trailers for the present findings.",
    },
    "inspect_commands": {
        "status": "What is measured for the working tree.",
        "log": "The newest runs in the spool.",
        "show": "One run with its cases.",
    },
    "tree_command": {
        "tree": "The tree id, and how it was found.",
    },
    "prove_commands": {
        "prove": "Show that a case falls under a planted fault.",
        "stability": "k of n for each case over the stored runs.",
    },
    "setup_commands": {
        "init": "Write the policy and wire the hooks.",
        "doctor": "What works here and what does not.",
        "demo": "The whole story in a throwaway repository.",
        "gc": "Drop old runs.",
    },
    "trust_commands": {"verify": "Are the stored runs whole, sealed, and none missing."},
    "explain_commands": {"explain": "What a code means, and the ways out."},
    "replay_commands": {"replay": "What past commits would have been told."},
    "report_commands": {"report": "A page to look at: n of N over commits."},
    "share_commands": {
        "publish": "Share runs through the remote.",
        "export": "Runs as in-toto attestations.",
        "fetch": "Bring the runs that others published.",
    },
}
# Groups of commands: they come after the commands, as typer lists them.
GROUPS: Mapping[str, tuple[str, str]] = {
    "key": ("trust_commands", "The key that seals runs."),
    EVAL: ("eval_commands", "Lint, run, grade and re-grade eval suites."),
}


class Registering(Protocol):
    """A module of commands."""

    def register(self, app: typer.Typer) -> None: ...


NAMES = (*(name for commands in MODULES.values() for name in commands), *GROUPS)
_HELP = "Keep a test set honest: what got smaller between the merge base and the tip is named, or not pushed."


def empty() -> typer.Typer:
    """The app without a command."""
    return typer.Typer(
        name="shipmoor-hooks",
        help=_HELP,
        context_settings=CONTEXT,
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


def add_every(app: typer.Typer) -> None:
    """Load every module and add its commands."""
    for module in MODULES:
        _load(module).register(app)
    _add_evals(app)


def add_for(app: typer.Typer, words: Sequence[str]) -> None:
    """Add what a call with these words needs: the module of its command, or names alone where it calls none."""
    name = command_of(words)
    modules = {command: module for module, commands in MODULES.items() for command in commands}
    if name == EVAL:
        _add_evals(app)
    elif name in modules or name in GROUPS:
        _load(modules.get(name) or GROUPS[name][0]).register(app)
    else:
        for command, said in [(c, s) for commands in MODULES.values() for c, s in commands.items()]:
            app.command(command, short_help=said)(_not_loaded)
        for group, (_, said) in GROUPS.items():
            app.command(group, short_help=said)(_not_loaded)


def command_of(words: Sequence[str]) -> str:
    """The command that is called; "" where the words before it ask for help, the version or completion, or are none of ours."""
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "-C" and waiting:
            waiting.pop(0)
        elif not word.startswith("-"):
            return word
        elif word not in ("-q", "-v", "--quiet", "--verbose") and not word.startswith("-C"):
            return ""
    return ""


def _load(module: str) -> Registering:
    return cast(Registering, importlib.import_module(f"shipmoor_hooks.cli.{module}"))


def _add_evals(app: typer.Typer) -> None:
    from shipmoor_hooks.cli import eval_check, eval_commands, eval_grade, eval_run

    if not eval_commands.app.registered_commands:
        for module in (eval_check, eval_grade, eval_run):
            module.register(eval_commands.app)
    app.add_typer(eval_commands.app, name=EVAL, short_help=GROUPS[EVAL][1])


def _not_loaded() -> None:
    """Stands for a command where only its name is wanted."""
