"""`eval run`: an eval suite is run, by `claude plugin eval` or by an agent of the policy, and captured (design, 7 and 8)."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

import typer

from shipmoor_hooks import capture as capture_flow
from shipmoor_hooks.cli.context import CONTEXT, Call, FormatOption, SuiteOption, check_format
from shipmoor_hooks.cli.measure_commands import WITH_COMMAND, Leg, measure
from shipmoor_hooks.errors import EnvironmentFault, UsageFault
from shipmoor_hooks.evals import run_options, stand_in
from shipmoor_hooks.model import Policy, Suite
from shipmoor_hooks.output import say
from shipmoor_hooks.visible import visible

# What is run where the policy's suite has no command of its own.
_USUAL = (*run_options.PROGRAM, ".", "--trust-plugin", "--ablation", "none", "--no-publish")


def register(app: typer.Typer) -> None:
    """Add this module's commands to the `eval` app."""
    app.command("run", short_help="Run an eval suite, and store what it gave.", context_settings=CONTEXT)(run)
    app.command(stand_in.COMMAND, hidden=True, context_settings=WITH_COMMAND)(run_cases)


def run(
    context: typer.Context,
    cases: Annotated[
        list[str] | None,
        typer.Argument(metavar="CASE...", help="Cases by name (* is a wildcard); none: the whole suite."),
    ] = None,
    suite: SuiteOption = None,
    runs: Annotated[int | None, typer.Option("--runs", metavar="N", help="Samples of each case.")] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", metavar="0..1", help="The score that a case must meet.")
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", metavar="USD", help="Start no more samples from this cost on (exit 2)."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", "-j", metavar="N", help="Samples that run side by side (1 to 8).")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="The model, for all cases.")] = None,
    allow_tools: Annotated[
        list[str] | None, typer.Option("--allow-tools", metavar="TOOL", help="Grant a tool; may be repeated.")
    ] = None,
    scaffold: Annotated[
        bool | None, typer.Option("--scaffold/--no-scaffold", help="Run the cases' scaffolds, as you, or none of them.")
    ] = None,
    output: FormatOption = "text",
) -> int:
    """Run an eval suite and store what it gave, bound to the tree it ran on.

    The policy's command says what is run; these options change it for this run. With `agent` in the policy our own runner
    starts that program for each sample, else `claude plugin eval` is called. Exit 1 when a case is below its threshold.
    """
    call: Call = context.obj
    check_format(output)
    where = call.find()
    top = where.require_top()
    chosen = _eval_suite(call.policy(where), suite)
    changed: list[tuple[str, tuple[str, ...]]] = [
        *([("--runs", (str(runs),))] if runs is not None else []),
        *([("--threshold", (f"{threshold:g}",))] if threshold is not None else []),
        *([("--max-cost-usd", (repr(max_cost),))] if max_cost is not None else []),
        *([("--concurrency", (str(concurrency),))] if concurrency is not None else []),
        *([("--model", (model,))] if model is not None else []),
        *([("--allow-tools", tuple(allow_tools))] if allow_tools else []),
        *([("--scaffold" if scaffold else "--no-scaffold", ())] if scaffold is not None else []),
    ]
    command = _command(chosen, changed)
    if not chosen.agent and shutil.which(command[0], path=call.environ.get("PATH")) is None:
        raise EnvironmentFault(
            f"{command[0]} is not installed",
            f"npm install -g @anthropic-ai/claude-code, or name another program: [suite.{chosen.name}] agent = [...]",
        )
    codes = []
    for words in [run_options.with_option(command, "--case", case) for case in cases or ()] or [command]:
        own = () if words == chosen.command else words
        codes.append(measure(call, where, top, chosen.name, Leg(own, None, None), output))
    return next((code for code in codes if code), 0)


def _eval_suite(policy: Policy, name: str | None) -> Suite:
    """The suite that was named, the only one of evals, or the only one at all."""
    of_evals = [s.name for s in policy.suites.values() if s.format == "plugin-eval" or s.agent]
    return capture_flow.pick_suite(policy, name or (of_evals[0] if len(of_evals) == 1 else None))


def _command(suite: Suite, changed: list[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """The suite's command with the options of this call. Raises UsageFault for a command of another kind."""
    command = suite.command or _USUAL
    if run_options.call_of(command) is None:
        raise UsageFault(
            f"the command of suite {suite.name} is not claude plugin eval", f"shipmoor-hooks run --suite {suite.name}"
        )
    for option, values in changed:
        if option.endswith("scaffold"):
            command = run_options.without_options(command, "--scaffold", "--no-scaffold")
        command = run_options.with_option(command, option, *values)
    call = run_options.call_of(command)
    if suite.agent and call is not None:
        run_options.parse(call.tail)  # told here, before anything is measured
    return command


def run_cases(context: typer.Context, suite: SuiteOption = None) -> int:
    """Run what the words of `claude plugin eval` behind -- ask for, with the suite's agent; stores nothing."""
    # Here, since the graders and what they need are for this command alone.
    from shipmoor_hooks.evals import suite_run

    call: Call = context.obj
    where = call.find()
    chosen = _eval_suite(call.policy(where), suite)
    if not chosen.agent:
        raise UsageFault(f"suite {chosen.name} names no agent", f"add agent = [...] to [suite.{chosen.name}]")

    def tell(line: str) -> None:
        say(sys.stderr, visible(line))

    return suite_run.run(where, chosen, context.args, call.directory, call.environ, tell)
