"""The examples, really run: one small repository per runner, measured, a test taken away, and the loss named.

pytest and node stand here always. The others run where their program is installed (`matrix`) or where packages can be
fetched (`network`); a case that cannot run is skipped by the name of what is missing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import runners
from shipmoor_hooks.policy import parse
from shipmoor_hooks.wiring import detect

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class Example:
    """Which cases there are, and how one goes away: the file, where its text begins, where the next one does ("" for the
    end of the file). `build` runs before each run."""

    lost: str
    kept: tuple[str, str]
    file: str
    begins: str
    ends: str
    build: tuple[tuple[str, ...], ...] = ()


UNITTEST = Example(
    "tests/test_basket.py::BasketCase::test_total_of_nothing",
    ("tests/test_basket.py::BasketCase::test_reduced", "tests/test_basket.py::BasketCase::test_total"),
    "tests/test_basket.py",
    "    def test_total_of_nothing",
    "    def test_reduced",
)


def javascript(file: str = "test/basket.test.js", prefix: str = "test/basket.test.js::", word: str = "test") -> Example:
    """The tests of the JavaScript examples have the same titles."""
    nothing = f"{word}('total of nothing'"
    return Example(
        f"{prefix}total of nothing", (f"{prefix}reduced", f"{prefix}total"), file, nothing, f"{word}('reduced'"
    )


MAKE = (("make", "-s"),)
PYTHON = {
    "xmlrunner": UNITTEST,
    "nose2": UNITTEST,
    "behave": Example(
        "basket.Basket::The total of nothing",
        ("basket.Basket::A reduced price", "basket.Basket::A total"),
        "features/basket.feature",
        "  Scenario: The total of nothing",
        "  Scenario: A reduced price",
    ),
    "robot": Example(
        "Basket::The Total Of Nothing",
        ("Basket::A Reduced Price", "Basket::A Total"),
        "tests/basket.robot",
        "The Total Of Nothing",
        "A Reduced Price",
    ),
}
NPM = {
    "jest": javascript(),
    "vitest": javascript(),
    "mocha": javascript(prefix="test/basket.test.js::basket::", word="it"),
    "playwright": javascript("test/basket.spec.js", "test/basket.spec.js::"),
    "jasmine": javascript("spec/basket.spec.js", "basket::", "it"),
    "tap": Example(
        "test/basket.test.js::total of nothing::should be equal",
        ("test/basket.test.js::reduced::should be equal", "test/basket.test.js::total::should be equal"),
        "test/basket.test.js",
        "t.test('total of nothing'",
        "t.test('reduced'",
    ),
}
INSTALLED = {
    "gotestsum": Example(
        "example.org/basket::TestTotalOfNothing",
        ("example.org/basket::TestReduced", "example.org/basket::TestTotal"),
        "basket_test.go",
        "func TestTotalOfNothing",
        "func TestReduced",
    ),
    "nextest": Example(
        "basket::tests::total_of_nothing",
        ("basket::tests::reduced_by_percent", "basket::tests::total_of_two"),
        "src/lib.rs",
        "    #[test]\n    fn total_of_nothing",
        "    #[test]\n    fn reduced",
    ),
    "ctest": Example(
        "total_of_nothing::total_of_nothing",
        ("reduced::reduced", "total::total"),
        "CMakeLists.txt",
        "add_test(NAME total_of_nothing",
        "add_test(NAME reduced",
        (("cmake", "-S", ".", "-B", "build"), ("cmake", "--build", "build")),
    ),
    "googletest": Example(
        "Basket::TotalOfNothing",
        ("Basket::Reduced", "Basket::Total"),
        "basket_test.cc",
        "TEST(Basket, TotalOfNothing)",
        "TEST(Basket, Reduced)",
        MAKE,
    ),
    "catch2": Example(
        "basket_test.global::total of nothing",
        ("basket_test.global::reduced", "basket_test.global::total"),
        "basket_test.cc",
        'TEST_CASE("total of nothing")',
        'TEST_CASE("reduced")',
        MAKE,
    ),
    "maven": Example(
        "org.example.BasketTest::totalOfNothing",
        ("org.example.BasketTest::reduced", "org.example.BasketTest::total"),
        "src/test/java/org/example/BasketTest.java",
        "  @Test\n  void totalOfNothing",
        "  @Test\n  void reduced",
    ),
    "phpunit": Example(
        "tests/BasketTest.php::BasketTest::testTotalOfNothing",
        ("tests/BasketTest.php::BasketTest::testReduced", "tests/BasketTest.php::BasketTest::testTotal"),
        "tests/BasketTest.php",
        "    public function testTotalOfNothing",
        "    public function testReduced",
    ),
    "rspec": Example(
        "spec/basket_spec.rb::Basket totals nothing",
        ("spec/basket_spec.rb::Basket reduces a price", "spec/basket_spec.rb::Basket totals prices"),
        "spec/basket_spec.rb",
        '  it("totals nothing")',
        '  it("reduces',
    ),
    "minitest": Example(
        "BasketTest::test_total_of_nothing",
        ("BasketTest::test_reduced", "BasketTest::test_total"),
        "test/basket_test.rb",
        "  def test_total_of_nothing",
        "  def test_reduced",
    ),
    "bats": Example(
        "basket.bats::total of nothing",
        ("basket.bats::reduced", "basket.bats::total"),
        "tests/basket.bats",
        '@test "total of nothing"',
        '@test "reduced"',
    ),
    "prove": Example(
        "t/basket.t::total of nothing",
        ("t/basket.t::reduced", "t/basket.t::total"),
        "t/basket.t",
        "is(Basket::total(), 0",
        "is(Basket::reduced",
    ),
}
PLAIN = {
    "pytest": Example(
        "tests/test_basket.py::test_total_of_nothing",
        ("tests/test_basket.py::test_reduced", "tests/test_basket.py::test_total"),
        "tests/test_basket.py",
        "def test_total_of_nothing",
        "def test_reduced",
    ),
    "node": javascript(prefix=""),
}


@dataclass
class World:
    """An example's copy as a repository of its own, and the product started on it as a user does."""

    repo: RepoBuilder
    example: Example

    def product(self, *words: str) -> tuple[int, str]:
        """The exit code, and what was printed from the first JSON of ours on: a suite's own output stands before it."""
        done = self.repo.tool(*words)
        text = done.stdout.decode()
        begin = re.search(r'^\{\s+"schema": "shipmoor', text, re.M)
        assert begin is not None, text + done.stderr.decode()
        return done.returncode, text[begin.start() :]

    def measured(self) -> dict[str, object]:
        for command in self.example.build:
            subprocess.run(command, cwd=self.repo.path, env=self.repo.env, check=True, capture_output=True)
        code, text = self.product("run", "--format", "json")
        answer: dict[str, object] = json.loads(text)
        assert code == 0, answer
        cases = json.loads(self.product("show", "--format", "json", str(answer["run"]))[1])["cases"]
        return answer | {"cases": [named(case["case"]) for case in cases]}

    def take_away(self) -> None:
        path = self.repo.path / self.example.file
        text = path.read_text()
        begin = text.index(self.example.begins)
        path.write_text(text[:begin] + text[text.index(self.example.ends, begin) :])
        self.repo.commit("Drop a test")


def world(name: str, example: Example, repo: RepoBuilder, packages: Path | None = None) -> World:
    shutil.copytree(EXAMPLES / name, repo.path, dirs_exist_ok=True)
    if packages is not None:
        (repo.path / "node_modules").symlink_to(packages / "node_modules")
    repo.env["PYTHONPATH"] = str(ROOT)
    repo.env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), repo.env["PATH"]])
    repo.commit("A basket")
    return World(repo, example)


def named(case: str) -> str:
    """minitest-reporters called every class by one name for a while (Debian 12 has such a one)."""
    return case.replace("Minitest::Result::", "BasketTest::")


def told(there: World) -> None:
    """Measure, lose a case, measure again: the gate names it, and nothing else."""
    lost, kept = there.example.lost, there.example.kept
    first = there.measured()
    assert (first["complete"], first["passed"], first["of"]) == (True, 3, 3)
    assert set(first["cases"]) == {lost, *kept}  # type: ignore[call-overload]
    there.take_away()
    second = there.measured()
    assert (second["complete"], second["passed"], second["of"]) == (True, 2, 2)
    assert set(second["cases"]) == set(kept)  # type: ignore[call-overload]
    code, text = there.product("gate", "--base", "HEAD~1", "--format", "json")
    verdict = json.loads(text)
    found = [(f["code"], named(f["case"])) for f in verdict["findings"] if f["level"] == "refuse"]
    assert (code, verdict["verdict"], found) == (1, "refused", [("CASE_REMOVED", lost)])
    [counts] = verdict["suites"]
    assert (counts["base"], counts["tip"]) == ({"passed": 3, "of": 3}, {"passed": 2, "of": 2})


@pytest.mark.parametrize("name", PLAIN)
def test_always(name: str, repo: RepoBuilder) -> None:
    if name == "node" and shutil.which("node") is None:
        pytest.skip("node is not installed")
    told(world(name, PLAIN[name], repo))


def program(name: str) -> str:
    """What of an example has to be on PATH, or the header that has to be there."""
    words = {"googletest": "/usr/include/gtest/gtest.h", "catch2": "/usr/include/catch2/catch.hpp"}
    return words.get(name) or {"maven": "mvn", "nextest": "cargo-nextest", "minitest": "rake"}.get(name, name)


def is_missing(name: str) -> bool:
    wanted = program(name)
    return not os.path.exists(wanted) if wanted.startswith("/") else shutil.which(wanted) is None


@pytest.mark.matrix
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            n,
            marks=[
                pytest.mark.skipif(is_missing(n), reason=f"{program(n)} is not installed"),
                *([pytest.mark.network] if n == "maven" else []),
            ],
        )
        for n in INSTALLED
    ],
)
def test_installed(name: str, repo: RepoBuilder) -> None:
    if name == "rspec" and not has_gem("rspec_junit_formatter"):
        pytest.skip("the gem rspec_junit_formatter is not installed")
    if name == "minitest" and not has_gem("minitest/reporters"):
        pytest.skip("the gem minitest-reporters is not installed")
    there = world(name, INSTALLED[name], repo)
    if name == "maven":
        fetched = there.repo.process(["mvn", "-q", "dependency:go-offline"])
        if fetched.returncode:
            pytest.skip("maven cannot fetch its plugins")
    told(there)


def has_gem(library: str) -> bool:
    command = ["ruby", "-e", f"require '{library}'"]
    return (
        shutil.which("ruby") is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


@pytest.fixture(scope="module")
def fetched_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the runners and the product's own dependencies."""
    folder = tmp_path_factory.mktemp("python") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(folder)], check=True)
    wanted = ["unittest-xml-reporting", "nose2", "behave", "robotframework"]
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, *wanted], check=True, timeout=300)
    return folder / "bin"


@pytest.mark.matrix
@pytest.mark.network
@pytest.mark.parametrize("name", PYTHON)
def test_from_pip(name: str, repo: RepoBuilder, fetched_python: Path) -> None:
    there = world(name, PYTHON[name], repo)
    repo.env["PATH"] = os.pathsep.join([str(fetched_python), repo.env["PATH"]])
    told(there)


@pytest.fixture(scope="module")
def fetched_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder with what the package.json of every example asks for."""
    folder = tmp_path_factory.mktemp("npm")
    wanted: dict[str, str] = {}
    for name in NPM:
        wanted |= json.loads((EXAMPLES / name / "package.json").read_text())["devDependencies"]
    (folder / "package.json").write_text(json.dumps({"private": True, "devDependencies": wanted}))
    subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=400)
    return folder


@pytest.mark.matrix
@pytest.mark.network
@pytest.mark.parametrize("name", NPM)
def test_from_npm(name: str, repo: RepoBuilder, fetched_packages: Path) -> None:
    told(world(name, NPM[name], repo, fetched_packages))


# ---------------------------------------------------------------- what holds for all of them


EVERY = PLAIN | PYTHON | NPM | INSTALLED


def test_every_folder_is_run_by_a_test() -> None:
    others = {"voyage", "ci"}  # tests/test_ci_templates.py runs the commands of the latter
    assert {p.name for p in EXAMPLES.iterdir() if p.is_dir()} - others == set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_an_example_s_policy_is_read_and_its_readme_names_the_case(name: str) -> None:
    policy = parse((EXAMPLES / name / "shipmoor-hooks.toml").read_bytes(), "shipmoor-hooks.toml")
    suite = policy.suites["unit"]
    runner = runners.recognise(suite.command)
    assert (runner.name if runner else suite.reports) == (("build/report.xml",) if name == "catch2" else name)
    readme = (EXAMPLES / name / "README.md").read_text()
    assert f"`{EVERY[name].lost}`" in readme
    assert len(readme.splitlines()) <= 16
    assert re.search(r"^    shipmoor-hooks run ", readme, re.M)


@pytest.mark.parametrize("name", EVERY)
def test_init_proposes_what_the_example_s_policy_says(name: str) -> None:
    """So what runs above is what `init` writes. Nothing shows a program that somebody built."""
    proposed = parse(detect.policy_text(detect.detect(str(EXAMPLES / name))).encode(), "shipmoor-hooks.toml")
    policy = parse((EXAMPLES / name / "shipmoor-hooks.toml").read_bytes(), "shipmoor-hooks.toml")
    if name in ("googletest", "catch2"):
        assert not proposed.suites
    else:
        assert set(proposed.suites) == {"unit"}
        asked = [(p.suites["unit"].command, p.suites["unit"].reports) for p in (proposed, policy)]
        assert asked[0] == asked[1]
