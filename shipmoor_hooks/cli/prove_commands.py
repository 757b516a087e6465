"""The commands about what a case can be trusted with: prove and stability."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from shipmoor_hooks import capture as capture_flow
from shipmoor_hooks import case_samples, watched_process
from shipmoor_hooks import prove as proving
from shipmoor_hooks import stability as stability_flow
from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, SuiteOption, answer, check_format
from shipmoor_hooks.editable import imports_other_tree
from shipmoor_hooks.errors import EXIT_NO_EVIDENCE, EXIT_REFUSED, UsageFault
from shipmoor_hooks.rules import proof_wording, stability_wording
from shipmoor_hooks.trees import tree as tree_module
from shipmoor_hooks.visible import visible


def register(app: typer.Typer) -> None:
    """Add this module's commands to the app."""
    app.command("prove", short_help="Show that a case falls under a planted fault.", context_settings=CONTEXT)(prove)
    app.command("stability", short_help="k of n for each case over the stored runs.", context_settings=CONTEXT)(
        stability
    )


def prove(
    context: typer.Context,
    case: Annotated[str, typer.Argument(metavar="CASE", help="The case's id, as `show` and `read` print it.")],
    fault: Annotated[str, typer.Option("--fault", metavar="PATCH", help="A patch that plants the fault.")],
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, max=1000, help="Samples on each side.")] = 1,
    suite: SuiteOption = None,
    at: Annotated[str, typer.Option("--at", metavar="REV", help="The commit to prove it at.")] = "HEAD",
    output: FormatOption = "text",
) -> int:
    """The known positive: the case is green without the fault and has to fall with it.

    Both sides run in scratch worktrees of a commit; the working tree is not touched. Exit 0: proven. 1: the case stayed
    green. 3: nothing was measured (the case is not green without the fault, the patch does not apply or changes nothing).
    """
    call: Call = context.obj
    check_format(output)
    where = call.find()
    where.require_top()
    if case.startswith("-"):
        raise UsageFault(f"{case!r} would be taken for an option of the suite's command, so it is not run")
    chosen = capture_flow.pick_suite(call.policy(where), suite)
    patch = proving.read_patch(where, os.path.join(call.directory, fault))
    if at == "HEAD" and any(c.path != patch.path for c in tree_module.capture(where).changes):
        call.tell("shipmoor-hooks: it is proven at HEAD; what is not committed is not in it")
    warning = imports_other_tree(where, call.environ)
    if warning:
        call.tell(f"shipmoor-hooks: {warning}")
    stdout = watched_process.NOWHERE if call.quiet else watched_process.STDERR
    order = proving.Order(chosen, case, patch, runs, at)
    runner = case_samples.by_command(chosen, call.environ, stdout)
    proof = proving.prove(
        where, order, runner, call.environ, call.now, lambda text: call.tell(f"shipmoor-hooks: {text}"), stdout
    )
    if output == "json":
        answer(json.dumps(proof_wording.as_json(proof), indent=1))
    else:
        answer("\n".join(visible(line) for line in proof_wording.lines(proof)))
    return 0 if proof.is_proven else EXIT_REFUSED


def stability(
    context: typer.Context,
    suite: SuiteOption = None,
    join: Annotated[
        bool, typer.Option("--join", help="Pool over trees, expectations and measurers; a footnote says so.")
    ] = False,
    output: FormatOption = "text",
) -> int:
    """k of n for each case over the stored runs: in full runs, alone, in total, with the bound that the numbers allow.

    Nothing is pooled over trees, expectations or measurers unless asked. Runs that do not count are named with the reason.
    Exit 3 when there is no run.
    """
    call: Call = context.obj
    check_format(output)
    where = call.find()
    chosen = capture_flow.pick_suite(call.policy(where), suite)
    found = stability_flow.ask(where, chosen, join=join)
    if output == "json":
        answer(json.dumps(stability_wording.as_json(found.table, found.regrades), indent=1))
    else:
        told = stability_wording.lines(found.table, call.now, found.regrades, verbose=call.verbose)
        answer("\n".join(visible(line) for line in told))
    for broken in found.broken:
        call.tell(f"shipmoor-hooks: {broken.path} cannot be used: {broken.text}")
    if not (found.table.groups or found.table.intermediate):
        call.tell(f"  next: shipmoor-hooks run --suite {chosen.name}")
        return EXIT_NO_EVIDENCE
    return 0
