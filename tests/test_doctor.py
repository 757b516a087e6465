"""doctor: what it says about hooks that work and hooks that do not, and that its proof leaves nothing behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks.place import find
from shipmoor_hooks.wiring import doctor, probe
from shipmoor_hooks.wiring.doctor import Check
from shipmoor_hooks.wiring.hook_source import HookSource
from shipmoor_hooks.wiring.install import apply, plan_init

HOOK = "{id: ok, name: ok, entry: 'false', language: system, stages: [pre-push]}"
CONFIG = f"repos:\n  - repo: local\n    hooks:\n      - {HOOK}\n"


def init(repo: RepoBuilder, python: Path) -> None:
    apply(plan_init(find(str(repo.path), repo.env), repo.env, str(python), HookSource()))


def examine(repo: RepoBuilder, cwd: Path | None = None) -> dict[str, Check]:
    checks = doctor.examine(find(str(cwd or repo.path), repo.env), repo.env)
    assert len({check.name for check in checks}) == len(checks)
    assert all(check.says.endswith((".", "?")) for check in checks)
    return {check.name: check for check in checks}


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> RepoBuilder:
    repo.env["PATH"] = path_with()
    repo.commit(files={"tests/test_a.py": "def test_a(): pass\n"})
    repo.bare_remote()
    repo.git("push", "-q", "origin", "main")
    repo.git("remote", "set-head", "origin", "main")
    return repo


def test_after_init_everything_works_and_a_push_reaches_the_gate(world: RepoBuilder, installed_python: Path) -> None:
    init(world, installed_python)
    found = examine(world)
    assert {name: check.ok for name, check in found.items()} == dict.fromkeys(
        ["git", "hooks folder", "pre-push", "post-commit", "commit-msg", "policy", "target", "tree", "proof"], True
    ) | {"seal": None}  # the first run makes the key
    assert "whole list of refs" in found["proof"].says


def test_a_python_with_blanks_and_quotes_in_its_path(
    world: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "it's a folder"
    folder.symlink_to(installed_python.parent.parent)
    init(world, folder / "bin" / "python")
    found = examine(world)
    assert (found["pre-push"].ok, found["proof"].ok) == (True, True)
    assert str(folder) in found["pre-push"].says


def test_the_proof_leaves_nothing_in_the_repository(world: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    init(world, installed_python)

    def state() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted((world.path / ".git").rglob("*")) if path.is_file()}

    before, temporary = state(), set(Path("/tmp").glob("shipmoor-hooks-probe-*"))
    assert examine(world)["proof"].ok
    assert state() == before
    assert set(Path("/tmp").glob("shipmoor-hooks-probe-*")) <= temporary


def test_before_init_it_says_what_is_missing(world: RepoBuilder) -> None:
    found = examine(world)
    for name in ("pre-push", "policy", "proof"):
        assert (found[name].ok, found[name].next_step) == (False, "shipmoor-hooks init")
    assert (found["post-commit"].ok, found["commit-msg"].ok) == (None, None)


def unset_x_bit(hooks: Path) -> None:
    (hooks / "pre-push").chmod(0o644)


def lose_python(hooks: Path) -> None:
    text = (hooks / "pre-push").read_text().splitlines()
    (hooks / "pre-push").write_text("\n".join("python=/gone" if row.startswith("python=") else row for row in text))


def overwrite(hooks: Path) -> None:
    (hooks / "pre-push").write_text("#!/bin/sh\nexit 0\n")


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        pytest.param(unset_x_bit, "is not executable", id="the x bit is off"),
        pytest.param(lose_python, "/gone is gone", id="its Python is gone"),
        pytest.param(overwrite, "is not ours", id="another tool wrote its hook over ours"),
    ],
)
def test_a_hook_that_does_not_work_is_named(
    world: RepoBuilder, installed_python: Path, harm: Callable[[Path], None], says: str
) -> None:
    init(world, installed_python)
    harm(world.path / ".git" / "hooks")
    found = examine(world)
    assert found["pre-push"].ok is False
    assert says in found["pre-push"].says
    assert found["proof"].ok is False


def test_a_relative_hooks_path_that_is_not_in_a_linked_worktree(
    world: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    world.env["PATH"] = path_with(installed_python.parent)
    world.git("config", "core.hooksPath", "generated/hooks")
    init(world, installed_python)
    world.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    assert examine(world)["proof"].ok
    found = examine(world, tmp_path / "linked")
    assert found["hooks folder"].ok is False
    assert "no hook runs here" in found["hooks folder"].says
    assert found["proof"].ok is False


def test_a_hook_that_never_calls_us_is_found_by_the_proof_alone(world: RepoBuilder, installed_python: Path) -> None:
    init(world, installed_python)
    hook = world.path / ".git" / "hooks" / "pre-push"
    hook.write_text(hook.read_text().replace("#!/bin/sh\n", "#!/bin/sh\nexit 0\n", 1))
    found = examine(world)
    assert found["pre-push"].ok
    assert (found["proof"].ok, found["proof"].next_step) == (False, "shipmoor-hooks init")


def test_a_hook_that_keeps_gits_list_from_us_is_no_gate(world: RepoBuilder, installed_python: Path) -> None:
    init(world, installed_python)
    hook = world.path / ".git" / "hooks" / "pre-push"
    hook.write_text(hook.read_text().replace("#!/bin/sh\n", "#!/bin/sh\nexec </dev/null\n", 1))
    found = examine(world)
    assert found["proof"].ok is False
    assert "without git's list" in found["proof"].says


def test_a_push_that_hangs_is_ended(
    world: RepoBuilder, installed_python: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(probe, "SECONDS", 0.5)
    init(world, installed_python)
    hook = world.path / ".git" / "hooks" / "pre-push"
    hook.write_text(hook.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\necho $$ > {tmp_path}/pid\nsleep 60\n", 1))
    found = examine(world)
    assert found["proof"].ok is False
    assert "hung" in found["proof"].says
    pid = int((tmp_path / "pid").read_text())
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]


def test_an_earlier_hook_is_named(world: RepoBuilder, installed_python: Path) -> None:
    world.write(".git/hooks/pre-push", "#!/bin/sh\n", 0o755)
    init(world, installed_python)
    assert examine(world)["earlier pre-push"].ok
    (world.path / ".git" / "hooks" / "pre-push.shipmoor-chained").chmod(0o644)
    assert examine(world)["earlier pre-push"].ok is None


def test_a_bare_repository(world: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    bare = tmp_path / "origin.git"
    apply(plan_init(find(str(bare), world.env), world.env, str(installed_python), HookSource()))
    found = examine(world, bare)
    assert found["proof"].ok
    assert "policy" not in found


def test_an_unborn_branch_and_a_policy_that_does_not_parse(repo: RepoBuilder, installed_python: Path) -> None:
    init(repo, installed_python)
    repo.write("shipmoor-hooks.toml", "[gaet]\n")
    found = examine(repo)
    assert found["proof"].ok
    assert found["policy"].ok is False
    assert "gaet" in found["policy"].says


def test_a_policy_without_a_suite_and_a_target_that_is_not_known(repo: RepoBuilder, installed_python: Path) -> None:
    repo.commit()
    init(repo, installed_python)
    found = examine(repo)
    assert (found["policy"].ok, found["policy"].next_step) == (False, "edit shipmoor-hooks.toml")
    assert (found["target"].ok, found["target"].next_step) == (None, "git remote set-head origin --auto")


def test_pre_commit_without_init_shows_one_ref_and_does_not_run_the_users_hooks(
    world: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "pre-commit").symlink_to(Path(sys.executable).with_name("pre-commit"))
    world.env["PATH"] = path_with(tools, installed_python.parent)
    ran = tmp_path / "ran"
    world.commit(files={".pre-commit-config.yaml": CONFIG.replace("'false'", f"touch {ran}")})
    init(world, installed_python)
    whole = examine(world)
    assert (whole["pre-commit"].ok, whole["proof"].ok) == (True, True)
    (world.path / ".git" / "hooks" / "pre-push.legacy").unlink()
    found = examine(world)
    assert (found["pre-push"].ok, found["proof"].ok) == (None, None)
    assert "shows it one ref" in found["proof"].says
    assert not ran.exists()
    world.process(["git", "config", "core.hooksPath", os.devnull])
    assert examine(world)["proof"].ok is False
