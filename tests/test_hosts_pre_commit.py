"""pre-commit and prek, the real ones: `init` beside them, and a clone that only ever ran their own `install`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.place import find
from shipmoor_hooks.wiring.hook_files import stands_beside_host
from shipmoor_hooks.wiring.hook_source import HookSource
from shipmoor_hooks.wiring.install import Plan, apply, plan_init

CONFIG = "# ours\nrepos:\n  - repo: local\n    hooks:\n      - {id: ok, name: ok, entry: 'true', language: system}\n"
HOSTS = pytest.mark.parametrize("host", ["pre-commit", pytest.param("prek", marks=pytest.mark.matrix)])


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path, tmp_path: Path, host: str) -> RepoBuilder:
    """A pushed repository whose developers use the host; only it and our entry are on PATH."""
    tools = tmp_path / "tools"
    tools.mkdir()
    program = Path(sys.executable).with_name(host)
    assert program.exists(), f"{host} belongs to the development environment"
    (tools / host).symlink_to(program)
    repo.env["PATH"] = path_with(tools, installed_python.parent)
    repo.commit(files={".pre-commit-config.yaml": CONFIG, "pytest.ini": "", "shipmoor-hooks.toml": "[gate]\n"})
    repo.bare_remote()
    repo.git("push", "-q", "origin", "main")
    return repo


def plan(repo: RepoBuilder, python: Path) -> Plan:
    return plan_init(find(str(repo.path), repo.env), repo.env, str(python), HookSource())


def push(repo: RepoBuilder, probe: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return repo.process(["git", "push", *words], env={"SHIPMOOR_HOOKS_PROBE": str(probe)}, cwd=cwd)


@HOSTS
def test_after_init_our_own_hook_sees_every_ref_beside_the_host(
    world: RepoBuilder, installed_python: Path, tmp_path: Path, host: str
) -> None:
    made = plan(world, installed_python)
    assert made.host == host
    assert apply(made) == ()
    hooks = world.path / ".git" / "hooks"
    names = {"pre-commit", "pre-push", "pre-push.legacy", "post-commit", "commit-msg"}
    assert {path.name for path in hooks.iterdir()} == names
    assert stands_beside_host(find(str(world.path), world.env))
    world.git("add", "-A")
    world.git("commit", "-q", "--no-verify", "-m", "Hooks", env={"PATH": path_with()})
    world.git("branch", "zz")
    done = push(world, tmp_path / "probe", "origin", "main", "zz")
    assert done.returncode == 1
    assert (tmp_path / "probe").read_text().startswith("called\nrefs/heads/")
    assert {"refs/heads/main", "refs/heads/zz"} <= set((tmp_path / "probe").read_text().split())
    assert "zz" not in world.git("ls-remote", "origin")


@HOSTS
def test_a_second_init_finds_everything_in_place(world: RepoBuilder, installed_python: Path, host: str) -> None:
    apply(plan(world, installed_python))
    again = plan(world, installed_python)
    assert (again.host, again.is_done, again.diff()) == (host, True, "")


@HOSTS
def test_a_deletion_a_rewind_and_a_ref_the_remote_has_are_seen(
    world: RepoBuilder, installed_python: Path, tmp_path: Path, host: str
) -> None:
    world.git("push", "-q", "origin", "main:gone")
    world.commit()
    world.git("push", "-q", "origin", "main")
    apply(plan(world, installed_python))
    for number, word in enumerate((":gone", "+main~1:main", "main:same")):
        assert push(world, tmp_path / str(number), "origin", word).returncode == 1
        assert (tmp_path / str(number)).read_text().count("\n") == 2, word


@HOSTS
def test_the_hosts_own_install_in_a_fresh_clone_brings_the_gate(
    world: RepoBuilder, installed_python: Path, tmp_path: Path, host: str
) -> None:
    apply(plan(world, installed_python))
    world.git("add", "-A")
    world.git("commit", "-q", "--no-verify", "-m", "Hooks")
    world.git("push", "-q", "--no-verify", "origin", "main")
    clone = RepoBuilder(tmp_path / "clone", world.env)
    world.git("clone", "-q", str(tmp_path / "origin.git"), str(clone.path), cwd=tmp_path)
    assert clone.process([host, "install"]).returncode == 0
    assert not stands_beside_host(find(str(clone.path), clone.env))
    names = {path.name for path in (clone.path / ".git" / "hooks").iterdir()}
    assert names == {"pre-commit", "pre-push", "post-commit", "commit-msg"}
    clone.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "More", env={"PATH": path_with()})
    done = push(clone, tmp_path / "probe", "origin", "main")
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "probe").read_text() == "called\n"
    assert clone.sha("HEAD") not in clone.git("ls-remote", "origin")


@HOSTS
def test_a_hook_that_the_host_kept_runs_on(
    world: RepoBuilder, installed_python: Path, tmp_path: Path, host: str
) -> None:
    log = tmp_path / "log"
    world.write(".git/hooks/pre-push", f"#!/bin/sh\ncat >> '{log}'\n", 0o755)
    apply(plan(world, installed_python))
    hooks = world.path / ".git" / "hooks"
    assert (hooks / "pre-push.shipmoor-chained").read_text().startswith("#!/bin/sh\ncat")
    assert "shipmoor-hooks shim" in (hooks / "pre-push.legacy").read_text()
    assert plan(world, installed_python).is_done


@pytest.mark.parametrize("host", ["pre-commit"])
def test_a_configuration_that_cannot_be_extended_changes_nothing_until_it_is_pasted(
    world: RepoBuilder, installed_python: Path, host: str
) -> None:
    config = world.write(".pre-commit-config.yaml", "repos: [{repo: meta, hooks: [{id: identity}]}]\n")
    with pytest.raises(UsageFault) as told:
        plan(world, installed_python)
    assert not (world.path / ".git" / "hooks").exists()
    pasted = yaml.safe_load(told.value.next_step.split("\n", 1)[1])
    config.write_text(yaml.safe_dump(pasted, default_flow_style=True))
    apply(plan(world, installed_python))
    assert yaml.safe_load(config.read_text()) == pasted
    assert plan(world, installed_python).is_done


@pytest.mark.parametrize("host", ["prek"])
def test_preks_own_configuration_file(world: RepoBuilder, installed_python: Path, host: str) -> None:
    (world.path / ".pre-commit-config.yaml").unlink()
    world.write("prek.toml", '# ours\n[[repos]]\nrepo = "meta"\nhooks = [{ id = "identity" }]\n')
    made = plan(world, installed_python)
    assert made.host == "prek"
    assert apply(made) == ()
    assert (world.path / ".git" / "hooks" / "pre-push.legacy").exists()
    done = world.process(["prek", "validate-config", "prek.toml"])
    assert done.returncode == 0, done.stderr
    assert plan(world, installed_python).is_done


@pytest.mark.parametrize("host", ["pre-commit"])
def test_without_the_program_it_says_what_to_run(world: RepoBuilder, installed_python: Path, host: str) -> None:
    world.env["PATH"] = path_with(installed_python.parent)
    if shutil.which(host, path=world.env["PATH"]):
        pytest.skip(f"a {host} outside the development environment stands on this PATH")
    made = plan(world, installed_python)
    assert made.commands == ()
    assert any("run in each clone: pre-commit install" in note for note in made.notes)
    apply(made)
    assert (world.path / ".git" / "hooks" / "pre-push").exists()
