"""The commands that judge: gate, disclose."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from shipmoor_hooks import disclose as disclose_flow
from shipmoor_hooks import gate
from shipmoor_hooks.cli.context import CONTEXT, Call, SuiteOption, answer, check_format
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.model import Finding
from shipmoor_hooks.render import would_be
from shipmoor_hooks.visible import visible


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("gate", short_help="Judge the tip against the base.", context_settings=CONTEXT)(gate_command)
    app.command("disclose", short_help="Write trailers for the present findings.", context_settings=CONTEXT)(disclose)


def gate_command(
    context: typer.Context,
    base: Annotated[str | None, typer.Option("--base", metavar="REV", help="Compare with REV itself.")] = None,
    tip: Annotated[str, typer.Option("--tip", metavar="REV", help="The commit to judge.")] = "HEAD",
    suite: SuiteOption = None,
    merge_result: Annotated[
        bool, typer.Option("--merge-result", help="Judge what merging into the target's present tip gives.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Exit 0 whatever the verdict, and say what a push would be told.")
    ] = False,
    output: Annotated[
        str,
        typer.Option("--format", metavar="text|json|github|gitlab|markdown", help="How the verdict is printed."),
    ] = "text",
) -> int:
    """The verdict: is the tip's yardstick smaller or weaker than the base's? What the pre-push hook calls."""
    call: Call = context.obj
    check_format(output, *gate.FOR_CI)
    where = call.find()
    if where.is_bare and base is None:
        raise UsageFault(
            "a bare repository has no branch checked out to judge", "shipmoor-hooks gate --base REV --tip REV"
        )
    verdict = gate.by_hand(where, gate.ByHand(base, tip, suite, merge_result), call.now)
    gate.show(verdict, sys.stdout, output_format=output, width=call.width, verbose=call.verbose)
    summary = call.environ.get("GITHUB_STEP_SUMMARY", "")
    if output == "github" and summary:
        from shipmoor_hooks.render_ci import as_markdown

        _append(call, summary, as_markdown(verdict))
    if dry_run:
        call.tell(f"shipmoor-hooks: dry run: {would_be(verdict)}")
        return 0
    return gate.EXIT_OF[verdict.decision]


def _append(call: Call, path: str, text: str) -> None:
    """Add to the step's summary, which GitHub shows on the run's page; a summary that cannot be written changes nothing."""
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError as refused:
        call.tell(f"shipmoor-hooks: the step summary {path} cannot be written: {refused.strerror}")


def disclose(
    context: typer.Context,
    reason: Annotated[
        list[str] | None,
        typer.Option("--reason", metavar="TEXT", help="The reason, for every finding; asked for where there is none."),
    ] = None,
    base: Annotated[str | None, typer.Option("--base", metavar="REV", help="Compare with REV itself.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the trailers, change nothing.")] = False,
) -> int:
    """Write the trailers for the present findings into the message of HEAD (an amend; the tree stays)."""
    call: Call = context.obj
    where = call.find()
    where.require_top()
    verdict = gate.by_hand(where, gate.ByHand(base), call.now)
    findings = disclose_flow.open_findings(verdict)
    if not findings:
        call.tell("shipmoor-hooks: there is nothing that a trailer could disclose")
        return gate.EXIT_OF[verdict.decision]
    lines = disclose_flow.trailers_for(findings, _asker(reason or []))
    for line in lines:
        answer(visible(line))
    if not dry_run:
        disclose_flow.amend(where.git, lines)
        word = "trailer was" if len(lines) == 1 else "trailers were"
        call.tell(f"shipmoor-hooks: {len(lines)} {word} added to the message of HEAD")
    return 0


def _asker(reasons: list[str]) -> Callable[[Finding], str]:
    """One reason counts for all; several are taken in turn; without any a person at a terminal is asked."""
    left = list(reasons)

    def ask(finding: Finding) -> str:
        if len(reasons) == 1:
            return reasons[0]
        if left:
            return left.pop(0)
        if reasons or not sys.stdin.isatty():
            raise UsageFault(
                f"{finding.case} needs a reason, and nobody is here to be asked", 'give --reason "why (#212)"'
            )
        return str(typer.prompt(f"{finding.code.value} {visible(finding.case or '')}\n  reason", err=True))

    return ask
