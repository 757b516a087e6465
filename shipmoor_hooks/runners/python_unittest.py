"""unittest: `python -m xmlrunner` (unittest-xml-reporting) is told by `-o FOLDER`; plain `python -m unittest` writes
nothing."""

from __future__ import annotations

from shipmoor_hooks.runners.operands import patterns
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, option, options

GRAMMAR = grammar(
    option("-k", Effect.SELECT, Takes.VALUE, repeats=True),
    *options("-s -p -t", Effect.SELECT, Takes.VALUE),
    option("--start-directory", Effect.SELECT, Takes.VALUE),
    option("--pattern", Effect.SELECT, Takes.VALUE),
    option("--top-level-directory", Effect.SELECT, Takes.VALUE),
    option("-f --failfast", Effect.BAIL),
    *options("-v --verbose -q --quiet --locals", Effect.COSMETIC),
    *options("-o --output --output-file --outsuffix --durations", Effect.COSMETIC, Takes.VALUE),
    *options("-h --help", Effect.LIST),
    clusters=True,
    abbreviates=True,
)


def tell_xmlrunner(order: Order) -> Prepared:
    """One file for each test class. `discover` must stay the first word; a folder or file of the user's own is read."""
    for name, what in (("--output-file", "{}"), ("--output", "{}/*.xml"), ("-o", "{}/*.xml")):
        if chosen := order.value(GRAMMAR, name):
            return Prepared(order.command, reports=(what.format(literal(chosen)),))
    return Prepared(order.last("-o", order.folder), reports=(f"{literal(order.folder)}/*.xml",))


def tell_unittest(order: Order) -> Prepared:
    hint = (
        "python -m unittest writes no report: pip install unittest-xml-reporting, and let the command be "
        "python -m xmlrunner"
    )
    return Prepared(order.command, hint=hint)


_SUBCOMMANDS = frozenset({"discover"})
XMLRUNNER = Runner(
    "xmlrunner", GRAMMAR, tell_xmlrunner, operands=patterns, subcommands=_SUBCOMMANDS, version=("--help",)
)
UNITTEST = Runner("unittest", GRAMMAR, tell_unittest, operands=patterns, subcommands=_SUBCOMMANDS, version=("--help",))
