"""Monorepos: which folders are packages, what each suite measures, and that a change in one leaves the others' runs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks.policy import parse
from shipmoor_hooks.runners import recognise
from shipmoor_hooks.wiring import detect, packages

VITEST = '{"name": "%s", "devDependencies": {"vitest": "3"}}'
PYTEST = "[project]\nname = '%s'\n[tool.pytest.ini_options]\n"
SINGLE = [
    pytest.param({"pyproject.toml": PYTEST % "shop"}, id="one package at the root"),
    pytest.param({"api/pyproject.toml": PYTEST % "api"}, id="one package below the root is the layout of many"),
    pytest.param(
        {
            "pyproject.toml": PYTEST % "shop",
            "examples/a/pyproject.toml": PYTEST % "a",
            "docs/package.json": VITEST % "d",
        },
        id="examples and docs",
    ),
    pytest.param(
        {"pyproject.toml": PYTEST % "shop", "plugins/a/pyproject.toml": PYTEST % "a"},
        id="what the root's runner covers",
    ),
    pytest.param(
        {
            "package.json": VITEST % "shop",
            "node_modules/x/package.json": VITEST % "x",
            "dist/package.json": VITEST % "y",
        },
        id="what is installed or made",
    ),
    pytest.param({"a/package.json": "{}", "b/pyproject.toml": "[project]\n"}, id="packages without tests"),
]


def write(repo: RepoBuilder, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        repo.write(name, text)


@pytest.mark.parametrize("files", SINGLE)
def test_a_single_package_is_as_before(repo: RepoBuilder, files: Mapping[str, str]) -> None:
    write(repo, files)
    seen = detect.layout(str(repo.path))
    assert (seen.at_root, seen.packages) == (detect.detect(str(repo.path)), ())


LAYOUTS = [
    pytest.param(
        {"services/api/pyproject.toml": PYTEST % "api", "services/worker/setup.cfg": "[tool:pytest]\n"},
        {
            "api": (["pytest", "-q", "--rootdir=.", "services/api"], ["services/worker/**"]),
            "worker": (["pytest", "-q", "--rootdir=.", "services/worker"], ["services/api/**"]),
        },
        id="pytest and pytest",
    ),
    pytest.param(
        {"pyproject.toml": PYTEST % "shop", "web/package.json": VITEST % "web"},
        {"unit": (["pytest", "-q"], ["web/**"]), "web": (["env", "-C", "web", "npx", "vitest", "run"], [])},
        id="pytest at the root and vitest below",
    ),
    pytest.param(
        {
            "package.json": '{"workspaces": ["packages/*"], "devDependencies": {"vitest": "3"}}',
            "packages/a/package.json": VITEST % "@shop/a",
            "packages/b/package.json": '{"name": "b", "dependencies": {"@shop/a": "*"}, "devDependencies": {"vitest": "3"}}',
        },
        {
            "a": (["env", "-C", "packages/a", "npx", "vitest", "run"], ["packages/b/**"]),
            "b": (["env", "-C", "packages/b", "npx", "vitest", "run"], []),
        },
        id="a workspace, where one package needs the other",
    ),
    pytest.param(
        {
            "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n',
            "a/Cargo.toml": '[package]\nname = "cart"\n',
            "b/Cargo.toml": '[package]\nname = "till"\n',
        },
        {
            "a": (["env", "-C", "a", "cargo", "nextest", "run", "--no-fail-fast"], ["b/**"]),
            "b": (["env", "-C", "b", "cargo", "nextest", "run", "--no-fail-fast"], ["a/**"]),
        },
        id="a Cargo workspace",
    ),
    pytest.param(
        {"pom.xml": "<project><modules/><modules>\n</modules></project>", "a/pom.xml": "<p/>", "b/pom.xml": "<p/>"},
        {"a": (["env", "-C", "a", "mvn", "test"], ["b/**"]), "b": (["env", "-C", "b", "mvn", "test"], ["a/**"])},
        id="maven modules",
    ),
    pytest.param(
        {"go/a/go.mod": "module example.org/a\n", "go/b/go.mod": "module example.org/b\nrequire example.org/a v1\n"},
        {
            "a": (["env", "-C", "go/a", "gotestsum", "--", "./..."], ["go/b/**"]),
            "b": (["env", "-C", "go/b", "gotestsum", "--", "./..."], []),
        },
        id="go modules",
    ),
    pytest.param(
        {"x/core/pytest.ini": "", "y/core/pytest.ini": "", "z/pytest.ini": "", "z/a.py": "from x.core import cart\n"},
        {
            "x-core": (["pytest", "-q", "--rootdir=.", "x/core"], ["y/core/**", "z/**"]),
            "y-core": (["pytest", "-q", "--rootdir=.", "y/core"], ["x/core/**", "z/**"]),
            "z": (["pytest", "-q", "--rootdir=.", "z"], []),
        },
        id="folders of one name, and an import that could mean both",
    ),
]


@pytest.mark.parametrize(("files", "want"), LAYOUTS)
def test_each_package_has_a_suite_of_its_own(
    repo: RepoBuilder, files: Mapping[str, str], want: dict[str, tuple[list[str], list[str]]]
) -> None:
    write(repo, files)
    seen = detect.layout(str(repo.path))
    text = detect.policy_text(seen.at_root, seen.packages)
    suites = parse(text.encode(), "shipmoor-hooks.toml").suites
    assert {name: (list(s.command), list(s.exclude)) for name, s in suites.items()} == want
    assert all(recognise(s.command) is not None for s in suites.values())
    assert "Several packages" in text


def test_names_that_are_taken_get_more_of_the_path() -> None:
    names = packages.suite_names(["unit", "a/x", "b/x", "ö ö"], ["unit"])
    assert names == {"unit": "unit-2", "a/x": "a-x", "b/x": "b-x", "ö ö": "package"}


# ---------------------------------------------------------------- for real


def shop(repo: RepoBuilder, python: Path, tools: Path) -> None:
    """Our program and pytest on PATH."""
    tools.mkdir()
    (tools / "pytest").write_text(f'#!/bin/sh\nexec {sys.executable} -m pytest "$@"\n')
    (tools / "pytest").chmod(0o755)
    repo.env["PATH"] = path_with(python.parent, tools)


def ours(repo: RepoBuilder, *words: str) -> subprocess.CompletedProcess[bytes]:
    return repo.process(["shipmoor-hooks", *words])


def measured(repo: RepoBuilder) -> dict[str, list[str]]:
    rows = [row.split("\t") for row in ours(repo, "status", "--porcelain").stdout.decode().splitlines()]
    return {row[1]: [row[0], *row[4:]] for row in rows}


def ids(repo: RepoBuilder, suite: str) -> list[str]:
    runs = json.loads(ours(repo, "log", "--suite", suite, "--format", "json").stdout)["runs"]
    shown = json.loads(ours(repo, "show", runs[0]["run"], "--format", "json").stdout)
    return [case["case"] for case in shown["cases"]]


def test_pytest_and_pytest(repo: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    shop(repo, installed_python, tmp_path / "tools")
    write(repo, {".gitignore": "__pycache__\n.pytest_cache\n", "services/api/src/cart.py": "total = 0\n"})
    for name in ("api", "worker"):
        write(repo, {f"services/{name}/pyproject.toml": PYTEST % name})
        write(repo, {f"services/{name}/tests/test_a.py": f"def test_{name}():\n    pass\n"})
    repo.write("services/api/pyproject.toml", PYTEST % "api" + "pythonpath = ['src']\n")
    repo.write("services/api/tests/test_a.py", "from cart import total\n\n\ndef test_api():\n    assert total == 0\n")
    assert ours(repo, "init", "--yes").returncode == 0
    repo.commit()
    for suite in ("api", "worker"):
        done = ours(repo, "run", "--suite", suite)
        assert done.returncode == 0, done.stderr
        assert ids(repo, suite) == [f"services/{suite}/tests/test_a.py::test_{suite}"]
    repo.write("services/api/cart.py", "total = 0\n")
    repo.commit("Change the api")
    assert measured(repo) == {"api": ["TREE_DIFFERS", "-", "-"], "worker": ["measured", "1", "1"]} or measured(
        repo
    ) == {
        "api": ["NO_RUN_AT_TIP", "-", "-"],
        "worker": ["measured", "1", "1"],
    }


@pytest.mark.network
def test_pytest_and_vitest(repo: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    shop(repo, installed_python, tmp_path / "tools")
    write(
        repo,
        {
            ".gitignore": "__pycache__\n.pytest_cache\nnode_modules\n",
            "api/pyproject.toml": PYTEST % "api",
            "api/tests/test_a.py": "def test_api():\n    pass\n",
            "web/package.json": '{"name": "web", "private": true, "type": "module", "devDependencies": {"vitest": "3.2.4"}}',
            "web/src/page.test.js": "import { test } from 'vitest'\ntest('page', () => {})\n",
        },
    )
    words = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"]
    subprocess.run(words, cwd=repo.path / "web", check=True, capture_output=True, timeout=180)
    assert ours(repo, "init", "--yes").returncode == 0
    repo.commit()
    for suite in ("api", "web"):
        done = ours(repo, "run", "--suite", suite)
        assert done.returncode == 0, done.stderr
    assert len(ids(repo, "web")) == 1
    assert "page.test.js" in ids(repo, "web")[0]
    repo.write("api/cart.py", "total = 0\n")
    repo.commit("Change the api")
    assert measured(repo)["web"] == ["measured", "1", "1"]
    assert measured(repo)["api"][0] != "measured"
