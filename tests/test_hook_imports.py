"""The hook path loads no framework: who commits in a loop pays for every import."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from gate_world import GateWorld
from repo_builder import RepoBuilder

BANNED = {"typer", "click", "rich", "pydantic", "pygit2", "keyring", "platformdirs", "defusedxml", "importlib.metadata"}
REPORT = "after = set(sys.modules); import json; print(json.dumps(sorted(after - before)))"


def loaded(code: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> set[str]:
    """What `code` loads, beyond what Python itself starts with."""
    whole = f"import sys; before = set(sys.modules); {code}; {REPORT}"
    done = subprocess.run(
        [sys.executable, "-c", whole], input=stdin, env=env, capture_output=True, check=True, timeout=30
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def banned(modules: set[str]) -> set[str]:
    return {m for m in modules if m in BANNED or m.split(".")[0] in BANNED}


def test_the_entry_itself_loads_nothing_but_itself() -> None:
    assert {m for m in loaded("import shipmoor_hooks.hook") if not m.startswith("_")} <= {
        "shipmoor_hooks",
        "shipmoor_hooks.hook",
    }


def test_a_push_of_nothing_loads_nothing_more() -> None:
    code = "sys.argv = ['hook', 'pre-push', 'origin', 'url']; from shipmoor_hooks.hook import main; assert main() == 0"
    assert "subprocess" not in loaded(code)
    assert "shipmoor_hooks.push" not in loaded(code)


@pytest.mark.parametrize("module", ["push", "wiring.chain", "hook"])
def test_no_module_of_the_hook_path_loads_a_framework(module: str) -> None:
    assert banned(loaded(f"import shipmoor_hooks.{module}")) == set()


def test_the_check_sees_a_framework_when_one_is_loaded() -> None:
    assert "pygit2" in banned(loaded("import shipmoor_hooks.hook, pygit2"))


# ---------------------------------------------------------------- with evidence at hand: what every push and commit pays


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    """A pushed main and a branch that added a case, both measured."""
    made = GateWorld.create(repo, installed_python)
    made.branch("work", ["a", "b", "c"])
    return made


def loaded_by_hook(world: GateWorld, arguments: list[str], stdin: str, expected: int) -> set[str]:
    code = f"sys.argv = {['hook', *arguments]!r}; from shipmoor_hooks.hook import main; assert main() == {expected}"
    whole = f"import sys; before = set(sys.modules); {code}; {REPORT}"
    done = world.repo.process([sys.executable, "-c", whole], stdin=stdin.encode())
    assert done.returncode == 0, done.stderr.decode()
    return set(json.loads(done.stdout.splitlines()[-1]))


def pushed_line(world: GateWorld, branch: str = "work") -> str:
    return f"refs/heads/{branch} {world.repo.sha(branch)} refs/heads/{branch} {'0' * 40}\n"


def test_a_push_that_is_allowed_loads_no_framework(world: GateWorld) -> None:
    modules = loaded_by_hook(world, ["pre-push", "origin", str(world.remote)], pushed_line(world), 0)
    assert "shipmoor_hooks.rules.reduction" in modules  # the rules were asked
    assert banned(modules) == set()


def test_a_push_that_is_refused_loads_no_framework(world: GateWorld) -> None:
    world.branch("less", ["a"])
    modules = loaded_by_hook(world, ["pre-push", "origin", str(world.remote)], pushed_line(world, "less"), 1)
    assert banned(modules) == set()


@pytest.mark.parametrize("arguments", [["post-commit"], ["commit-msg", ".git/COMMIT_EDITMSG"]])
def test_a_commit_loads_no_framework(world: GateWorld, arguments: list[str]) -> None:
    (world.repo.path / ".git" / "COMMIT_EDITMSG").write_text("Add a case\n")
    world.measure({"a": "passed", "b": "passed", "c": "passed"})  # several runs: more than the quick path says
    modules = loaded_by_hook(world, arguments, "", 0)
    assert "shipmoor_hooks.commit_hooks" in modules
    assert banned(modules) == set()


def test_post_commit_says_what_is_plain_without_the_rest(world: GateWorld) -> None:
    modules = loaded_by_hook(world, ["post-commit"], "", 0)
    assert "shipmoor_hooks.quick.quick_commit" in modules
    assert not modules & {"shipmoor_hooks.commit_hooks", "shipmoor_hooks.model", "subprocess", "re", "dataclasses"}
