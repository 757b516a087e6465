"""`init` as a plan: what is found, what would be written, that a second time changes nothing (design, 5 and 10.21)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks.errors import PolicyFault, UsageFault
from shipmoor_hooks.place import find
from shipmoor_hooks.policy import parse
from shipmoor_hooks.runners import recognise
from shipmoor_hooks.wiring import detect, hook_source
from shipmoor_hooks.wiring.hook_source import HookSource
from shipmoor_hooks.wiring.install import Plan, apply, plan_init

HOOKS = {"pre-push", "post-commit", "commit-msg"}


def plan(repo: RepoBuilder, python: Path, cwd: Path | None = None) -> Plan:
    return plan_init(find(str(cwd or repo.path), repo.env), repo.env, str(python), HookSource())


def hooks(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def test_a_plan_writes_nothing(repo: RepoBuilder, installed_python: Path) -> None:
    before = sorted(repo.path.rglob("*"))
    made = plan(repo, installed_python)
    assert made.host == "git"
    assert not made.is_done
    assert made.diff().count("+#!/bin/sh") == 3
    assert sorted(repo.path.rglob("*")) == before


def test_plain_hooks_and_a_policy_and_then_nothing_more(repo: RepoBuilder, installed_python: Path) -> None:
    repo.write("tests/test_a.py", "def test_a(): pass\n")
    first = plan(repo, installed_python)
    assert apply(first) == ()
    assert hooks(repo.path / ".git" / "hooks") == HOOKS
    assert any("every ref" in note for note in first.notes)
    policy = (repo.path / "shipmoor-hooks.toml").read_bytes()
    assert parse(policy, "shipmoor-hooks.toml").suites["unit"].command == ("pytest", "-q")
    again = plan(repo, installed_python)
    assert again.is_done
    assert again.diff() == ""


def test_from_a_linked_worktree_the_hooks_go_where_all_worktrees_look(
    repo: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    repo.commit()
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    apply(plan(repo, installed_python, tmp_path / "linked"))
    assert hooks(repo.path / ".git" / "hooks") == HOOKS
    assert (tmp_path / "linked" / "shipmoor-hooks.toml").exists()


def test_a_bare_repository_gets_hooks_and_no_policy(repo: RepoBuilder, installed_python: Path) -> None:
    bare = repo.bare_remote()
    apply(plan(repo, installed_python, bare))
    assert hooks(bare / "hooks") == HOOKS | {"pre-receive"}
    assert not (bare / "shipmoor-hooks.toml").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("shipmoor-hooks.toml", '# mine\n[suite.all]\ncommand = "make test"\n', id="its own file"),
        pytest.param("pyproject.toml", "[tool.shipmoor-hooks.suite.all]\ncommand = ['make']\n", id="pyproject.toml"),
    ],
)
def test_a_policy_that_is_there_stays_untouched(
    repo: RepoBuilder, installed_python: Path, name: str, text: str
) -> None:
    repo.write(name, text)
    apply(plan(repo, installed_python))
    assert (repo.path / name).read_text() == text
    assert len(list(repo.path.glob("*.toml"))) == 1


def test_a_policy_that_cannot_be_read_stops_it(repo: RepoBuilder, installed_python: Path) -> None:
    repo.write("shipmoor-hooks.toml", "[gaet]\n")
    with pytest.raises(PolicyFault, match="gaet"):
        plan(repo, installed_python)


def test_foreign_hooks_are_chained_and_named(repo: RepoBuilder, installed_python: Path) -> None:
    hook = repo.write(".git/hooks/pre-push", '#!/bin/sh\ngit lfs pre-push "$@"\n', 0o755)
    made = plan(repo, installed_python)
    apply(made)
    assert any("pre-push.shipmoor-chained and runs first" in note for note in made.notes)
    assert "rename" in made.diff()
    assert hook.with_name("pre-push.shipmoor-chained").read_text() == '#!/bin/sh\ngit lfs pre-push "$@"\n'
    assert plan(repo, installed_python).is_done


def test_a_hooks_folder_shared_by_other_repositories_is_left_alone(
    repo: RepoBuilder, installed_python: Path, home: Path
) -> None:
    repo.git("config", "--global", "core.hooksPath", "~/hooks")
    with pytest.raises(UsageFault, match="other repositories share") as told:
        plan(repo, installed_python)
    repo.process(["sh", "-c", told.value.next_step.split(" && ")[0]])
    apply(plan(repo, installed_python))
    assert hooks(home / "hooks") == set()
    assert hooks(repo.path / ".git" / "hooks") == HOOKS


def test_a_hooks_path_that_is_no_folder_is_said(repo: RepoBuilder, installed_python: Path) -> None:
    repo.git("config", "core.hooksPath", "/dev/null")
    with pytest.raises(UsageFault, match="no folder"):
        plan(repo, installed_python)


def test_a_hooks_folder_in_the_tree_names_no_path_of_this_machine(repo: RepoBuilder, installed_python: Path) -> None:
    repo.git("config", "core.hooksPath", ".githooks")
    made = plan(repo, installed_python)
    apply(made)
    assert hooks(repo.path / ".githooks") == HOOKS
    assert "python=''" in (repo.path / ".githooks" / "pre-push").read_text()
    assert any("commit it" in note for note in made.notes)


def test_a_python_that_cannot_see_us_is_not_written_into_a_hook(repo: RepoBuilder) -> None:
    made = plan(repo, Path("/bin/false"))
    apply(made)
    assert "python=''" in (repo.path / ".git" / "hooks" / "pre-push").read_text()
    assert any("on PATH" in note for note in made.notes)


RUNNERS = [
    pytest.param({"README": ""}, [], id="nothing"),
    pytest.param({"package.json": "{"}, [], id="a package.json that is none"),
    pytest.param({"package.json": '["vitest"]', "pyproject.toml": "x", "go.mod/x": ""}, ["gotestsum"], id="odd files"),
    pytest.param({"pyproject.toml": "[project]\nname = 'x'\n"}, [], id="Python without tests"),
    pytest.param({"pyproject.toml": "[tool.pytest.ini_options]\n"}, ["pytest"], id="pytest: pyproject.toml"),
    pytest.param({"setup.cfg": "[metadata]\n[tool:pytest]\n"}, ["pytest"], id="pytest: setup.cfg"),
    pytest.param({"tox.ini": "[pytest]\n"}, ["pytest"], id="pytest: tox.ini"),
    pytest.param({"tests/unit/test_a.py": ""}, ["pytest"], id="pytest: a test file"),
    pytest.param({"package.json": '{"devDependencies": {"vitest": "3", "jest": "29"}}'}, ["vitest"], id="vitest"),
    pytest.param({"package.json": '{"dependencies": {"jest": "29"}, "devDependencies": 1}'}, ["jest"], id="jest"),
    pytest.param({"package.json": '{"devDependencies": {"@playwright/test": "1"}}'}, ["playwright"], id="playwright"),
    pytest.param({"package.json": '{"devDependencies": {"mocha": "1"}}'}, ["mocha"], id="mocha"),
    pytest.param({"package.json": '{"devDependencies": {"cypress": "1"}}'}, ["cypress"], id="cypress"),
    pytest.param({"package.json": '{"devDependencies": {"jasmine": "1"}}'}, ["jasmine"], id="jasmine"),
    pytest.param({"package.json": '{"devDependencies": {"tap": "1"}}'}, ["tap"], id="node-tap"),
    pytest.param({"package.json": '{"scripts": {"test": "node --test"}}'}, ["node"], id="node's own"),
    pytest.param({"package.json": '{"scripts": {"test": "node server.js"}}'}, [], id="a script that tests nothing"),
    pytest.param({"package.json": '{"scripts": [1]}'}, [], id="scripts that are none"),
    pytest.param(
        {"package.json": '{"devDependencies": {"vitest": "3", "@playwright/test": "1"}}'},
        ["vitest", "playwright"],
        id="unit tests and a browser's",
    ),
    pytest.param({"unittest.cfg": "[unittest]\n", "tests/test_a.py": ""}, ["nose2"], id="nose2"),
    pytest.param({"tests/test_a.py": "import unittest\n"}, ["xmlrunner"], id="unittest"),
    pytest.param(
        {"tests/test_a.py": "import unittest\n", "requirements-dev.txt": "pytest\n"},
        ["pytest"],
        id="pytest runs unittest",
    ),
    pytest.param({"tests/test_a.py": "import unittest\nimport pytest\n"}, ["pytest"], id="a mixture"),
    pytest.param({"features/a.feature": "", "features/steps/a.py": ""}, ["behave"], id="behave"),
    pytest.param({"features/a.feature": ""}, [], id="features of another tool"),
    pytest.param({"tests/a.robot": ""}, ["robot"], id="robot"),
    pytest.param({"CMakeLists.txt": "enable_testing()\n"}, ["ctest"], id="ctest"),
    pytest.param({"CMakeLists.txt": "include(CTest)\n"}, ["ctest"], id="ctest by its module"),
    pytest.param({"CMakeLists.txt": "include(GNUInstallDirs)\n"}, [], id="CMake without tests"),
    pytest.param({"tests/a.bats": ""}, ["bats"], id="bats"),
    pytest.param({"t/a.t": ""}, ["prove"], id="prove"),
    pytest.param({"test/a_test.rb": "", "Rakefile": ""}, ["minitest"], id="minitest"),
    pytest.param({"test/a_test.rb": ""}, [], id="minitest that nothing starts"),
    pytest.param({"go.mod": "module x\n"}, ["gotestsum"], id="go"),
    pytest.param({"Cargo.toml": "[package]\n"}, ["nextest"], id="cargo"),
    pytest.param({"pom.xml": "<project/>"}, ["maven"], id="maven"),
    pytest.param({"build.gradle.kts": ""}, ["gradle"], id="gradle"),
    pytest.param({"x.sln": ""}, ["dotnet"], id="dotnet"),
    pytest.param({".rspec": ""}, ["rspec"], id="rspec"),
    pytest.param({"phpunit.xml.dist": ""}, ["phpunit"], id="phpunit"),
    pytest.param(
        {".claude-plugin/plugin.json": "{}", "evals/plan/prompt.md": ""}, ["plugin-eval"], id="a plugin's evals"
    ),
    pytest.param({"evals/plan/prompt.md": ""}, [], id="evals of no plugin"),
    pytest.param(
        {"pytest.ini": "", "go.mod": "", "evals/a/case.yaml": "", ".claude-plugin/plugin.json": ""},
        ["pytest", "gotestsum", "plugin-eval"],
        id="several",
    ),
]


@pytest.mark.parametrize(("files", "expected"), RUNNERS)
def test_the_runner_is_known_by_the_files_that_it_asks_for(
    repo: RepoBuilder, files: Mapping[str, str], expected: list[str]
) -> None:
    for name, content in files.items():
        repo.write(name, content)
    found = detect.detect(str(repo.path))
    assert [one.runner for one in found] == expected
    text = detect.policy_text(found)
    policy = parse(text.encode(), "shipmoor-hooks.toml")
    assert len(policy.suites) == len(expected) == len(tomllib.loads(text).get("suite", {}))
    assert {suite.command for suite in policy.suites.values()} == {one.command for one in found}
    for one in found:
        known = recognise(one.command)
        assert known.name == one.runner if known is not None else one.reports or one.format
    assert ("No test runner was recognised" in text) == (not expected)


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        pytest.param("uv.lock", ("uv", "run", "pytest", "-q"), id="uv"),
        pytest.param("poetry.lock", ("poetry", "run", "pytest", "-q"), id="poetry"),
        pytest.param("yarn.lock", ("pytest", "-q"), id="another language's"),
    ],
)
def test_the_projects_own_package_manager_starts_the_runner(
    repo: RepoBuilder, lock: str, command: tuple[str, ...]
) -> None:
    repo.write("pytest.ini", "")
    repo.write(lock, "")
    found = detect.detect(str(repo.path))
    assert [one.command for one in found] == [command]
    assert recognise(command) is not None


@pytest.mark.parametrize(
    ("files", "command", "setup"),
    [
        pytest.param(["package-lock.json"], ("npx", "vitest", "run"), (("npm", "ci"),), id="npm"),
        pytest.param(
            ["pnpm-lock.yaml"],
            ("pnpm", "exec", "vitest", "run"),
            (("pnpm", "install", "--frozen-lockfile"),),
            id="pnpm",
        ),
        pytest.param([], ("npx", "vitest", "run"), (), id="no lock file"),
    ],
)
def test_a_fresh_checkout_gets_its_packages(
    repo: RepoBuilder, files: list[str], command: tuple[str, ...], setup: tuple[tuple[str, ...], ...]
) -> None:
    repo.write("package.json", '{"devDependencies": {"vitest": "3"}}')
    for name in files:
        repo.write(name, "")
    policy = parse(detect.policy_text(detect.detect(str(repo.path))).encode(), "shipmoor-hooks.toml")
    assert (policy.suites["unit"].command, policy.suites["unit"].setup) == (command, setup)


@pytest.mark.parametrize(
    ("files", "command"),
    [
        pytest.param(["t/a.t"], "prove t", id="prove"),
        pytest.param(["t/a.t", "lib/A.pm", "t/deep/b.t"], "prove -l -r t", id="prove with a library and folders"),
        pytest.param(["tests/a.bats", "tests/deep/b.bats"], "bats -r tests", id="bats in folders"),
        pytest.param(["a.bats"], "bats .", id="bats at the root"),
        pytest.param([".rspec"], "rspec", id="rspec without bundler"),
        pytest.param([".rspec", "Gemfile"], "bundle exec rspec", id="rspec with bundler"),
        pytest.param(["test/a_test.rb", "Rakefile", "Gemfile"], "bundle exec rake test", id="minitest"),
        pytest.param(["test/a_test.rb", "bin/rails"], "bin/rails test", id="rails"),
        pytest.param(["phpunit.xml"], "phpunit", id="phpunit of the system"),
        pytest.param(["phpunit.xml", "composer.json"], "vendor/bin/phpunit", id="phpunit of the project"),
        pytest.param(["build.gradle", "gradlew"], "./gradlew test --rerun-tasks", id="gradle's wrapper"),
    ],
)
def test_the_command_runs_all_that_there_is(repo: RepoBuilder, files: list[str], command: str) -> None:
    for name in files:
        repo.write(name, "")
    assert [" ".join(one.command) for one in detect.detect(str(repo.path))] == [command]


def test_suites_are_named_by_what_they_are(repo: RepoBuilder) -> None:
    for name in ("pytest.ini", "go.mod", "evals/a/case.yaml", ".claude-plugin/plugin.json"):
        repo.write(name, "")
    policy = parse(detect.policy_text(detect.detect(str(repo.path))).encode(), "shipmoor-hooks.toml")
    assert set(policy.suites) == {"unit", "gotestsum", "evals"}
    assert policy.suites["evals"].format == "plugin-eval"


def test_without_a_runner_it_says_what_to_do(repo: RepoBuilder, installed_python: Path) -> None:
    made = plan(repo, installed_python)
    assert any("no test runner was recognised" in note for note in made.notes)
    assert made.next_steps == ("edit shipmoor-hooks.toml",)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        pytest.param(None, HookSource(package="shipmoor-hooks==0.1.0"), id="from an index"),
        pytest.param(
            '{"url": "https://e.org/x", "vcs_info": {"vcs": "git", "commit_id": "abc", "requested_revision": "v"}}',
            HookSource("https://e.org/x", "abc"),
            id="from git: the commit, not the branch",
        ),
        pytest.param('{"url": "file:///x", "dir_info": {"editable": true}}', HookSource(), id="an editable folder"),
        pytest.param('{"url": "file:///x.whl", "archive_info": {}}', HookSource(), id="a file"),
    ],
)
def test_where_other_clones_get_the_hooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str | None, expected: HookSource
) -> None:
    made = tmp_path / "shipmoor_hooks-0.1.0.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: shipmoor-hooks\nVersion: 0.1.0\n")
    if told is not None:
        (made / "direct_url.json").write_text(told)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(hook_source, "__version__", "0.1.0")
    assert hook_source.installed_source() == expected
