"""The commands that look at what is measured: status, log, show."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from shipmoor_hooks import describe
from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, SuiteOption, answer, check_format
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, EvidenceFault, UsageFault
from shipmoor_hooks.model import Code
from shipmoor_hooks.place import Place
from shipmoor_hooks.standing_now import Standing, standings
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.trees import scoped_tree
from shipmoor_hooks.trees import tree as tree_module
from shipmoor_hooks.visible import visible


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("status", short_help="What is measured for the working tree.", context_settings=CONTEXT)(status)
    app.command("log", short_help="The newest runs in the spool.", context_settings=CONTEXT)(log)
    app.command("show", short_help="One run with its cases.", context_settings=CONTEXT)(show)


def status(
    context: typer.Context,
    porcelain: Annotated[
        bool, typer.Option("--porcelain", help="One line a suite for scripts; this form never changes.")
    ] = False,
    output: FormatOption = "text",
) -> int:
    """What is measured for the working tree as it is now. Exit 3 when a suite has no run that counts."""
    call: Call = context.obj
    check_format(output)
    where = call.find()
    policy = call.policy(where)
    seen = tree_module.capture(where)
    spool = Spool(where.common_dir, where.worktree)
    scoped = {s.name: scoped_tree.scoped(where.git, seen, s.exclude) for s in policy.suites.values() if s.exclude}
    rows = standings(where.git, spool, policy, seen.tree, scoped)
    if porcelain:
        for row in rows:
            answer(_porcelain(row))
        return EXIT_NO_EVIDENCE if any(r.run is None for r in rows) else 0
    if output == "json":
        answer(json.dumps(_status_json(seen, rows), indent=1))
    else:
        answer(f"tree {seen.tree or 'bound to nothing'}" + (" (HEAD)" if seen.way == "head" else ""))
        for row in rows:
            answer("  " + visible(row.line(call.now)))
            for problem in dict.fromkeys(row.set_aside if row.run else row.set_aside[1:]):
                answer("    " + visible(f"not counted: {problem.message}"))
            for text in row.not_covered:
                answer("    " + visible(f"not covered: {text}"))
            if row.unstable:
                answer("    " + visible(row.unstable_line()))
        for reason in seen.reasons:
            answer("  " + visible(reason))
    if policy.mode == "warn" and output == "text":
        from shipmoor_hooks.receipts import own, watched

        answer(f"watching (the policy only warns): {watched(own(where))}")
    if not policy.suites:
        call.tell(f"shipmoor-hooks: {policy.source} names no suite, so nothing is measured")
    missing = [r for r in rows if r.run is None]
    if missing:
        call.tell(f"  next: shipmoor-hooks run --suite {missing[0].suite}")
    return EXIT_NO_EVIDENCE if missing else 0


def _porcelain(row: Standing) -> str:
    """`STATE SUITE VARIANT RUN PASSED OF`, tabs between; STATE is `measured`, or a code; `-` where there is nothing."""
    state = "measured" if row.run else row.set_aside[0].code.value if row.set_aside else Code.NO_RUN_AT_TIP.value
    count = (str(row.run.count.passed), str(row.run.count.of)) if row.run else ("-", "-")
    return "\t".join((state, row.suite, visible(row.variant or "-"), row.run.id if row.run else "-", *count))


def _status_json(seen: tree_module.TreeCapture, rows: list[Standing]) -> dict[str, object]:
    return {
        "schema": "shipmoor-hooks.status/1",
        "tree": seen.tree,
        "suites": [
            {
                "suite": r.suite,
                "variant": r.variant,
                "runs": r.runs,
                "run": describe.run_json(r.run, not_covered=r.not_covered) if r.run else None,
                "not_covered": list(r.not_covered),
                "set_aside": [
                    {"code": p.code.value, "message": p.message, "next": p.next_step or None} for p in r.set_aside
                ],
                "unstable": [{"form": g.name, "ids": list(g.ids[:10])} for g in r.unstable],
            }
            for r in rows
        ],
    }


def log(
    context: typer.Context,
    suite: SuiteOption = None,
    number: Annotated[int, typer.Option("-n", metavar="N", min=1, help="At most N entries.")] = 20,
    versions: Annotated[
        bool, typer.Option("--versions", help="The versions of an eval suite, each with its first run.")
    ] = False,
    receipts: Annotated[
        bool, typer.Option("--receipts", help="The judged pushes, and how many would have been refused.")
    ] = False,
    output: FormatOption = "text",
) -> int:
    """The spool: the newest runs of every worktree of this repository, and what cannot be read."""
    call: Call = context.obj
    check_format(output)
    where = call.find()
    if versions:
        return _versions(call, where, suite, output)
    if receipts:
        from shipmoor_hooks.cli import judgement_view

        return judgement_view.pushes(call, where, number, output)
    found = Spool(where.common_dir, where.worktree).recent(number)
    runs = [r for r in (*found.runs, *found.begun, *found.foreign) if suite in (None, r.suite)]
    runs.sort(key=lambda r: (r.started, r.sequence), reverse=True)
    if output == "json":
        answer(json.dumps({"schema": "shipmoor-hooks.log/1", "runs": [describe.run_json(r) for r in runs]}, indent=1))
        return 0
    for run in runs:
        answer(describe.run_line(run, call.now))
    for broken in found.broken:
        answer(visible(f"{broken.code.value}  {broken.path}: {broken.text}"))
    if not runs and not found.broken:
        call.tell("shipmoor-hooks: the spool is empty; shipmoor-hooks run fills it")
    return 0


def _versions(call: Call, where: Place, suite: str | None, output: str) -> int:
    """Each distinct set of cases and expectations that a commit held, oldest first."""
    from shipmoor_hooks import suite_versions  # reads cases, which no other suite has
    from shipmoor_hooks.capture import pick_suite
    from shipmoor_hooks.rules import suite_versions as tables

    policy = call.policy(where)
    evals = [s.name for s in policy.suites.values() if s.format == "plugin-eval"]
    chosen = pick_suite(policy, suite or (evals[0] if len(evals) == 1 else None))
    found = suite_versions.ask(where, chosen.name)
    if output == "json":
        answer(json.dumps(tables.as_json(chosen.name, found), indent=1))
        return 0
    for version in found:
        when = describe.moment(version.date)[:10] if version.date is not None else "its commit is gone"
        tool = f", tool {version.program_version}" if version.program_version else ""
        answer(visible(f"v{version.number}  {version.commit[:12]}  {when}{tool}  first run {version.first}"))
        for case in version.cases:
            said = "; ".join(part for part in (case.promise, case.expected) if part)
            answer(visible(f"  {case.case}: {case.outcome}" + (f"  ({said})" if said else "")))
    if not found:
        call.tell(f"shipmoor-hooks: no complete run of {chosen.name} was made of cases that were committed first")
    return 0


def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run, or its first digits.")],
    output: FormatOption = "text",
) -> int:
    """One run: what was measured, under which conditions, and each case."""
    call: Call = context.obj
    check_format(output)
    where = call.find()
    if not name.isalnum():
        raise UsageFault(f"{name!r} is no id of a run", "shipmoor-hooks log")
    found = Spool(where.common_dir, where.worktree).by_id(name)
    runs = {r.id: r for r in (*found.foreign, *found.begun, *found.runs)}
    if not runs:
        why = f": {found.broken[0].text}" if found.broken else ""
        raise EvidenceFault(f"the spool has no readable run {name!r}{why}", "shipmoor-hooks log")
    if len(runs) > 1:
        raise UsageFault(f"{name!r} fits {len(runs)} runs: {', '.join(i[:12] for i in sorted(runs)[:5])}")
    run = next(iter(runs.values()))
    if output == "json":
        answer(json.dumps(describe.run_json(run, cases=True), indent=1))
    else:
        answer(describe.run_text(run, call.now))
        for case in run.cases:
            answer("  " + describe.case_line(case))
    return 0
