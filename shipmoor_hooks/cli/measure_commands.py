"""The commands that measure: run, capture, read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Annotated

import typer

from shipmoor_hooks import capture as capture_flow
from shipmoor_hooks import describe, observe, report_files, scratch
from shipmoor_hooks.cli.context import (
    CONTEXT,
    Call,
    FormatOption,
    LabelOption,
    ShardOption,
    SuiteOption,
    VariantOption,
    answer,
    check_format,
    label_of,
    shard_of,
)
from shipmoor_hooks.cli.report_reading import paths_here, read_text
from shipmoor_hooks.data_classes import dataclass, replace
from shipmoor_hooks.editable import imports_other_tree
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, EvidenceFault, UsageFault
from shipmoor_hooks.model import Shard
from shipmoor_hooks.place import Place
from shipmoor_hooks.readers import registry
from shipmoor_hooks.store import inventory

WITH_COMMAND = CONTEXT | {"allow_extra_args": True, "ignore_unknown_options": False}


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("run", short_help="Run a suite and store what it reported.", context_settings=WITH_COMMAND)(run)
    app.command("capture", short_help="Import report files as a run.", context_settings=CONTEXT)(capture)
    app.command("read", short_help="Show what a reader sees in a report.", context_settings=CONTEXT)(read)


def run(
    context: typer.Context,
    suite: SuiteOption = None,
    at: Annotated[str | None, typer.Option("--at", metavar="REV", help="Run in a scratch worktree of REV.")] = None,
    variant: VariantOption = None,
    shard: ShardOption = None,
    label: LabelOption = "",
    overlay: Annotated[
        str | None,
        typer.Option("--overlay", metavar="BASE", help="Run this code with the test files and surface of BASE."),
    ] = None,
    output: FormatOption = "text",
) -> int:
    """Run a suite, watch it, and store what it reported, bound to the tree it ran on.

    Another command than the policy's stands after --. The command's own exit code is passed on; that of --overlay is 0
    when it measured something.
    """
    call: Call = context.obj
    check_format(output)
    where = call.find()
    leg = Leg(tuple(context.args), variant, shard_of(shard), label=label_of(label))
    if overlay is not None:
        from shipmoor_hooks.cli.overlay_run import run_overlay

        return run_overlay(call, where, suite, (overlay, at or "HEAD"), leg, output)
    if at is None:
        where.require_top()
        return measure(call, where, call.directory, suite, leg, output)
    if warning := imports_other_tree(where, call.environ):
        call.tell(f"shipmoor-hooks: {warning}")
    with scratch.worktree_at(where, at, call.environ) as scratched:
        # The run is this worktree's: a scratch worktree would leave a folder of its own in the spool each time.
        there = replace(scratched, worktree=where.worktree)
        return measure(call, there, there.require_top(), suite, replace(leg, fresh=True), output)


@dataclass(frozen=True, slots=True)
class Leg:
    """What of a suite is run: another command, a leg of the matrix, a part; in a worktree that was just checked out."""

    words: tuple[str, ...]
    variant: str | None
    shard: Shard | None
    fresh: bool = False
    label: str = ""


def measure(call: Call, where: Place, cwd: str, suite: str | None, leg: Leg, output: str) -> int:
    """Run a suite in `cwd`, store and tell what it reported; the command's code, else 3 where nothing came of it."""
    chosen = capture_flow.pick_suite(policy := call.policy(where), suite)
    order = observe.Order(chosen, leg.words, leg.variant, leg.shard, leg.fresh, leg.label)
    done = observe.observe(where, policy, order, call.environ, cwd)
    if done.captured is None:
        return _not_recorded(call, done)
    _report(call, done.captured, output, order.suite.not_covered)
    return done.exit_code or (0 if _is_recorded(done.captured) else EXIT_NO_EVIDENCE)


def _not_recorded(call: Call, done: observe.Observed) -> int:
    """The command's own code goes before ours, which is raised only where the command ended well."""
    if done.fault is not None and done.exit_code == 0:
        raise done.fault
    if done.fault is not None:
        call.tell(f"shipmoor-hooks: {done.fault.message}")
    return done.exit_code


def _is_recorded(captured: capture_flow.Captured) -> bool:
    """Did the run leave evidence? One that loaded no file did: it names what to repair, and the gate says so."""
    run = captured.run
    return run.is_complete or run.is_partial or (bool(run.cases) and all(c.covers for c in run.cases))


def _report(call: Call, captured: capture_flow.Captured, output: str, not_covered: Sequence[str]) -> None:
    stored = captured.run
    for warning in captured.warnings:
        call.tell(f"shipmoor-hooks: {warning}")
    if output == "json":
        answer(json.dumps(describe.run_json(stored, not_covered=not_covered), indent=1))
    else:
        call.tell("shipmoor-hooks: " + describe.run_line(stored, call.now))
        for line in describe.eval_lines(stored, not_covered):
            call.tell("  " + line)


def capture(
    context: typer.Context,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", help="Report files; none: those the policy names.")
    ] = None,
    suite: SuiteOption = None,
    reader: Annotated[str | None, typer.Option("--as", metavar="READER", help="How the files are read.")] = None,
    tree: Annotated[
        str, typer.Option("--tree", metavar="worktree|index|REV", help="What the reports were measured on.")
    ] = "worktree",
    variant: VariantOption = None,
    shard: ShardOption = None,
    partial: Annotated[bool, typer.Option("--partial", help="The run was a selection, not the whole suite.")] = False,
    label: LabelOption = "",
    output: FormatOption = "text",
) -> int:
    """Import report files as a run of the tree that was tested; stale ones are refused by name."""
    call: Call = context.obj
    check_format(output)
    where = call.find()
    where.require_top()
    policy = call.policy(where)
    chosen = capture_flow.pick_suite(policy, suite)
    named = [os.path.join(call.directory, f) for f in files or ()]
    if not named and not chosen.reports:
        raise UsageFault(f"name report files, or give [suite.{chosen.name}] `reports`")
    done = capture_flow.import_reports(
        where,
        policy,
        chosen,
        named or report_files.expand(chosen.reports, where.require_top()),
        environ=call.environ,
        now=call.now,
        reader=reader,
        tree=tree,
        variant=variant,
        shard=shard_of(shard),
        partial=partial,
        inside=not named,
        label=label_of(label),
    )
    _report(call, done, output, chosen.not_covered)
    if not _is_recorded(done):
        raise EvidenceFault(
            f"the run was stored as incomplete and counts for nothing: {done.run.problems[0].message}",
            done.run.problems[0].next_step,
        )
    return 0


def read(
    context: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Report files.")],
    reader: Annotated[str | None, typer.Option("--as", metavar="READER", help="How the files are read.")] = None,
    output: FormatOption = "text",
) -> int:
    """Show what a reader sees in a report: ids, outcomes, attempts, what is wrong with it. Stores nothing."""
    call: Call = context.obj
    check_format(output)
    tracked, root = paths_here(call)
    complete = True
    for name in files:
        with report_files.opened(os.path.join(call.directory, name), None, name=name) as opened:
            report = registry.read(opened, reader, name)
        cases = inventory.cases_of([report], tracked, root, ())
        complete = complete and not report.problems
        if output == "json":
            answer(json.dumps(describe.report_json(name, report, cases), indent=1))
        else:
            answer(read_text(name, report.reader, report.dialect, cases))
        for problem in report.problems:
            call.tell(f"shipmoor-hooks: {name}: {problem.message}")
    return 0 if complete else EXIT_NO_EVIDENCE
