"""The signs by which a repository shows its test runner: the files that the runner itself asks for (design, 5)."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.wiring.file_change import read_text
from shipmoor_hooks.wiring.toml_edit import parsed


@dataclass(frozen=True, slots=True)
class RunnerFound:
    """A runner, the command for its whole test set, and how we know. `reports` are where it leaves them (empty: it is
    told), `setup` what a fresh checkout needs before it."""

    runner: str
    command: tuple[str, ...]
    because: str
    reports: tuple[str, ...] = ()
    format: str = ""
    setup: tuple[tuple[str, ...], ...] = ()


class Tree:
    """The files of a working tree, read once each and only where somebody asks."""

    def __init__(self, top: str) -> None:
        self.top = top

    def text(self, name: str) -> str:
        try:
            return read_text(os.path.join(self.top, name)) or ""
        except EnvironmentFault:  # a folder of that name, or not readable: no sign of a runner
            return ""

    def texts(self, *patterns: str) -> str:
        """All that the matching files say."""
        return "\n".join(self.text(name) for pattern in patterns for name in self.all(pattern))

    def toml(self, name: str) -> dict[str, object]:
        return parsed(self.text(name)) or {}

    def all(self, pattern: str) -> list[str]:
        found = sorted(glob.glob(os.path.join(glob.escape(self.top), pattern)))
        return [os.path.relpath(path, self.top) for path in found]

    def first(self, *patterns: str) -> str:
        """The first file that matches, "" for none."""
        return next((name for pattern in patterns for name in self.all(pattern)), "")


PYTHON_LOCKS = {"uv.lock": ("uv", "run"), "poetry.lock": ("poetry", "run"), "pdm.lock": ("pdm", "run")}
JAVASCRIPT_LOCKS = {"pnpm-lock.yaml": ("pnpm", "exec"), "yarn.lock": ("yarn",), "bun.lock": ("bunx",)}
JAVASCRIPT_SETUP = {
    "package-lock.json": ("npm", "ci"),
    "pnpm-lock.yaml": ("pnpm", "install", "--frozen-lockfile"),
    "yarn.lock": ("yarn", "install", "--frozen-lockfile"),
    "bun.lock": ("bun", "install", "--frozen-lockfile"),
}


def launcher(tree: Tree, locks: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What the project's own package manager puts before a program, by the lock file that stands."""
    return next((words for name, words in locks.items() if tree.first(name)), ())


# ---------------------------------------------------------------- Python

PYTEST_FILES: tuple[str, ...] = (
    *("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"),
    *("conftest.py", "tests/conftest.py", "test/conftest.py"),
)
TEST_FILES: tuple[str, ...] = (
    *("tests/test_*.py", "tests/*/test_*.py", "tests/*/*/test_*.py", "test_*.py", "tests/*_test.py", "test/test_*.py"),
)
REQUIREMENTS: tuple[str, ...] = (
    *("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "Pipfile", "environment.yml"),
    *("requirements*.txt", "requirements/*.txt"),
)


def _python(tree: Tree) -> RunnerFound | None:
    tool = tree.toml("pyproject.toml").get("tool")
    before = launcher(tree, PYTHON_LOCKS)
    if isinstance(tool, dict) and "pytest" in tool:
        because = "[tool.pytest] in pyproject.toml"
    elif re.search(r"^\[tool:pytest\]", tree.text("setup.cfg"), re.MULTILINE):
        because = "[tool:pytest] in setup.cfg"
    elif re.search(r"^\[pytest\]", tree.text("tox.ini"), re.MULTILINE):
        because = "[pytest] in tox.ini"
    else:
        because = tree.first(*PYTEST_FILES)
    if not because and (name := tree.first("nose2.cfg", "unittest.cfg")):
        return RunnerFound("nose2", (*before, "nose2"), name)
    if not because and (found := _unittest(tree, before)):
        return found
    because = because or tree.first(*TEST_FILES)
    return RunnerFound("pytest", (*before, "pytest", "-q"), because) if because else None


def _unittest(tree: Tree, before: tuple[str, ...]) -> RunnerFound | None:
    """A project whose tests are unittest's and that names pytest nowhere."""
    wanted = tree.texts(*REQUIREMENTS)
    example = next((n for p in TEST_FILES for n in tree.all(p) if "unittest" in tree.text(n)), "")
    if not example or "pytest" in wanted or "pytest" in tree.text(example):
        return None
    folder = example.partition("/")[0] if "/" in example else ""
    where = ("-s", folder, *(("-t", ".") if tree.first(f"{folder}/__init__.py") else ())) if folder else ()
    needs = "" if "unittest-xml-reporting" in wanted else "; it needs unittest-xml-reporting, unittest writes no report"
    return RunnerFound("xmlrunner", (*before, "python", "-m", "xmlrunner", "discover", *where), f"{example}{needs}")


def _behave(tree: Tree) -> RunnerFound | None:
    name = tree.first("behave.ini", ".behaverc", "features/steps/*.py")
    feature = tree.first("features/*.feature", "features/*/*.feature")
    return RunnerFound("behave", (*launcher(tree, PYTHON_LOCKS), "behave"), name) if name and feature else None


def _robot(tree: Tree) -> RunnerFound | None:
    name = tree.first("tests/*.robot", "tests/*/*.robot", "test/*.robot", "robot/*.robot", "*.robot")
    folder = name.partition("/")[0] if "/" in name else "."
    command = (*launcher(tree, PYTHON_LOCKS), "robot", "--outputdir", "build/robot", folder)
    return RunnerFound("robot", command, f"{name}; keep build/ out of git") if name else None


# ---------------------------------------------------------------- JavaScript


def _package(tree: Tree) -> tuple[set[str], str]:
    """The names that package.json depends on, and its test script."""
    try:
        package = json.loads(tree.text("package.json") or "{}")
    except ValueError:
        return set(), ""
    if not isinstance(package, dict):
        return set(), ""
    tables = [package.get(key) for key in ("devDependencies", "dependencies")]
    scripts = package.get("scripts")
    script = scripts.get("test") if isinstance(scripts, dict) else ""
    return {n for t in tables if isinstance(t, dict) for n in t}, script if isinstance(script, str) else ""


def _script(
    tree: Tree, runner: str, words: tuple[str, ...], because: str, reports: tuple[str, ...] = ()
) -> RunnerFound:
    before = launcher(tree, JAVASCRIPT_LOCKS) or ("npx",)
    setup = launcher(tree, JAVASCRIPT_SETUP)
    return RunnerFound(runner, (*before, *words), because, reports, setup=(setup,) if setup else ())


def _javascript(tree: Tree) -> RunnerFound | None:
    names, script = _package(tree)
    for name, words in (("vitest", ("vitest", "run")), ("jest", ("jest",)), ("mocha", ("mocha",)), ("tap", ("tap",))):
        if name in names:
            needs = "; it needs jest-junit too" if name == "jest" and "jest-junit" not in names else ""
            return _script(tree, name, words, f"{name} in package.json{needs}")
    if "jasmine" in names:
        because = "jasmine in package.json; let jasmine-reporters write its report into build/"
        return _script(tree, "jasmine", ("jasmine",), because, reports=("build/*.xml",))
    if re.match(r"node\s.*--test\b", script):
        plain = not re.search(r"[;&|<>$`*'\"\\]", script)
        return RunnerFound(
            "node", tuple(script.split()) if plain else ("node", "--test"), "the test script in package.json"
        )
    return None


def _browser(tree: Tree) -> RunnerFound | None:
    names, _ = _package(tree)
    if "@playwright/test" in names:
        return _script(tree, "playwright", ("playwright", "test"), "@playwright/test in package.json")
    if "cypress" in names:
        return _script(tree, "cypress", ("cypress", "run"), "cypress in package.json")
    return None


# ---------------------------------------------------------------- compiled


def _go(tree: Tree) -> RunnerFound | None:
    name = tree.first("go.mod", "go.work")
    why = f"{name}; go test itself writes no report, gotestsum does"
    return RunnerFound("gotestsum", ("gotestsum", "--", "./..."), why) if name else None


def _rust(tree: Tree) -> RunnerFound | None:
    why = "Cargo.toml; cargo test itself writes no report, cargo-nextest does"
    if "junit" not in tree.text(".config/nextest.toml"):
        why += ' where .config/nextest.toml says [profile.default.junit] path = "junit.xml"'
    command = ("cargo", "nextest", "run", "--no-fail-fast")
    return RunnerFound("nextest", command, why) if tree.first("Cargo.toml") else None


def _cmake(tree: Tree) -> RunnerFound | None:
    if not re.search(
        r"^\s*(enable_testing|include)\s*\(\s*(CTest)?\s*\)", tree.text("CMakeLists.txt"), re.MULTILINE | re.IGNORECASE
    ):
        return None
    setup = (("cmake", "-S", ".", "-B", "build"), ("cmake", "--build", "build"))
    return RunnerFound("ctest", ("ctest", "--test-dir", "build"), "CMakeLists.txt; build before you run", setup=setup)


def _jvm(tree: Tree) -> RunnerFound | None:
    if tree.first("pom.xml"):
        return RunnerFound("maven", ("./mvnw" if tree.first("mvnw") else "mvn", "test"), "pom.xml")
    name = tree.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    if not name:
        return None
    # A test task that is up to date runs nothing and leaves the old reports.
    command = ("./gradlew" if tree.first("gradlew") else "gradle", "test", "--rerun-tasks")
    return RunnerFound("gradle", command, name)


def _dotnet(tree: Tree) -> RunnerFound | None:
    name = tree.first("*.sln", "*.slnx", "*.csproj", "*.fsproj")
    return RunnerFound("dotnet", ("dotnet", "test"), name) if name else None


# ---------------------------------------------------------------- scripting


def _bundled(tree: Tree, *words: str) -> tuple[str, ...]:
    return ("bundle", "exec", *words) if tree.first("Gemfile") else words


def _ruby(tree: Tree) -> RunnerFound | None:
    if name := tree.first(".rspec", "spec/spec_helper.rb"):
        return RunnerFound("rspec", _bundled(tree, "rspec"), f"{name}; it needs the gem rspec_junit_formatter")
    name = tree.first("test/*_test.rb", "test/*/*_test.rb")
    command = ("bin/rails", "test") if tree.first("bin/rails") else _bundled(tree, "rake", "test")
    if not name or not tree.first("bin/rails", "Rakefile"):
        return None
    return RunnerFound("minitest", command, f"{name}; let the JUnitReporter of minitest-reporters stand in the helper")


def _php(tree: Tree) -> RunnerFound | None:
    name = tree.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
    command = "vendor/bin/phpunit" if tree.first("composer.json", "vendor/bin/phpunit") else "phpunit"
    return RunnerFound("phpunit", (command,), name) if name else None


def _perl(tree: Tree) -> RunnerFound | None:
    name = tree.first("t/*.t", "t/*/*.t")
    words = (*(("-l",) if tree.first("lib") else ()), *(("-r",) if tree.first("t/*/*.t") else ()))
    return RunnerFound("prove", ("prove", *words, "t"), name) if name else None


def _bats(tree: Tree) -> RunnerFound | None:
    name = tree.first("tests/*.bats", "test/*.bats", "tests/*/*.bats", "test/*/*.bats", "*.bats")
    folder = name.partition("/")[0] if "/" in name else "."
    deep = ("-r",) if tree.first(f"{folder}/*/*.bats") else ()
    return RunnerFound("bats", ("bats", *deep, folder), name) if name else None


def _plugin_eval(tree: Tree) -> RunnerFound | None:
    cases = tree.first("evals/*/case.yaml", "evals/*/prompt.md", "evals/*/*/case.yaml", "evals/*/*/prompt.md")
    if not cases or not tree.first(".claude-plugin/plugin.json"):
        return None
    command = ("claude", "plugin", "eval", ".", "--trust-plugin", "--ablation", "none", "--no-publish")
    return RunnerFound("plugin-eval", command, f".claude-plugin/plugin.json and {cases}", format="plugin-eval")


LOOKS: Iterable[Callable[[Tree], RunnerFound | None]] = (
    *(_python, _javascript, _go, _rust, _cmake, _jvm, _dotnet, _ruby, _php, _perl, _bats),
    *(_behave, _robot, _browser, _plugin_eval),
)
