"""`dotnet test` with VSTest's trx logger. Written from its documentation."""

from __future__ import annotations

from shipmoor_hooks.runners.operands import patterns
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, Variable, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, options, parse, repeated

GRAMMAR = grammar(
    *options("--filter -f --framework -s --settings --test-modules", Effect.SELECT, Takes.VALUE),
    *options("-t --list-tests -h -? --help", Effect.LIST),
    *options("--nologo --blame-hang --no-progress", Effect.COSMETIC),
    *options("-l --logger --results-directory -v --verbosity --collect -d --diag", Effect.COSMETIC, Takes.VALUE),
    *options("--no-build --no-restore --blame --blame-crash", Effect.PLAIN),
    *options("-c --configuration -a --arch --os -r --runtime -o --output", Effect.PLAIN, Takes.VALUE),
    *options("--artifacts-path --blame-hang-timeout", Effect.PLAIN, Takes.VALUE),
    *repeated("-e --environment -p --property --test-adapter-path", Effect.PLAIN),
    joined=False,
)


def tell(order: Order) -> Prepared:
    """Without a file name of its own the logger names one for each project, so none overwrites another."""
    loggers = [w.value or "" for w in parse(order.call.tail, GRAMMAR) if w.name in ("-l", "--logger")]
    folder = order.value(GRAMMAR, "--results-directory")
    extra = [
        *([] if any(name.startswith("trx") for name in loggers) else ["--logger", "trx"]),
        *([] if folder else ["--results-directory", order.folder]),
    ]
    return Prepared(order.last(*extra), reports=(f"{literal(folder or order.folder)}/**/*.trx",), reader="trx")


RUNNERS = (Runner("dotnet", GRAMMAR, tell, operands=patterns, variables=(Variable("VSTestTestCaseFilter"),)),)
