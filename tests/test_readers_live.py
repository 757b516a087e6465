"""Real runners write, we read: pytest as installed, in runs that go right, wrong and nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from shipmoor_hooks.model import Case, RecordKind, Report
from shipmoor_hooks.readers.registry import read
from shipmoor_hooks.store.inventory import cases_of

SUBTESTS = """
def test_subtests(subtests):
    with subtests.test(): pass
    with subtests.test(): assert 0
"""
HAS_SUBTESTS = find_spec("_pytest.subtests") is not None  # since pytest 9
SUITE = {
    "tests/test_all.py": """
import pytest
def test_green(): pass
def test_red(): assert 0
def test_skipped(): pytest.skip("no")
@pytest.mark.xfail
def test_expected(): assert 0
@pytest.fixture
def broken_before(): raise RuntimeError
@pytest.fixture
def broken_after():
    yield
    raise RuntimeError
def test_setup(broken_before): pass
def test_teardown(broken_after): pass
def test_both(broken_after): assert 0
def test_prints(): print('</testcase><testcase name="fake"/>\\x1b[31m\\x00')
@pytest.mark.parametrize("x", ["a\\x1bb", "c::d", "e[f]"])
def test_named(x): pass
""",
    "tests/test_broken.py": "import no_such_module",
    "tests/test_away.py": "import pytest\npytest.skip('not here', allow_module_level=True)\ndef test_x(): pass",
}


def run(folder: Path, *options: str) -> tuple[Report, tuple[Case, ...]]:
    """Run pytest in the folder; its report, and the cases that we make of it."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir=.",
        "--junitxml=r.xml",
        *options,
    ]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    report = read((folder / "r.xml").read_bytes(), None, "r.xml")
    tracked = frozenset(p.relative_to(folder).as_posix() for p in folder.rglob("*.py"))
    return report, cases_of([report], tracked, str(folder), ())


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


@pytest.mark.parametrize(
    "options", [(), ("-ojunit_family=xunit1", "-ojunit_logging=all")], ids=["default", "xunit1 with output"]
)
def test_every_kind_of_result(tmp_path: Path, options: tuple[str, ...]) -> None:
    write(tmp_path, SUITE)
    report, cases = run(tmp_path, "--continue-on-collection-errors", *options)
    file = "tests/test_all.py::"
    assert {c.id.removeprefix(file): c.outcome.value for c in cases if c.kind is RecordKind.CASE} == {
        "test_green": "passed",
        "test_red": "failed",
        "test_skipped": "skipped",
        "test_expected": "xfailed",
        "test_setup": "error",
        "test_teardown": "error",
        "test_both": "error",
        "test_prints": "passed",
        "test_named[a\\x1bb]": "passed",
        "test_named[c::d]": "passed",
        "test_named[e[f]]": "passed",
    }
    assert {(c.id, c.outcome.value, c.covers) for c in cases if c.kind is not RecordKind.CASE} == {
        ("tests/test_broken.py", "error", "tests/test_broken.py::"),
        ("tests/test_away.py", "skipped", "tests/test_away.py::"),
    }
    assert all(c.count == 1 for c in cases)
    assert (report.dialect, report.problems) == ("pytest", ())
    assert report.started is not None


@pytest.mark.parametrize(
    ("files", "options", "says"),
    [
        pytest.param(
            {"test_a.py": "import no_such_module"}, (), "nothing but files that do not load: test_a.py", id="load error"
        ),
        pytest.param({"test_a.py": "x = 1"}, (), "no case", id="nothing collected"),
        pytest.param({"test_a.py": "def test_a(): pass"}, ("--setup-plan",), "listed its tests", id="setup-plan"),
        pytest.param(
            {"test_a.py": "def test_a(): pass\ndef test_b(): raise KeyboardInterrupt"},
            (),
            "names no test",
            id="interrupted",
        ),
        pytest.param(
            {"test_a.py": "import os, pytest\n@pytest.mark.parametrize('x', [os.getpid()])\ndef test_a(x): pass"},
            ("-pxdist", "-n2"),
            "workers collected different tests",
            id="xdist: unequal collection",
        ),
        pytest.param(
            {
                "test_a.py": "def test_a(): pass",
                "conftest.py": "def pytest_runtest_call(item): 1 / 0\ndef pytest_runtest_protocol(item): 1 / 0",
            },
            (),
            "internal error",
            id="internal error",
        ),
    ],
)
def test_runs_that_show_nothing(tmp_path: Path, files: dict[str, str], options: tuple[str, ...], says: str) -> None:
    write(tmp_path, files)
    report, _ = run(tmp_path, *options)
    assert report.problems
    assert says in report.problems[0].message


def test_a_worker_that_dies_is_a_red_case_of_the_right_name(tmp_path: Path) -> None:
    write(tmp_path, {"test_a.py": "import os\ndef test_a(): pass\ndef test_dies(): os._exit(1)\ndef test_z(): pass"})
    report, cases = run(tmp_path, "-pxdist", "-n1")
    assert {c.id: c.outcome.is_red for c in cases} == {
        "test_a.py::test_a": False,
        "test_a.py::test_dies": True,
        "test_a.py::test_z": False,
    }
    assert report.problems == ()


@pytest.mark.skipif(not HAS_SUBTESTS, reason="this pytest has no subtests")
def test_subtests_are_no_cases(tmp_path: Path) -> None:
    write(tmp_path, {"test_a.py": SUBTESTS + "def test_b(): pass\ndef test_c(): pass"})
    report, cases = run(tmp_path)
    assert {c.id: (c.outcome.value, c.count) for c in cases} == {
        "test_a.py::test_b": ("passed", 1),
        "test_a.py::test_c": ("passed", 1),
        "test_a.py::test_subtests": ("failed", 1),
    }
    assert report.problems == ()
