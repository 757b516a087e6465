"""Runners told by the table and really run: a report appears, and a selection shows in it (design, section 2).

pytest and node run always; each other runner where its program is installed, the ones from npm where there is an index.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shipmoor_hooks import runners
from shipmoor_hooks.model import Outcome
from shipmoor_hooks.readers import registry


@dataclass(frozen=True)
class Sample:
    """A project with one green and one red case. `select` are the words that leave the green one, `setup` runs first."""

    command: list[str]
    select: list[str]
    files: dict[str, str]
    green: str
    red: str
    hides_what_is_left_out: bool = True
    setup: list[list[str]] = field(default_factory=list)


JS = "const assert = require('assert');\nconst t = globalThis.describe ? globalThis : require('node:test');\n"
JS += "t.it('adds', () => assert.equal(2, 2));\nt.it('fails', () => assert.equal(1, 2));\n"
NODE = Sample(
    ["node", "--test", "test/a.test.js"], ["--test-name-pattern=adds"], {"test/a.test.js": JS}, "adds", "fails", False
)
PHP = """<?php
final class ATest extends PHPUnit\\Framework\\TestCase {
  public function testX(): void { $this->assertTrue(true); }
  public function testY(): void { $this->assertTrue(false); }
}
"""
GO = 'package x\nimport "testing"\nfunc TestX(t *testing.T) {}\nfunc TestY(t *testing.T) { t.Fail() }\n'
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(x NONE)
enable_testing()
add_test(NAME good COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME bad COMMAND ${CMAKE_COMMAND} -E false)
"""
RUBY = """RSpec.describe "A" do
  it("good") { expect(1).to eq 1 }
  it("bad") { expect(1).to eq 2 }
end
"""
SAMPLES = {
    "ctest": Sample(
        ["ctest", "--test-dir", "b"], ["-R", "good"], {"CMakeLists.txt": CMAKE}, "good", "bad",
        setup=[["cmake", "-S", ".", "-B", "b"]],
    ),
    "phpunit": Sample(["phpunit", "tests"], ["--filter", "testX"], {"tests/ATest.php": PHP}, "testX", "testY"),
    "rspec": Sample(
        ["rspec"],
        ["-e", "good"],
        {"spec/a_spec.rb": RUBY},
        "A good",
        "A bad",
    ),
    "gotestsum": Sample(
        ["gotestsum"], ["--", "-run", "TestX", "./..."], {"go.mod": "module x\n", "a_test.go": GO}, "TestX", "TestY"
    ),
}  # fmt: skip
FROM_NPM = {
    "jest": Sample(["npx", "jest"], ["-t", "adds"], {"test/a.test.js": JS}, "adds", "fails", False),
    "mocha": Sample(["npx", "mocha"], ["-g", "adds"], {"test/a.test.js": JS}, "adds", "fails"),
    "vitest": Sample(
        ["npx", "vitest", "run", "--globals"],
        ["-t", "adds"],
        {"test/a.test.js": "it('adds', () => expect(1).toBe(1));\nit('fails', () => expect(1).toBe(2));\n"},
        "adds",
        "fails",
        False,
    ),
}


def run(command: list[str], folder: Path, environ: dict[str, str], fresh: Path) -> tuple[int, dict[str, Outcome]]:
    """The exit code of the told command, and the outcomes by name in its reports."""
    fresh.mkdir()
    runner = runners.recognise(command)
    assert runner is not None
    told = runner.prepare(command, environ, str(fresh))
    done = subprocess.run(
        told.command, cwd=folder, env=environ | dict(told.environ), capture_output=True, timeout=300, check=False
    )
    files = [f for pattern in told.reports for f in glob.glob(os.path.join(folder, pattern), recursive=True)]
    assert files, (told, done.stdout.decode(), done.stderr.decode())
    reports = [registry.read(Path(f).read_bytes(), told.reader, f) for f in files]
    return done.returncode, {r.name: r.outcome for report in reports for r in report.records}


def check(sample: Sample, folder: Path, environ: dict[str, str]) -> None:
    for name, content in sample.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    for command in sample.setup:
        subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=True, timeout=100)
    code, found = run(sample.command, folder, environ, folder / "fresh one")
    assert code != 0
    assert found == {sample.green: Outcome.PASSED, sample.red: Outcome.FAILED}
    at = len(sample.command) if sample.command[0] != "node" else 1
    selected = [*sample.command[:at], *sample.select, *sample.command[at:]]
    code, found = run(selected, folder, environ, folder / "fresh two")
    left_out = {} if sample.hides_what_is_left_out else {sample.red: Outcome.SKIPPED}
    assert (code, found) == (0, {sample.green: Outcome.PASSED} | left_out)
    assert runners.narrowing(selected, environ, sample.command)


@pytest.fixture
def python_project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--junitxml=configured.xml'\n")
    (folder / "test_a.py").write_text("def test_x(): pass\ndef test_y(): assert 0\n")
    return folder


def test_pytest(python_project: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    whole = run(command, python_project, environment, tmp_path / "one")
    part = run([*command, "-k", "test_x"], python_project, environment, tmp_path / "t[w]o")
    assert whole == (1, {"test_x": Outcome.PASSED, "test_y": Outcome.FAILED})
    assert part == (0, {"test_x": Outcome.PASSED})
    assert b'file="test_a.py"' in (tmp_path / "one" / "pytest.xml").read_bytes()
    assert not (python_project / "configured.xml").exists()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node(tmp_path: Path, environment: dict[str, str]) -> None:
    check(NODE, tmp_path, environment)


@pytest.mark.matrix
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.skipif(shutil.which(n) is None, reason=f"{n} is not installed"))
        for n in SAMPLES
    ],
)
def test_installed(name: str, tmp_path: Path, environment: dict[str, str]) -> None:
    check(SAMPLES[name], tmp_path, environment)


@pytest.fixture(scope="module")
def npm_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text(json.dumps({"name": "sample", "private": True}))
    wanted = ["jest@29", "jest-junit@16", "mocha@11", "vitest@3"]
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", *wanted], cwd=folder, check=True, timeout=300)
    return folder


@pytest.mark.matrix
@pytest.mark.network
@pytest.mark.parametrize("name", FROM_NPM)
def test_from_npm(name: str, npm_project: Path, environment: dict[str, str]) -> None:
    for old in ("test", "fresh one", "fresh two"):
        shutil.rmtree(npm_project / old, ignore_errors=True)
    check(FROM_NPM[name], npm_project, environment)
