"""The version of a runner: asked beside the run, never waited for, never a reason to fail."""

from __future__ import annotations

import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from shipmoor_hooks import runner_version
from shipmoor_hooks.runner_version import VersionQuestion


def script(folder: Path, text: str) -> list[str]:
    path = folder / "runner.py"
    path.write_text(text)
    return [sys.executable, str(path), "--version"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("print('runner 1.2.3')", "1.2.3", id="a name and a version"),
        pytest.param("print('v20.20.2')", "20.20.2", id="a v in front"),
        pytest.param("import sys; sys.stderr.write('tool 9.2.0rc1\\n')", "9.2.0rc1", id="on the other stream"),
        pytest.param("print('no number')", "", id="no version"),
        pytest.param("print('2.0.0'); raise SystemExit(2)", "", id="it does not know the question"),
        pytest.param("print(open(0).read() == '', '3.1')", "3.1", id="it reads nothing from us"),
    ],
)
def test_what_it_says(tmp_path: Path, text: str, expected: str) -> None:
    asked = VersionQuestion(script(tmp_path, text), str(tmp_path), os.environ)
    assert asked.answer() == expected
    assert asked.answer() == ""


@pytest.mark.parametrize(
    "command", [None, [], ["no-such-runner-at-all", "--version"], ["pytest", "--help"]],
    ids=["none known", "empty", "not installed", "no question for a version"],
)  # fmt: skip
def test_who_is_not_asked(tmp_path: Path, command: list[str] | None) -> None:
    assert VersionQuestion(command, str(tmp_path), os.environ).answer() == ""


def test_one_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_version, "_PATIENCE", 0.2)
    asked = VersionQuestion(script(tmp_path, "import time; time.sleep(60)"), str(tmp_path), os.environ)
    start = time.monotonic()
    assert asked.answer() == ""
    assert time.monotonic() - start < 10


def test_the_real_pytest(tmp_path: Path) -> None:
    asked = VersionQuestion([sys.executable, "-m", "pytest", "--version"], str(tmp_path), os.environ)
    assert asked.answer() == version("pytest")
