"""The runners' table: what is recognised, how it is told, how a selection shows (design 10.23, 10.24, 10.27, 10.32)."""

from __future__ import annotations

import pytest
from runner_world import prepared, split

from shipmoor_hooks import runners


@pytest.mark.parametrize(
    ("command", "name"),
    [
        pytest.param("pytest -q", "pytest", id="by-name"),
        pytest.param("/home/ada/venv/bin/pytest", "pytest", id="by-path"),
        pytest.param("python3.12 -X dev -W error -m pytest", "pytest", id="module-behind-the-interpreter's-options"),
        pytest.param("python -Im pytest", "pytest", id="module-in-a-cluster"),
        pytest.param("uv run --with pytest-cov --extra dev pytest", "pytest", id="uv-with-values"),
        pytest.param("uv run python -m pytest", "pytest", id="launchers-nest"),
        pytest.param("uv run -m pytest", "pytest", id="uv-module"),
        pytest.param("poetry run pytest", "pytest", id="poetry"),
        pytest.param("python -m coverage run --source pkg -m pytest", "pytest", id="coverage-module"),
        pytest.param("env -u X A=1 timeout -k 5 60 pytest", "pytest", id="env-and-timeout"),
        pytest.param("python -m xmlrunner discover", "xmlrunner", id="xmlrunner"),
        pytest.param("python -m unittest", "unittest", id="unittest"),
        pytest.param("npx --yes jest", "jest", id="npx"),
        pytest.param("npm exec -- vitest run", "vitest", id="npm-exec"),
        pytest.param("pnpm vitest", "vitest", id="pnpm"),
        pytest.param("yarn run mocha", "mocha", id="yarn-run"),
        pytest.param("node node_modules/.bin/jest", "jest", id="script-of-node"),
        pytest.param("node --import tsx --test", "node", id="node-test"),
        pytest.param("gotestsum -- ./...", "gotestsum", id="gotestsum"),
        pytest.param("go test ./...", "go", id="go"),
        pytest.param("cargo nextest run", "nextest", id="nextest"),
        pytest.param("./mvnw -B verify", "maven", id="maven-wrapper"),
        pytest.param("./gradlew test", "gradle", id="gradle-wrapper"),
        pytest.param("ctest --test-dir build", "ctest", id="ctest"),
        pytest.param("php -d memory_limit=1G vendor/bin/phpunit", "phpunit", id="phpunit-by-php"),
        pytest.param("bundle exec rspec", "rspec", id="bundle"),
        pytest.param("make test", None, id="make-names-no-runner"),
        pytest.param("npm test", None, id="an-npm-script-names-no-runner"),
        pytest.param("sh -c 'pytest -q'", None, id="a-shell-is-not-read"),
        pytest.param("python manage.py test", None, id="a-script-of-its-own"),
        pytest.param("python -c 'import pytest'", None, id="python-code"),
        pytest.param("pnpm --filter web vitest", None, id="some-packages-of-a-workspace-only"),
        pytest.param("node server.js", None, id="node-without-test"),
        pytest.param("unittest", None, id="unittest-is-a-module-only"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_recognised(command: str, name: str | None) -> None:
    runner = runners.recognise(split(command))
    assert (runner.name if runner else None) == name


NARROW = [
    # pytest: what does not narrow
    ("pytest -q", "pytest -q", "", [], "the-policy's-own-command"),
    ("pytest -q -n4 --tb=short --junitxml=a.xml --color yes -p no:cacheprovider", "pytest", "", [], "cosmetics"),
    ("pytest -x --maxfail=2", "pytest", "", [], "a-bail-flag-is-no-filter"),
    ("pytest --ff --nf", "pytest", "", [], "order-only"),
    ("pytest -k smoke", "pytest -k smoke", "", [], "a-filter-that-the-policy-has"),
    ("pytest -k smoke -m unit", "pytest -m unit --tb=no -k smoke", "", [], "the-order-of-words"),
    ("pytest", "pytest -k smoke", "", [], "wider-than-the-policy"),
    ("pytest tests", "pytest tests/unit", "", [], "a-folder-above"),
    ("pytest tests more", "pytest tests", "", [], "one-path-more"),
    ("pytest .", "pytest", "", [], "the-whole-folder"),
    ("pytest ./tests/", "pytest tests", "", [], "the-same-path-spelled-differently"),
    ("pytest -k ''", "pytest", "", [], "an-empty-filter-is-none"),
    ("pytest -o log_cli=true", "pytest", "", [], "a-setting-that-selects-nothing"),
    ("uv run python -m pytest -q", "pytest", "", [], "another-launcher-of-the-same-runner"),
    ("pytest", "pytest", "PYTEST_ADDOPTS=-q --tb=short", [], "cosmetics-in-the-environment"),
    ("pytest -k a", "pytest -k a", "PYTEST_ADDOPTS=-k b", [], "argv-overrules-the-environment"),
    ("pytest --cov src --cov-report term", "pytest", "", [], "an-optional-value-is-no-path"),
    ("pytest --timeout 10 --reruns 2", "pytest", "", [], "values-of-plugins'-options"),
    # pytest: what narrows
    ("pytest -k smoke", "pytest", "", ["-k smoke"], "keyword"),
    ("pytest -ksmoke", "pytest", "", ["-ksmoke"], "keyword-joined"),
    ("pytest -qk smoke", "pytest", "", ["-k smoke"], "keyword-at-the-end-of-a-cluster"),
    ("pytest -m 'not slow'", "pytest", "", ["-m 'not slow'"], "marker"),
    ("pytest -k 'a and b'", "pytest -k a", "", ["-k 'a and b'"], "another-keyword"),
    ("pytest -k b -k a", "pytest -k b", "", ["-k a"], "the-last-one-counts"),
    ("pytest tests/test_a.py", "pytest", "", ["only tests/test_a.py"], "path"),
    ("pytest tests/a.py::test_x", "pytest tests", "", ["only tests/a.py::test_x"], "node-id"),
    ("pytest tests", "pytest tests more", "", ["only tests"], "one-path-fewer"),
    ("pytest -- -odd.py", "pytest", "", ["only -odd.py"], "an-operand-behind-dashes"),
    ("pytest @list.txt", "pytest", "", ["only @list.txt"], "arguments-from-a-file"),
    ("pytest --lf", "pytest", "", ["--lf"], "last-failed"),
    ("pytest --sw", "pytest", "", ["--sw"], "stepwise"),
    ("pytest --deselect a::b --ignore=c", "pytest --ignore=c", "", ["--deselect a::b"], "deselect"),
    ("pytest --ignore=a --ignore=b", "pytest --ignore=a", "", ["--ignore=b"], "one-more-ignored"),
    ("pytest --shard-id 0 --num-shards 2", "pytest", "", ["--shard-id 0", "--num-shards 2"], "shards"),
    ("pytest -o python_files=x_*.py", "pytest", "", ["-o 'python_files=x_*.py'"], "a-setting-that-selects"),
    ("pytest -c other.ini", "pytest", "", ["-c other.ini"], "another-configuration"),
    ("pytest", "pytest --doctest-modules", "", ["without --doctest-modules"], "a-widening-option-left-out"),
    ("pytest", "pytest", "PYTEST_ADDOPTS=-k x", ["PYTEST_ADDOPTS: -k x"], "filter-in-the-environment"),
    ("cargo nextest run --partition count:1/2", "cargo nextest run", "", ["--partition count:1/2"], "nextest-shard"),
    ("env PYTEST_ADDOPTS=--lf pytest", "pytest", "", ["PYTEST_ADDOPTS: --lf"], "filter-by-env"),
    ("pytest --some-plugin value", "pytest", "", ["only value"], "an-unknown-option-is-read-with-care"),
    # the others
    ("python -m unittest discover -s tests", "python -m unittest discover -s tests", "", [], "unittest-discovery"),
    ("python -m unittest tests.test_a", "python -m unittest", "", ["only tests.test_a"], "unittest-names"),
    ("python -m xmlrunner -k x", "python -m xmlrunner", "", ["-k x"], "xmlrunner-keyword"),
    ("npx jest --ci --runInBand --coverage", "npx jest", "", [], "jest-cosmetics"),
    ("npx jest -t 'adds'", "npx jest", "", ["-t adds"], "jest-name"),
    ("npx jest cart", "npx jest", "", ["only cart"], "jest-path-pattern"),
    ("npx jest --onlyChanged", "npx jest", "", ["--onlyChanged"], "jest-changed"),
    ("npx jest --shard=1/2", "npx jest", "", ["--shard=1/2"], "jest-shard"),
    ("npx jest --selectProjects a b", "npx jest", "", ["--selectProjects a b"], "jest-many-values"),
    ("npx vitest run", "npx vitest", "", [], "vitest-run-is-no-path"),
    ("npx vitest --run --reporter=dot", "npx vitest run", "", [], "vitest-cosmetics"),
    ("npx vitest run src/a", "npx vitest run", "", ["only src/a"], "vitest-path"),
    ("npx vitest run --changed", "npx vitest run", "", ["--changed"], "vitest-changed"),
    ("npx vitest run --project a", "npx vitest run", "", ["--project a"], "vitest-project"),
    ("npx mocha -R dot", "npx mocha", "", [], "mocha-cosmetics"),
    ("npx mocha -g adds -i", "npx mocha", "", ["-g adds", "-i"], "mocha-grep"),
    ("npx mocha", "npx mocha --recursive", "", ["without --recursive"], "mocha-not-recursive"),
    ("npx mocha", "npx mocha", "MOCHA_OPTIONS=-g x", ["MOCHA_OPTIONS: -g x"], "mocha-environment"),
    ("node --test", "node --test", "", [], "node-whole"),
    ("node --test --test-name-pattern=x", "node --test", "", ["--test-name-pattern=x"], "node-pattern"),
    ("node --test test/a.js", "node --test", "", ["only test/a.js"], "node-file"),
    ("node --test", "node --test", "NODE_OPTIONS=--test-only", ["NODE_OPTIONS: --test-only"], "node-environment"),
    ("gotestsum", "gotestsum -- ./...", "", [], "gotestsum-means-all-packages"),
    ("gotestsum -- -count=1 -race ./...", "gotestsum", "", [], "go-neutral"),
    ("gotestsum -- ./pkg", "gotestsum", "", ["only ./pkg"], "go-package"),
    ("gotestsum -- ./pkg/...", "gotestsum -- ./pkg/a ./pkg/b/...", "", [], "go-packages-above"),
    ("gotestsum ./... -run X", "gotestsum ./...", "", ["-run X"], "go-flags-behind-the-packages"),
    ("go test -short ./...", "go test ./...", "", ["-short"], "go-short"),
    ("go test", "go test ./...", "", ["only ."], "go-one-package"),
    ("go test ./...", "go test ./...", "GOFLAGS=-run=X", ["GOFLAGS: -run=X"], "go-environment"),
    ("go test ./... -args -test.run=x", "go test ./...", "", ["-test.run=x"], "go-arguments-of-the-program"),
    ("cargo nextest run", "cargo nextest run", "", [], "nextest-whole"),
    ("cargo nextest r -E 'test(a)'", "cargo nextest run", "", ["-E 'test(a)'"], "nextest-filterset"),
    ("cargo nextest run", "cargo nextest run --workspace", "", ["without --workspace"], "nextest-one-package"),
    ("cargo nextest run --partition count:1/2", "cargo nextest run", "", ["--partition count:1/2"], "nextest-shard"),
    ("mvn verify", "mvn test", "", [], "maven-later-phase"),
    ("mvn clean test -T 4", "mvn -B test", "", [], "maven-cosmetics"),
    ("mvn test", "mvn verify", "", ["without verify"], "maven-earlier-phase"),
    ("mvn test -Dtest=CartTest", "mvn test", "", ["-Dtest=CartTest"], "maven-test"),
    ("mvn test -D test=CartTest", "mvn test", "", ["-Dtest=CartTest"], "maven-test-apart"),
    ("mvn test -pl core", "mvn test", "", ["-pl core"], "maven-module"),
    ("./gradlew test --tests A", "./gradlew test", "", ["--tests A"], "gradle-tests"),
    ("gradle :app:test", "gradle test", "", ["without test"], "gradle-one-project"),
    ("ctest --test-dir build -j 4 --output-on-failure", "ctest --test-dir build", "", [], "ctest-cosmetics"),
    ("ctest -R cart", "ctest", "", ["-R cart"], "ctest-regex"),
    ("ctest --rerun-failed", "ctest", "", ["--rerun-failed"], "ctest-rerun-failed"),
    ("ctest", "ctest", "GTEST_FILTER=A.*", ["GTEST_FILTER"], "googletest-environment"),
    ("vendor/bin/phpunit --testdox", "vendor/bin/phpunit", "", [], "phpunit-cosmetics"),
    ("vendor/bin/phpunit --filter testA", "vendor/bin/phpunit", "", ["--filter testA"], "phpunit-filter"),
    ("vendor/bin/phpunit tests/ATest.php", "vendor/bin/phpunit", "", ["only tests/ATest.php"], "phpunit-file"),
    ("rspec -fd --color", "rspec", "", [], "rspec-cosmetics"),
    ("rspec spec/a_spec.rb:12", "rspec spec", "", ["only spec/a_spec.rb:12"], "rspec-line"),
    ("rspec -t ~slow", "rspec", "", ["-t '~slow'"], "rspec-tag"),
    ("rspec", "rspec", "SPEC_OPTS=--only-failures", ["SPEC_OPTS: --only-failures"], "rspec-environment"),
    # unknown runners
    ("make test", "make test", "", [], "unknown-but-the-policy's-own"),
    ("make fast", "make test", "", ["another command than the policy's: make fast"], "unknown-and-another"),
    ("make fast", "pytest", "", ["another command than the policy's: make fast"], "unknown-for-known"),
    ("jest", "pytest", "", ["another command than the policy's: jest"], "another-known-runner"),
    ("make test", "make test", "PYTEST_ADDOPTS=-k x", ["PYTEST_ADDOPTS: -k x"], "the-environment-of-any-runner"),
    ("make fast", "", "", ["the runner is not known: make fast"], "unknown-and-no-policy-command"),
    ("pytest tests", "", "", ["only tests"], "no-policy-command"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "usual", "environment", "words"), [pytest.param(*row[:4], id=row[4]) for row in NARROW]
)
def test_narrowing(command: str, usual: str, environment: str, words: list[str]) -> None:
    name, _, value = environment.partition("=")
    found = runners.narrowing(split(command), {name: value} if name else {}, split(usual))
    assert list(found) == words


@pytest.mark.parametrize(
    ("command", "environment", "expected"),
    [
        pytest.param("pytest", {}, False, id="none"),
        pytest.param("pytest --maxfail=0", {}, False, id="pytest-off"),
        pytest.param("pytest -x --maxfail=0", {}, False, id="the-last-one-counts"),
        pytest.param("pytest -xvs", {}, True, id="pytest-in-a-cluster"),
        pytest.param("pytest --maxfail 1", {}, True, id="pytest-maxfail"),
        pytest.param("pytest", {"PYTEST_ADDOPTS": "-x"}, True, id="pytest-environment"),
        pytest.param("npx jest --bail", {}, True, id="jest"),
        pytest.param("npx jest --bail=0", {}, False, id="jest-off"),
        pytest.param("npx vitest run --bail 1", {}, True, id="vitest"),
        pytest.param("npx mocha -b", {}, True, id="mocha"),
        pytest.param("go test -failfast ./...", {}, True, id="go"),
        pytest.param("gotestsum --max-fails=3", {}, True, id="gotestsum"),
        pytest.param("cargo nextest run", {}, True, id="nextest-by-default"),
        pytest.param("cargo nextest run --no-fail-fast", {}, False, id="nextest-goes-on"),
        pytest.param("cargo nextest run --max-fail=all", {}, False, id="nextest-all"),
        pytest.param("mvn test -ff", {}, True, id="maven"),
        pytest.param("gradle test --fail-fast", {}, True, id="gradle"),
        pytest.param("ctest --stop-on-failure", {}, True, id="ctest"),
        pytest.param("ctest", {"GTEST_FAIL_FAST": "1"}, True, id="googletest-environment"),
        pytest.param("phpunit --stop-on-failure", {}, True, id="phpunit"),
        pytest.param("rspec --fail-fast=3", {}, True, id="rspec"),
        pytest.param("rspec --fail-fast --no-fail-fast", {}, False, id="rspec-taken-back"),
        pytest.param("make test", {}, False, id="unknown"),
    ],
)
def test_bails(command: str, environment: dict[str, str], expected: bool) -> None:
    assert runners.bails(split(command), environment) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("pytest -q", False, id="pytest-runs"),
        pytest.param("pytest --collect-only -q", True, id="pytest-collects"),
        pytest.param("pytest --co", True, id="pytest-collects-in-short"),
        pytest.param("pytest --setup-plan", True, id="pytest-plans"),
        pytest.param("npx jest --listTests", True, id="jest"),
        pytest.param("npx vitest list", True, id="vitest"),
        pytest.param("npx vitest run list", False, id="vitest-pattern-named-list"),
        pytest.param("npx mocha --dry-run", True, id="mocha"),
        pytest.param("go test -list . ./...", True, id="go"),
        pytest.param("cargo nextest list", True, id="nextest"),
        pytest.param("mvn verify -DskipTests", True, id="maven"),
        pytest.param("gradle test --dry-run", True, id="gradle"),
        pytest.param("ctest -N", True, id="ctest"),
        pytest.param("phpunit --list-tests", True, id="phpunit"),
        pytest.param("rspec --dry-run", True, id="rspec"),
        pytest.param("make -n test", False, id="unknown"),
    ],
)
def test_lists_only(command: str, expected: bool) -> None:
    assert runners.lists_only(split(command)) is expected


@pytest.mark.parametrize(
    ("command", "measured"),
    [
        pytest.param("pytest tests -k x", "pytest tests -k x", id="all-of-it"),
        pytest.param("pytest -vv -n 4 --tb=short --junitxml a.xml -ra --color=no tests", "pytest tests", id="pytest"),
        pytest.param("pytest -xq", "pytest -x", id="a-cluster-keeps-what-counts"),
        pytest.param("/home/ada/venv/bin/python -m pytest", "python -m pytest", id="no-person's-folder"),
        pytest.param("env TOKEN=secret PYTEST_ADDOPTS=-x pytest", "env TOKEN PYTEST_ADDOPTS=-x pytest", id="no-secret"),
        pytest.param("npx jest --ci --maxWorkers 2 --reporters default jest-junit", "npx jest", id="jest"),
        pytest.param("gotestsum --format dots -- -v ./...", "gotestsum -- ./...", id="gotestsum"),
        pytest.param("gotestsum --format dots --", "gotestsum", id="dashes-with-nothing-behind"),
        pytest.param("mvn -B -q -T 4 verify", "mvn verify", id="maven"),
        pytest.param("make -j4 test", "make -j4 test", id="unknown-stays"),
    ],
)
def test_measured_argv(command: str, measured: str) -> None:
    assert list(runners.measured_argv(split(command))) == split(measured)


@pytest.mark.parametrize(
    ("base", "tip", "words"),
    [
        pytest.param("pytest -q", "pytest -q", None, id="unchanged"),
        pytest.param("pytest -q", "pytest -vv -n4 --tb=short", None, id="cosmetics"),
        pytest.param("pytest -k x", "pytest", None, id="a-filter-dropped"),
        pytest.param("pytest tests", "pytest tests more", None, id="a-path-more"),
        pytest.param("pytest", "uv run pytest", None, id="another-launcher"),
        pytest.param("pytest", "pytest -x", None, id="a-bail-flag-selects-nothing"),
        pytest.param("pytest", "jest -t x", None, id="another-runner-is-a-note"),
        pytest.param("make test", "make fast", None, id="unknown-runners-are-a-note"),
        pytest.param("make test", "pytest -k x", None, id="from-an-unknown-one-is-a-note"),
        pytest.param("pytest", "pytest -k smoke", "-k smoke", id="keyword"),
        pytest.param("pytest", "pytest -m 'not slow' tests/unit", "-m 'not slow', only tests/unit", id="two-at-once"),
        pytest.param("pytest tests more", "pytest tests", "only tests", id="a-path-fewer"),
        pytest.param(
            "pytest --doctest-modules", "pytest", "without --doctest-modules", id="a-widening-option-left-out"
        ),
        pytest.param("pytest", "pytest --collect-only", "--collect-only", id="nothing-is-run"),
        pytest.param("pytest", "env PYTEST_ADDOPTS='-k x' pytest", "PYTEST_ADDOPTS: -k x", id="by-env"),
        pytest.param("ctest", "env GTEST_FILTER=A ctest", "GTEST_FILTER", id="by-a-variable"),
        pytest.param("mvn verify", "mvn test", "without verify", id="maven-phase"),
    ],
)
def test_added_selection(base: str, tip: str, words: str | None) -> None:
    assert runners.added_selection(split(base), split(tip)) == words


@pytest.mark.parametrize(
    ("command", "told", "reports"),
    [
        pytest.param(
            "pytest -q -- tests",
            "pytest --junitxml=/fresh/pytest.xml -o junit_family=xunit1 -q -- tests",
            ["/fresh/pytest.xml"],
            id="pytest-before-the-dashes",
        ),
        pytest.param("pytest --junitxml out.xml", "pytest --junitxml out.xml", ["out.xml"], id="pytest-own-report"),
        pytest.param(
            "python -m xmlrunner discover", "python -m xmlrunner discover -o /fresh", ["/fresh/*.xml"], id="xmlrunner"
        ),
        pytest.param(
            "python -m xmlrunner -o out", "python -m xmlrunner -o out", ["out/*.xml"], id="xmlrunner-own-report"
        ),
        pytest.param("python -m unittest", "python -m unittest", [], id="unittest-writes-none"),
        pytest.param(
            "npx jest a", "npx jest --reporters=default --reporters=jest-junit a", ["/fresh/jest.xml"], id="jest"
        ),
        pytest.param(
            "npx jest --reporters default jest-junit",
            "npx jest --reporters default jest-junit",
            ["/fresh/jest.xml"],
            id="jest-own",
        ),
        pytest.param(
            "npx vitest",
            "npx vitest --reporter=default --reporter=junit --outputFile.junit=/fresh/vitest.xml --watch=false",
            ["/fresh/vitest.xml"],
            id="vitest-runs-once",
        ),
        pytest.param(
            "npx vitest run --reporter=dot",
            "npx vitest run --reporter=dot --reporter=junit --outputFile.junit=/fresh/vitest.xml",
            ["/fresh/vitest.xml"],
            id="vitest-own-reporter-stays",
        ),
        pytest.param(
            "npx mocha",
            "npx mocha --reporter xunit --reporter-option output=/fresh/mocha.xml",
            ["/fresh/mocha.xml"],
            id="mocha",
        ),
        pytest.param(
            "node --test --test-reporter=tap",
            "node --test-reporter=junit --test-reporter-destination=/fresh/node.xml --test-reporter-destination=stdout"
            " --test --test-reporter=tap",
            ["/fresh/node.xml"],
            id="node-pairs-reporters-with-destinations",
        ),
        pytest.param(
            "gotestsum -- ./...",
            "gotestsum --junitfile=/fresh/gotestsum.xml --junitfile-testcase-classname=full -- ./...",
            ["/fresh/gotestsum.xml"],
            id="gotestsum",
        ),
        pytest.param(
            "cargo nextest run -P ci", "cargo nextest run -P ci", ["target/nextest/ci/*.xml"], id="nextest-profile"
        ),
        pytest.param(
            "mvn verify",
            "mvn verify",
            ["**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml"],
            id="maven",
        ),
        pytest.param("gradle test", "gradle test", ["**/build/test-results/**/TEST-*.xml"], id="gradle"),
        pytest.param("ctest -j4", "ctest --output-junit /fresh/ctest.xml -j4", ["/fresh/ctest.xml"], id="ctest"),
        pytest.param(
            "ctest --test-dir b --output-junit r.xml",
            "ctest --test-dir b --output-junit r.xml",
            ["b/r.xml"],
            id="ctest-own-report",
        ),
        pytest.param(
            "phpunit tests", "phpunit --log-junit /fresh/phpunit.xml tests", ["/fresh/phpunit.xml"], id="phpunit"
        ),
        pytest.param(
            "rspec spec",
            "rspec spec --format progress --format RspecJunitFormatter --out /fresh/rspec.xml",
            ["/fresh/rspec.xml"],
            id="rspec",
        ),
        pytest.param(
            "rspec --format RspecJunitFormatter --out r.xml",
            "rspec --format RspecJunitFormatter --out r.xml",
            ["r.xml"],
            id="rspec-own",
        ),
    ],
)
def test_told(command: str, told: str, reports: list[str]) -> None:
    answer = prepared(command)
    assert list(answer.command) == split(told)
    assert list(answer.reports) == reports


def test_a_report_that_the_environment_names_is_read_and_left_alone() -> None:
    answer = prepared("pytest", PYTEST_ADDOPTS="--junitxml=mine.xml")
    assert (answer.command, answer.reports) == (("pytest",), ("mine.xml",))


def test_jest_is_told_by_environment_where_the_file_goes() -> None:
    assert prepared("npx jest").environ["JEST_JUNIT_OUTPUT_FILE"] == "/fresh/jest.xml"


@pytest.mark.parametrize(
    "command", ["python -m unittest", "go test ./...", "cargo test", "npx jest", "rspec", "gradle test"]
)
def test_a_runner_that_may_write_nothing_says_what_to_do(command: str) -> None:
    assert prepared(command).hint


@pytest.mark.parametrize(
    ("command", "version"),
    [
        pytest.param("uv run pytest -q", ["uv", "run", "pytest", "--version"], id="behind-its-launcher"),
        pytest.param("node --test", ["node", "--version"], id="node"),
        pytest.param("coverage run -m pytest", None, id="never-a-second-recording"),
    ],
)
def test_version_command(command: str, version: list[str] | None) -> None:
    runner = runners.recognise(split(command))
    assert runner is not None
    found = runner.version_command(split(command))
    assert (list(found) if found is not None else None) == version


def test_every_program_that_is_recognised_has_a_row() -> None:
    from shipmoor_hooks.runners import launch

    named = {
        *launch.PROGRAMS.values(),
        *launch.MODULES.values(),
        *launch.PAIRS.values(),
        *launch.TRIPLES.values(),
        "node",
        "googletest",
    }
    assert named == set(runners.RUNNERS)
