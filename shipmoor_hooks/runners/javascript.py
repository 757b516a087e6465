"""jest, vitest, mocha, jasmine and node's own runner. Where a runner has several reporters, the user's own stay beside ours."""

from __future__ import annotations

from shipmoor_hooks.runners.operands import paths, patterns
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, Variable, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, option, options, parse, repeated

JEST = grammar(
    option("-t --testNamePattern --test-name-pattern", Effect.SELECT, Takes.VALUE),
    *options("--watch -o --onlyChanged --only-changed -f --onlyFailures --only-failures --lastCommit", Effect.SELECT),
    *options("--last-commit", Effect.SELECT),
    *options("--findRelatedTests --find-related-tests --runTestsByPath --run-tests-by-path", Effect.SELECT),
    *options("--no-passWithNoTests", Effect.SELECT),
    *options("--changedSince --shard --testRegex --roots --filter --testPathPattern", Effect.SELECT, Takes.VALUE),
    *options("--testPathPatterns", Effect.SELECT, Takes.VALUE),
    *options("--testPathIgnorePatterns --selectProjects --ignoreProjects --testMatch", Effect.SELECT, Takes.MANY),
    *options("--projects", Effect.SELECT, Takes.MANY),
    option("--modulePathIgnorePatterns", Effect.SELECT, Takes.MANY),
    option("-c --config", Effect.SELECT, Takes.VALUE),
    option("-b --bail", Effect.BAIL, Takes.ATTACHED),
    *options("--listTests --list-tests --showConfig --show-config --clearCache --clear-cache --init", Effect.LIST),
    *options("--version --help -h", Effect.LIST),
    *options("--ci --silent --verbose --colors --no-colors --color --no-color --notify --json", Effect.COSMETIC),
    *options("--runInBand -i --noStackTrace", Effect.COSMETIC),
    *options("--coverage --no-coverage --collectCoverage --expand --errorOnDeprecated --logHeapUsage", Effect.COSMETIC),
    *options("--detectOpenHandles", Effect.COSMETIC),
    *options("--watchAll --no-watch --no-watchman --useStderr --passWithNoTests", Effect.COSMETIC),
    *options("--no-cache", Effect.COSMETIC),
    *options("--outputFile -w --maxWorkers --max-workers --maxConcurrency", Effect.COSMETIC, Takes.VALUE),
    *options("--coverageDirectory --notifyMode --cacheDirectory", Effect.COSMETIC, Takes.VALUE),
    *options("--reporters --coverageReporters", Effect.COSMETIC, Takes.MANY),
    *options("--rootDir", Effect.SELECT, Takes.VALUE),
    *options("--testTimeout --env --testEnvironment --seed --testRunner --runner", Effect.PLAIN, Takes.VALUE),
    *options("--testSequencer --retryTimes", Effect.PLAIN, Takes.VALUE),
    joined=False,
)  # fmt: skip


def tell_jest(order: Order) -> Prepared:
    """`--reporters` on the command line replaces the configured ones, so the default one is named again. The options
    of jest-junit come by environment, where they win over package.json: titles as jest prints them, and each case's
    file."""
    changes = {
        "JEST_JUNIT_OUTPUT_FILE": order.file("jest.xml"),
        "JEST_JUNIT_CLASSNAME": "{classname}",
        "JEST_JUNIT_TITLE": "{title}",
        "JEST_JUNIT_ANCESTOR_SEPARATOR": " › ",
        "JEST_JUNIT_ADD_FILE_ATTRIBUTE": "true",
        "JEST_JUNIT_REPORT_TEST_SUITE_ERRORS": "true",
        "JEST_JUNIT_INCLUDE_CONSOLE_OUTPUT": "false",
    }
    given = " ".join(w.value or "" for w in parse(order.call.tail, JEST) if w.name == "--reporters").split()
    extra = [
        f"--reporters={r}" for r in ("default", "jest-junit") if not given or (r == "jest-junit" and r not in given)
    ]
    hint = "jest writes its report with jest-junit: npm install --save-dev jest-junit"
    return Prepared(order.first(*extra), changes, (literal(order.file("jest.xml")),), hint=hint)


VITEST = grammar(
    option("-t --testNamePattern", Effect.SELECT, Takes.VALUE),
    option("--changed", Effect.SELECT, Takes.ATTACHED),
    *options("--shard --dir --config -c", Effect.SELECT, Takes.VALUE),
    *repeated("--project --exclude --testTagsFilter --tags-filter", Effect.SELECT),
    *options("--related --typecheck.only --onlyFailures", Effect.SELECT),
    option("--typecheck --typecheck.enabled", Effect.WIDEN),
    option("--bail", Effect.BAIL, Takes.VALUE),
    *options("--help -h --version -v --merge-reports --mergeReports --clearCache --list-tags", Effect.LIST),
    *options("--run --watch --no-watch --silent --no-color --color --coverage", Effect.COSMETIC),
    *options("--coverage.enabled --ui --open --hideSkippedTests", Effect.COSMETIC),
    *options("--no-coverage --no-file-parallelism --passWithNoTests --logHeapUsage --clearScreen", Effect.COSMETIC),
    *options("--expandSnapshotDiff", Effect.COSMETIC),
    *options("--reporter --outputFile --maxWorkers --minWorkers --maxConcurrency", Effect.COSMETIC, Takes.VALUE),
    *options("--attachmentsDir --slowTestThreshold", Effect.COSMETIC, Takes.VALUE),
    *options("--root -r", Effect.SELECT, Takes.VALUE),
    *options("--mode -m --pool --environment --retry --testTimeout --hookTimeout", Effect.PLAIN, Takes.VALUE),
    *options("--isolate --sequence.seed", Effect.PLAIN, Takes.VALUE),
    *options("--workspace --browser --diff --teardownTimeout --api --standalone", Effect.PLAIN, Takes.VALUE),
    joined=False,
)  # fmt: skip


def tell_vitest(order: Order) -> Prepared:
    """The junit reporter is built in. On a terminal vitest would watch, so it is told to run once."""
    words = parse(order.call.tail, VITEST)
    given = [w.value or "" for w in words if w.name == "--reporter"]
    once = any(w.name == "--run" or (w.is_operand and w.value == "run") for w in words)
    report = order.file("vitest.xml")
    extra = [
        *(["--reporter=default"] if not given else []),
        *(["--reporter=junit"] if "junit" not in given else []),
        f"--outputFile.junit={report}",
        *([] if once else ["--watch=false"]),
    ]
    # A subcommand must stay in front, and vitest has no `--` of its own: what follows it is an operand like any other.
    return Prepared(order.last(*extra), reports=(literal(report),))


MOCHA = grammar(
    *options("-g --grep -f --fgrep --config --package --opts", Effect.SELECT, Takes.VALUE),
    *options("-i --invert", Effect.SELECT),
    *repeated("--exclude --ignore --extension", Effect.SELECT),
    option("--file --spec", Effect.PLAIN, Takes.VALUE, repeats=True),
    option("--recursive", Effect.WIDEN),
    option("-b --bail", Effect.BAIL),
    *options("--dry-run --list-files --list-interfaces --list-reporters --version -V --help -h", Effect.LIST),
    *options("-c --color --colors -C --no-color --no-colors --full-trace --inline-diffs --diff", Effect.COSMETIC),
    *options("--no-diff -p --parallel", Effect.COSMETIC),
    *options("-R --reporter -O --reporter-option --reporter-options -j --jobs -s --slow", Effect.COSMETIC, Takes.VALUE),
    *options("-r --require -t --timeout --timeouts -u --ui --retries -n --node-option", Effect.PLAIN, Takes.VALUE),
    *options("--import --loader --global", Effect.PLAIN, Takes.VALUE),
    clusters=True,
)  # fmt: skip


def tell_mocha(order: Order) -> Prepared:
    """mocha has one reporter. The built-in xunit one writes the file and leaves the terminal quiet; a user's own
    mocha-junit-reporter is told by environment and keeps pending cases in."""
    report = order.file("mocha.xml")
    chosen = order.value(MOCHA, "-R", "--reporter")
    if chosen == "mocha-junit-reporter":
        return Prepared(
            order.last("--reporter-option", "includePending=true"), {"MOCHA_FILE": report}, (literal(report),)
        )
    # The last reporter wins in mocha, so ours stands behind the user's words, but before `--`.
    extra = ("--reporter", "xunit", "--reporter-option", f"output={report}")
    return Prepared(order.last(*extra), reports=(literal(report),))


NODE = grammar(
    *repeated("--test-name-pattern --test-skip-pattern", Effect.SELECT),
    option("--test-shard", Effect.SELECT, Takes.VALUE),
    option("--test-only", Effect.SELECT),
    *options("--version -v --help -h", Effect.LIST),
    *options("--experimental-test-coverage --no-warnings --trace-warnings --enable-source-maps", Effect.COSMETIC),
    *options("--test-reporter --test-reporter-destination --test-concurrency", Effect.COSMETIC, Takes.VALUE),
    *options("-r --require --import --loader --experimental-loader -C --conditions", Effect.PLAIN, Takes.VALUE),
    *options("--env-file --test-timeout", Effect.PLAIN, Takes.VALUE),
    *options("--test-isolation --test-coverage-include --test-coverage-exclude", Effect.PLAIN, Takes.VALUE),
    *options("--test-global-setup", Effect.PLAIN, Takes.VALUE),
)  # fmt: skip


def tell_node(order: Order) -> Prepared:
    """Reporters and destinations pair up by position, so ours stand first; without a reporter of the user's own the
    one for the terminal is named again. node reads its options before the first file only."""
    report = order.file("node.xml")
    words = parse(order.call.tail, NODE)
    reporters = sum(w.name == "--test-reporter" for w in words)
    destinations = sum(w.name == "--test-reporter-destination" for w in words)
    extra = ["--test-reporter=junit", f"--test-reporter-destination={report}"]
    if not reporters:
        extra += ["--test-reporter=spec", "--test-reporter-destination=stdout"]
    elif reporters == 1 and not destinations:
        extra += ["--test-reporter-destination=stdout"]
    return Prepared(order.first(*extra), reports=(literal(report),))


JASMINE = grammar(
    *options("--filter --filter-path --config", Effect.SELECT, Takes.ATTACHED),
    *options("--fail-fast --stop-on-failure", Effect.BAIL, Takes.ATTACHED),
    *options("-h -v --list-not-applicable", Effect.LIST),
    *options("--no-color --color --verbose", Effect.COSMETIC),
    *options("--parallel --reporter", Effect.COSMETIC, Takes.ATTACHED),
    *options("--helper --require --random --seed", Effect.PLAIN, Takes.ATTACHED),
    joined=False,
)


def tell_jasmine(order: Order) -> Prepared:
    """Its reporters are objects that a helper makes; no option of the command gives one a path."""
    hint = "jasmine writes its report with jasmine-reporters in a helper: name the files in the suite's `reports`"
    return Prepared(order.command, hint=hint)


RUNNERS = (
    Runner("jest", JEST, tell_jest, operands=patterns),
    Runner(
        "vitest",
        VITEST,
        tell_vitest,
        operands=patterns,
        subcommands=frozenset({"run", "watch", "dev"}),
        listing=frozenset({"list", "bench", "init"}),
    ),
    Runner("mocha", MOCHA, tell_mocha, operands=paths(), variables=(Variable("MOCHA_OPTIONS", MOCHA),)),
    Runner(
        "jasmine",
        JASMINE,
        tell_jasmine,
        operands=paths(),
        variables=(Variable("JASMINE_CONFIG_PATH"),),
        listing=frozenset({"init", "examples", "help", "version", "enumerate"}),
        version=("-v",),
    ),
    Runner("node", NODE, tell_node, operands=paths(), variables=(Variable("NODE_OPTIONS", NODE),)),
)
