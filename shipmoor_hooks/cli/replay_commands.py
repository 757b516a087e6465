"""`replay`: what past commits would have been told."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer

from shipmoor_hooks import render
from shipmoor_hooks import replay as flow
from shipmoor_hooks.cli import pager
from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, SuiteOption, answer, check_format
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE
from shipmoor_hooks.model import Decision
from shipmoor_hooks.rules.wording import several
from shipmoor_hooks.visible import visible

_WORDS = {Decision.ALLOWED: "allowed", Decision.REFUSED: "refused", Decision.CANNOT_EVALUATE: "unknown"}


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("replay", short_help="What past commits would have been told.", context_settings=CONTEXT)(replay)


def replay(
    context: typer.Context,
    wanted: Annotated[str, typer.Argument(metavar="[RANGE]", help="A range or a revision; HEAD unless told.")] = "HEAD",
    suite: SuiteOption = None,
    number: Annotated[
        int, typer.Option("-n", metavar="N", min=1, help="At most N commits, the newest ones.")
    ] = flow.DEFAULT_COMMITS,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, max=64, help="Runs at a time.")] = 1,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=1, help="The longest a run may take.")
    ] = 900,
    collect: Annotated[
        bool, typer.Option("--collect", help="Only ask pytest for its cases: shows what was removed, runs nothing.")
    ] = False,
    output: FormatOption = "text",
) -> int:
    """Walk the last commits and say what each would have been told, judged against its first parent by the policy that
    stands here now. Runs the suites in scratch worktrees, goes on where it was stopped, touches nothing of yours.
    """
    call: Call = context.obj
    check_format(output)
    planned = flow.study(call.find(), wanted, number, suite, collect=collect)
    missing = flow.to_measure(planned)
    call.tell(
        f"shipmoor-hooks: {several(len(planned.steps), 'commit')}, {several(len(missing), 'run')} to make"
        + (f", {jobs} at a time" if missing and jobs > 1 else "")
    )
    failures: dict[str, str] = {}
    with _progress(call, len(missing)) as advance:
        for ended in flow.measure(planned, missing, call.environ, jobs=jobs, timeout=timeout):
            advance()
            if ended.why_not:
                failures[ended.what.tree] = ended.why_not
    rows = list(flow.told(planned, failures, call.now))
    total = flow.summary(rows)
    if output == "json":
        answer(json.dumps(_json(rows, total), indent=1))
    else:
        pager.show("\n".join([*_lines(rows, call.verbose), "", *_total(rows, total, collect=collect)]), call.environ)
    return EXIT_NO_EVIDENCE if total.not_judged == len(rows) else 0


@contextlib.contextmanager
def _progress(call: Call, total: int) -> Iterator[Callable[[], None]]:
    """A bar with an estimate on stderr, where a person looks at it."""
    if not total or call.quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("measuring"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("measuring", total=total)
        yield lambda: bar.advance(task)


def _lines(rows: Sequence[flow.Told], verbose: bool) -> Iterator[str]:
    for row in rows:
        word = _WORDS[row.verdict.decision]
        counts = ", ".join(str(s.tip) for s in row.verdict.suites if s.tip) or "not measured"
        yield f"{row.step.commit[:10]}  {word:<7}  {counts:<14}  {visible(row.step.subject)}".rstrip()
        if row.unmeasured and row.verdict.decision is Decision.CANNOT_EVALUATE:
            yield f"            {visible(row.unmeasured)}"
        shown = [f for f in row.verdict.findings if f.refuses]
        for finding in shown if verbose else shown[:3]:
            yield f"            {finding.code.value}  {visible(finding.case or finding.message)}"
        if len(shown) > 3 and not verbose:
            yield f"            and {len(shown) - 3} more (shipmoor-hooks -v replay)"


def _total(rows: Sequence[flow.Told], total: flow.Summary, *, collect: bool) -> Iterator[str]:
    yield (
        f"of {len(rows)} commits {total.allowed} would have been allowed, {total.refused} refused, and "
        f"{total.not_judged} could not be judged"
    )
    for code, number in sorted(total.codes.items(), key=lambda row: (-row[1], row[0].value)):
        yield f"  {number:>4}  {code.value}"
    if collect:
        yield "only asked for cases: nothing is known of red or skipped ones"


def _json(rows: Sequence[flow.Told], total: flow.Summary) -> dict[str, Any]:
    return {
        "schema": "shipmoor-hooks.replay/1",
        "allowed": total.allowed,
        "refused": total.refused,
        "not_judged": total.not_judged,
        "codes": {code.value: number for code, number in total.codes.items()},
        "commits": [
            {
                "commit": row.step.commit,
                "subject": row.step.subject,
                "unmeasured": row.unmeasured or None,
                "verdict": render.as_json(row.verdict),
            }
            for row in rows
        ],
    }
