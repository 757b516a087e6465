"""The pytest plugin: records a session as a run, with no report file (design, sections 2 and 7).

It is on when the worktree holds a policy with a suite that pytest runs, or with `--shipmoor`. It never changes what
the session does or how it ends: a failure of ours is one line in the terminal summary. While it is off it costs a few
look-ups; everything of ours is loaded when a session starts that is recorded. Under pytest-xdist the controller
records; a worker only counts what it deselects. pytest need not rewrite this module: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from shipmoor_hooks.pytest_session import PytestRun
    from shipmoor_hooks.quick.quick_session import QuickRun

PACKAGE = "shipmoor_hooks."
OBSERVED = "SHIPMOOR_HOOKS_RUN"  # set by `shipmoor-hooks run`, which is watching already
COUNTER = "shipmoor-hooks-deselected"
# Options of pytest under which no test runs.
LISTING = (
    "collectonly",
    "setuponly",
    "setupplan",
    "showfixtures",
    "show_fixtures_per_test",
    "markers",
    "cacheshow",
    "looponfail",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("shipmoor-hooks", "shipmoor-hooks: record this session as a run of the tested tree")
    group.addoption("--shipmoor", action="store_true", dest="shipmoor", default=None, help="record this session")
    group.addoption("--no-shipmoor", action="store_false", dest="shipmoor", help="do not record this session")
    group.addoption("--shipmoor-suite", metavar="NAME", help="the suite of the policy that this session runs")
    group.addoption("--shipmoor-variant", metavar="NAME", help="the variant of the suite that this session measures")


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        if COUNTER in config.workerinput:
            config.pluginmanager.register(WorkerCount(config), "shipmoor-hooks-worker")
    elif wanted(config):
        config.pluginmanager.register(Recording(config), "shipmoor-hooks-recording")


def wanted(config: pytest.Config) -> bool:
    """The cheap part of the question whether this session is recorded."""
    asked = config.getoption("shipmoor", None)
    if asked is False or os.environ.get(OBSERVED) or any(config.getoption(name, False) for name in LISTING):
        return False
    return bool(asked) or has_policy(str(config.rootpath))


def has_policy(folder: str) -> bool:
    """Whether the worktree around a folder may hold a policy: nothing is parsed, and git is not asked."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    if os.path.exists(os.path.join(folder, "shipmoor-hooks.toml")):
        return True
    try:
        with open(os.path.join(folder, "pyproject.toml"), "rb") as file:
            return b"tool.shipmoor-hooks" in file.read()
    except OSError:
        return False


def named(distribution: Any) -> str:
    """Name and version of a plugin's distribution, read from the head of its metadata: the library would parse it all, the
    project's description too."""
    head = (distribution.read_text("METADATA") or "").replace("\r\n", "\n").partition("\n\n")[0]
    told = dict(line.split(": ", 1) for line in head.split("\n") if line.startswith(("Name: ", "Version: ")))
    if len(told) < 2:
        return f"{distribution.project_name} {distribution.version}"
    return f"{told['Name'].strip()} {told['Version'].strip()}"


class WorkerCount:
    """In a worker of pytest-xdist: how many tests it deselected, for the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self.output: dict[str, Any] = config.workeroutput  # type: ignore[attr-defined]
        self.output[COUNTER] = 0

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.output[COUNTER] += len(items)


class Recording:
    """One session, recorded. After a failure of ours `run` is None and `line` says what happened."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.run: PytestRun | QuickRun | None = None
        self.line = ""
        self.deselected = 0
        self.guard = Guard(self)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        started = time.time()
        with self.guard, OwnModules():
            from shipmoor_hooks.quick import quick_session

            asked = self.asked()
            self.run = quick_session.begin(asked, started)
            if self.run is None:
                from shipmoor_hooks import pytest_session

                self.run = pytest_session.begin(asked, started, insisted=bool(self.config.getoption("shipmoor")))

    def asked(self) -> Any:
        from shipmoor_hooks.pytest_told import Asked

        config = self.config
        plugins = {named(distribution) for _, distribution in config.pluginmanager.list_plugin_distinfo()}
        return Asked(
            arguments=tuple(str(a) for a in config.invocation_params.args),
            folder=str(config.invocation_params.dir),
            rootdir=str(config.rootpath),
            testpaths=tuple(config.getini("testpaths")),
            version=pytest.__version__,
            plugins=tuple(sorted(p for p in plugins if not p.startswith("shipmoor-hooks "))),
            python=f"{platform.python_implementation()} {platform.python_version()}",
            suite=config.getoption("shipmoor_suite") or os.environ.get("SHIPMOOR_HOOKS_SUITE") or None,
            variant=config.getoption("shipmoor_variant") or os.environ.get("SHIPMOOR_HOOKS_VARIANT") or None,
            environ=dict(os.environ),
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.run is not None:
            with self.guard:
                self.run.records.phase(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if self.run is not None:
            with self.guard:
                self.run.records.collected(report)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.deselected += len(items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[COUNTER] = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", None) or {}
        self.deselected = max(self.deselected, output.get(COUNTER, 0))  # every worker collects everything

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        if self.run is None:
            return
        with self.guard, OwnModules():
            from shipmoor_hooks.pytest_told import Ended

            stopped = str(session.shouldfail or session.shouldstop or "")
            ended = Ended(int(session.exitstatus or exitstatus), session.testscollected, self.deselected, stopped)
            self.line = self.run.finish(ended, time.time())

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.line:
            terminalreporter.write_line(self.line)


class OwnModules:
    """While it is entered, Python loads our modules by itself.

    pytest rewrites the assertions of every module that comes with a plugin. Ours have none, and where it cannot keep what it
    made (PYTHONDONTWRITEBYTECODE, packages that belong to root) it would compile each of them anew in every session.
    """

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.startswith(PACKAGE) else None


class Guard:
    """A failure of ours must not become one of the session: it ends the recording and leaves one line.

    This is the plugin's own last handler, as `error_handler` is the command line's; interrupts and exits pass.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        if os.environ.get("SHIPMOOR_HOOKS_DEBUG"):
            import traceback

            traceback.print_exception(error)
        said = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
        step = getattr(error, "next_step", "")
        self.recording.run = None
        words = f"shipmoor: this session was not recorded: {said}" + (f": {step}" if step else "")
        self.recording.line = " ".join(words.split())
        return True
