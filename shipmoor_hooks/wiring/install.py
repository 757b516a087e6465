"""`init`: the policy and the hooks as a plan that is shown before it is made (design, sections 5 and 10.21)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

from shipmoor_hooks import results_folder
from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.git import command_environment, last_line
from shipmoor_hooks.place import Place
from shipmoor_hooks.policy import load_worktree
from shipmoor_hooks.wiring import agent_settings, detect, file_change, hosts, stood_before
from shipmoor_hooks.wiring.file_change import FileChange
from shipmoor_hooks.wiring.hook_files import SERVER_STAGE, hooks_folder, shim_changes
from shipmoor_hooks.wiring.hook_source import HookSource, installed_source

POLICY_FILE = "shipmoor-hooks.toml"


@dataclass(frozen=True, slots=True)
class Plan:
    """All that `init` does: files, in order, then the hook host's own installer. Nothing is written before `apply`.

    `notes` are sentences for the user about what is done, `next_steps` what is left to do. `forgets`: the plan undoes what
    `init` did, so nothing of it has to be remembered afterwards.
    """

    place: Place
    host: str
    changes: tuple[FileChange, ...]
    commands: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    forgets: bool = False

    @property
    def directory(self) -> str:
        return self.place.top or self.place.git_dir

    @property
    def is_done(self) -> bool:
        """Everything is in place already."""
        return not self.changes and not self.commands

    def diff(self) -> str:
        """What would change, as a unified diff; "" for nothing."""
        return file_change.diff(self.changes)


def plan_init(
    place: Place,
    environ: Mapping[str, str],
    python: str = sys.executable,
    source: HookSource | None = None,
    agent: str = "",
) -> Plan:
    """What there is to do in this repository. `python` is the interpreter that the hooks call, `agent` a name of
    agent_settings.AGENTS whose settings are to call us.

    Raises PolicyFault for a policy that cannot be read, UsageFault for a hook file or a configuration that can neither
    be chained nor extended: nothing is written in either case.
    """
    changes, notes, next_steps = _policy(place)
    ignored = _results_ignored(place)
    changes += ignored
    notes += [f"results of evals are ignored by git: {results_folder.WHY}"] if ignored else []
    folder = hooks_folder(place)
    host = hosts.detect(place, folder, environ)
    if not _can_run(python, environ):
        notes.append(f"{python} finds shipmoor-hooks only by its environment: the hooks look for it on PATH")
        python = ""
    asked = _agent(place, agent, environ) if agent else ([], [])
    server = [] if place.top else shim_changes(folder, SERVER_STAGE, python)
    if server:
        notes.append("what is pushed to this repository is judged by its pre-receive hook, --no-verify or not")
    wiring = hosts.wire(host, place, folder, environ, python, source or installed_source())
    return Plan(
        place=place,
        host=host.value,
        changes=(*changes, *wiring.changes, *server, *asked[0]),
        commands=wiring.commands,
        notes=(*notes, *wiring.notes, *asked[1]),
        next_steps=tuple(next_steps),
        environ=environ,
    )


def _policy(place: Place) -> tuple[list[FileChange], list[str], list[str]]:
    if place.top is None:
        return [], ["a bare repository has no working tree: the policy comes with the commits"], []
    if load_worktree(place) is not None:
        return [], [], ["shipmoor-hooks doctor"]
    seen = detect.layout(place.top)
    found = (*seen.at_root, *(one.found for one in seen.packages))
    path = os.path.join(place.top, POLICY_FILE)
    change = FileChange(path, file_change.read_text(path), detect.policy_text(seen.at_root, seen.packages))
    if not found:
        said = f"no test runner was recognised: name your test command in {POLICY_FILE}, nothing is measured before"
        return [change], [said], [f"edit {POLICY_FILE}"]
    notes = [f"{one.runner} runs the tests ({one.because})" for one in found]
    return [change], notes, [f"commit {POLICY_FILE}, then measure this tree: shipmoor-hooks run"]


def _agent(place: Place, agent: str, environ: Mapping[str, str]) -> tuple[list[FileChange], list[str]]:
    """The settings of a coding agent with our entries, and what is to be said about them."""
    if agent not in agent_settings.AGENTS:
        known = ", ".join(agent_settings.AGENTS)
        raise UsageFault(
            f"--agent knows {known}, not {agent!r}", "another agent can call: shipmoor-hooks gate --format json"
        )
    name = agent_settings.AGENTS[agent]
    path = os.path.join(place.require_top(), name)
    old = file_change.read_text(path)
    new = agent_settings.add(old)
    if new is None:
        raise UsageFault(
            f"{name} is no plain JSON object with lists of hooks, so nothing was changed",
            f"add these entries to it and run init again:\n{agent_settings.lines_to_paste()}",
        )
    notes = [f"{name} asks the gate before a push and at the end of a turn, and refuses --no-verify"]
    if not shutil.which("shipmoor-hooks-hook", path=environ.get("PATH")):
        notes.append("shipmoor-hooks-hook is not on PATH here; the agent has to find it there")
    return [FileChange(path, old, new)] if new != old else [], [*notes, agent_settings.CONVENIENCE]


def _results_ignored(place: Place) -> list[FileChange]:
    """The line of .gitignore that keeps the results of evals out of the tree, where the plugin has evals and lacks it."""
    if place.top is None or not any(one.format == "plugin-eval" for one in detect.detect(place.top)):
        return []
    probe = f"{results_folder.DEFAULT}probe"
    if place.git.run("check-ignore", "-q", "--no-index", probe).returncode == 0:
        return []
    path = os.path.join(place.top, ".gitignore")
    old = file_change.read_text(path)
    text = old or ""
    text += "" if text.endswith("\n") or not text else "\n"
    return [FileChange(path, old, f"{text}/{results_folder.DEFAULT}\n")]


def _can_run(python: str, environ: Mapping[str, str]) -> bool:
    """Whether the interpreter finds this package without environment variables and user site, as a hook calls it."""
    command = [python, "-I", "-c", "import shipmoor_hooks"]
    return subprocess.run(command, env=dict(environ), cwd="/", capture_output=True, check=False).returncode == 0


def apply(plan: Plan) -> tuple[str, ...]:
    """Make the plan. The sentences that came up on the way: what the host's installer could not do.

    Raises UsageFault when a file was changed since, EnvironmentFault when one cannot be written; what was written
    before stays, and running `init` again goes on from there.
    """
    if plan.forgets:
        file_change.apply(plan.changes)
        undone = tuple(said for command in plan.commands if (said := _run(command, plan)))
        stood_before.forget(plan.place)
        return undone
    looked_at = _hook_places(plan)
    was, configured = stood_before.snapshot(looked_at), hooks_folder(plan.place).configured
    try:
        file_change.apply(plan.changes)
        return tuple(said for command in plan.commands if (said := _run(command, plan)))
    finally:
        then = stood_before.snapshot(looked_at)
        set_now = not configured and bool(hooks_folder(plan.place).configured)
        stood_before.keep(plan.place, plan.changes, was, then, set_now)


def _hook_places(plan: Plan) -> list[str]:
    """The folders and files outside the commits that `init` and the hosts' installers write to."""
    where = [hooks_folder(plan.place).path]
    if plan.host == hosts.Host.HUSKY.value and plan.place.top:
        where.append(os.path.join(plan.place.top, ".husky", "_"))
    if plan.host == hosts.Host.LEFTHOOK.value:
        where.append(os.path.join(plan.place.common_dir, "info", "lefthook.checksum"))
    return list(dict.fromkeys(where))


def _run(command: tuple[str, ...], plan: Plan) -> str:
    environ = command_environment(plan.environ)
    done = subprocess.run(command, cwd=plan.directory, env=environ, input=b"", capture_output=True, check=False)
    if done.returncode == 0:
        return ""
    said = last_line((done.stdout + done.stderr).decode("utf-8", "replace"))
    return f"{' '.join((os.path.basename(command[0]), *command[1:]))} failed ({said}); run it by hand"
