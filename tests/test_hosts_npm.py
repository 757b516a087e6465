"""lefthook and husky, the real ones from npm: `init` wires the gate in, and every ref of a push reaches it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from hook_world import path_with
from repo_builder import RepoBuilder

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.place import find
from shipmoor_hooks.wiring import doctor
from shipmoor_hooks.wiring.doctor import Check
from shipmoor_hooks.wiring.hook_source import HookSource
from shipmoor_hooks.wiring.install import Plan, apply, plan_init

PACKAGES = ("lefthook@2.2.2", "husky@9.1.7")


@pytest.fixture(scope="session")
def npm_tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the two programs, installed once a session."""
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text('{"private": true}')
    words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES]
    subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=120)
    return folder / "node_modules" / ".bin"


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> RepoBuilder:
    """A pushed repository; our entry is on PATH."""
    repo.env["PATH"] = path_with(installed_python.parent)
    repo.commit(files={"pytest.ini": "", "shipmoor-hooks.toml": "[gate]\n", ".gitignore": "node_modules\n"})
    repo.bare_remote()
    repo.git("push", "-q", "-u", "origin", "main")
    return repo


@pytest.fixture
def npm_world(world: RepoBuilder, npm_tools: Path) -> RepoBuilder:
    world.env["PATH"] = os.pathsep.join([str(npm_tools), world.env["PATH"]])
    return world


def plan(repo: RepoBuilder, python: Path) -> Plan:
    return plan_init(find(str(repo.path), repo.env), repo.env, str(python), HookSource())


def assert_every_ref_is_seen(repo: RepoBuilder, probe: Path, cwd: Path | None = None) -> None:
    repo.git("branch", "-f", "zz", "main")
    done = repo.process(["git", "push", "origin", "main", "zz"], env={"SHIPMOOR_HOOKS_PROBE": str(probe)}, cwd=cwd)
    assert done.returncode == 1
    assert {"refs/heads/main", "refs/heads/zz"} <= set(probe.read_text().split()), done.stderr
    assert "zz" not in repo.git("ls-remote", "origin")


def proof(repo: RepoBuilder, cwd: Path | None = None) -> Check:
    return doctor.examine(find(str(cwd or repo.path), repo.env), repo.env)[-1]


def store(repo: RepoBuilder) -> None:
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Hooks", env={"LEFTHOOK": "0", "HUSKY": "0"})


LEFTHOOK = "# ours\npre-push:\n  jobs:\n    - run: 'true'\n"


@pytest.mark.network
def test_lefthook(npm_world: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    npm_world.write("lefthook.yml", LEFTHOOK)
    npm_world.process(["lefthook", "install"])
    made = plan(npm_world, installed_python)
    assert made.host == "lefthook"
    assert apply(made) == ()
    store(npm_world)
    assert_every_ref_is_seen(npm_world, tmp_path / "probe")
    assert plan(npm_world, installed_python).is_done
    linked = tmp_path / "linked"
    npm_world.git("worktree", "add", "-q", "--detach", str(linked))
    assert_every_ref_is_seen(npm_world, tmp_path / "second", linked)
    assert proof(npm_world).ok
    assert proof(npm_world, linked).ok


@pytest.mark.network
def test_lefthook_hands_commit_msg_its_file(npm_world: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    npm_world.write("lefthook.yml", LEFTHOOK)
    apply(plan(npm_world, installed_python))
    seen = tmp_path / "seen"
    stand_in(npm_world, tmp_path, f"echo \"$@\" >> '{seen}'")
    npm_world.git("add", "-A")
    npm_world.git("commit", "-q", "-m", "Hooks")
    words = [line.split()[2:] for line in seen.read_text().splitlines()]
    assert [word[0] for word in words] == ["commit-msg", "post-commit"]
    assert words[0][1].endswith("COMMIT_EDITMSG")


def stand_in(repo: RepoBuilder, tmp_path: Path, line: str) -> None:
    """A program in the place of our entry that tells how it was called."""
    folder = tmp_path / "stand-in"
    folder.mkdir()
    (folder / "shipmoor-hooks-hook").write_text(f"#!/bin/sh\n{line}\n")
    (folder / "shipmoor-hooks-hook").chmod(0o755)
    repo.env["PATH"] = os.pathsep.join([str(folder), repo.env["PATH"]])


@pytest.mark.network
def test_husky(npm_world: RepoBuilder, installed_python: Path, tmp_path: Path) -> None:
    npm_world.write("package.json", '{"private": true}')
    npm_world.process(["husky"])
    made = plan(npm_world, installed_python)
    assert made.host == "husky"
    apply(made)
    store(npm_world)
    assert_every_ref_is_seen(npm_world, tmp_path / "probe")
    assert plan(npm_world, installed_python).is_done
    assert proof(npm_world).ok
    npm_world.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    assert proof(npm_world, tmp_path / "linked").ok is False


@pytest.mark.network
def test_husky_that_was_never_set_up_in_this_clone_is_set_up(
    npm_world: RepoBuilder, installed_python: Path, tmp_path: Path
) -> None:
    npm_world.write(".husky/pre-commit", "true\n")
    apply(plan(npm_world, installed_python))
    assert npm_world.git("config", "core.hooksPath") == ".husky/_"
    store(npm_world)
    assert_every_ref_is_seen(npm_world, tmp_path / "probe")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param(None, ["ours"], id="no file"),
        pytest.param("npm test\n", ["ours", "npm test"], id="the user's lines come behind"),
        pytest.param("#!/bin/sh\nnpm test\n", ["#!/bin/sh", "ours", "npm test"], id="the first line stays first"),
        pytest.param(
            '#!/bin/sh\n. "$(dirname -- "$0")/_/husky.sh"\n\nnpm test\n',
            ["#!/bin/sh", '. "$(dirname -- "$0")/_/husky.sh"', "ours", "", "npm test"],
            id="husky 8",
        ),
    ],
)
def test_huskys_files_keep_the_users_lines(
    world: RepoBuilder, installed_python: Path, before: str | None, expected: list[str]
) -> None:
    world.git("config", "core.hooksPath", ".husky/_")
    if before is not None:
        world.write(".husky/commit-msg", before)
    apply(plan(world, installed_python))
    text = (world.path / ".husky" / "commit-msg").read_text()
    ours = '# shipmoor-hooks shim: commit-msg\nshipmoor-hooks-hook commit-msg "$1" || exit $?\n'
    assert text.replace(ours, "ours\n").splitlines() == expected
    assert plan(world, installed_python).is_done


@pytest.mark.parametrize(
    "pushed", [b"", b"a b\n", b"refs/heads/$HOME `x` \\n\nc d\n"], ids=["nothing", "one", "odd names"]
)
def test_the_lines_behind_ours_get_gits_list_whole(
    world: RepoBuilder, installed_python: Path, tmp_path: Path, pushed: bytes
) -> None:
    world.git("config", "core.hooksPath", ".husky/_")
    world.write(".husky/pre-push", f"cat > '{tmp_path}/behind'\n")
    apply(plan(world, installed_python))
    stand_in(world, tmp_path, f"cat > '{tmp_path}/ours'; exit $CODE")
    script = ["sh", "-e", ".husky/pre-push", "origin", "url"]
    assert world.process(script, stdin=pushed, env={"CODE": "3"}).returncode == 3
    assert not (tmp_path / "behind").exists()
    assert world.process(script, stdin=pushed, env={"CODE": "0"}).returncode == 0
    assert (tmp_path / "ours").read_bytes().rstrip(b"\n") == pushed.rstrip(b"\n")
    assert (tmp_path / "behind").read_bytes() == pushed


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("lefthook.json", "{}", id="JSON"),
        pytest.param("lefthook.yml", "pre-push: {jobs: []}\n", id="flow style"),
        pytest.param("lefthook.toml", "x = \n", id="TOML that does not parse"),
    ],
)
def test_a_lefthook_configuration_that_cannot_be_extended_is_left_alone(
    world: RepoBuilder, installed_python: Path, name: str, text: str
) -> None:
    world.write(name, text)
    with pytest.raises(UsageFault) as told:
        plan(world, installed_python)
    pasted = yaml.safe_load(told.value.next_step.split("\n", 1)[1])
    assert set(pasted) == {"pre-push", "post-commit", "commit-msg"}
    assert not (world.path / ".lefthook").exists()


def test_lefthooks_toml_and_its_script_folder(world: RepoBuilder, installed_python: Path) -> None:
    world.write("lefthook.toml", "[pre-push]\nparallel = true\n")
    apply(plan(world, installed_python))
    assert (
        '[pre-push.scripts."shipmoor-gate.sh"]\nrunner = "sh"\nuse_stdin = true'
        in (world.path / "lefthook.toml").read_text()
    )
    (world.path / "lefthook.toml").unlink()
    world.write("lefthook.yml", "source_dir: 'ci/hooks'  # ours\n")
    apply(plan(world, installed_python))
    assert os.access(world.path / "ci" / "hooks" / "pre-push" / "shipmoor-gate.sh", os.X_OK)
    assert plan(world, installed_python).changes == ()
