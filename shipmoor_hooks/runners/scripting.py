"""PHPUnit, RSpec, and minitest behind rake or rails."""

from __future__ import annotations

from shipmoor_hooks.runners.operands import paths, patterns
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, Variable, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, option, options, parse, repeated

PHPUNIT = grammar(
    *options("--filter --exclude-filter --testsuite --exclude-testsuite --covers --uses", Effect.SELECT, Takes.VALUE),
    *options("--requires-php-extension", Effect.SELECT, Takes.VALUE),
    *repeated("--group --exclude-group --run-test-id --test-files-file", Effect.SELECT),
    *options("-c --configuration --test-suffix", Effect.SELECT, Takes.VALUE),
    *options("--no-configuration", Effect.SELECT),
    *options("--stop-on-defect --stop-on-error --stop-on-failure --stop-on-warning", Effect.BAIL, Takes.ATTACHED),
    *options("--stop-on-risky --stop-on-skipped --stop-on-incomplete", Effect.BAIL, Takes.ATTACHED),
    *options("--stop-on-deprecation --stop-on-notice", Effect.BAIL, Takes.ATTACHED),
    *options("--list-tests --list-suites --list-groups --list-test-files --list-test-ids --version", Effect.LIST),
    *options("--help -h --check-version", Effect.LIST),
    *options("--list-tests-xml --generate-configuration --migrate-configuration", Effect.LIST, Takes.ATTACHED),
    *options("--warm-coverage-cache", Effect.LIST, Takes.ATTACHED),
    *options("--testdox --verbose -v --debug --no-progress --no-results --no-output --teamcity", Effect.COSMETIC),
    *options("--no-coverage --no-logging --stderr", Effect.COSMETIC),
    *options("--colors --coverage-text --reverse-list --display-all-issues", Effect.COSMETIC, Takes.ATTACHED),
    *options("--display-skipped --display-incomplete", Effect.COSMETIC, Takes.ATTACHED),
    *options("--log-junit --log-teamcity --log-otr --testdox-html --testdox-text", Effect.COSMETIC, Takes.VALUE),
    *options("--testdox-xml --columns --coverage-clover --coverage-html --coverage-php", Effect.COSMETIC, Takes.VALUE),
    *options("--coverage-xml", Effect.COSMETIC, Takes.VALUE),
    *options("--bootstrap --order-by --random-order-seed --repeat --printer", Effect.PLAIN, Takes.VALUE),
    *options("--cache-directory --cache-result-file --include-path --extension -d", Effect.PLAIN, Takes.VALUE),
    abbreviates=True,
)  # fmt: skip


def tell_phpunit(order: Order) -> Prepared:
    if chosen := order.value(PHPUNIT, "--log-junit"):
        return Prepared(order.command, reports=(literal(chosen),))
    report = order.file("phpunit.xml")
    return Prepared(order.first("--log-junit", report), reports=(literal(report),))


RSPEC = grammar(
    *repeated("-e --example -E --example-matches -t --tag", Effect.SELECT),
    *options("-P --pattern --exclude-pattern --default-path", Effect.SELECT, Takes.VALUE),
    *options("--only-failures -n --next-failure", Effect.SELECT),
    option("--fail-fast", Effect.BAIL, Takes.ATTACHED),
    option("--no-fail-fast", Effect.GO_ON),
    *options("--dry-run --init -v --version -h --help", Effect.LIST),
    option("--bisect", Effect.LIST, Takes.ATTACHED),
    *options("-c --color --colour --force-color --no-color --no-colour -b --backtrace -w --warnings", Effect.COSMETIC),
    *options("--no-profile", Effect.COSMETIC),
    option("-p --profile", Effect.COSMETIC, Takes.ATTACHED),
    *options("-f --format -o --out --deprecation-out --failure-exit-code", Effect.COSMETIC, Takes.VALUE),
    *options("--error-exit-code", Effect.COSMETIC, Takes.VALUE),
    *options("-I -r --require -O --options --order --seed --drb-port", Effect.PLAIN, Takes.VALUE),
    abbreviates=True,
)  # fmt: skip


def tell_rspec(order: Order) -> Prepared:
    """`--out` belongs to the format before it; formats on the command line replace those of `.rspec`, so the
    terminal's is named again. The formatter's gem is loaded by its name."""
    words = parse(order.call.tail, RSPEC)
    formats = [w.value or "" for w in words if w.name in ("-f", "--format")]
    own = [n for n, w in enumerate(words) if w.name in ("-f", "--format") and "junit" in (w.value or "").lower()]
    hint = "rspec writes its report with rspec_junit_formatter: add the gem to the Gemfile"
    if own:
        out = next((w.value for w in words[own[-1] + 1 :] if w.name in ("-o", "--out")), None)
        if out:
            return Prepared(order.command, reports=(literal(out),), hint=hint)
    report = order.file("rspec.xml")
    extra = [*([] if formats else ["--format", "progress"]), "--format", "RspecJunitFormatter", "--out", report]
    return Prepared(order.last(*extra), reports=(literal(report),), hint=hint)


MINITEST = grammar(
    # rake reads `-n` as a dry run and rails as a name: a part either way.
    option("-n --name", Effect.SELECT, Takes.PERHAPS),
    *repeated("-e --exclude -i --include -x", Effect.SELECT),
    option("-f --fail-fast", Effect.BAIL),
    *options("--dry-run -T --tasks -P --prereqs -h --help -V --version", Effect.LIST),
    *options("-v --verbose -q --quiet -b --backtrace -d --defer-output -c --color", Effect.COSMETIC),
    *options("-s --seed -j --jobs --environment", Effect.PLAIN, Takes.VALUE),
)
_MINITEST = (Variable("TESTOPTS", MINITEST), Variable("TEST", shared=False))


def tell_minitest(order: Order) -> Prepared:
    """The reporter is made in the test helper; newer ones take their folder from a variable, older ones have one."""
    hint = (
        "minitest writes its report with the gem minitest-reporters: in the test helper, "
        "Minitest::Reporters.use! [Minitest::Reporters::DefaultReporter.new, Minitest::Reporters::JUnitReporter.new]"
    )
    reports = (f"{literal(order.folder)}/*.xml", "test/reports/TEST-*.xml")
    return Prepared(order.command, {"MINITEST_REPORTERS_REPORTS_DIR": order.folder}, reports, hint=hint)


RUNNERS = (
    Runner("minitest", MINITEST, tell_minitest, operands=patterns, variables=_MINITEST),
    Runner("phpunit", PHPUNIT, tell_phpunit, operands=paths()),
    Runner("rspec", RSPEC, tell_rspec, operands=paths(), variables=(Variable("SPEC_OPTS", RSPEC),)),
)
