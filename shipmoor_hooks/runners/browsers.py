"""Playwright's runner and Cypress. Cypress is written from its documentation."""

from __future__ import annotations

from shipmoor_hooks.runners.operands import patterns
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, Variable, literal
from shipmoor_hooks.runners.words import Effect, Takes, grammar, option, options

PLAYWRIGHT = grammar(
    *options("-g --grep -G --grep-invert --shard --test-list --test-list-invert", Effect.SELECT, Takes.VALUE),
    *options("-c --config", Effect.SELECT, Takes.VALUE),
    option("--project", Effect.SELECT, Takes.MANY),
    *options("--last-failed --no-deps", Effect.SELECT),
    option("--only-changed", Effect.SELECT, Takes.PERHAPS),
    option("-x", Effect.BAIL),
    option("--max-failures", Effect.BAIL, Takes.VALUE),
    option("--debug", Effect.BAIL, Takes.PERHAPS),
    *options("--list --ui -h --help", Effect.LIST),
    *options("--quiet --headed --fully-parallel", Effect.COSMETIC),
    *options("-j --workers --reporter --add-reporter --output --trace", Effect.COSMETIC, Takes.VALUE),
    *options("--timeout --global-timeout --retries --repeat-each --browser --tsconfig", Effect.PLAIN, Takes.VALUE),
    *options("--last-failed-file --ui-host --ui-port --run-agents", Effect.PLAIN, Takes.VALUE),
    *options("--update-source-method", Effect.PLAIN, Takes.VALUE),
    *options("-u --update-snapshots --shuffle", Effect.PLAIN, Takes.PERHAPS),
    *options("--ignore-snapshots --pass-with-no-tests --forbid-only --fail-on-flaky-tests", Effect.PLAIN),
)  # fmt: skip
_FILE, _NAME, _FOLDER = (f"PLAYWRIGHT_JUNIT_OUTPUT_{what}" for what in ("FILE", "NAME", "DIR"))


def tell_playwright(order: Order) -> Prepared:
    """`--reporter` replaces the configured ones, so the terminal's is named again. The place comes by environment;
    where `env` in the command sets it, that is what Playwright sees."""
    given = (order.value(PLAYWRIGHT, "--reporter") or "list").split(",")
    command = order.command if "junit" in given else order.last("--reporter=" + ",".join([*given, "junit"]))
    said = order.call.environ
    if chosen := said.get(_FILE) or said.get(_NAME):
        inside = said.get(_FOLDER) if not said.get(_FILE) and not chosen.startswith("/") else ""
        return Prepared(command, reports=(literal(f"{inside}/{chosen}" if inside else chosen),))
    report = order.file("playwright.xml")
    return Prepared(command, {_FILE: report, _NAME: report}, (literal(report),))


CYPRESS = grammar(
    *options("-s --spec -c --config -C --config-file -e --env -P --project", Effect.SELECT, Takes.VALUE),
    *options("--component --e2e --parallel", Effect.SELECT),
    option("--auto-cancel-after-failures", Effect.BAIL, Takes.VALUE),
    *options("-h --help", Effect.LIST),
    *options("-q --quiet --headed --headless --no-exit --no-runner-ui --runner-ui", Effect.COSMETIC),
    option("--record", Effect.COSMETIC, Takes.PERHAPS),
    *options("-r --reporter -o --reporter-options -p --port --group --tag -k --key", Effect.COSMETIC, Takes.VALUE),
    *options("-t --ci-build-id", Effect.COSMETIC, Takes.VALUE),
    *options("-b --browser", Effect.PLAIN, Takes.VALUE),
)


def tell_cypress(order: Order) -> Prepared:
    """One file for each spec, kept apart by `[hash]`. The junit reporter comes with Cypress; it leaves pending cases out
    unless it is told. A reporter of the user's own stays, and its files are named in the policy."""
    if order.value(CYPRESS, "-r", "--reporter"):
        hint = "cypress writes the report of the reporter in its command: name its files in `reports`"
        return Prepared(order.command, hint=hint)
    asked = f"mochaFile={order.file('[hash].xml')},includePending=true"
    told = order.last("--reporter", "junit", "--reporter-options", asked)
    return Prepared(told, reports=(f"{literal(order.folder)}/*.xml",))


RUNNERS = (
    Runner("playwright", PLAYWRIGHT, tell_playwright, operands=patterns),
    Runner(
        "cypress",
        CYPRESS,
        tell_cypress,
        operands=patterns,
        variables=(Variable("CYPRESS_specPattern"), Variable("CYPRESS_SPEC_PATTERN")),
    ),
)
