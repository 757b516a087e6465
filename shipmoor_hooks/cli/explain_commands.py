"""`explain`: the page of a code."""

from __future__ import annotations

from typing import Annotated

import typer

from shipmoor_hooks import code_pages
from shipmoor_hooks.cli import pager
from shipmoor_hooks.cli.context import CONTEXT, Call
from shipmoor_hooks.finding_codes import Code, Level

_TITLES = {
    Level.REFUSE: "refused (exit 1)",
    Level.NO_EVIDENCE: "cannot evaluate (exit 3)",
    Level.NOTE: "notes (no effect)",
}


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("explain", short_help="What a code means, and the ways out.", context_settings=CONTEXT)(explain)


def explain(
    context: typer.Context,
    code: Annotated[
        str, typer.Argument(metavar="[CODE]", help="A code of the verdict, CASE_REMOVED for example.")
    ] = "",
) -> int:
    """What a code means, an example, and the ways out. Without a code: all of them, a line each."""
    call: Call = context.obj
    pager.show(code_pages.page_of(code) if code else _index(), call.environ)
    return 0


def _index() -> str:
    wide = max(len(c.value) for c in Code)
    lines = []
    for level, title in _TITLES.items():
        lines += [
            title,
            *(f"  {c.value:<{wide}}  {code_pages.first_sentence(c)}" for c in Code if c.level is level),
            "",
        ]
    return "\n".join(lines)
