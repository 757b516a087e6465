"""A coding agent's hook: what it is told before a push and at the end of a turn, and the settings that call it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from gate_world import GateWorld
from hypothesis import given
from hypothesis import strategies as st
from repo_builder import RepoBuilder

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.place import find
from shipmoor_hooks.wiring import agent_settings
from shipmoor_hooks.wiring.hook_source import HookSource
from shipmoor_hooks.wiring.install import Plan, apply, plan_init
from shipmoor_hooks.wiring.remove import plan_remove

SETTINGS = agent_settings.AGENTS["claude-code"]


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    """main is pushed and measured; `topic` has lost a case and is measured."""
    made = GateWorld.create(repo, installed_python)
    made.branch("topic", ["a"])
    repo.env["PATH"] = f"{installed_python.parent}:{repo.env['PATH']}"
    return made


def tell(world: GateWorld, event: object, raw: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """The hook as the settings call it, with what the agent writes to it."""
    return subprocess.run(
        ["sh", "-c", agent_settings.COMMAND],
        cwd=world.repo.path.parent,
        env=world.repo.env,
        input=json.dumps(event).encode() if raw is None else raw,
        capture_output=True,
        check=False,
    )


def before(world: GateWorld, command: str, **more: Any) -> dict[str, Any]:
    """What Claude Code writes before it runs a shell command (its hooks reference, PreToolUse input)."""
    return {
        "session_id": "abc123",
        "transcript_path": "/home/ada/.claude/projects/shop/abc123.jsonl",
        "cwd": str(world.repo.path),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Push the branch", "timeout": 120000},
        "tool_use_id": "toolu_01ABC",
    } | more


def stop(world: GateWorld, again: bool = False) -> dict[str, Any]:
    return {
        "session_id": "abc123",
        "transcript_path": "~/.claude/projects/shop/abc123.jsonl",
        "cwd": str(world.repo.path),
        "permission_mode": "default",
        "hook_event_name": "Stop",
        "stop_hook_active": again,
    }


def test_a_push_that_the_gate_refuses_is_refused_before_it_runs(world: GateWorld) -> None:
    told = tell(world, before(world, "git push origin topic"))
    assert (told.returncode, told.stdout) == (2, b"")
    assert b"CASE_REMOVED" in told.stderr
    assert b"Test-Removed: " in told.stderr


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("ls", id="another command"),
        pytest.param("git push origin main", id="a branch that is as it was"),
        pytest.param("git push origin :topic", id="a deletion, which git's own hook sees"),
        pytest.param("git commit -m x && git push", id="one that changes first: git's own hook sees it"),
        pytest.param("git push origin no-such-branch", id="a branch that is none: git says so"),
    ],
)
def test_what_is_fine_goes_on(world: GateWorld, command: str) -> None:
    told = tell(world, before(world, command))
    assert (told.returncode, told.stderr) == (0, b"")


def test_a_way_around_the_hooks_is_refused(world: GateWorld) -> None:
    told = tell(world, before(world, "git push --no-verify origin main"))
    assert told.returncode == 2
    assert b"git push --no-verify goes past the hooks" in told.stderr


def test_without_a_hook_of_git_a_push_has_to_be_one_that_can_be_judged(world: GateWorld) -> None:
    (world.repo.path / ".git" / "hooks" / "pre-push").unlink()
    told = tell(world, before(world, "git commit -m x && git push"))
    assert told.returncode == 2
    assert b"no pre-push hook is installed" in told.stderr
    assert tell(world, before(world, "git push origin main")).returncode == 0


def test_a_repository_without_a_policy_is_left_alone(world: GateWorld) -> None:
    world.repo.git("rm", "-q", "shipmoor-hooks.toml")
    assert tell(world, before(world, "git push --no-verify")).returncode == 0
    assert tell(world, before(world, "git push", cwd="/")).returncode == 0
    assert tell(world, stop(world)).returncode == 0


def test_a_policy_that_cannot_be_read_lets_no_push_through(world: GateWorld) -> None:
    world.repo.write("shipmoor-hooks.toml", "[gaet]\n")
    told = tell(world, before(world, "git push"))
    assert told.returncode == 2
    assert b"gaet" in told.stderr


def test_the_end_of_a_turn_says_once_what_is_not_measured(world: GateWorld) -> None:
    world.repo.write("cart.py", "total = 0\n")
    told = tell(world, stop(world))
    assert told.returncode == 2
    assert b"unit: no run for this tree" in told.stderr
    assert b"next: shipmoor-hooks run --suite unit" in told.stderr
    assert tell(world, stop(world, again=True)).returncode == 0


def test_the_end_of_a_turn_says_what_a_push_would_be_told(world: GateWorld) -> None:
    told = tell(world, stop(world))
    assert told.returncode == 2
    assert b"CASE_REMOVED" in told.stderr
    world.repo.git("switch", "-q", "main")
    assert tell(world, stop(world)).returncode == 0


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"git push", id="no JSON"),
        pytest.param(b"\xff\xfe{}", id="no UTF-8"),
        pytest.param(b"[" * 100_000, id="a deep list"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"hook_event_name": 3}', id="a name that is none"),
        pytest.param(b'{"a": "' + b"x" * (9 << 20) + b'"}', id="too long"),
    ],
)
def test_what_is_no_event_is_told_to_the_person_and_refuses_nothing(world: GateWorld, raw: bytes) -> None:
    told = tell(world, None, raw)
    assert told.returncode == 1
    assert told.stderr.count(b"\n") == 1
    assert b"Traceback" not in told.stderr


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"tool_input": "git push"}, id="input that is text"),
        pytest.param({"tool_input": {"command": ["git", "push"]}}, id="a command that is a list"),
        pytest.param({"tool_name": "Write", "tool_input": {"command": "git push"}}, id="another tool"),
        pytest.param({"hook_event_name": "PostToolUse"}, id="another moment"),
        pytest.param({"cwd": "\0/x", "tool_input": {"command": "git -C '\0' push"}}, id="a folder that is none"),
        pytest.param({"cwd": ["x"], "tool_input": {"command": "git push"}}, id="a folder that is a list"),
    ],
)
def test_an_event_of_another_shape_goes_on(world: GateWorld, more: dict[str, Any]) -> None:
    told = tell(world, before(world, "git push origin topic") | more)
    assert (told.returncode, told.stderr) == (0, b"")


def test_nothing_from_outside_reaches_the_terminal_unescaped(world: GateWorld) -> None:
    told = tell(world, before(world, "SKIP=\x1b[31mshipmoor-gate git push"))
    assert told.returncode == 2
    assert b"\x1b" not in told.stderr


# ---------------------------------------------------------------- the settings


def init(repo: RepoBuilder, python: Path) -> Plan:
    made = plan_init(find(str(repo.path), repo.env), repo.env, str(python), HookSource(), agent="claude-code")
    apply(made)
    return made


OTHERS = {
    "permissions": {"allow": ["Bash(git status)"], "deny": []},
    "hooks": {
        "PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "lint"}]}],
        "Notification": [{"hooks": [{"type": "command", "command": "notify-send x"}]}],
    },
    "model": "a ö",
}


@pytest.mark.parametrize("indent", [2, 4, "\t"], ids=["two", "four", "tab"])
def test_what_stands_in_the_settings_stays(repo: RepoBuilder, installed_python: Path, indent: int | str) -> None:
    old = json.dumps(OTHERS, indent=indent, ensure_ascii=False) + "\n"
    path = repo.write(SETTINGS, old)
    made = init(repo, installed_python)
    assert agent_settings.CONVENIENCE in made.notes
    new = json.loads(path.read_text())
    assert list(new) == list(OTHERS)
    assert new["hooks"]["PreToolUse"][0] == OTHERS["hooks"]["PreToolUse"][0]  # type: ignore[index]
    assert [e["hooks"][0]["command"] for e in (new["hooks"]["PreToolUse"][1], new["hooks"]["Stop"][0])] == [
        agent_settings.COMMAND
    ] * 2
    kept = [row for row in old.splitlines() if row.strip() not in ("]", "],", "}", "},")]
    rows = iter(path.read_text().splitlines())
    assert all(any(row.rstrip(",") == other.rstrip(",") for other in rows) for row in kept)
    before_again = path.read_text()
    init(repo, installed_python)
    assert path.read_text() == before_again
    apply(plan_remove(find(str(repo.path), repo.env), repo.env))
    assert path.read_text() == old


def test_without_settings_they_are_made_and_go_again(repo: RepoBuilder, installed_python: Path) -> None:
    init(repo, installed_python)
    assert (repo.path / SETTINGS).read_text() == agent_settings.lines_to_paste()
    apply(plan_remove(find(str(repo.path), repo.env), repo.env, policy=True))
    assert not (repo.path / ".claude").exists()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{ // mine\n}\n", id="a comment"),
        pytest.param('{"a": 1, "a": 2}\n', id="a key that stands twice"),
        pytest.param("[]\n", id="a list"),
        pytest.param('{"hooks": []}\n', id="hooks that are a list"),
        pytest.param('{"hooks": {"Stop": {}}}\n', id="an event that is no list"),
        pytest.param('{"a": 1e5}\n', id="a number that would be written anew"),
        pytest.param('{"a": NaN}\n', id="no number"),
        pytest.param("\ufeff{}\n", id="a byte order mark"),
        pytest.param("[" * 100_000, id="a deep list"),
    ],
)
def test_what_is_not_plain_is_not_touched(repo: RepoBuilder, installed_python: Path, text: str) -> None:
    path = repo.write(SETTINGS, text)
    with pytest.raises(UsageFault, match="nothing was changed") as told:
        init(repo, installed_python)
    assert agent_settings.COMMAND in told.value.next_step
    assert path.read_text() == text
    assert not (repo.path / "shipmoor-hooks.toml").exists()


def test_an_agent_that_we_do_not_know(repo: RepoBuilder, installed_python: Path) -> None:
    with pytest.raises(UsageFault, match="claude-code"):
        plan_init(find(str(repo.path), repo.env), repo.env, str(installed_python), HookSource(), agent="another")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5) | st.sampled_from(["hooks"]), JSON_VALUES, max_size=4), st.integers(1, 4))
def test_what_is_put_in_can_be_taken_out(settings: dict[str, Any], indent: int) -> None:
    text = json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"
    new = agent_settings.add(text)
    if new is None:
        return
    assert agent_settings.add(new) == new
    left = json.loads(agent_settings.remove(new) or "{}")
    without_empty = {k: v for k, v in settings.items() if k != "hooks" or v}
    assert left == without_empty or left.get("hooks") == {
        k: v for k, v in settings["hooks"].items() if v or k not in agent_settings.EVENTS
    }


def test_the_paragraph_of_the_page_is_the_one_that_is_printed() -> None:
    page = (Path(__file__).parent.parent / "docs" / "how-to" / "agents.md").read_text()
    shown = " ".join(row.removeprefix("> ") for row in page.splitlines() if row.startswith("> "))
    assert shown.split() == agent_settings.PARAGRAPH.split()
