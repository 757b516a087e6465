"""The templates for continuous integration: what they may do, and each of their commands, run in order."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from gate_world import said
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks.cli.main import app_for

ROOT = Path(__file__).parent.parent / "examples" / "ci"
MEASURE, GATE = ROOT / "github" / "measure.yml", ROOT / "github" / "gate.yml"
GITLAB = ROOT / "gitlab" / ".gitlab-ci.yml"
APP = app_for(None)
COMMANDS = {str(c.name) for c in APP.registered_commands}
EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
HASH_PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")


def workflow(path: Path) -> dict[str, Any]:
    loaded = yaml.safe_load(path.read_text())
    assert isinstance(loaded, dict)
    return loaded


def steps(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each job with each of its steps."""
    for job in workflow(path)["jobs"].values():
        for step in job["steps"]:
            yield job, step


# ---------------------------------------------------------------- what they may do


@pytest.mark.parametrize("path", [MEASURE, GATE], ids=lambda p: p.name)
def test_permissions_are_few_and_actions_are_pinned(path: Path) -> None:
    assert workflow(path)["permissions"] == {}
    for job, step in steps(path):
        assert job["timeout-minutes"] <= 30
        if "uses" in step:
            assert HASH_PINNED.fullmatch(step["uses"]), step["uses"]
        if "checkout@" in step.get("uses", ""):
            assert step["with"]["fetch-depth"] == 0
            assert step["with"]["persist-credentials"] is False
        # What comes from outside as text of a script would be a command.
        assert not EXPRESSION.search(step.get("run", ""))


def test_the_job_that_runs_the_change_holds_nothing() -> None:
    job = workflow(MEASURE)["jobs"]["measure"]
    assert job["permissions"] == {"contents": "read"}
    assert "pull_request" in workflow(MEASURE)[True]  # YAML reads `on` as true
    assert "secrets." not in MEASURE.read_text()
    assert "github.token" not in MEASURE.read_text()


def test_the_job_that_judges_runs_no_code_of_the_change() -> None:
    assert set(workflow(GATE)[True]) == {"workflow_run"}
    scripts = "\n".join(step.get("run", "") for _, step in steps(GATE))
    assert re.findall(r"git switch .*", scripts) == ['git switch --quiet --detach "$base"']
    assert "pytest" not in scripts
    assert "--require-hashes" in scripts
    gate = "\n".join(workflow(GITLAB)["gate"]["script"])
    assert re.findall(r"git switch .*", gate) == ['git switch --quiet --detach "$base"']
    assert "pytest" not in gate


def test_the_workflows_fit_each_other() -> None:
    assert workflow(GATE)[True]["workflow_run"]["workflows"] == [workflow(MEASURE)["name"]]
    matrix = workflow(MEASURE)["jobs"]["measure"]["strategy"]["matrix"]
    env = workflow(GATE)["jobs"]["gate"]["env"]
    assert env["VARIANTS"].split() == matrix["variant"]
    assert env["PARTS"].split() == [str(part) for part in matrix["part"]]
    assert workflow(MEASURE)["jobs"]["measure"]["env"]["PARTS"] == len(matrix["part"])


@pytest.mark.parametrize("path", [MEASURE, GATE, GITLAB], ids=lambda p: p.name)
def test_every_command_exists(path: Path) -> None:
    named = set(re.findall(r"shipmoor-hooks ([a-z]+)\b", re.sub(r"#.*", "", path.read_text())))
    assert named <= COMMANDS


def test_a_full_history_is_fetched() -> None:
    assert workflow(GITLAB)["variables"]["GIT_DEPTH"] == "0"


# ---------------------------------------------------------------- played


@pytest.fixture
def shop(repo: RepoBuilder, installed_python: Path, tmp_path: Path) -> RepoBuilder:
    """A target branch and a change that loses a test, in a repository whose remote is another folder."""
    tools = tmp_path / "tools"
    tools.mkdir()
    # Installing is the host's business; `python -m pytest` is that of the environment in which these tests run.
    python = tools / "python"
    python.write_text(f'#!/bin/sh\n[ "$2" = pip ] && exit 0\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    repo.env["PATH"] = path_with(tools, installed_python.parent)
    repo.env |= {"CI": "true", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return repo


def suite_of(names: str) -> str:
    return "".join(f"def test_{name}():\n    assert True\n\n\n" for name in names)


def change(repo: RepoBuilder, policy: str, *, keeps: bool) -> tuple[str, Path]:
    """The base and the change, both pushed; the change's commit and the remote."""
    remote = repo.bare_remote()
    repo.commit(
        files={
            "shipmoor-hooks.toml": policy,
            ".gitignore": "report*\n__pycache__/\n.pytest_cache/\ngl-*\n",
            "tests/test_a.py": suite_of("ab"),
            "tests/test_b.py": suite_of("cd"),
        }
    )
    repo.git("push", "-q", "origin", "main")
    repo.git("switch", "-q", "-c", "work")
    head = repo.commit("Work", files={"tests/test_b.py": suite_of("cd" if keeps else "c")})
    repo.git("push", "-q", "origin", "work")
    return head, remote


def checked_out(repo: RepoBuilder, remote: Path, name: str, revision: str, *words: str) -> Path:
    """What the host's checkout leaves: a clone with remote-tracking branches, the revision detached."""
    target = repo.path.parent / name
    repo.git("clone", "-q", "--no-checkout", *words, f"file://{remote}", str(target), cwd=repo.path.parent)
    repo.git("checkout", "-q", "--detach", revision, cwd=target)
    return target


def value(text: object, context: Mapping[str, object]) -> str:
    """Text with its `${{ }}` expressions replaced; one that the test does not know is an error."""
    return EXPRESSION.sub(lambda found: str(context[found.group(1)]), str(text))


def script(repo: RepoBuilder, text: str, env: Mapping[str, str], cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return repo.process(["bash", "-e", "-o", "pipefail", "-c", text], env=env, cwd=cwd)


POLICY = '[suite.unit]\ncommand = ["pytest", "-q"]\nshards = 2\n'


KEEPS, LOSES = "a change that keeps its tests", "a change that loses one"


@pytest.mark.parametrize(
    "keeps", [pytest.param(True, id=KEEPS, marks=pytest.mark.matrix), pytest.param(False, id=LOSES)]
)
def test_the_github_workflows_give_the_verdict(shop: RepoBuilder, keeps: bool) -> None:
    head, remote = change(shop, POLICY + 'variants = ["3.11", "3.13"]\n', keeps=keeps)
    reports = shop.path.parent / "artifacts"
    job = workflow(MEASURE)["jobs"]["measure"]
    matrix = job["strategy"]["matrix"]
    for number, (side, variant, part) in enumerate(product(matrix["side"], matrix["variant"], matrix["part"])):
        context: dict[str, object] = {
            "github.event.pull_request.head.sha": head,
            "github.event.pull_request.base.ref": "main",
            "matrix.side": side,
            "matrix.variant": variant,
            "matrix.part": part,
        }
        folder = checked_out(shop, remote, f"measure{number}", head)
        env = {name: value(text, context) for name, text in job["env"].items()}
        for step in job["steps"]:
            if "run" in step:
                done = script(shop, step["run"], env, folder)
                assert done.returncode == 0, said(done)
            elif "upload-artifact@" in step["uses"]:
                target = reports / value(step["with"]["name"], context)
                target.mkdir(parents=True)
                shutil.copy(folder / step["with"]["path"], target)
    done, statuses = judged(shop, head, remote, reports)
    assert done.returncode == (0 if keeps else 1), said(done)
    assert statuses == ["success" if keeps else "failure"]
    if not keeps:
        assert "::error file=tests/test_b.py,title=CASE_REMOVED in unit [3.11]::" in said(done)
        assert "tests/test_b.py::test_d" in (shop.path.parent / "summary.md").read_text()


def judged(
    repo: RepoBuilder, head: str, remote: Path, reports: Path
) -> tuple[subprocess.CompletedProcess[bytes], list[str]]:
    """The steps of the gate, in a clone of the default branch; its answer and the status that it set."""
    folder = checked_out(repo, remote, "gate", "origin/main")
    context = {
        "github.event.workflow_run.head_sha": head,
        "github.event.repository.default_branch": "main",
        "github.token": "t",
        "github.server_url": "s",
        "github.repository": "r",
        "github.run_id": 1,
    }
    job = workflow(GATE)["jobs"]["gate"]
    env = {name: value(text, context) for name, text in job["env"].items()}
    env |= {"GITHUB_STEP_SUMMARY": str(repo.path.parent / "summary.md"), "GITHUB_REPOSITORY": "r"}
    gh = repo.path.parent / "tools" / "gh"
    gh.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{repo.path.parent}/said"\n')
    gh.chmod(0o755)
    answer = None
    for step in job["steps"]:
        if "download-artifact@" in step.get("uses", ""):
            shutil.copytree(reports, folder / step["with"]["path"])
        elif step.get("id") == "judge":
            answer = script(repo, step["run"], env, folder)
            outcome = "success" if answer.returncode == 0 else "failure"
            context["steps.judge.outcome == 'success' && 'success' || 'failure'"] = outcome
        elif "run" in step:
            own = {name: value(text, context) for name, text in step.get("env", {}).items()}
            done = script(repo, step["run"], env | own, folder)
            assert done.returncode == 0, said(done)
    assert answer is not None
    words = (repo.path.parent / "said").read_text().splitlines()
    return answer, [word.removeprefix("state=") for word in words if word.startswith("state=")]


@pytest.mark.parametrize(
    "keeps", [pytest.param(True, id=KEEPS), pytest.param(False, id=LOSES, marks=pytest.mark.matrix)]
)
def test_the_gitlab_jobs_give_the_verdict(shop: RepoBuilder, keeps: bool) -> None:
    head, remote = change(shop, POLICY, keeps=keeps)
    reports = shop.path.parent / "artifacts"
    reports.mkdir()
    jobs = workflow(GITLAB)
    env = {"CI_COMMIT_SHA": head, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    (matrix,) = jobs["measure"]["parallel"]["matrix"]
    for side, part in product(matrix["SIDE"], matrix["PART"]):
        folder = checked_out(shop, remote, f"measure {side} {part}", head)
        own = env | jobs["measure"]["variables"] | {"SIDE": side, "PART": part}
        done = script(shop, "\n".join(jobs["measure"]["script"]), own, folder)
        assert done.returncode == 0, said(done)
        shutil.copytree(folder / "reports", reports, dirs_exist_ok=True)
    folder = checked_out(shop, remote, "gate", head)
    shutil.copytree(reports, folder / "reports")
    done = script(shop, "\n".join(jobs["gate"]["script"]), env, folder)
    assert done.returncode == (0 if keeps else 1), said(done)
    issues = yaml.safe_load((folder / "gl-code-quality-report.json").read_text())
    removed = [issue["location"]["path"] for issue in issues if issue["check_name"] == "CASE_REMOVED"]
    assert removed == ([] if keeps else ["tests/test_b.py"])


def test_a_shallow_checkout_is_an_error_with_the_fetch_to_run(shop: RepoBuilder) -> None:
    head, remote = change(shop, POLICY, keeps=False)
    folder = checked_out(shop, remote, "shallow", head, "--depth=1", "--no-single-branch")
    for words in (["gate", "--base", "origin/main", "--tip", head], ["gate", "--tip", head]):
        done = shop.process(["shipmoor-hooks", *words], cwd=folder)
        assert done.returncode == 3
        assert "SHALLOW" in said(done)
        assert "git fetch --unshallow" in said(done)
        assert "FIRST_YARDSTICK" not in said(done)
