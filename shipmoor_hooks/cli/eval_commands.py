"""`eval`: the commands for eval suites (design, sections 7 and 8)."""

from __future__ import annotations

import typer

from shipmoor_hooks.cli.context import CONTEXT

app = typer.Typer(
    name="eval",
    help="Lint, run, grade and re-grade the cases of an eval suite.",
    context_settings=CONTEXT,
    no_args_is_help=True,
    rich_markup_mode=None,
)
