"""Which runner a repository uses, by the files that the runner asks for, and the policy that follows (design, 5)."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.file_change import read_text
from shipmoor_hooks.toml_edit import parsed


@dataclass(frozen=True, slots=True)
class RunnerFound:
    """A runner, the command for its whole test set, where its reports lie (empty: it is told), and how we know."""

    runner: str
    command: tuple[str, ...]
    because: str
    reports: tuple[str, ...] = ()
    format: str = ""


class Tree:
    """The files at the top of a working tree, read once and only where somebody asks."""

    def __init__(self, top: str) -> None:
        self.top = top

    def text(self, name: str) -> str:
        try:
            return read_text(os.path.join(self.top, name)) or ""
        except EnvironmentFault:  # a folder of that name, or not readable: no sign of a runner
            return ""

    def toml(self, name: str) -> dict[str, object]:
        return parsed(self.text(name)) or {}

    def first(self, *patterns: str) -> str:
        """The first file that matches, "" for none."""
        for pattern in patterns:
            found = sorted(glob.glob(os.path.join(glob.escape(self.top), pattern)))
            if found:
                return os.path.relpath(found[0], self.top)
        return ""


PYTHON_LOCKS = {"uv.lock": ("uv", "run"), "poetry.lock": ("poetry", "run"), "pdm.lock": ("pdm", "run")}
JAVASCRIPT_LOCKS = {"pnpm-lock.yaml": ("pnpm", "exec"), "yarn.lock": ("yarn",), "bun.lock": ("bunx",)}


def detect(top: str) -> tuple[RunnerFound, ...]:
    """Every runner that the working tree shows, the likeliest first; () when there is none that we know."""
    tree = Tree(top)
    return tuple(found for look in LOOKS if (found := look(tree)) is not None)


PYTEST_FILES = (
    *(
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "conftest.py",
        "tests/conftest.py",
        "test/conftest.py",
    ),
    *("tests/test_*.py", "tests/*/test_*.py", "tests/*/*/test_*.py", "test_*.py", "tests/*_test.py"),
)


def _pytest(tree: Tree) -> RunnerFound | None:
    tool = tree.toml("pyproject.toml").get("tool")
    if isinstance(tool, dict) and "pytest" in tool:
        because = "[tool.pytest] in pyproject.toml"
    elif re.search(r"^\[tool:pytest\]", tree.text("setup.cfg"), re.MULTILINE):
        because = "[tool:pytest] in setup.cfg"
    elif re.search(r"^\[pytest\]", tree.text("tox.ini"), re.MULTILINE):
        because = "[pytest] in tox.ini"
    else:
        because = tree.first(*PYTEST_FILES)
    return RunnerFound("pytest", (*launcher(tree, PYTHON_LOCKS), "pytest", "-q"), because) if because else None


def launcher(tree: Tree, locks: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What the project's own package manager puts before a program, by the lock file that stands."""
    return next((words for name, words in locks.items() if tree.first(name)), ())


def _javascript(tree: Tree) -> RunnerFound | None:
    try:
        package = json.loads(tree.text("package.json") or "{}")
    except ValueError:
        return None
    if not isinstance(package, dict):
        return None
    tables = [package.get(key) for key in ("devDependencies", "dependencies")]
    names = {name for table in tables if isinstance(table, dict) for name in table}
    before = launcher(tree, JAVASCRIPT_LOCKS) or ("npx",)
    for name, words in (("vitest", ("vitest", "run")), ("jest", ("jest",)), ("mocha", ("mocha",))):
        if name in names:
            return RunnerFound(name, (*before, *words), f"{name} in package.json")
    if "@playwright/test" not in names:
        return None
    command = (
        "env",
        "PLAYWRIGHT_JUNIT_OUTPUT_NAME=build/playwright.xml",
        *before,
        "playwright",
        "test",
        "--reporter=junit",
    )
    return RunnerFound("playwright", command, "@playwright/test in package.json", ("build/playwright.xml",))


def _go(tree: Tree) -> RunnerFound | None:
    name = tree.first("go.mod", "go.work")
    why = f"{name}; go test itself writes no report, gotestsum does"
    return RunnerFound("gotestsum", ("gotestsum", "--", "./..."), why) if name else None


def _rust(tree: Tree) -> RunnerFound | None:
    why = "Cargo.toml; cargo test itself writes no report, cargo-nextest does"
    return RunnerFound("nextest", ("cargo", "nextest", "run"), why) if tree.first("Cargo.toml") else None


def _jvm(tree: Tree) -> RunnerFound | None:
    if tree.first("pom.xml"):
        command = ("./mvnw" if tree.first("mvnw") else "mvn", "test")
        return RunnerFound("maven", command, "pom.xml")
    name = tree.first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    if not name:
        return None
    command = ("./gradlew" if tree.first("gradlew") else "gradle", "test")
    return RunnerFound("gradle", command, name)


def _dotnet(tree: Tree) -> RunnerFound | None:
    name = tree.first("*.sln", "*.slnx", "*.csproj", "*.fsproj")
    command = ("dotnet", "test", "--logger", "trx", "--results-directory", "build/trx")
    return RunnerFound("dotnet", command, name, ("build/trx/*.trx",)) if name else None


def _ruby(tree: Tree) -> RunnerFound | None:
    name = tree.first(".rspec", "spec/spec_helper.rb")
    return RunnerFound("rspec", ("bundle", "exec", "rspec"), name) if name else None


def _php(tree: Tree) -> RunnerFound | None:
    name = tree.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
    return RunnerFound("phpunit", ("vendor/bin/phpunit",), name) if name else None


def _plugin_eval(tree: Tree) -> RunnerFound | None:
    cases = tree.first("evals/*/case.yaml", "evals/*/prompt.md", "evals/*/*/case.yaml", "evals/*/*/prompt.md")
    if not cases or not tree.first(".claude-plugin/plugin.json"):
        return None
    command = ("claude", "plugin", "eval", ".", "--trust-plugin", "--ablation", "none", "--no-publish")
    return RunnerFound("plugin-eval", command, f".claude-plugin/plugin.json and {cases}", format="plugin-eval")


LOOKS: tuple[Callable[[Tree], RunnerFound | None], ...] = (
    _pytest, _javascript, _go, _rust, _jvm, _dotnet, _ruby, _php, _plugin_eval,
)  # fmt: skip

HEAD = """\
# What shipmoor-hooks measures. The gate reads this file as it stands at the merge base, so a change here is judged by
# what was asked before.

[gate]
target = "origin/HEAD"  # the branch whose merge base a push is compared with
"""

NO_RUNNER = """
# No test runner was recognised in this repository, so nothing is measured yet. Name the command that runs the whole
# test set, and where it leaves its reports (`shipmoor-hooks read FILE` shows what is seen in one):
#
# [suite.unit]
# command = ["make", "test"]
# reports = ["build/reports/*.xml"]
"""


def policy_text(found: tuple[RunnerFound, ...]) -> str:
    """A shipmoor-hooks.toml: `unit` is the first runner's suite, `evals` the eval cases', others by runner."""
    parts = [HEAD]
    taken: set[str] = set()
    for one in found:
        name = "evals" if one.format == "plugin-eval" else one.runner if "unit" in taken else "unit"
        taken.add(name)
        parts.append(f"\n# Found: {one.because}\n[suite.{name}]\ncommand = {json.dumps(list(one.command))}\n")
        if one.reports:
            parts.append(f"reports = {json.dumps(list(one.reports))}\n")
        if one.format:
            parts.append(f'format = "{one.format}"\n')
    if not found:
        parts.append(NO_RUNNER)
    return "".join(parts)
