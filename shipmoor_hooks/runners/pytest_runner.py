"""pytest: told by `--junitxml` and the xunit1 family, which names the file of each case (xunit2 leaves it out)."""

from __future__ import annotations

from shipmoor_hooks.runners.runner import Order, Prepared, Runner, Variable, literal, shell_words
from shipmoor_hooks.runners.words import Effect, Takes, grammar, option, options, parse, repeated

_COLLECTING_KEYS = [
    "testpaths",
    "python_files",
    "python_classes",
    "python_functions",
    "norecursedirs",
    "addopts",
    "collect_imported_tests",
]

GRAMMAR = grammar(
    option("-k", Effect.SELECT, Takes.VALUE),
    option("-m", Effect.SELECT, Takes.VALUE),
    *options("--lf --last-failed --sw --stepwise --sw-skip --stepwise-skip --testmon", Effect.SELECT, Takes.ATTACHED),
    *options("--picked", Effect.SELECT, Takes.ATTACHED),
    *repeated("--deselect --ignore --ignore-glob --deselect-from-file --select-from-file", Effect.SELECT),
    *options("--shard-id --num-shards --splits --group --test-group --test-group-count", Effect.SELECT, Takes.VALUE),
    *options("-c --config-file", Effect.SELECT, Takes.VALUE),
    option("-o --override-ini", Effect.SELECT, Takes.VALUE, keys=_COLLECTING_KEYS),
    *options("--pyargs --noconftest", Effect.PLAIN),
    *options("--doctest-modules --runxfail --doctest-continue-on-failure", Effect.WIDEN),
    option("--doctest-glob", Effect.WIDEN, Takes.VALUE, repeats=True),
    option("-x --exitfirst", Effect.BAIL),
    option("--maxfail", Effect.BAIL, Takes.VALUE),
    *options("--collect-only --co --collectonly --setup-plan --setup-only --setuponly --fixtures", Effect.LIST),
    *options("--funcargs", Effect.LIST),
    *options("--fixtures-per-test --markers --version -V -h --help", Effect.LIST),
    option("--cache-show", Effect.LIST, Takes.PERHAPS),
    *options("-v --verbose -q --quiet -s -l --showlocals --no-showlocals --no-header --no-summary", Effect.COSMETIC),
    *options("--full-trace --fulltrace --disable-warnings --disable-pytest-warnings --setup-show", Effect.COSMETIC),
    *options("--setupshow", Effect.COSMETIC),
    *options("--ff --failed-first --nf --new-first --shipmoor --no-shipmoor --xfail-tb", Effect.COSMETIC),
    *options("--no-fold-skipped", Effect.COSMETIC),
    *options("--force-short-summary --trace-config -d -f --looponfail --no-cov", Effect.COSMETIC),
    *options("--junitxml --junit-xml --junitprefix --junit-prefix -r --tb --color", Effect.COSMETIC, Takes.VALUE),
    *options("--code-highlight", Effect.COSMETIC, Takes.VALUE),
    *options("--show-capture --durations --durations-min --verbosity --capture", Effect.COSMETIC, Takes.VALUE),
    *options("--pastebin --basetemp", Effect.COSMETIC, Takes.VALUE),
    *options("-n --numprocesses --maxprocesses --dist --tx --max-worker-restart", Effect.COSMETIC, Takes.VALUE),
    *options("--html --css --json-report-file --report-log --resultlog --log-file", Effect.COSMETIC, Takes.VALUE),
    *options("--log-cli-level --log-level", Effect.COSMETIC, Takes.VALUE),
    *options("--cov-report --cov-config --cov-fail-under --cov-context --alluredir", Effect.COSMETIC, Takes.VALUE),
    *options("--debug-log", Effect.COSMETIC, Takes.VALUE),
    *options("--shipmoor-suite --shipmoor-variant", Effect.COSMETIC, Takes.VALUE),
    *options("--cov --debug", Effect.COSMETIC, Takes.PERHAPS),
    *options("-p -W --pythonwarnings --confcutdir --import-mode --timeout --timeout-method", Effect.PLAIN, Takes.VALUE),
    *options("--reruns --reruns-delay", Effect.PLAIN, Takes.VALUE),
    *options("--count --assert --doctest-report --doctest-option --pdbcls", Effect.PLAIN, Takes.VALUE),
    *options("--random-order-seed --asyncio-mode", Effect.PLAIN, Takes.VALUE),
    *options("--rootdir --lfnf --last-failed-no-failures --only-rerun --rerun-except", Effect.PLAIN, Takes.VALUE),
    *options("--rsyncdir --rsyncignore --log-format", Effect.PLAIN, Takes.VALUE),
    *options("--log-date-format --log-cli-format --log-file-mode --log-file-level", Effect.PLAIN, Takes.VALUE),
    *options("--log-auto-indent --hypothesis-seed", Effect.PLAIN, Takes.VALUE),
    *options("--hypothesis-profile --hypothesis-verbosity --benchmark-json --ds --dc", Effect.PLAIN, Takes.VALUE),
    *options("--browser --base-url", Effect.PLAIN, Takes.VALUE),
    clusters=True,
)  # fmt: skip


def tell(order: Order) -> Prepared:
    """pytest writes one XML file, the last one named. A place that the user chose in argv or PYTEST_ADDOPTS stays
    theirs and is read; one that the tracked configuration names is overruled for this run."""
    chosen = [
        w.value
        for tokens in (shell_words(order.environ.get("PYTEST_ADDOPTS", "")), order.call.tail)
        for w in parse(tokens, GRAMMAR)
        if w.name in ("--junitxml", "--junit-xml") and w.value
    ]
    if chosen:
        return Prepared(order.command, reports=(literal(chosen[-1]),))
    report = order.file("pytest.xml")
    return Prepared(order.first(f"--junitxml={report}", "-o", "junit_family=xunit1"), reports=(literal(report),))


PYTEST = Runner("pytest", GRAMMAR, tell, variables=(Variable("PYTEST_ADDOPTS", GRAMMAR),))
