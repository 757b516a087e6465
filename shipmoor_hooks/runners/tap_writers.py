"""Runners whose tests speak TAP: prove, bats, node-tap and tape."""

from __future__ import annotations

from shipmoor_hooks.runners.operands import paths
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, option, options, parse, repeated

PROVE = grammar(
    option("--state", Effect.SELECT, Takes.VALUE),
    option("--rc", Effect.SELECT, Takes.VALUE),
    option("--ext", Effect.PLAIN, Takes.VALUE, repeats=True),
    option("-r --recurse", Effect.WIDEN),
    *options("-D --dry -h -? --help -V --version -H --man", Effect.LIST),
    *options("-v --verbose -c --color --nocolor --count --nocount -f --failures -o --comments", Effect.COSMETIC),
    *options("-q --quiet -Q --QUIET -p --parse --directives --timer --normalize --trap", Effect.COSMETIC),
    *options("-j --jobs --formatter -a --archive --statefile --rules", Effect.COSMETIC, Takes.VALUE),
    *options("-l --lib -b --blib -s --shuffle --reverse -m --merge --ignore-exit -T -t -W -w --norc", Effect.PLAIN),
    *repeated("-I -P -M --source", Effect.PLAIN),
    *options("-e --exec --harness", Effect.PLAIN, Takes.VALUE),
    clusters=True,
    abbreviates=True,
)


def tell_prove(order: Order) -> Prepared:
    """Perl's own harness writes the TAP of every test file below a folder that a variable names, under the file's own
    path: nothing to install, the terminal stays as it is, and the report knows its files. A path that climbs would
    leave the folder, so there prove is not told."""
    climbing = [w for w in parse(order.call.tail, PROVE) if w.is_operand and (w.value or "").startswith("..")]
    if climbing:
        return Prepared(order.command, reader="tap", hint="start prove where its paths do not begin with ..")
    folder = order.file("tap")
    told = {"PERL_TEST_HARNESS_DUMP_TAP": folder}
    return Prepared(order.command, told, (f"{literal(folder)}/**/*",), "tap", named_below=folder)


BATS = grammar(
    *repeated("-f --filter --filter-tags --negative-filter", Effect.SELECT),
    option("--filter-status", Effect.SELECT, Takes.VALUE),
    option("-r --recursive", Effect.WIDEN),
    option("--abort", Effect.BAIL),
    *options("-c --count -h --help -v --version", Effect.LIST),
    *options("-p --pretty -t --tap -T --timing -x --trace --verbose-run --no-tempdir-cleanup", Effect.COSMETIC),
    *options("--print-output-on-failure --show-output-of-passing-tests", Effect.COSMETIC),
    *options("--no-parallelize-across-files --no-parallelize-within-files", Effect.COSMETIC),
    *options("-F --formatter --report-formatter -o --output -j --jobs --code-quote-style", Effect.COSMETIC, Takes.VALUE),
    *options("--gather-test-outputs-in --line-reference-format", Effect.COSMETIC, Takes.VALUE),
)  # fmt: skip


def tell_bats(order: Order) -> Prepared:
    """The report beside the terminal's output is always called report.xml; it may become whole after bats returned."""
    folder = order.value(BATS, "-o", "--output")
    extra = ("--report-formatter", "junit", *(() if folder else ("--output", order.folder)))
    return Prepared(order.first(*extra), reports=(f"{literal(folder or order.folder)}/report.xml",))


TAP = grammar(
    *repeated("-g --grep --include --exclude", Effect.SELECT),
    *options("-i --invert -O --only -n --changed", Effect.SELECT),
    *options("--files -s --save", Effect.SELECT, Takes.VALUE),
    option("-b --bail", Effect.BAIL),
    option("-B --no-bail", Effect.GO_ON),
    *options("-h --help -v --version -V --versions", Effect.LIST),
    *options("-c --color -C --no-color --comments --passes --diag --no-diag --browser --no-browser", Effect.COSMETIC),
    *options("--allow-empty-coverage --allow-incomplete-coverage --disable-coverage", Effect.COSMETIC),
    *options("--show-full-coverage --debug", Effect.COSMETIC),
    *options("-R --reporter -f --reporter-file -r --reporter-arg --coverage-report -j --jobs", Effect.COSMETIC, Takes.VALUE),
    *options("-o --output-file -d --output-dir --coverage-map --coverage-exclude", Effect.COSMETIC, Takes.VALUE),
    *options("-t --timeout --plugin --serial --before --after", Effect.PLAIN, Takes.VALUE),
    *repeated("--test-arg --test-env --node-arg --tsconfig", Effect.PLAIN),
    clusters=True,
)  # fmt: skip


def tell_tap(order: Order) -> Prepared:
    """node-tap writes the TAP of every test file below a folder, under the file's own path and with its plan; the one
    file of `--output-file` has no plan, so nobody could say whether it is whole. The last folder named wins."""
    folder = order.file("tap")
    told = order.last(f"--output-dir={folder}")
    return Prepared(told, reports=(f"{literal(folder)}/**/*.tap",), reader="tap", named_below=folder)


TAPE = grammar(
    option("-i --ignore", Effect.SELECT, Takes.VALUE),
    option("--ignore-pattern", Effect.SELECT, Takes.VALUE),
    option("--only", Effect.SELECT),
    option("-r --require", Effect.PLAIN, Takes.VALUE, repeats=True),
    *options("-h --help", Effect.LIST),
)


def tell_tape(order: Order) -> Prepared:
    hint = "tape writes TAP to the terminal only: let a script send it to a file, and name that in `reports`"
    return Prepared(order.command, reader="tap", hint=hint)


_TAP_COMMANDS = frozenset(
    {"list", "help", "config", "dump-config", "plugin", "repl", "report", "replay", "build", "versions"}
)
RUNNERS = (
    Runner("prove", PROVE, tell_prove, operands=paths("t")),
    Runner("bats", BATS, tell_bats, operands=paths()),
    Runner("tap", TAP, tell_tap, operands=paths(), subcommands=frozenset({"run"}), listing=_TAP_COMMANDS),
    Runner("tape", TAPE, tell_tape, operands=paths(), version=("--help",)),
)
