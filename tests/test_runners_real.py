"""The runners that are installed, told by the table and really run: a report appears, and a selection shows in it."""

from __future__ import annotations

import glob
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from shipmoor_hooks import runners


def run(command: list[str], folder: Path, environ: dict[str, str], fresh: Path) -> tuple[int, list[str]]:
    """The exit code of the told command, and the names of the cases in its reports."""
    fresh.mkdir(exist_ok=True)
    runner = runners.recognise(command)
    assert runner is not None
    told = runner.prepare(command, environ, str(fresh))
    done = subprocess.run(
        told.command, cwd=folder, env=environ | dict(told.environ), capture_output=True, timeout=300, check=False
    )
    files = [f for pattern in told.reports for f in glob.glob(str(folder / pattern), recursive=True)]
    cases = [c for f in files for c in ElementTree.parse(f).iter("testcase")]  # noqa: S314 our own runner wrote it
    assert files, (told, done.stdout.decode(), done.stderr.decode())
    return done.returncode, sorted(c.attrib["name"] for c in cases)


@pytest.fixture
def python_project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--junitxml=configured.xml'\n")
    (folder / "test_a.py").write_text("def test_x(): pass\ndef test_y(): assert 0\n")
    return folder


def test_pytest(python_project: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    assert run(command, python_project, environment, tmp_path / "one") == (1, ["test_x", "test_y"])
    assert run([*command, "-k", "test_x"], python_project, environment, tmp_path / "two") == (0, ["test_x"])
    assert not (python_project / "configured.xml").exists()


def test_pytest_names_the_file_of_each_case(python_project: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    run([sys.executable, "-m", "pytest"], python_project, environment, tmp_path / "one")
    (case, _) = ElementTree.parse(tmp_path / "one" / "pytest.xml").iter("testcase")  # noqa: S314
    assert case.attrib["file"] == "test_a.py"
