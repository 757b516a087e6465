"""Maven (surefire, failsafe) and Gradle: both write JUnit files into the build folder and are not told where."""

from __future__ import annotations

from collections.abc import Sequence

from shipmoor_hooks.runners.operands import tasks
from shipmoor_hooks.runners.runner import Order, Prepared, Runner, Variable
from shipmoor_hooks.runners.words import Effect, Takes, Word, grammar, option, options

MAVEN = grammar(
    *options("-Dtest -Dit.test -Dgroups -DexcludedGroups -Dsurefire.includes", Effect.SELECT, Takes.ATTACHED),
    *options("-Dsurefire.excludes", Effect.SELECT, Takes.ATTACHED),
    *options("-Dsurefire.includesFile -Dsurefire.excludesFile -Dfailsafe.includesFile", Effect.SELECT, Takes.ATTACHED),
    *options("-Dfailsafe.excludesFile", Effect.SELECT, Takes.ATTACHED),
    *options("-DskipITs -DskipUTs -Dsurefire.skip", Effect.SELECT, Takes.ATTACHED),
    *options("-pl --projects -rf --resume-from", Effect.SELECT, Takes.VALUE),
    *options("-N --non-recursive -r --resume", Effect.SELECT),
    *options("-DskipTests -Dmaven.test.skip -Dmaven.test.skip.exec", Effect.LIST, Takes.ATTACHED),
    *options("-v --version -h --help", Effect.LIST),
    *options("-Dsurefire.skipAfterFailureCount -Dfailsafe.skipAfterFailureCount", Effect.BAIL, Takes.ATTACHED),
    *options("-ff --fail-fast", Effect.BAIL),
    *options("-fae --fail-at-end -fn --fail-never", Effect.GO_ON),
    *options("-q --quiet -X --debug -e --errors -B --batch-mode -ntp --no-transfer-progress -V", Effect.COSMETIC),
    *options("--show-version -o --offline", Effect.COSMETIC),
    *options("-nsu --no-snapshot-updates -U --update-snapshots", Effect.COSMETIC),
    *options("-T --threads -l --log-file --color -Dstyle.color -DforkCount", Effect.COSMETIC, Takes.VALUE),
    *options("-Dsurefire.forkCount -DtrimStackTrace", Effect.COSMETIC, Takes.VALUE),
    *options("-f --file", Effect.SELECT, Takes.VALUE),
    *options("-P --activate-profiles -s --settings -gs --global-settings -t", Effect.PLAIN, Takes.VALUE),
    *options("--toolchains -D --define", Effect.PLAIN, Takes.VALUE),
    merged=("-D",),
    joined=False,
)  # fmt: skip

# Maven's phases from the first that runs tests: a later one runs all that an earlier one does.
PHASES = (
    "test",
    "prepare-package",
    "package",
    "pre-integration-test",
    "integration-test",
    "post-integration-test",
    "verify",
    "install",
    "deploy",
)


def phases(words: Sequence[Word], usual: Sequence[Word]) -> list[str]:
    """Goals: a phase covers the earlier ones; any other goal must be named again."""
    given = {w.value or "" for w in words if w.is_operand}
    reached = max((PHASES.index(g) for g in given if g in PHASES), default=-1)
    missing = []
    for word in (w for w in usual if w.is_operand):
        value = word.value or ""
        there = PHASES.index(value) <= reached if value in PHASES else value in given or value == "clean"
        if not there:
            missing.append(f"without {word}")
    return missing


def tell_maven(order: Order) -> Prepared:
    reports = ("**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml")
    return Prepared(order.command, reports=reports)


GRADLE = grammar(
    option("--tests", Effect.SELECT, Takes.VALUE, repeats=True),
    option("-x --exclude-task", Effect.SELECT, Takes.VALUE, repeats=True),
    option("-p --project-dir", Effect.SELECT, Takes.VALUE),
    *options("-m --dry-run --test-dry-run -v --version -h --help -?", Effect.LIST),
    option("--fail-fast", Effect.BAIL),
    option("--continue", Effect.GO_ON),
    *options("-q --quiet -i --info -d --debug -w --warn -s --stacktrace -S --full-stacktrace --scan", Effect.COSMETIC),
    *options("--no-scan --parallel --no-parallel", Effect.COSMETIC),
    *options("--daemon --no-daemon --build-cache --no-build-cache --rerun --rerun-tasks --offline", Effect.COSMETIC),
    *options("--profile", Effect.COSMETIC),
    *options("--console --max-workers --warning-mode --priority", Effect.COSMETIC, Takes.VALUE),
    *options("-b --build-file -c --settings-file -g --gradle-user-home -I --init-script", Effect.PLAIN, Takes.VALUE),
    joined=False,
)  # fmt: skip


def tell_gradle(order: Order) -> Prepared:
    hint = "gradle keeps the reports of a test task that is up to date: add --rerun-tasks, or cleanTest before test"
    return Prepared(order.command, reports=("**/build/test-results/**/TEST-*.xml",), hint=hint)


RUNNERS = (
    Runner("maven", MAVEN, tell_maven, operands=phases, variables=(Variable("MAVEN_ARGS", MAVEN),)),
    Runner(
        "gradle", GRADLE, tell_gradle, operands=tasks, listing=frozenset({"tasks", "projects", "help", "dependencies"})
    ),
)
