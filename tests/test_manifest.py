""".pre-commit-hooks.yaml: what a user's configuration gets who names this repository, with the real pre-commit."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks.hook import STAGES
from shipmoor_hooks.place import find
from shipmoor_hooks.wiring.hook_source import HOOKS, STAGE_OF, HookSource
from shipmoor_hooks.wiring.install import apply, plan_init

PROJECT = Path(__file__).parent.parent
NEEDED = (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE", "hooks", "shipmoor_hooks")


def manifest() -> dict[str, dict[str, object]]:
    return {hook["id"]: hook for hook in yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text())}


def test_every_hook_has_its_stage_and_an_entry_point() -> None:
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]
    assert set(manifest()) == set(HOOKS)
    for name, hook in manifest().items():
        program, stage = str(hook["entry"]).split()
        assert program in scripts
        assert stage in STAGES
        assert hook["stages"] == [STAGE_OF[name]] == [stage]
        assert (hook["language"], hook["always_run"], hook["require_serial"]) == ("python", True, True)
        assert hook.get("pass_filenames", True) is (name == "shipmoor-disclose")
        assert hook["minimum_pre_commit_version"] == "3.2.0"
    assert manifest()["shipmoor-gate"]["verbose"] is True


def test_pre_commit_accepts_the_manifest() -> None:
    words = [sys.executable, "-m", "pre_commit", "validate-manifest", str(PROJECT / ".pre-commit-hooks.yaml")]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.network
@pytest.mark.matrix
def test_a_repository_that_names_this_project_gets_the_gate_from_pre_commit_itself(
    repo: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    source = RepoBuilder.create(tmp_path / "source", repo.env)
    for name in NEEDED:
        path = PROJECT / name
        copy = shutil.copytree if path.is_dir() else shutil.copy2
        copy(path, source.path / name)
    revision = source.commit()
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "pre-commit").symlink_to(Path(sys.executable).with_name("pre-commit"))
    repo.env["PATH"] = path_with(tools)
    repo.commit(files={".pre-commit-config.yaml": "repos: []\n", "pytest.ini": ""})
    place = find(str(repo.path), repo.env)
    apply(plan_init(place, repo.env, str(installed_python), HookSource(str(source.path), revision)))
    (repo.path / ".git" / "hooks" / "pre-push.legacy").unlink()
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Hooks")
    repo.bare_remote()
    done = repo.process(["git", "push", "origin", "main"], env={"SHIPMOOR_HOOKS_PROBE": str(tmp_path / "probe")})
    assert done.returncode == 1
    assert (tmp_path / "probe").exists(), done.stderr.decode() + done.stdout.decode()
    assert repo.git("ls-remote", "origin") == ""
