"""One sample of a case: its workspace, its scaffold, its agent, and what is left to grade (design, section 8).

What a case asks for that cannot be done is the sample's own error, in the real program's words; nothing is graded then.
"""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Mapping

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.errors import EnvironmentFault
from shipmoor_hooks.evals import agent_command, agent_process, run_folder
from shipmoor_hooks.evals.agent_command import Task
from shipmoor_hooks.evals.definitions import CaseDefinition
from shipmoor_hooks.evals.result_document import SampleResult
from shipmoor_hooks.evals.run_folder import RunFolder
from shipmoor_hooks.evals.run_options import RunOptions
from shipmoor_hooks.evals.session_end import SessionEnd, session_end
from shipmoor_hooks.git import Git, command_environment

_OWN_KEY = re.compile(r"EVAL_\w+")
_SCAFFOLD_KEYS = ("PATH", "LANG", "LC_ALL", "NODE_ENV")


@dataclass(frozen=True, slots=True)
class Setting:
    """What all samples of a run share. `root` is the plugin's folder, `top` the worktree's, both absolute and real.

    `hidden` are the folders that the agent is told nothing of: eval folders, git's, the spool's.
    """

    root: str
    top: str
    agent: tuple[str, ...]
    options: RunOptions
    environ: Mapping[str, str]
    hidden: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A sample that was taken: its result so far, and what its graders look at; `ran` once its agent had started."""

    result: SampleResult
    trace: bytes = b""
    created: tuple[str, ...] = ()
    workspace: RunFolder | None = None
    end: SessionEnd = field(default_factory=SessionEnd)
    ran: bool = False


class _NotRun(Exception):
    """Why a sample did not start, as the result has it: it becomes data, and never leaves this module."""


def take(setting: Setting, case: CaseDefinition, number: int, is_stopped: Callable[[], bool]) -> Taken:
    """Take the n-th sample (from 1). The workspace is the caller's to remove. Raises UsageFault, EnvironmentFault."""
    started, begun = time.time(), time.monotonic()
    place: RunFolder | None = None
    try:
        place = _prepared(setting, case)
        _scaffold(setting, case, place, is_stopped)
        before = run_folder.paths(place.cwd)
        ended = _run(setting, case, number, place, is_stopped)
    except _NotRun as why:
        return Taken(SampleResult(started, time.monotonic() - begun, error=str(why)), workspace=place)
    except BaseException:
        if place is not None:
            run_folder.remove(place)
        raise
    trace = ended.stdout.rstrip(b"\n")
    end = session_end(trace)
    result = SampleResult(started, ended.seconds, end.turns, end.cost, _error(ended, end, case.timeout_seconds))
    return Taken(result, trace, run_folder.created(place, before), place, end, ran=True)


def _prepared(setting: Setting, case: CaseDefinition) -> RunFolder:
    folder = os.path.join(setting.root, case.dir)
    for key in case.env:
        if not _OWN_KEY.fullmatch(key):
            raise _NotRun(
                f'case "{case.name}" execution.env key "{key}" is not allowed — only EVAL_* keys can be set from case.yaml.'
            )
    dirs = [_inside(case, folder, path) for path in case.add_dirs]
    history = _inside(case, folder, case.history_file) if case.history_file else ""
    made = run_folder.make(setting.root, setting.hidden, dirs, history)
    git = Git(made.home, setting.environ)
    config = ("-c", "init.templateDir=", "-c", "init.defaultBranch=main")
    for words in (("init", "-q"), ("config", "user.name", "Plugin Eval"), ("config", "user.email", "eval@localhost")):
        git.run(*config, *words)
    return made


def _inside(case: CaseDefinition, folder: str, path: str) -> str:
    """A path that a case names, absolute. Raises _NotRun when it is not there or leads out of the case's folder."""
    whole = os.path.realpath(os.path.join(folder, path))
    if os.path.commonpath([os.path.realpath(folder), whole]) != os.path.realpath(folder):
        raise _NotRun(f'case "{case.name}": path "{path}" escapes the case directory')
    if not os.path.exists(whole):
        raise _NotRun(f'case "{case.name}": path "{path}" does not exist')
    return whole


def _scaffold(setting: Setting, case: CaseDefinition, place: RunFolder, is_stopped: Callable[[], bool]) -> None:
    """Run the case's scaffold in the workspace, as the user, when the call allows it."""
    if not case.scaffold_script or not setting.options.scaffold:
        return
    script = _inside(case, os.path.join(setting.root, case.dir), case.scaffold_script)
    environ = {key: setting.environ[key] for key in _SCAFFOLD_KEYS if key in setting.environ}
    environ |= {"HOME": place.home, "TMPDIR": place.temporary, "PWD": place.cwd}
    ended = agent_process.run(["bash", script], place.cwd, environ, b"", float(case.timeout_seconds), is_stopped)
    if ended.cut == "stopped":
        raise _NotRun("interrupted")
    if ended.cut:
        raise _NotRun(f"scaffold failed: {ended.cut} after {ended.seconds:.0f}s")
    if ended.code:
        raise _NotRun(f"scaffold failed (exit {ended.code}): {ended.stderr.strip()[-500:]}")


def _run(
    setting: Setting, case: CaseDefinition, number: int, place: RunFolder, is_stopped: Callable[[], bool]
) -> agent_process.Ended:
    options = setting.options
    refused = {*case.disallowed_tools, *options.disallow_tools}
    tools = tuple(t for t in agent_command.granted(case.allowed_tools, options.allow_tools) if t not in refused)
    task = Task(
        prompt=case.prompt,
        model=options.model or case.model,
        tools=tools,
        disallowed_tools=tuple(sorted(refused)),
        max_turns=case.max_turns,
        plugin=place.plugin,
        system_prompt=case.append_system_prompt,
        sample=number,
        dirs=place.dirs,
        history=place.history,
    )
    argv = agent_command.argv_of(setting.agent, task, setting.root)
    stdin = b"" if agent_command.wants_prompt(setting.agent) else case.prompt.encode("utf-8", "replace")
    environ = agent_environ(setting, place) | agent_command.variables(task) | dict(case.env)
    return agent_process.run(argv, place.cwd, environ, stdin, float(case.timeout_seconds), is_stopped)


def agent_environ(setting: Setting, place: RunFolder) -> dict[str, str]:
    """The caller's environment without what names the worktree or a hidden folder, and without our own variables.

    PATH stays as it is: the agent and its tools are found by it.
    """
    secret = (setting.top, setting.root, *setting.hidden)
    kept = {
        key: value
        for key, value in command_environment(setting.environ).items()
        if key == "PATH"
        or not (key.startswith("SHIPMOOR_HOOKS_") or any(len(path) > 1 and path in value for path in secret))
    }
    kept.pop("OLDPWD", None)
    return kept | {"PWD": place.cwd, "TMPDIR": place.temporary}


def _error(ended: agent_process.Ended, end: SessionEnd, limit: int) -> str:
    """Why the sample is no valid one, in the real program's words; "" for a session that ended well."""
    if ended.cut == "timeout":
        return f"timed out after {limit}s"
    if ended.cut == "stopped":
        return "interrupted"
    if ended.cut:
        return f"the trace is larger than {agent_process.LARGEST_OUTPUT} bytes"
    if ended.code or end.error:
        said = end.error or (ended.stderr.strip().splitlines() or ["the agent said nothing"])[-1]
        return f"exit {ended.code or 1}: {said}"
    return "" if end.has_result else "exit 0: the agent ended without a result message"


def check_agent(agent: tuple[str, ...], root: str, environ: Mapping[str, str]) -> None:
    """Raises EnvironmentFault when the agent's program is not there, before anything has started."""
    first = agent_command.argv_of(agent[:1], Task(""), root)[0]
    folders = [""] if os.sep in first else environ.get("PATH", os.defpath).split(os.pathsep)
    if not any(os.access(os.path.join(folder, first), os.X_OK) for folder in folders):
        raise EnvironmentFault(f"the agent {shlex.quote(first)} is not here", "check `agent` in the policy")
