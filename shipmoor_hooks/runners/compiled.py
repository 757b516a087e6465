"""Go with gotestsum, Rust with nextest, C and C++ with ctest (and googletest below it, or by itself)."""

from __future__ import annotations

from shipmoor_hooks.runners.operands import paths, patterns
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, Variable, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, option, options, repeated

GO = grammar(
    *options("-run -skip -test.run -test.skip", Effect.SELECT, Takes.VALUE),
    *options("-short -test.short", Effect.SELECT),
    option("-tags", Effect.SELECT, Takes.VALUE),
    option("-failfast", Effect.BAIL),
    option("-list", Effect.LIST, Takes.VALUE),
    *options("-c -n -help -h", Effect.LIST),
    *options("-v -json -x -work -cover -fullpath -a", Effect.COSMETIC),
    *options("-p -parallel -coverprofile -cpuprofile -memprofile -blockprofile", Effect.COSMETIC, Takes.VALUE),
    *options("-mutexprofile -trace -outputdir -o -covermode -coverpkg", Effect.COSMETIC, Takes.VALUE),
    *options("-count -timeout -bench -benchtime -cpu -shuffle -vet -exec -fuzz -fuzztime", Effect.PLAIN, Takes.VALUE),
    *options("-mod -modfile -ldflags -gcflags -C -overlay", Effect.PLAIN, Takes.VALUE),
    one_dash=True,
)  # fmt: skip
GOTESTSUM = grammar(
    option("--packages", Effect.SELECT, Takes.VALUE),
    option("--max-fails", Effect.BAIL, Takes.VALUE),
    option("--rerun-fails-run-root-test", Effect.PLAIN),
    option("--rerun-fails", Effect.PLAIN, Takes.ATTACHED),
    *options("--rerun-fails-max-failures --rerun-fails-report", Effect.PLAIN, Takes.VALUE),
    *options("--rerun-fails-abort-on-data-race --post-run-command", Effect.PLAIN, Takes.VALUE),
    *options("--version --help -h", Effect.LIST),
    *options("--no-color --format-hide-empty-pkg --junitfile-hide-empty-pkg", Effect.COSMETIC, Takes.ATTACHED),
    *options("--junitfile-hide-skipped-tests --debug --no-summary", Effect.COSMETIC, Takes.ATTACHED),
    *options("-f --format --format-icons --hide-summary --junitfile", Effect.COSMETIC, Takes.VALUE),
    *options("--junitfile-project-name --jsonfile --jsonfile-timing-events", Effect.COSMETIC, Takes.VALUE),
    *options("--junitfile-testsuite-name --junitfile-testcase-classname", Effect.COSMETIC, Takes.VALUE),
    rest=GO,
    rest_at_once=True,
)  # fmt: skip


def tell_gotestsum(order: Order) -> Prepared:
    """gotestsum's options stand before `--`, go test's behind it. Full package names keep cases of equal names
    apart."""
    chosen = order.value(GOTESTSUM, "--junitfile") or order.environ.get("GOTESTSUM_JUNITFILE")
    if chosen:
        return Prepared(order.command, reports=(literal(chosen),))
    report = order.file("gotestsum.xml")
    return Prepared(
        order.first(f"--junitfile={report}", "--junitfile-testcase-classname=full"), reports=(literal(report),)
    )


def tell_go(order: Order) -> Prepared:
    hint = "go test writes no report: install gotestsum, and let the command be gotestsum -- ./..."
    return Prepared(order.command, hint=hint)


_CARGO_ROWS = (
    *repeated("-E --filterset --filter-expr -p --package --exclude --bin --test --example --bench", Effect.SELECT),
    *repeated("--skip", Effect.SELECT),
    *options("--partition --manifest-path", Effect.SELECT, Takes.VALUE),
    *options("--lib --bins --tests --examples --benches --doc --exact --ignored", Effect.SELECT),
    *options("--ignore-default-filter", Effect.SELECT),
    *options("--workspace --all --all-features --all-targets --include-ignored", Effect.WIDEN),
    option("--run-ignored", Effect.WIDEN, Takes.VALUE),
    *options("-F --features", Effect.WIDEN, Takes.VALUE),
    option("--no-default-features", Effect.SELECT),
    option("--fail-fast --ff", Effect.BAIL),
    option("--no-fail-fast --nff", Effect.GO_ON),
    option("--max-fail", Effect.BAIL, Takes.VALUE),
    *options("--no-run --list --version -V --help -h --build-plan", Effect.LIST),
    *options("-q --quiet -v --verbose --no-capture --nocapture --hide-progress-bar", Effect.COSMETIC),
    *options("--no-output-indent", Effect.COSMETIC),
    *options("-j --test-threads --build-jobs --jobs --color --failure-output", Effect.COSMETIC, Takes.VALUE),
    *options("--success-output --status-level --final-status-level --show-progress", Effect.COSMETIC, Takes.VALUE),
    *options("--message-format --cargo-message-format --cargo-quiet --timings", Effect.COSMETIC, Takes.VALUE),
    *options("-P --profile --cargo-profile --target --target-dir --retries", Effect.PLAIN, Takes.VALUE),
    *options("--config --config-file --tool-config-file --no-tests --archive-file", Effect.PLAIN, Takes.VALUE),
)  # fmt: skip
CARGO = grammar(*_CARGO_ROWS, rest=grammar(*_CARGO_ROWS))


def tell_nextest(order: Order) -> Prepared:
    """nextest writes a report only where its configuration gives one a path, below the target folder, by profile."""
    profile = order.value(CARGO, "-P", "--profile") or order.environ.get("NEXTEST_PROFILE") or "default"
    target = order.value(CARGO, "--target-dir") or order.environ.get("CARGO_TARGET_DIR") or "target"
    hint = f'nextest writes its report when .config/nextest.toml says so: [profile.{profile}.junit] path = "junit.xml"'
    return Prepared(order.command, reports=(f"{literal(target)}/nextest/{literal(profile)}/*.xml",), hint=hint)


def tell_cargo(order: Order) -> Prepared:
    hint = "cargo test writes no report: install cargo-nextest, and let the command be cargo nextest run"
    return Prepared(order.command, hint=hint)


CTEST = grammar(
    *options("-R --tests-regex -E --exclude-regex -I --tests-information", Effect.SELECT, Takes.VALUE),
    *repeated("-L --label-regex -LE --label-exclude", Effect.SELECT),
    *options("-FA --fixture-exclude-any -FS --fixture-exclude-setup -FC", Effect.SELECT, Takes.VALUE),
    *options("--fixture-exclude-cleanup", Effect.SELECT, Takes.VALUE),
    *options("--tests-from-file --exclude-from-file --preset", Effect.SELECT, Takes.VALUE),
    *options("-U --union --rerun-failed", Effect.SELECT),
    option("--stop-on-failure", Effect.BAIL),
    *options("-N --show-only --print-labels --version --help -h", Effect.LIST, Takes.ATTACHED),
    *options("-V --verbose -VV --extra-verbose --debug --output-on-failure --progress -Q --quiet", Effect.COSMETIC),
    *options("--no-label-summary -F", Effect.COSMETIC),
    option("-j --parallel", Effect.COSMETIC, Takes.PERHAPS),
    *options("-O --output-log --output-junit --test-output-size-passed", Effect.COSMETIC, Takes.VALUE),
    *options("--test-output-size-failed --test-output-truncation", Effect.COSMETIC, Takes.VALUE),
    *options("--test-load", Effect.COSMETIC, Takes.VALUE),
    *options("--test-dir", Effect.SELECT, Takes.VALUE),
    *options("-C --build-config --repeat --timeout --stop-time", Effect.PLAIN, Takes.VALUE),
    *options("--interactive-debug-mode -S -SP -D -M -T --dashboard", Effect.PLAIN, Takes.VALUE),
    *options("--schedule-random --force-new-ctest-process --no-tests", Effect.PLAIN, Takes.ATTACHED),
    *options("--repeat-until-fail", Effect.PLAIN, Takes.ATTACHED),
    joined=False,
)  # fmt: skip


def tell_ctest(order: Order) -> Prepared:
    """`--output-junit` needs CMake 3.21; the last one named wins, so a user's own is read where it is."""
    hint = "ctest writes a report from CMake 3.21 on"
    if chosen := order.value(CTEST, "--output-junit"):
        # ctest writes a relative name into the build folder, not where it was started.
        build = order.value(CTEST, "--test-dir") or "."
        return Prepared(
            order.command, reports=(literal(chosen if chosen.startswith("/") else f"{build}/{chosen}"),), hint=hint
        )
    report = order.file("ctest.xml")
    return Prepared(order.first("--output-junit", report), reports=(literal(report),), hint=hint)


GOOGLETEST = grammar(
    *options("--gtest_filter", Effect.SELECT, Takes.ATTACHED),
    option("--gtest_also_run_disabled_tests", Effect.WIDEN, Takes.ATTACHED),
    option("--gtest_fail_fast", Effect.BAIL, Takes.ATTACHED),
    *options("--gtest_break_on_failure --gtest_throw_on_failure", Effect.BAIL, Takes.ATTACHED),
    *options("--gtest_list_tests --help", Effect.LIST, Takes.ATTACHED),
    *options("--gtest_output --gtest_color --gtest_brief --gtest_print_time", Effect.COSMETIC, Takes.ATTACHED),
    option("--gtest_print_utf8", Effect.COSMETIC, Takes.ATTACHED),
    *options("--gtest_repeat --gtest_shuffle --gtest_random_seed", Effect.PLAIN, Takes.ATTACHED),
    joined=False,
)


def tell_googletest(order: Order) -> Prepared:
    """The last `--gtest_output` wins, and behind valgrind and the like the end is the program's. A user's own
    stays; one that names a folder holds a file called after the program."""
    chosen = order.value(GOOGLETEST, "--gtest_output") or order.environ.get("GTEST_OUTPUT") or ""
    kind, _, path = chosen.partition(":")
    if kind == "xml" and path:
        return Prepared(order.command, reports=(f"{literal(path)}*.xml" if path.endswith("/") else literal(path),))
    report = order.file("googletest.xml")
    return Prepared(order.last(f"--gtest_output=xml:{report}"), reports=(literal(report),))


_GOOGLETEST = (
    Variable("GTEST_FILTER"),
    Variable("GTEST_TOTAL_SHARDS"),
    Variable("GTEST_FAIL_FAST", effect=Effect.BAIL),
)
_GO_VARIABLES = (Variable("GOFLAGS", GO),)

RUNNERS = (
    Runner("gotestsum", GOTESTSUM, tell_gotestsum, operands=paths("./...", deep=False), variables=_GO_VARIABLES),
    Runner("go", GO, tell_go, operands=paths(".", deep=False), variables=_GO_VARIABLES, version=("-h",)),
    Runner(
        "nextest",
        CARGO,
        tell_nextest,
        operands=patterns,
        subcommands=frozenset({"run", "r"}),
        listing=frozenset({"list", "archive", "show-config"}),
        variables=(Variable("NEXTEST_PARTITION"),),
        bails_by_default=True,
    ),
    Runner("cargo", CARGO, tell_cargo, operands=patterns),
    Runner("ctest", CTEST, tell_ctest, operands=patterns, variables=_GOOGLETEST),
    Runner("googletest", GOOGLETEST, tell_googletest, operands=patterns, variables=_GOOGLETEST, version=("--help",)),
)
