"""The test surface of a run: what git ignores of it makes the run unusable, what nobody reads does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from capture_world import POLICY, CaptureWorld
from gate_world import GateWorld, junit
from hypothesis import given
from hypothesis import strategies as st
from repo_builder import RepoBuilder

from shipmoor_hooks.ignored_surface import digests
from shipmoor_hooks.model import Code, Run
from shipmoor_hooks.runners import RUNNERS
from shipmoor_hooks.surface_table import BY_RUNNER, EVERY, SHARED, Files, Finder, first, of_runner

JEST = '[suite.unit]\ncommand = ["npx", "jest"]\n'
SCRIPT = '[suite.unit]\ncommand = ["sh", "test.sh"]\n'
EXCLUDING = POLICY + 'exclude = ["docs/**"]\n'
OTHER = '<testsuite name="x"><testcase classname="a" name="b"/></testsuite>'

# policy, the ignored file, its content, whether the run counts for a commit
IGNORED = {
    "nothing-is-ignored": (POLICY, "", "", True),
    "a-file-of-secrets-is-no-surface": (POLICY, ".env", "TOKEN=1\n", True),
    "a-file-that-no-runner-reads": (POLICY, "notes.ini", "[pytest]\n", True),
    "another-runner-s-configuration": (POLICY, "web/jest.config.js", "module.exports = {}\n", True),
    "a-shared-file-that-does-not-speak-of-pytest": (POLICY, "setup.cfg", "[metadata]\nname = x\n", True),
    "a-conftest-in-an-ignored-folder": (POLICY, "build/venv/conftest.py", "# somebody else's\n", True),
    "what-the-policy-excludes": (EXCLUDING, "docs/conftest.py", "collect_ignore = ['a']\n", True),
    "a-person-s-own-phpunit-xml": ('[suite.unit]\ncommand = "phpunit"\n', "phpunit.xml", "<phpunit/>\n", True),
    "no-runner-is-known": (SCRIPT, "conftest.py", "", True),
    "a-conftest": (POLICY, "conftest.py", "collect_ignore = ['tests/test_set.py']\n", False),
    "a-conftest-deep-down": (POLICY, "tests/api/conftest.py", "", False),
    "pytest-s-configuration": (POLICY, "pytest.ini", "[pytest]\naddopts = -k a\n", False),
    "a-shared-file-that-speaks-of-pytest": (POLICY, "tox.ini", "[pytest]\naddopts = -k a\n", False),
    "a-module-that-python-loads-first": (POLICY, "sitecustomize.py", "", False),
    "beside-what-is-excluded": (EXCLUDING, "tests/conftest.py", "", False),
    "jest-s-configuration": (JEST, "jest.config.js", "module.exports = {}\n", False),
}


@pytest.mark.parametrize(("policy", "path", "content", "counts"), IGNORED.values(), ids=IGNORED)
def test_an_ignored_file_of_the_surface(repo: RepoBuilder, policy: str, path: str, content: str, counts: bool) -> None:
    world = CaptureWorld.create(repo, policy)
    if path:
        repo.commit(files={".gitignore": f"build/\n/{path}\n"})
        repo.write(path, content)
    world.settle()
    captured = world.take(world.report(content=OTHER) if policy in (JEST, SCRIPT) else world.report())
    assert captured.run.is_complete is counts
    if not counts:
        (problem,) = captured.run.problems
        assert problem.code is Code.TREE_DIFFERS
        assert path in problem.message
        assert f"git add --force {path}" in problem.next_step
        assert path in dict(captured.run.surface)


def test_behind_a_script_the_report_tells_who_ran(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo, SCRIPT)
    repo.commit(files={".gitignore": "build/\nconftest.py\n"})
    repo.write("conftest.py", "")
    world.settle()
    assert world.take(world.report()).run.problems[0].code is Code.TREE_DIFFERS
    unknown = world.take(world.report("build/o.xml", OTHER, age=50))
    assert unknown.run.is_complete
    assert any("conftest.py" in w for w in unknown.warnings)


def test_the_person_s_own_file_is_told(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo, '[gate]\nuntracked = "refuse"\n[suite.unit]\ncommand = "rspec"\n')
    repo.commit(files={".gitignore": "build/\n.rspec-local\n"})
    repo.write(".rspec-local", "--colour\n")
    world.settle()
    captured = world.take(world.report(content=OTHER))
    assert captured.run.is_complete
    assert any(".rspec-local" in w for w in captured.warnings)


def test_the_gate_says_what_no_commit_holds(repo: RepoBuilder, installed_python: Path) -> None:
    world = GateWorld.create(repo, installed_python)
    repo.write(".gitignore", "build/\nconftest.py\n")
    repo.write("conftest.py", "collect_ignore = []\n")
    world.branch("topic", ["a", "b"])
    done = world.push("origin", "topic")
    told = (done.stdout + done.stderr).decode()
    assert done.returncode == 1
    assert "TREE_DIFFERS" in told
    assert "conftest.py" in told
    (repo.path / "conftest.py").unlink()
    world.measure({"a": "passed", "b": "passed"})
    assert world.push("origin", "topic").returncode == 0


def test_what_decided_a_run_is_kept_with_it(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo)
    repo.commit(files={"pytest.ini": "[pytest]\n", "tests/conftest.py": "# old\n", "src/cart.py": "x = 1\n"})
    repo.write("tests/conftest.py", "# new\n")
    repo.write("tests/api/conftest.py", "# untracked\n")
    repo.write("tests/__snapshots__/cart.ambr", "1\n")
    world.settle()
    run = world.take(world.report()).run
    assert run.is_complete
    surface = dict(run.surface)
    assert surface["tests/conftest.py"] == repo.git("hash-object", "tests/conftest.py")
    assert surface["tests/api/conftest.py"] == repo.git("hash-object", "tests/api/conftest.py")
    assert surface["pytest.ini"] == repo.sha("HEAD:pytest.ini")
    assert surface["shipmoor-hooks.toml"] == repo.sha("HEAD:shipmoor-hooks.toml")
    conftests = ["tests/api/conftest.py", "tests/conftest.py"]
    assert sorted(surface) == ["*.snap *.snap.* *.ambr", "pytest.ini", "shipmoor-hooks.toml", *conftests]
    repo.commit()
    stored = world.found().runs
    assert [r.surface for r in stored] == [run.surface]


# ---------------------------------------------------------------- the table


def test_every_runner_has_a_row_and_no_row_is_left_over() -> None:
    assert set(BY_RUNNER) == set(RUNNERS)


def test_a_runner_that_is_not_known_has_every_row() -> None:
    assert of_runner("") == EVERY
    assert all(row in EVERY for rows in BY_RUNNER.values() for row in rows)


PLACES = {
    "at-the-root": ("conftest.py", "conftest.py", True),
    "deep-down": ("conftest.py", "a/b/conftest.py", True),
    "a-longer-name": ("conftest.py", "a/old_conftest.py", False),
    "a-star-stops-at-a-slash": ("jest.config.*", "jest.config.d/x", False),
    "a-star": ("jest.config.*", "web/jest.config.ts", True),
    "a-path-from-the-root": ("cypress/support/*", "cypress/support/e2e/a.js", True),
    "a-path-that-is-not-at-the-root": ("cypress/support/*", "web/cypress/support/a.js", False),
}


@pytest.mark.parametrize(("name", "path", "held"), PLACES.values(), ids=PLACES)
def test_names_match_as_git_matches_them(repo: RepoBuilder, name: str, path: str, held: bool) -> None:
    from shipmoor_hooks.surface_table import pathspecs

    row = Files((name,))
    repo.write(path, "")
    assert row.holds(path) is held
    assert bool(repo.git("ls-files", "--others", "--", *pathspecs([row]))) is held


# ---------------------------------------------------------------- laws

TABLE = sorted({name for row in (*EVERY, *SHARED) for name in row.names})
PIECES = st.sampled_from(
    ["a", ".snap", ".", "jest.config", "conftest.py", ".github", "workflows", "-snapshots", ".ambr", "/", "/"]
)
ODD_PATHS = st.lists(PIECES, min_size=1, max_size=6).map("".join)


@given(ODD_PATHS, st.sampled_from(TABLE) | ODD_PATHS.map(lambda text: text.replace("a", "*")))
def test_a_name_is_a_pattern_with_stars_and_nothing_else(path: str, name: str) -> None:
    pattern = re.escape(name).replace(r"\*", ".*" if "/" in name else "[^/]*")
    oracle = re.fullmatch(pattern if "/" in name else f"(?:.*/)?{pattern}", path, re.DOTALL)
    assert Files((name,)).holds(path) is bool(oracle)


@given(ODD_PATHS | st.sampled_from(TABLE).map(lambda name: name.replace("*", "x")), st.sampled_from([*BY_RUNNER, ""]))
def test_a_finder_finds_what_looking_at_each_row_finds(path: str, runner: str) -> None:
    rows = (*of_runner(runner), *SHARED)
    assert Finder(rows).row(path) is first(rows, path)


NAMES = st.sampled_from(["conftest.py", "a/conftest.py", "src/a.py", "pytest.ini", "a.snap", "b/c.snap", "readme.md"])
LISTINGS = st.dictionaries(NAMES, st.integers(0, 9).map(lambda n: f"{n}" * 40))


@given(LISTINGS, LISTINGS)
def test_digests_differ_exactly_where_the_surface_does(one: dict[str, str], other: dict[str, str]) -> None:
    rows = of_runner("pytest")
    held = [{p: n for p, n in listing.items() if first(rows, p)} for listing in (one, other)]
    same = digests(one, "/nowhere", (), rows) == digests(other, "/nowhere", (), rows)
    assert same is (held[0] == held[1])


def test_a_digest_of_an_ignored_file_is_git_s_own(repo: RepoBuilder) -> None:
    repo.write("conftest.py", "x = 1\n")
    ((path, digest),) = digests({}, str(repo.path), ("conftest.py",), of_runner("pytest"))
    assert (path, digest) == ("conftest.py", repo.git("hash-object", "conftest.py"))


def test_a_report_by_hand_for_a_revision_says_nothing_of_the_worktree(repo: RepoBuilder) -> None:
    world = CaptureWorld.create(repo)
    repo.commit(files={".gitignore": "build/\nconftest.py\n"})
    repo.write("conftest.py", "")
    world.settle()
    run: Run = world.take(world.report(content=junit({"a": "passed"})), tree="HEAD").run
    assert run.is_complete
