"""The table's rows for frameworks beside the commonest ones: recognised, told, narrowed, bailing, listing, measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from runner_world import prepared, split

from shipmoor_hooks import runners

NONE: dict[str, str] = {}


@pytest.mark.parametrize(
    ("command", "name"),
    [
        pytest.param("rake", None, id="rake's-default-task-may-be-anything"),
        pytest.param("rake spec", None, id="another-rake-task"),
        pytest.param("playwright show-report", None, id="playwright-without-test"),
        pytest.param("cypress open", None, id="cypress-with-a-window"),
        pytest.param("dotnet build", None, id="dotnet-without-test"),
        pytest.param("build/basket_test", None, id="a-built-program-has-no-name"),
        pytest.param("build/basket_test -r junit -o r.xml", None, id="catch2-is-not-guessed"),
        pytest.param("sh -c './a --gtest_color=no'", None, id="a-shell-is-not-read"),
        pytest.param("python -m nose2", "nose2", id="nose2-module"),
        pytest.param("uv run behave", "behave", id="behave"),
        pytest.param("python -m robot tests", "robot", id="robot-module"),
        pytest.param("npx playwright test", "playwright", id="playwright"),
        pytest.param("npx cypress run", "cypress", id="cypress"),
        pytest.param("npx jasmine", "jasmine", id="jasmine"),
        pytest.param("npx tap run", "tap", id="node-tap"),
        pytest.param("npx tape 'test/*.js'", "tape", id="tape"),
        pytest.param("build/basket_test --gtest_color=no", "googletest", id="googletest-by-its-option"),
        pytest.param("valgrind -q ./a --gtest_brief=1", "googletest", id="googletest-behind-a-tool"),
        pytest.param("env A=1 ./a --gtest_brief=1", "googletest", id="googletest-behind-a-launcher"),
        pytest.param("ctest --test-dir b", "ctest", id="a-runner-that-is-known-by-name-comes-first"),
        pytest.param("bats tests", "bats", id="bats"),
        pytest.param("prove -l t", "prove", id="prove"),
        pytest.param("bundle exec rake test", "minitest", id="rake-test"),
        pytest.param("bin/rails test", "minitest", id="rails-test"),
        pytest.param("dotnet test Basket.sln", "dotnet", id="dotnet"),
    ],
)
def test_recognised(command: str, name: str | None) -> None:
    runner = runners.recognise(split(command))
    assert (runner.name if runner else None) == name


NARROW = [
    ("uv run --directory web pytest", "uv run --directory web pytest", "", [], "the-folder-that-the-policy-says"),
    ("uv run --directory web pytest", "uv run pytest", "", ["--directory web"], "uv-in-another-folder"),
    ("uv run pytest", "uv run --directory web pytest", "", ["without --directory web"], "not-in-the-policy's-folder"),
    ("env -C web pytest", "pytest", "", ["-C web"], "env-in-another-folder"),
    ("yarn --cwd=web jest", "yarn jest", "", ["--cwd=web"], "yarn-in-another-folder"),
    ("mvn -f web/pom.xml test", "mvn test", "", ["-f web/pom.xml"], "maven-another-project"),
    ("npx vitest run --root web", "npx vitest run", "", ["--root web"], "vitest-another-root"),
    ("ctest --test-dir b/sub", "ctest --test-dir b", "", ["--test-dir b/sub"], "ctest-a-part-of-the-build"),
    ("nose2 -v -B --junit-xml", "nose2", "", [], "nose2-cosmetics"),
    ("nose2 tests.test_a", "nose2", "", ["only tests.test_a"], "nose2-names"),
    ("nose2 -s tests", "nose2", "", ["-s tests"], "nose2-another-start"),
    ("nose2 -A '!slow'", "nose2", "", ["-A '!slow'"], "nose2-attribute"),
    ("behave --no-color -f progress -q", "behave", "", [], "behave-cosmetics"),
    ("behave -t '~@slow'", "behave", "", ["-t '~@slow'"], "behave-tags"),
    ("behave --incl a.feature", "behave", "", ["--incl a.feature"], "behave-abbreviated"),
    ("behave -n total", "behave", "", ["-n total"], "behave-name"),
    ("behave -w", "behave", "", ["-w"], "behave-wip"),
    ("behave features/a.feature:7", "behave", "", ["only features/a.feature:7"], "behave-line"),
    ("robot -d build -L DEBUG tests", "robot tests", "", [], "robot-cosmetics"),
    ("robot -i smoke tests", "robot tests", "", ["-i smoke"], "robot-include"),
    ("robot --RerunFailed out.xml tests", "robot tests", "", ["--RerunFailed out.xml"], "robot-case-does-not-matter"),
    ("robot --rerun-failed out.xml tests", "robot tests", "", ["--rerun-failed out.xml"], "robot-hyphens-neither"),
    ("robot --excl slow tests", "robot tests", "", ["--excl slow"], "robot-abbreviated"),
    ("robot -A more.txt tests", "robot tests", "", ["-A more.txt"], "robot-arguments-from-a-file"),
    ("robot tests", "robot tests", "ROBOT_OPTIONS=--test a", ["ROBOT_OPTIONS: --test a"], "robot-environment"),
    ("npx playwright test --workers 2 --reporter=html --headed", "npx playwright test", "", [], "playwright-cosmetics"),
    ("npx playwright test --shard 1/2", "npx playwright test", "", ["--shard 1/2"], "playwright-shard"),
    ("npx playwright test -g total", "npx playwright test", "", ["-g total"], "playwright-grep"),
    ("npx playwright test --last-failed", "npx playwright test", "", ["--last-failed"], "playwright-last-failed"),
    ("npx playwright test --project a b", "npx playwright test", "", ["--project a b"], "playwright-projects"),
    ("npx playwright test --only-changed=main", "npx playwright test", "", ["--only-changed=main"], "playwright-changed"),
    ("npx playwright test a.spec.js:4", "npx playwright test", "", ["only a.spec.js:4"], "playwright-file"),
    ("npx cypress run --record --key k --browser chrome", "npx cypress run", "", [], "cypress-cosmetics"),
    ("npx cypress run --spec a.cy.js", "npx cypress run", "", ["--spec a.cy.js"], "cypress-spec"),
    ("npx jasmine --parallel=4 --no-color", "npx jasmine", "", [], "jasmine-cosmetics"),
    ("npx jasmine --filter=total", "npx jasmine", "", ["--filter=total"], "jasmine-filter"),
    ("npx jasmine", "npx jasmine", "JASMINE_CONFIG_PATH=a.json", ["JASMINE_CONFIG_PATH"], "jasmine-environment"),
    ("npx tap -Rdot -j2", "npx tap run", "", [], "tap-run-is-no-path"),
    ("npx tap --grep total", "npx tap", "", ["--grep total"], "tap-grep"),
    ("npx tap --changed", "npx tap", "", ["--changed"], "tap-changed"),
    ("npx tap test/a.js", "npx tap", "", ["only test/a.js"], "tap-file"),
    ("npx tape -i .gitignore test", "npx tape test", "", ["-i .gitignore"], "tape-ignore"),
    ("./a --gtest_color=yes --gtest_output=xml:r.xml", "./a --gtest_color=no", "", [], "googletest-cosmetics"),
    ("./a --gtest_filter=A.*", "./a --gtest_color=no", "", ["'--gtest_filter=A.*'"], "googletest-filter"),
    ("./a --gtest_color=no", "./a --gtest_color=no", "GTEST_TOTAL_SHARDS=2", ["GTEST_TOTAL_SHARDS"], "googletest-shards"),
    ("./a --gtest_brief=1", "./a", "", ["another command than the policy's: ./a --gtest_brief=1"], "googletest-unmarked"),
    ("bats -j 4 --timing tests", "bats tests", "", [], "bats-cosmetics"),
    ("bats -f total tests", "bats tests", "", ["-f total"], "bats-filter"),
    ("bats --filter-status failed tests", "bats tests", "", ["--filter-status failed"], "bats-last-failed"),
    ("bats tests", "bats -r tests", "", ["without -r"], "bats-not-recursive"),
    ("prove -v -j 4 t", "prove", "", [], "prove-means-t"),
    ("prove -lvr t", "prove -lr t", "", [], "prove-cluster"),
    ("prove -l t", "prove -lr t", "", ["without -r"], "prove-not-recursive"),
    ("prove t/a.t", "prove t", "", ["only t/a.t"], "prove-file"),
    ("prove --state=failed t", "prove t", "", ["--state=failed"], "prove-last-failed"),
    ("rake test", "rake test", "TESTOPTS=-v", [], "minitest-cosmetics-in-the-environment"),
    ("rake test", "rake test", "TESTOPTS=--name=test_a", ["TESTOPTS: --name=test_a"], "minitest-name-in-the-environment"),
    ("rake test", "rake test", "TEST=test/a_test.rb", ["TEST"], "minitest-file-in-the-environment"),
    ("rake test TEST=test/a_test.rb", "rake test", "", ["only TEST=test/a_test.rb"], "minitest-file"),
    ("bin/rails test -n /total/", "bin/rails test", "", ["-n /total/"], "minitest-name"),
    ("make test", "make test", "TEST=1", [], "a-common-name-says-nothing-behind-a-script"),
    ("dotnet test -v q --logger trx --no-build", "dotnet test", "", [], "dotnet-cosmetics"),
    ("dotnet test --filter Name~Total", "dotnet test", "", ["--filter 'Name~Total'"], "dotnet-filter"),
    ("dotnet test a.csproj", "dotnet test", "", ["only a.csproj"], "dotnet-project"),
    ("dotnet test -- RunConfiguration.X=1", "dotnet test", "", ["only RunConfiguration.X=1"], "dotnet-settings"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "usual", "environment", "words"), [pytest.param(*row[:4], id=row[4]) for row in NARROW]
)
def test_narrowing(command: str, usual: str, environment: str, words: list[str]) -> None:
    name, _, value = environment.partition("=")
    found = runners.narrowing(split(command), {name: value} if name else {}, split(usual))
    assert list(found) == words


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("npx tap -b -B", False, id="tap-taken-back"),
        pytest.param("./a --gtest_fail_fast=0", False, id="googletest-off"),
        pytest.param("nose2 -F", True, id="nose2"),
        pytest.param("behave --stop", True, id="behave"),
        pytest.param("robot --exit-on-failure tests", True, id="robot"),
        pytest.param("npx playwright test -x", True, id="playwright"),
        pytest.param("npx playwright test --max-failures=3", True, id="playwright-three"),
        pytest.param("npx cypress run --auto-cancel-after-failures 1", True, id="cypress"),
        pytest.param("npx jasmine --fail-fast", True, id="jasmine"),
        pytest.param("npx tap --bail", True, id="tap"),
        pytest.param("./a --gtest_fail_fast", True, id="googletest"),
        pytest.param("bats --abort tests", True, id="bats"),
        pytest.param("rails test -f", True, id="minitest"),
        pytest.param("python -m unittest --failf", True, id="unittest-abbreviated"),
    ],
)
def test_bails(command: str, expected: bool) -> None:
    assert runners.bails(split(command), NONE) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("npx tap run", False, id="tap-runs"),
        pytest.param("nose2 --collect-only", True, id="nose2"),
        pytest.param("behave --dry-run", True, id="behave"),
        pytest.param("behave --dry", True, id="behave-abbreviated"),
        pytest.param("robot --DryRun tests", True, id="robot"),
        pytest.param("npx playwright test --list", True, id="playwright"),
        pytest.param("npx jasmine enumerate", True, id="jasmine"),
        pytest.param("npx tap list", True, id="tap"),
        pytest.param("./a --gtest_list_tests", True, id="googletest"),
        pytest.param("bats -c tests", True, id="bats"),
        pytest.param("prove --dry", True, id="prove"),
        pytest.param("rake test -P", True, id="minitest"),
        pytest.param("dotnet test --list-tests", True, id="dotnet"),
    ],
)
def test_lists_only(command: str, expected: bool) -> None:
    assert runners.lists_only(split(command)) is expected


@pytest.mark.parametrize(
    ("command", "measured"),
    [
        pytest.param("nose2 -v --junit-xml-path a.xml -F", "nose2 -F", id="nose2"),
        pytest.param("behave -q -f progress --tags a", "behave --tags a", id="behave"),
        pytest.param("robot -d build --console dotted tests", "robot tests", id="robot"),
        pytest.param(
            "npx playwright test -j 4 --reporter html --retries 2", "npx playwright test --retries 2", id="playwright"
        ),
        pytest.param("npx cypress run --record --key abc", "npx cypress run", id="cypress-no-key"),
        pytest.param("npx tap -R dot --jobs=4 run", "npx tap run", id="tap"),
        pytest.param(
            "/home/ada/b/a --gtest_color=no --gtest_repeat=3", "a --gtest_repeat=3", id="googletest-no-person's-folder"
        ),
        pytest.param("bats -T -j4 tests", "bats tests", id="bats"),
        pytest.param("prove -vlj4 t", "prove -l t", id="prove"),
        pytest.param("dotnet test -l trx -v q", "dotnet test", id="dotnet"),
    ],
)
def test_measured_argv(command: str, measured: str) -> None:
    assert list(runners.measured_argv(split(command))) == split(measured)


TOLD = [
    (
        "nose2 tests",
        "nose2 --plugin nose2.plugins.junitxml --junit-xml --junit-xml-path /fresh/nose2.xml tests",
        ["/fresh/nose2.xml"],
        "nose2",
    ),
    ("nose2 --junit-xml-path a.xml", "nose2 --junit-xml-path a.xml", ["a.xml"], "nose2-own"),
    ("behave features", "behave --junit --junit-directory /fresh features", ["/fresh/TESTS-*.xml"], "behave"),
    ("behave --junit-directory out", "behave --junit --junit-directory out", ["out/TESTS-*.xml"], "behave-own"),
    ("robot -d out tests", "robot --xunit /fresh/robot.xml -d out tests", ["/fresh/robot.xml"], "robot"),
    ("robot -d out -x a.xml tests", "robot -d out -x a.xml tests", ["out/a.xml"], "robot-own"),
    ("npx playwright test a", "npx playwright test a --reporter=list,junit", ["/fresh/playwright.xml"], "playwright"),
    (
        "npx playwright test --reporter html",
        "npx playwright test --reporter html --reporter=html,junit",
        ["/fresh/playwright.xml"],
        "playwright-beside",
    ),
    (
        "env PLAYWRIGHT_JUNIT_OUTPUT_NAME=a.xml npx playwright test --reporter=junit",
        "env PLAYWRIGHT_JUNIT_OUTPUT_NAME=a.xml npx playwright test --reporter=junit",
        ["a.xml"],
        "playwright-own",
    ),
    (
        "npx cypress run",
        "npx cypress run --reporter junit --reporter-options 'mochaFile=/fresh/[hash].xml,includePending=true'",
        ["/fresh/*.xml"],
        "cypress",
    ),
    ("npx cypress run -r spec", "npx cypress run -r spec", [], "cypress-own"),
    ("npx jasmine", "npx jasmine", [], "jasmine-is-not-told"),
    ("npx tap run", "npx tap run --output-dir=/fresh/tap", ["/fresh/tap/**/*.tap"], "tap"),
    ("npx tape t.js", "npx tape t.js", [], "tape-is-not-told"),
    (
        "./a --gtest_color=no",
        "./a --gtest_color=no --gtest_output=xml:/fresh/googletest.xml",
        ["/fresh/googletest.xml"],
        "googletest",
    ),
    ("./a --gtest_output=xml:r.xml", "./a --gtest_output=xml:r.xml", ["r.xml"], "googletest-own"),
    (
        "./a --gtest_output=json:r.json",
        "./a --gtest_output=json:r.json --gtest_output=xml:/fresh/googletest.xml",
        ["/fresh/googletest.xml"],
        "googletest-other-format",
    ),
    ("bats tests", "bats --report-formatter junit --output /fresh tests", ["/fresh/report.xml"], "bats"),
    ("bats -o out tests", "bats --report-formatter junit -o out tests", ["out/report.xml"], "bats-own-folder"),
    ("prove -l t", "prove -l t", ["/fresh/tap/**/*"], "prove-by-a-variable"),
    ("prove ../t", "prove ../t", [], "prove-would-climb-out"),
    ("rake test", "rake test", ["/fresh/*.xml", "test/reports/TEST-*.xml"], "minitest"),
    ("dotnet test", "dotnet test --logger trx --results-directory /fresh", ["/fresh/**/*.trx"], "dotnet"),
    (
        "dotnet test -l 'trx;LogFileName=a.trx' --results-directory out",
        "dotnet test -l 'trx;LogFileName=a.trx' --results-directory out",
        ["out/**/*.trx"],
        "dotnet-own",
    ),
]


@pytest.mark.parametrize(("command", "told", "reports"), [pytest.param(*row[:3], id=row[3]) for row in TOLD])
def test_told(command: str, told: str, reports: list[str]) -> None:
    answer = prepared(command)
    assert list(answer.command) == split(told)
    assert list(answer.reports) == reports


@pytest.mark.parametrize("command", ["npx jasmine", "npx tape a.js", "npx cypress run -r x", "prove ../t", "rake test"])
def test_a_runner_that_may_write_nothing_says_what_to_do(command: str) -> None:
    assert prepared(command).hint


def test_playwright_and_prove_are_told_by_environment() -> None:
    assert prepared("npx playwright test").environ["PLAYWRIGHT_JUNIT_OUTPUT_NAME"] == "/fresh/playwright.xml"
    prove = prepared("prove")
    assert (dict(prove.environ), prove.named_below) == ({"PERL_TEST_HARNESS_DUMP_TAP": "/fresh/tap"}, "/fresh/tap")


@pytest.mark.parametrize(
    ("command", "folder", "seen", "elsewhere"),
    [
        pytest.param("pytest test_a.py", "", "pytest test_a.py", False, id="at-the-root"),
        pytest.param("pytest test_a.py -q", "tests", "pytest tests/test_a.py -q", False, id="a-path-moves-up"),
        pytest.param("pytest", "tests", "pytest tests", False, id="none-is-the-folder"),
        pytest.param("go test ./...", "pkg", "go test pkg/...", False, id="go-packages"),
        pytest.param("prove t", "lib/a", "prove lib/a/t", False, id="prove"),
        pytest.param("npx jest", "web", "npx jest", True, id="jest-finds-its-project-by-itself"),
        pytest.param("mvn test", "core", "mvn test", True, id="maven-means-the-module"),
        pytest.param("make test", "core", "make test", True, id="unknown"),
    ],
)
def test_seen_from_the_top(command: str, folder: str, seen: str, elsewhere: bool) -> None:
    words, said = runners.seen_from_top(split(command), folder)
    assert (list(words), bool(said)) == (split(seen), elsewhere)


def test_the_docs_have_a_row_for_every_runner_in_both_tables() -> None:
    text = (Path(__file__).parent.parent / "docs" / "runners.md").read_text()
    asked, narrowed = text.split("## What makes a run a part")
    for part in (asked, narrowed):
        cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
        assert {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)} == set(runners.RUNNERS)
