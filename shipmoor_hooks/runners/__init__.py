"""A table: how each known runner is told to write its report, and how a selection shows (design, section 2, 10.23,
10.27).

A runner is a row in one of the family modules; `RUNNERS` names them all. Everything here is pure.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterator, Mapping, Sequence

from shipmoor_hooks.runners.launch import locate
from shipmoor_hooks.runners.pytest_runner import PYTEST
from shipmoor_hooks.runners.runner import Prepared, Runner

__all__ = [
    "RUNNERS",
    "Prepared",
    "Runner",
    "added_selection",
    "bails",
    "lists_only",
    "measured_argv",
    "narrowing",
    "recognise",
    "seen_from_top",
]


class _Table(Mapping[str, Runner]):
    """Every runner by its name. pytest stands alone, so that its plugin need not load the families of all others."""

    def __getitem__(self, name: str) -> Runner:
        return PYTEST if name == PYTEST.name else _every()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_every())

    def __len__(self) -> int:
        return len(_every())


@functools.cache
def _every() -> Mapping[str, Runner]:
    from shipmoor_hooks.runners import (
        browsers,
        compiled,
        dotnet,
        javascript,
        jvm,
        plugin_eval,
        python_frameworks,
        scripting,
        tap_writers,
    )
    from shipmoor_hooks.runners.python_unittest import UNITTEST, XMLRUNNER

    return {
        r.name: r
        for r in (
            PYTEST, XMLRUNNER, UNITTEST, *python_frameworks.RUNNERS, *javascript.RUNNERS, *browsers.RUNNERS,
            *compiled.RUNNERS, *jvm.RUNNERS, *dotnet.RUNNERS, *scripting.RUNNERS, *tap_writers.RUNNERS,
            *plugin_eval.RUNNERS,
        )
    }  # fmt: skip


RUNNERS: Mapping[str, Runner] = _Table()


def recognise(command: Sequence[str]) -> Runner | None:
    """The runner that a command starts, behind its launchers; None when no row of the table is in it."""
    call = locate(command)
    return None if call is None else RUNNERS[call.runner]


def narrowing(command: Sequence[str], environ: Mapping[str, str], usual: Sequence[str]) -> tuple[str, ...]:
    """In words, what makes a run of `command` smaller than the policy's command `usual` would; () when nothing does.

    Design 10.27: only what argv or the environment adds narrows. A command whose runner is not known is the whole
    suite only when it is the policy's own, word for word; another runner than the policy's is never the whole.
    """
    runner = recognise(command)
    wanted = recognise(usual)
    same = tuple(command) == tuple(usual)
    if usual and not same and (runner is None or runner is not wanted):
        return (f"another command than the policy's: {shlex.join(command)}", *_environment(environ))
    if runner is None:
        unknown = () if same else (f"the runner is not known: {shlex.join(command)}",)
        return (*unknown, *_environment(environ))
    return runner.narrowing(command, environ, usual)


def seen_from_top(command: Sequence[str], folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A command that was started in `folder` (relative to the worktree's root, "" or "." for the root), as it would read
    at the root, and in words what cannot be said about it from there.

    pytest, mocha or go test run what lies below the folder where they start, so the folder is put into their words. Of
    a runner that looks for its project by itself, or that nobody knows, a start elsewhere is taken for a part.
    """
    if folder in ("", "."):
        return tuple(command), ()
    runner = recognise(command)
    if runner is not None and runner.is_placed_by_paths():
        return runner.from_top(command, folder), ()
    return tuple(command), (f"it was started in {folder}, not at the worktree's root",)


def bails(command: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Whether a red case ends the run early; a runner that is not known is taken to go on."""
    runner = recognise(command)
    return runner is not None and runner.bails(command, environ)


def lists_only(command: Sequence[str], environ: Mapping[str, str] | None = None) -> bool:
    """Whether the command runs no case at all; a runner that is not known is taken to run some."""
    runner = recognise(command)
    return runner is not None and runner.lists_only(command, environ)


def measured_argv(command: Sequence[str]) -> tuple[str, ...]:
    """The command without what does not change what is measured; unchanged when its runner is not known."""
    runner = recognise(command)
    return tuple(command) if runner is None else runner.measured_argv(command)


def added_selection(base: Sequence[str], tip: Sequence[str]) -> str | None:
    """In words, what the tip's command selects and the base's does not (design 10.24, 10.32); None when nothing, or
    when the two do not start the same known runner."""
    before, after = recognise(base), recognise(tip)
    if after is None or before is not after:
        return None
    return ", ".join(after.added(base, tip)) or None


def _environment(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The selections in the environment of any runner: the one behind a script is not known."""
    found: dict[str, None] = {}
    for runner in RUNNERS.values():
        found |= dict.fromkeys(runner.environment_filters(environ))
    return tuple(found)
