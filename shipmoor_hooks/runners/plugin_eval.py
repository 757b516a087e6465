"""`claude plugin eval`: which of its words select, which change what is measured, and how its result and traces are kept.

The result file says neither how many samples were asked for nor which tools were granted, so that comes from argv
(`grants`). `--runs` is counted from the result, and the cost ceiling from what was left out there.
"""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.runners.launch import locate
from shipmoor_hooks.runners.operands import paths
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, options, parse, repeated

NAME = "plugin-eval"
RESULT = "aggregate-result.json"
PLUGIN_EVAL = grammar(
    *repeated("--case --tag", Effect.SELECT),
    *options("--eval-dir", Effect.SELECT, Takes.VALUE),
    *options("--allow-tools", Effect.PLAIN, Takes.MANY),
    *options("--scaffold --trust-plugin", Effect.PLAIN),
    *options("--ablation --threshold --model --judge-model", Effect.PLAIN, Takes.VALUE),
    *options("--runs --output-dir --report --concurrency -j --max-cost-usd", Effect.COSMETIC, Takes.VALUE),
    *options("--keep-temp --no-publish --publish-report --json --verbose", Effect.COSMETIC),
    *options("--help -h", Effect.LIST),
)


def tell_plugin_eval(order: Order) -> Prepared:
    """Results go to a fresh folder, and temporary folders stay, since the traces lie in them."""
    words = {w.name for w in parse(order.call.tail, PLUGIN_EVAL)}
    chosen = order.value(PLUGIN_EVAL, "--output-dir")
    keep = [] if "--keep-temp" in words else ["--keep-temp"]
    hint = "claude plugin eval writes no result when no case loads or none matches: read what it said"
    if chosen:
        return Prepared(order.last(*keep), reports=(f"{literal(chosen)}/{RESULT}",), reader=NAME, hint=hint)
    place = (f"{literal(order.folder)}/**/{RESULT}",)
    return Prepared(order.last(*keep, "--output-dir", order.folder), reports=place, reader=NAME, hint=hint)


def grants(command: Sequence[str]) -> str:
    """The tools that were granted and whether scaffolds ran, as a condition: `Bash Write, scaffold`; "none" for neither."""
    call = locate(command)
    tools: set[str] = set()
    scaffold = False
    for word in parse(call.tail, PLUGIN_EVAL) if call is not None else ():
        if word.name == "--allow-tools":
            tools |= set((word.value or "").replace(",", " ").split())
        scaffold = scaffold or word.name == "--scaffold"
    told = [" ".join(sorted(tools))] if tools else []
    return ", ".join([*told, *(["scaffold"] if scaffold else [])]) or "none"


def targets(command: Sequence[str]) -> tuple[str, ...]:
    """What the command runs: folders or plugins, as they are written; () for the folder where it starts."""
    call = locate(command)
    if call is None or call.runner != NAME:
        return ()
    return tuple(word.value or "" for word in parse(call.tail, PLUGIN_EVAL) if word.is_operand)


def keeps_temp(command: Sequence[str]) -> bool:
    """Whether the person asked for the program's temporary folders."""
    call = locate(command)
    return call is not None and any(w.name == "--keep-temp" for w in parse(call.tail, PLUGIN_EVAL))


RUNNERS = (
    Runner(
        NAME,
        PLUGIN_EVAL,
        tell_plugin_eval,
        operands=paths("."),
        version=(),
        selection_is_measured=False,
    ),
)
