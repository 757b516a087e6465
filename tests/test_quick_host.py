"""The quick path under a hook host beside the whole gate, asked of the same pushes in processes of their own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gate_world import GateWorld
from test_quick_gate import NAMES, receipts_of, work, world

import shipmoor_hooks
from shipmoor_hooks.quick import quick_host
from shipmoor_hooks.wiring import hook_files

__all__ = ["world"]  # the fixture

START = str(Path(shipmoor_hooks.__file__).parent / "start.py")
# The same hook without the quick path.
WHOLE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
    "from shipmoor_hooks import hook; from shipmoor_hooks.quick import quick_host\n"
    "quick_host.answer = lambda *given: None; sys.exit(hook.main())"
)


def shown(world: GateWorld, name: str = "work", **more: str) -> dict[str, str]:
    """What a host of the pre-commit kind tells of a push of one branch."""
    told = {
        "PRE_COMMIT": "1",
        "PRE_COMMIT_TO_REF": world.repo.sha(name),
        "PRE_COMMIT_LOCAL_BRANCH": f"refs/heads/{name}",
        "PRE_COMMIT_REMOTE_BRANCH": f"refs/heads/{name}",
        "PRE_COMMIT_REMOTE_NAME": "origin",
        "PRE_COMMIT_REMOTE_URL": str(world.remote),
    }
    return {key: value for key, value in (told | more).items() if value}


def said(done: subprocess.CompletedProcess[bytes]) -> tuple[int, str, str]:
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def agrees(world: GateWorld, told: dict[str, str]) -> bool:
    """Whether the quick path answers; what the hook says is what the gate says, to the letter."""
    answered = quick_host.answer(str(world.repo.path), world.repo.env | told, time.time(), {}) is not None
    package = str(Path(shipmoor_hooks.__file__).parent.parent)
    ours = said(world.repo.process([sys.executable, "-I", "-S", START, "pre-push"], env=told))
    whole = said(world.repo.process([sys.executable, "-I", "-c", WHOLE, package, "pre-push"], env=told))
    assert ours == whole
    assert not answered or ours[0] == 0
    return answered


def beside(world: GateWorld, text: str = f"#!/bin/sh\n{hook_files.SHIM_LINE}pre-push\n", mode: int = 0o755) -> None:
    """A hook that the host kept and runs first."""
    legacy = world.repo.path / ".git" / "hooks" / "pre-push.legacy"
    legacy.write_text(text)
    legacy.chmod(mode)


def as_it_is(world: GateWorld) -> dict[str, str]:
    return shown(world)


def our_hook_first(world: GateWorld) -> dict[str, str]:
    beside(world)
    return shown(world)


def our_hook_that_cannot_run(world: GateWorld) -> dict[str, str]:
    beside(world, mode=0o644)
    return shown(world)


def another_hook_first(world: GateWorld) -> dict[str, str]:
    beside(world, "#!/bin/sh\n")
    return shown(world)


def hooks_elsewhere(world: GateWorld) -> dict[str, str]:
    beside(world)
    world.repo.git("config", "core.hooksPath", "elsewhere")
    return shown(world)


def into_the_target(world: GateWorld) -> dict[str, str]:
    world.repo.git("switch", "-q", "main")
    world.repo.git("merge", "-q", "--ff-only", "work")
    return shown(world, "main")


def a_second_branch(world: GateWorld) -> dict[str, str]:
    work(world, name="second")
    return shown(world, "second")


@pytest.mark.parametrize(
    "push",
    [
        as_it_is,
        our_hook_first,
        our_hook_that_cannot_run,
        another_hook_first,
        hooks_elsewhere,
        into_the_target,
        a_second_branch,
    ],
    ids=lambda push: push.__name__,
)
def test_it_answers_as_the_gate_does(world: GateWorld, push: Callable[[GateWorld], dict[str, str]]) -> None:
    assert agrees(world, push(world))


def a_red(world: GateWorld) -> dict[str, str]:
    work(world, dict.fromkeys(NAMES, "passed") | {"c": "failed"}, at="main")
    return shown(world)


def a_red_behind_our_hook(world: GateWorld) -> dict[str, str]:
    beside(world)
    return a_red(world)


def an_expression(world: GateWorld) -> dict[str, str]:
    return shown(world, PRE_COMMIT_TO_REF="work~0")


def nothing_that_is_pushed(world: GateWorld) -> dict[str, str]:
    return shown(world, PRE_COMMIT_TO_REF="", PRE_COMMIT_LOCAL_BRANCH="")


def a_deletion(world: GateWorld) -> dict[str, str]:
    return shown(world, PRE_COMMIT_TO_REF="0" * 40)


def no_url(world: GateWorld) -> dict[str, str]:
    return shown(world, PRE_COMMIT_REMOTE_URL="")


def another_remote(world: GateWorld) -> dict[str, str]:
    return shown(world, PRE_COMMIT_REMOTE_NAME=str(world.remote))


def a_tag(world: GateWorld) -> dict[str, str]:
    return shown(world, PRE_COMMIT_REMOTE_BRANCH="refs/tags/v1")


def a_name_that_folds_the_note(world: GateWorld) -> dict[str, str]:
    return shown(world, PRE_COMMIT_REMOTE_BRANCH=f"refs/heads/{'long-' * 20}")


def a_hook_beside_without_end(world: GateWorld) -> dict[str, str]:
    beside(world, f"#!/bin/sh\n{'#' * 70_000}\n{hook_files.SHIM_LINE}pre-push\n")
    return shown(world)


@pytest.mark.parametrize(
    "push",
    [a_red, a_red_behind_our_hook, an_expression, nothing_that_is_pushed, a_deletion, no_url, another_remote, a_tag,
     a_name_that_folds_the_note, a_hook_beside_without_end],
    ids=lambda push: push.__name__,
)  # fmt: skip
def test_whatever_is_odd_is_left_to_the_gate(world: GateWorld, push: Callable[[GateWorld], dict[str, str]]) -> None:
    assert not agrees(world, push(world))


def test_the_receipt_is_kept_by_whoever_tells(world: GateWorld) -> None:
    here = str(world.repo.path)
    assert quick_host.answer(here, world.repo.env | shown(world), time.time(), {}) is not None
    assert len(receipts_of(world)) == 1
    beside(world)
    assert quick_host.answer(here, world.repo.env | shown(world), time.time(), {}) == ("", quick_host.TOLD_BEFORE)
    assert len(receipts_of(world)) == 1


def test_our_hook_is_known_by_the_line_that_init_writes() -> None:
    assert hook_files.SHIM_LINE.encode() == quick_host.SHIM_LINE
    assert f"pre-push{hook_files.LEGACY}" == quick_host.BESIDE


def test_the_remote_is_asked_once_when_the_gate_judges(world: GateWorld, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    told = a_red(world) | {"GIT_TRACE": str(trace)}
    assert world.repo.process([sys.executable, "-I", "-S", START, "pre-push"], env=told).returncode == 1
    assert trace.read_text().count("built-in: git ls-remote") == 1
