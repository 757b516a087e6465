"""The pytest plugin in real pytest processes, alone and with real pytest-xdist workers (design, sections 2, 6, 7,
10.27)."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from repo_builder import RepoBuilder

import shipmoor_hooks
from shipmoor_hooks import place, pytest_plugin
from shipmoor_hooks.model import Code, Evidence, Outcome, RecordKind, Run
from shipmoor_hooks.store.spool import Spool

SOURCE = str(Path(shipmoor_hooks.__file__).parent.parent)
MATRIX = pytest.mark.matrix
WORKERS = [pytest.param([], id="alone"), pytest.param(["-n2"], id="xdist", marks=MATRIX)]
POLICY = '[suite.unit]\ncommand = ["pytest", "-q"]\n'
TESTS = """
import pytest

def test_passes():
    pass

@pytest.mark.parametrize("word", ["a", "b::c", "d[e]"])
def test_words(word):
    assert word

class TestCart:
    def test_fails(self):
        assert 0

    @pytest.mark.skip
    def test_skipped(self):
        pass

    @pytest.mark.xfail
    def test_xfailed(self):
        assert 0

    @pytest.mark.xfail
    def test_passes_unexpectedly(self):
        pass

@pytest.fixture
def broken():
    raise OSError

def test_setup_error(broken):
    pass

@pytest.fixture
def late():
    yield
    raise OSError

def test_teardown_error(late):
    pass

def test_fails_twice(late):
    assert 0
"""
OUTCOMES = {
    "tests/test_a.py::test_passes": Outcome.PASSED,
    "tests/test_a.py::test_words[a]": Outcome.PASSED,
    "tests/test_a.py::test_words[b::c]": Outcome.PASSED,
    "tests/test_a.py::test_words[d[e]]": Outcome.PASSED,
    "tests/test_a.py::TestCart::test_fails": Outcome.FAILED,
    "tests/test_a.py::TestCart::test_skipped": Outcome.SKIPPED,
    "tests/test_a.py::TestCart::test_xfailed": Outcome.XFAILED,
    "tests/test_a.py::TestCart::test_passes_unexpectedly": Outcome.PASSED,
    "tests/test_a.py::test_setup_error": Outcome.ERROR,
    "tests/test_a.py::test_teardown_error": Outcome.ERROR,
    "tests/test_a.py::test_fails_twice": Outcome.ERROR,
}


class Project:
    """A repository with a policy and tests, and pytest in it.

    The plugins are named instead of found: whether ours is installed makes no difference, and no other one costs time.
    """

    def __init__(self, repo: RepoBuilder, bytecode: Path) -> None:
        self.repo = repo
        self.env = {
            "PYTHONPATH": SOURCE,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "xdist.plugin,shipmoor_hooks.pytest_plugin",
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(bytecode),
        }

    def pytest(self, *arguments: str, folder: str = "", **environ: str) -> tuple[int, str]:
        """The exit code and the output of pytest, started in a folder of the repository."""
        done = self.repo.process(
            [sys.executable, "-m", "pytest", *arguments], env=self.env | environ, cwd=self.repo.path / folder
        )
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def runs(self) -> list[Run]:
        """The stored runs, the oldest first."""
        here = place.find(str(self.repo.path), self.repo.env)
        found = Spool(here.common_dir, here.worktree).recent(100)
        return sorted((*found.runs, *found.begun), key=lambda run: run.sequence)

    def one(self) -> Run:
        (run,) = self.runs()
        return run


@pytest.fixture
def project(repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> Project:
    ignored = "__pycache__/\n.pytest_cache/\n*.xml\n"
    repo.commit(
        files={
            "shipmoor-hooks.toml": POLICY,
            "tests/test_a.py": TESTS,
            "pytest.ini": "[pytest]\n",
            ".gitignore": ignored,
        }
    )
    return Project(repo, tmp_path_factory.getbasetemp() / "bytecode")


@pytest.fixture
def green(project: Project) -> Project:
    """Three passing tests in two files."""
    project.repo.commit(
        files={
            "tests/test_a.py": "def test_x(): pass\ndef test_y(): pass\n",
            "tests/more/test_b.py": "def test_z(): pass\n",
        }
    )
    return project


def outcomes(run: Run) -> dict[str, Outcome]:
    return {c.id: c.outcome for c in run.cases}


def summary(output: str) -> str:
    (line,) = [x for x in output.splitlines() if x.startswith("shipmoor: ")]
    return line


def test_a_session_becomes_a_complete_run_of_this_tree(green: Project) -> None:
    code, output = green.pytest("-q")
    run = green.one()
    tree = green.repo.git("rev-parse", "HEAD^{tree}")
    assert code == 0
    assert summary(output) == f"shipmoor: unit 3 of 3 recorded for tree {tree[:8]}"
    assert (run.tree, run.evidence, run.suite, run.exit_code) == (tree, Evidence.REPORTED, "unit", 0)
    assert (run.is_complete, run.runner, run.runner_version) == (True, "pytest", pytest.__version__)
    assert dict(run.conditions)["argv"] == "pytest"
    assert set(outcomes(run)) == {"tests/test_a.py::test_x", "tests/test_a.py::test_y", "tests/more/test_b.py::test_z"}


def test_every_outcome_is_seen(project: Project) -> None:
    code, output = project.pytest("-q")
    run = project.one()
    assert code == 1
    assert outcomes(run) == OUTCOMES
    assert run.is_complete
    assert "passed although expected to fail: tests/test_a.py::TestCart::test_passes_unexpectedly" in summary(output)


def test_workers_of_xdist_change_nothing(project: Project) -> None:
    project.pytest("-q")
    project.pytest("-q", "-n2")
    alone, parallel = project.runs()
    assert outcomes(parallel) == outcomes(alone) == OUTCOMES
    assert parallel.is_complete
    assert dict(parallel.conditions)["argv"] == dict(alone.conditions)["argv"]


def test_the_ids_are_those_of_the_xml(project: Project) -> None:
    from shipmoor_hooks.readers import registry
    from shipmoor_hooks.store import inventory

    project.pytest("-q", "--junitxml=report.xml")
    report = registry.read((project.repo.path / "report.xml").read_bytes(), "junit", "report.xml")
    tracked = frozenset(project.repo.git("ls-files").splitlines())
    by_file = {c.id: c.outcome for c in inventory.cases_of([report], tracked, str(project.repo.path), ())}
    assert by_file == outcomes(project.one())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["-k", "test_x"], "-k test_x", id="keyword"),
        pytest.param(["-m", "no_such_mark"], "-m no_such_mark", id="marker-that-selects-nothing", marks=MATRIX),
        pytest.param(["tests/test_a.py"], "only tests/test_a.py", id="path", marks=MATRIX),
        pytest.param(["tests/test_a.py::test_x"], "only tests/test_a.py::test_x", id="node-id", marks=MATRIX),
        pytest.param(
            ["--deselect", "tests/test_a.py::test_x"], "--deselect tests/test_a.py::test_x", id="deselect", marks=MATRIX
        ),
        pytest.param(["--ignore=tests/more"], "--ignore=tests/more", id="ignore", marks=MATRIX),
        pytest.param(["--lf"], "--lf", id="last-failed", marks=MATRIX),
        pytest.param(["-n2", "-k", "test_x"], "-k test_x", id="keyword-under-xdist", marks=MATRIX),
    ],
)
def test_a_selection_is_partial(green: Project, arguments: list[str], words: str) -> None:
    _, output = green.pytest(*arguments)
    run = green.one()
    assert run.is_partial
    assert words in summary(output)


@MATRIX
def test_a_selection_in_the_environment_is_partial(green: Project) -> None:
    _, output = green.pytest(PYTEST_ADDOPTS="-k test_x")
    assert green.one().is_partial
    assert "PYTEST_ADDOPTS: -k test_x" in summary(output)


def test_a_selection_in_the_tracked_configuration_is_the_suite(green: Project) -> None:
    green.repo.commit(files={"pytest.ini": "[pytest]\naddopts = -k 'not test_x'\n"})
    _, output = green.pytest("-q")
    run = green.one()
    assert run.is_complete
    assert len(run.cases) == 2
    assert "the tracked configuration deselected 1 cases" in summary(output)


def test_a_plugin_that_deselects_by_an_option_of_its_own_is_partial(green: Project) -> None:
    conftest = (
        "def pytest_addoption(parser): parser.addoption('--fast', action='store_true')\n"
        "def pytest_collection_modifyitems(config, items):\n"
        "    if config.getoption('--fast'):\n"
        "        config.hook.pytest_deselected(items=[items.pop()])\n"
    )
    green.repo.commit(files={"conftest.py": conftest})
    for arguments in (["--fast", "-n2"], []):
        green.pytest(*arguments)
    assert [run.is_partial for run in green.runs()] == [True, False]


@pytest.mark.parametrize(
    ("folder", "arguments", "partial"),
    [
        pytest.param("", ["tests"], False, id="testpaths-named-again"),
        pytest.param("", ["tests/"], False, id="testpaths-with-a-slash", marks=MATRIX),
        pytest.param("tests", [], False, id="the-folder-that-testpaths-names", marks=MATRIX),
        pytest.param("tests", ["-q", "."], False, id="the-folder-as-a-dot", marks=MATRIX),
        pytest.param("tests/more", [], True, id="a-folder-below", marks=MATRIX),
        pytest.param("tests", ["test_a.py"], True, id="a-path-relative-to-the-folder"),
    ],
)
def test_paths_count_as_seen_from_the_root(green: Project, folder: str, arguments: list[str], partial: bool) -> None:
    green.repo.commit(files={"pytest.ini": "[pytest]\ntestpaths = tests\n"})
    green.pytest(*arguments, folder=folder)
    assert green.one().is_partial is partial


@MATRIX
def test_an_absolute_path_is_a_path_too(green: Project) -> None:
    _, output = green.pytest(str(green.repo.path / "tests" / "test_a.py") + "::test_x")
    assert green.one().is_partial
    assert "only tests/test_a.py::test_x" in summary(output)


@MATRIX
def test_a_rootdir_below_the_root_gives_the_same_ids(green: Project) -> None:
    green.repo.commit(
        files={
            "tests/more/pytest.ini": "[pytest]\n",
            "shipmoor-hooks.toml": "[suite.unit]\ncommand = 'pytest tests/more'\n",
        }
    )
    green.pytest(folder="tests/more")
    run = green.one()
    assert set(outcomes(run)) == {"tests/more/test_b.py::test_z"}
    assert run.is_complete


class TestStopped:
    def test_at_the_first_red_case(self, project: Project) -> None:
        _, output = project.pytest("-x")
        assert project.one().is_partial
        assert "5 of 11 cases ran (stopping after 1 failures)" in summary(output)

    @MATRIX
    def test_not_when_all_is_green(self, green: Project) -> None:
        green.pytest("-x")
        assert green.one().is_complete

    @MATRIX
    def test_not_when_the_last_case_was_the_red_one(self, green: Project) -> None:
        green.repo.commit(files={"tests/test_z.py": "def test_last(): assert 0\n"})
        green.pytest("-x")
        assert green.one().is_complete

    @MATRIX
    def test_under_xdist(self, green: Project) -> None:
        many = (
            "import time, pytest\n@pytest.mark.parametrize('n', range(40))\n"
            "def test_n(n):\n    time.sleep(0.01)\n    assert n != 1\n"
        )
        green.repo.commit(files={"tests/test_many.py": many})
        green.pytest("-x", "-n2")
        assert not green.one().is_complete

    def test_by_an_interrupt(self, green: Project) -> None:
        green.repo.commit(
            files={"tests/test_c.py": "def test_stop(): raise KeyboardInterrupt\ndef test_after(): pass\n"}
        )
        code, output = green.pytest("-q")
        assert code == 2
        assert [p.code for p in green.one().problems] == [Code.RUN_INCOMPLETE]
        assert "pytest was interrupted after 3 of 5 cases" in summary(output)

    @MATRIX
    def test_by_pytest_exit_with_a_green_code(self, green: Project) -> None:
        stop = "import pytest\ndef test_stop(): pytest.exit('enough', returncode=0)\ndef test_after(): pass\n"
        green.repo.commit(files={"tests/test_c.py": stop})
        code, _ = green.pytest("-q")
        assert code == 0
        assert not green.one().is_complete

    @MATRIX
    def test_by_an_end_of_the_process(self, green: Project) -> None:
        green.repo.commit(files={"tests/test_c.py": "import os\ndef test_stop(): os._exit(0)\n"})
        code, _ = green.pytest("-q")
        assert code == 0
        assert [p.code for p in green.one().problems] == [Code.RUN_INCOMPLETE]


class TestFiles:
    def test_one_that_does_not_load_leaves_nothing_measured(self, green: Project) -> None:
        green.repo.commit(files={"tests/test_c.py": "import no_such_module\n"})
        code, output = green.pytest("-q")
        run = green.one()
        (record,) = run.cases
        assert code != 0
        assert (record.kind, record.outcome, record.covers) == (RecordKind.FILE, Outcome.ERROR, "tests/test_c.py::")
        assert [p.code for p in run.problems] == [Code.RUN_INCOMPLETE]
        assert "repair tests/test_c.py" in summary(output)

    @pytest.mark.parametrize(
        "how",
        [pytest.param("--continue-on-collection-errors", id="alone"), pytest.param("-n2", id="xdist", marks=MATRIX)],
    )
    def test_one_that_does_not_load_beside_others_that_ran(self, green: Project, how: str) -> None:
        green.repo.commit(files={"tests/test_c.py": "import no_such_module\n"})
        green.pytest("-q", how)
        run = green.one()
        assert run.is_complete
        assert outcomes(run)["tests/test_c.py"] is Outcome.ERROR
        assert len(run.cases) == 4

    @pytest.mark.parametrize("workers", WORKERS)
    def test_one_that_skips_itself(self, green: Project, workers: list[str]) -> None:
        skip = "import pytest\npytest.skip('not here', allow_module_level=True)\n"
        green.repo.commit(files={"tests/test_c.py": skip})
        green.pytest("-q", *workers)
        (record,) = [c for c in green.one().cases if c.kind is RecordKind.FILE]
        assert (record.outcome, record.covers) == (Outcome.SKIPPED, "tests/test_c.py::")

    @MATRIX
    def test_a_conftest_that_does_not_load_is_not_recorded_as_a_run(self, green: Project) -> None:
        green.repo.commit(files={"tests/conftest.py": "import no_such_module\n"})
        code, _ = green.pytest("-q")
        assert code == 4
        assert all(not run.is_complete for run in green.runs())


class TestSubtests:
    TEXT = (
        "def test_sub(subtests):\n    for n in range(3):\n"
        "        with subtests.test(n=n):\n            assert n != {bad}\n"
    )

    @pytest.mark.parametrize("workers", WORKERS)
    def test_they_are_one_case(self, green: Project, workers: list[str]) -> None:
        if not hasattr(pytest, "Subtests"):
            pytest.skip("this pytest has no subtests of its own")
        green.repo.commit(
            files={"tests/test_s.py": self.TEXT.format(bad=1), "tests/test_t.py": self.TEXT.format(bad=9)}
        )
        green.pytest("-q", *workers)
        found = outcomes(green.one())
        assert found["tests/test_s.py::test_sub"] is Outcome.FAILED
        assert found["tests/test_t.py::test_sub"] is Outcome.PASSED

    @MATRIX
    def test_those_of_unittest(self, green: Project) -> None:
        text = (
            "import unittest\nclass TestSub(unittest.TestCase):\n    def test_sub(self):\n        for n in range(3):\n"
            "            with self.subTest(n=n):\n                self.assertNotEqual(n, 1)\n"
        )
        green.repo.commit(files={"tests/test_s.py": text})
        green.pytest("-q")
        assert outcomes(green.one())["tests/test_s.py::TestSub::test_sub"] is Outcome.FAILED


class TestOff:
    @pytest.mark.parametrize(
        ("arguments", "environ"),
        [
            pytest.param(["--no-shipmoor"], {}, id="by-option", marks=MATRIX),
            pytest.param(["-q"], {"SHIPMOOR_HOOKS_RUN": "1"}, id="because-a-run-is-observed-already"),
            pytest.param(["--collect-only"], {}, id="a-collection"),
            pytest.param(["--setup-plan"], {}, id="a-plan", marks=MATRIX),
            pytest.param(["--setup-only"], {}, id="setup-only", marks=MATRIX),
            pytest.param(["--fixtures"], {}, id="a-list-of-fixtures", marks=MATRIX),
            pytest.param(["--cache-show"], {}, id="a-look-into-the-cache", marks=MATRIX),
            pytest.param(["--version"], {}, id="the-version", marks=MATRIX),
            pytest.param(["--no-such-option"], {}, id="a-wrong-option", marks=MATRIX),
        ],
    )
    def test_records_nothing(self, green: Project, arguments: list[str], environ: dict[str, str]) -> None:
        _, output = green.pytest(*arguments, **environ)
        assert green.runs() == []
        assert "shipmoor:" not in output

    def test_without_a_policy(self, green: Project) -> None:
        green.repo.commit(files={"shipmoor-hooks.toml": None})
        _, output = green.pytest("-q")
        assert green.runs() == []
        assert "shipmoor:" not in output

    @MATRIX
    def test_when_no_suite_is_run_by_pytest(self, green: Project) -> None:
        green.repo.commit(files={"shipmoor-hooks.toml": '[suite.unit]\ncommand = "npx jest"\n'})
        _, output = green.pytest("-q")
        assert green.runs() == []
        assert "shipmoor:" not in output

    @MATRIX
    def test_outside_a_repository(self, tmp_path: Path, project: Project) -> None:
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        (folder / "test_a.py").write_text("def test_x(): pass\n")
        done = project.repo.process([sys.executable, "-m", "pytest"], env=project.env, cwd=folder)
        assert done.returncode == 0
        assert b"shipmoor:" not in done.stdout

    def test_loads_nothing_of_ours_but_the_plugin(self, green: Project) -> None:
        conftest = (
            "import sys\n"
            "def pytest_sessionfinish():\n"
            "    print('LOADED', sorted(m for m in sys.modules if m.split('.')[0] in ('shipmoor_hooks', 'pygit2')))\n"
        )
        green.repo.commit(files={"shipmoor-hooks.toml": None, "conftest.py": conftest})
        _, output = green.pytest("-q")
        assert "LOADED ['shipmoor_hooks', 'shipmoor_hooks.pytest_plugin']" in output


class TestOn:
    @MATRIX
    def test_by_option_without_a_policy_says_what_is_missing(self, green: Project) -> None:
        green.repo.commit(files={"shipmoor-hooks.toml": None})
        code, output = green.pytest("-q", "--shipmoor")
        assert code == 0
        assert summary(output).startswith(
            "shipmoor: this session was not recorded: no suite of the policy is run by pytest"
        )

    def test_by_a_table_in_pyproject(self, green: Project) -> None:
        table = "[tool.shipmoor-hooks.suite.unit]\ncommand = 'python -m pytest'\n"
        green.repo.commit(files={"shipmoor-hooks.toml": None, "pyproject.toml": table})
        green.pytest("-q")
        assert green.one().is_complete
        assert dict(green.one().conditions)["argv"] == "python -m pytest"  # as an observed run of the suite has it

    @MATRIX
    def test_in_a_linked_worktree(self, green: Project) -> None:
        other = green.repo.path.parent / "other"
        green.repo.git("worktree", "add", "-q", str(other))
        done = green.repo.process([sys.executable, "-m", "pytest", "-q"], env=green.env, cwd=other)
        assert done.returncode == 0
        assert green.one().worktree == "other"

    def test_inside_a_hook_of_another_repository(self, green: Project, tmp_path: Path) -> None:
        """git exports its locations to hooks; the session is recorded for the repository in which it runs."""
        elsewhere = RepoBuilder.create(tmp_path / "elsewhere", green.repo.env)
        green.pytest("-q", GIT_DIR=str(elsewhere.path / ".git"), GIT_INDEX_FILE=str(elsewhere.path / ".git" / "index"))
        assert green.one().tree == green.repo.git("rev-parse", "HEAD^{tree}")

    def test_of_several_suites_the_one_that_is_run_whole(self, green: Project) -> None:
        both = "[suite.unit]\ncommand = 'pytest tests/test_a.py'\n[suite.more]\ncommand = 'pytest tests/more'\n"
        green.repo.commit(files={"shipmoor-hooks.toml": both})
        green.pytest("tests/more")
        green.pytest("--shipmoor-suite=unit", "tests/more")
        assert [(run.suite, run.is_partial) for run in green.runs()] == [("more", False), ("unit", True)]

    @MATRIX
    def test_of_several_suites_none_by_guessing(self, green: Project) -> None:
        both = "[suite.unit]\ncommand = 'pytest tests/test_a.py'\n[suite.more]\ncommand = 'pytest tests/more'\n"
        green.repo.commit(files={"shipmoor-hooks.toml": both})
        code, output = green.pytest("-q")
        assert code == 0
        assert green.runs() == []
        assert "name one with --shipmoor-suite" in summary(output)

    @MATRIX
    def test_for_a_variant(self, green: Project) -> None:
        green.repo.commit(files={"shipmoor-hooks.toml": POLICY + "variants = ['a', 'b']\n"})
        code, output = green.pytest("-q")
        assert code == 0
        assert "not recorded" in summary(output)
        green.pytest("-q", "--shipmoor-variant=a")
        assert green.one().variant == "a"


class TestNeverTouchesTheSession:
    @pytest.mark.parametrize("workers", WORKERS)
    def test_when_the_spool_cannot_be_written(self, project: Project, workers: list[str]) -> None:
        (project.repo.path / ".git" / "shipmoor-hooks").write_text("in the way")
        code, output = project.pytest("-q", *workers)
        assert code == 1
        assert summary(output).startswith("shipmoor: this session was not recorded: ")

    @MATRIX
    def test_when_the_policy_does_not_parse(self, green: Project) -> None:
        green.repo.write("shipmoor-hooks.toml", "[suite.unit\n")
        code, output = green.pytest("-q")
        assert code == 0
        assert re.search(r"not recorded: .*shipmoor-hooks\.toml", summary(output))

    @MATRIX
    def test_when_the_repository_breaks_while_it_runs(self, green: Project) -> None:
        text = "import shutil\ndef test_break(request): shutil.rmtree(request.config.rootpath / '.git')\n"
        green.repo.commit(files={"tests/test_c.py": text})
        code, output = green.pytest("-q")
        assert code == 0
        assert summary(output).startswith("shipmoor: this session was not recorded: ")

    def test_when_the_code_of_ours_is_broken(self, green: Project) -> None:
        """A fault of ours that nobody foresaw: the same line, and no trace of it in the outcome."""
        conftest = "import shipmoor_hooks.pytest_session as s\ns.PytestRun.finish = lambda *a: 1 / 0\n"
        green.repo.commit(files={"conftest.py": conftest})
        code, output = green.pytest("-q")
        assert code == 0
        assert summary(output) == "shipmoor: this session was not recorded: ZeroDivisionError: division by zero"

    def test_nor_a_byte_of_its_output_but_one_line(self, project: Project) -> None:
        def told(output: str) -> list[str]:
            return [
                re.sub(r"in [\d.]+s|0x[0-9a-f]+", "", x) for x in output.splitlines() if not x.startswith("shipmoor: ")
            ]

        assert told(project.pytest("-q", "-p", "no:cacheprovider")[1]) == told(
            project.pytest("-q", "-p", "no:cacheprovider", "--no-shipmoor")[1]
        )

    @MATRIX
    def test_a_file_that_changes_while_it_runs_binds_the_run_to_nothing(self, green: Project) -> None:
        text = "def test_write(request): (request.config.rootpath / 'tests' / 'test_a.py').write_text('')\n"
        green.repo.commit(files={"tests/test_z.py": text})
        _, output = green.pytest("-q")
        assert green.one().tree is None
        assert "for no tree" in summary(output)


def test_plugins_are_named_as_their_metadata_names_them() -> None:
    every = list(importlib.metadata.distributions())
    for one in every:
        facade = SimpleNamespace(read_text=one.read_text, project_name=one.metadata["Name"], version=one.version)
        assert pytest_plugin.named(facade) == f"{one.metadata['Name']} {one.version}"
    old = SimpleNamespace(read_text=lambda _: None, project_name="old", version="1")
    assert pytest_plugin.named(old) == "old 1"


def test_our_modules_are_loaded_past_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    before = SimpleNamespace(find_spec=lambda name, *_: asked.append(name))
    monkeypatch.setattr(sys, "meta_path", [before, *sys.meta_path])
    for name in ("shipmoor_hooks.results_folder", "colorsys"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        with pytest_plugin.OwnModules():
            importlib.import_module(name)
    assert asked == ["colorsys"]
    assert sys.meta_path[0] is before
