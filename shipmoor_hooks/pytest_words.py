"""How a pytest session was started, beside the command of its suite (design, sections 10.23 and 10.27).

The words are read by the table of runners, of which no other runner is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from shipmoor_hooks.pytest_told import Asked
from shipmoor_hooks.runners import RUNNERS, environment, measured_argv, recognise

PYTEST = RUNNERS["pytest"]


def is_pytest(command: Sequence[str]) -> bool:
    """Whether a command starts pytest."""
    return recognise(command) is PYTEST


def is_command_of(suite: Sequence[str], asked: Asked) -> bool:
    """Whether the session was started with the suite's own command (`suite`), but for what does not change what is measured."""
    if not is_pytest(suite):
        return False
    return PYTEST.measured_tail(suite) == PYTEST.measured_tail(asked.command)


def narrowing_of(asked: Asked, suite: Sequence[str], top: str) -> tuple[str, ...]:
    """What makes this session smaller than the suite with this command. Paths are compared as seen from the worktree's
    root; where the tracked configuration names `testpaths`, naming them again narrows nothing."""
    folder, rootdir = relative(asked.folder, top), relative(asked.rootdir, top)
    testpaths = [os.path.normpath(os.path.join(rootdir, p)) for p in asked.testpaths]
    inside = [relative(a, top) if a.startswith("/") else a for a in asked.arguments]
    from_root = testpaths if folder == rootdir else ()
    command = PYTEST.from_top(("pytest", *inside), folder, from_root)
    usual = PYTEST.from_top(suite, "", testpaths) if is_pytest(suite) else ()
    return PYTEST.narrowing(command, asked.environ, usual)


def relative(path: str, top: str) -> str:
    """A path below the worktree's root relative to it ("" for the root itself); any other path as it is."""
    where = os.path.realpath(path.partition("::")[0])
    if where == top:
        return ""
    if not where.startswith(top + "/"):
        return path
    return where[len(top) + 1 :] + path[len(path.partition("::")[0]) :]


def conditions_of(asked: Asked, suite: Sequence[str], cwd: str) -> Mapping[str, str]:
    """What the session was measured under. The suite's own command is named as the policy writes it, whatever
    launcher it has there: a session by hand and an observed run of one tree are measured alike."""
    command = suite if is_command_of(suite, asked) else asked.command
    return {
        "argv": " ".join(measured_argv(command)),
        "cwd": cwd,
        "plugins": ", ".join(asked.plugins),
        "python": asked.python,
        **environment.condition(asked.command, asked.environ),
    }
