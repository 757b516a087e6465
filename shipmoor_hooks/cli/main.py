"""`shipmoor-hooks`, for people: the app, its options that stand before the command, and the exit code (design, section 7)."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError

from shipmoor_hooks import __version__
from shipmoor_hooks.cli import app as commands
from shipmoor_hooks.cli.context import Call, answer
from shipmoor_hooks.error_handler import guarded
from shipmoor_hooks.errors import EXIT_INTERRUPTED, EXIT_USAGE, UsageFault


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shipmoor-hooks {__version__}")
        raise typer.Exit


def options(
    context: typer.Context,
    directory: Annotated[str, typer.Option("-C", metavar="DIR", help="Work as if started in DIR.")] = ".",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on stderr but errors.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show every finding, not only the first ones.")
    ] = False,
    _show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Options that stand before the command."""
    context.obj = Call(os.path.abspath(directory), dict(os.environ), quiet, verbose)


def app_for(words: Sequence[str] | None) -> typer.Typer:
    """The app with what a call with these words needs; None: with every command."""
    app = commands.empty()
    app.callback()(options)
    if words is None or any(name.endswith("_COMPLETE") for name in os.environ):  # a shell asks for completions
        commands.add_every(app)
    else:
        commands.add_for(app, words)
    return app


def main() -> int:
    """The console script: the exit code of the command."""
    code = guarded(lambda: run(sys.argv[1:]), os.environ)
    # What waits for the end of the process gets its turn; taking hundreds of modules apart would cost two starts of Python.
    atexit._run_exitfuncs()
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run a command; typer's own complaints become ours, so that exit codes stay the design's."""
    command = typer.main.get_command(app_for(arguments))
    try:
        code = command.main(args=arguments, prog_name="shipmoor-hooks", standalone_mode=False)
    except NoArgsIsHelpError as asked:
        answer(asked.format_message())
        return EXIT_USAGE
    except ClickException as wrong:
        words = ["shipmoor-hooks", *(word for word in arguments if word in commands.NAMES)][:2]
        raise UsageFault(wrong.format_message(), f"{' '.join(words)} --help") from wrong
    except typer.Abort:
        return EXIT_INTERRUPTED
    return code if isinstance(code, int) else 0
