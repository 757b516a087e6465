"""Results of evals lie inside the plugin: git is told to ignore them, and a tree that changed by them alone says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from eval_world import MANIFEST, EvalSpec, files
from repo_builder import RepoBuilder

from shipmoor_hooks import place, results_folder
from shipmoor_hooks.wiring import install

PLAN = EvalSpec("plan")


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        pytest.param(["src/app.py"], "", id="no-result"),
        pytest.param([], "", id="nothing"),
        pytest.param(["evals/results/now/report.html"], "evals/results/", id="a-report"),
        pytest.param(["evals/results/a/x", "evals/results/b/y"], "evals/results/", id="two-runs"),
        pytest.param(["p/evals/results/a/x"], "p/evals/results/", id="a-plugin-below"),
        pytest.param(["quality/results/a/aggregate-result.json"], "quality/results/", id="another-eval-directory"),
        pytest.param(["evals/results/a/x", "src/app.py"], "", id="more-than-results"),
        pytest.param(["evals/results/a/x", "p/evals/results/a/x"], "", id="two-folders"),
        pytest.param(["evals/results"], "", id="a-file-of-that-name"),
        pytest.param(["results/data.json"], "", id="results-of-something-else"),
    ],
)
def test_results_folder(paths: list[str], folder: str) -> None:
    assert results_folder.of(paths) == folder


def ignored(repo: RepoBuilder) -> str:
    path = repo.path / ".gitignore"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "/evals/results/\n", id="no-file"),
        pytest.param("build/", "build/\n/evals/results/\n", id="a-last-line-without-an-end"),
        pytest.param("results/\n", "results/\n", id="ignored-already"),
        pytest.param("/evals/results/\n", "/evals/results/\n", id="the-very-line"),
    ],
)
def test_init_ignores_the_results_of_a_plugin_with_evals(repo: RepoBuilder, before: str, after: str) -> None:
    repo.commit(files={**MANIFEST, **files([PLAN]), **({".gitignore": before} if before else {})})
    install.apply(install.plan_init(place.find(str(repo.path), repo.env), repo.env))
    assert ignored(repo) == after
    again = install.plan_init(place.find(str(repo.path), repo.env), repo.env)
    assert not [c for c in again.changes if c.path.endswith(".gitignore")]


def test_init_leaves_other_repositories_alone(repo: RepoBuilder) -> None:
    repo.commit(files={"tests/test_a.py": "def test_a(): pass\n", "evals/results/x": "data"})
    install.apply(install.plan_init(place.find(str(repo.path), repo.env), repo.env))
    assert ignored(repo) == ""


def test_a_tree_that_changed_by_results_alone_names_the_line(repo: RepoBuilder, tmp_path: Path) -> None:
    script = "import pathlib; pathlib.Path('evals/results/last.json').write_text('2')"
    repo.commit(
        files={
            "shipmoor-hooks.toml": f"[suite.evals]\ncommand = {json.dumps(['python3', '-c', script])}\n",
            "evals/results/last.json": "1",
        }
    )
    done = repo.tool("run", "--suite", "evals", "--format", "json")
    problems = json.loads(done.stdout)["problems"]
    assert problems[0]["code"] == "TREE_CHANGED"
    assert "/evals/results/" in problems[0]["next"]
    assert ".gitignore" in problems[0]["next"]
