"""`report`: the page to look at, its text in the terminal, and a comparison for a review."""

from __future__ import annotations

import json
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from shipmoor_hooks import __version__
from shipmoor_hooks.cli import colour, pager
from shipmoor_hooks.cli.context import CONTEXT, Call, SuiteOption, answer, check_format
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, UsageFault
from shipmoor_hooks.report import documents, gather, html_page, report_file, text_page
from shipmoor_hooks.report.pages import Page
from shipmoor_hooks.visible import visible

STDOUT = "-"


def register(app: typer.Typer) -> None:
    """Add this module's command to the app."""
    app.command("report", short_help="A page to look at: n of N over commits.", context_settings=CONTEXT)(report)


def report(
    context: typer.Context,
    suite: SuiteOption = None,
    compare: Annotated[
        tuple[str, str] | None, typer.Option("--compare", metavar="BASE TIP", help="Two revisions, for a review.")
    ] = None,
    number: Annotated[
        int, typer.Option("-n", metavar="N", min=1, max=1000, help="At most N commits.")
    ] = gather.COMMITS,
    output: Annotated[
        str, typer.Option("--format", metavar="html|text|json|markdown", help="How it is written.")
    ] = "html",
    file: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to; `-` is stdout, where all but html go unless told."
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> int:
    """One HTML file that asks nothing of any network: n of N over commits, cases by runs, base against tip, disclosures.

    It is written to build/shipmoor-hooks/report.html where git ignores that, else into the repository's git directory: a new
    file in the tree would belong to the next run's tree. Exit 3 when no commit that is shown was measured.
    """
    call: Call = context.obj
    check_format(output, "html", "markdown")
    if output != "html" and show:
        raise UsageFault("--open opens a page, so it goes with --format html")
    if output == "markdown" and compare is None:
        raise UsageFault(
            "--format markdown is for a review", "shipmoor-hooks report --compare BASE TIP --format markdown"
        )
    where = call.find()
    base, tip = compare or (None, "HEAD")
    found = gather.page(where, call.policy(where), gather.Order(tip, number, suite, base), call.now)
    if suite is not None and not found.tracks:
        raise UsageFault(f"the policy has no suite {suite!r}")
    text = _written(call, found, output)
    if file == STDOUT or (file is None and output != "html"):
        pager.show(text, call.environ) if output == "text" else answer(text)
    else:
        path = report_file.write(where, call.directory, file, text)
        answer(visible(path.name))
        if path.note:
            call.tell(f"shipmoor-hooks: {path.note}")
        if show and not webbrowser.open(Path(path.name).as_uri()):
            call.tell("shipmoor-hooks: no browser could be started")
    return 0 if any(t.newest for t in found.tracks) else EXIT_NO_EVIDENCE


def _written(call: Call, found: Page, output: str) -> str:
    if output == "html":
        return html_page.html(found, __version__)
    if output == "json":
        return json.dumps(documents.as_json(found), indent=1)
    if output == "markdown":
        return documents.as_markdown(found)
    paint = text_page.ansi if colour.wanted(call.environ, sys.stdout) else text_page.plain
    return text_page.text(found, width=call.width, paint=paint, verbose=call.verbose)
