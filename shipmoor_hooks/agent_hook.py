"""The hook of a coding agent (`shipmoor-hooks-hook agent`): one JSON object on standard input says what it is about to do.

Before a shell command: a `git push` is judged first, and a way around the hooks is refused. At the end of a turn: what is not
measured is said, once. Exit 2 with the reason on stderr is what such an agent takes as a refusal; it reads that text.
This is a convenience: git's own hook judges the push all the same, and the gate in continuous integration is the boundary.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TextIO

from shipmoor_hooks import gate, history, place, policy, push_words
from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.errors import ShipmoorError, UsageFault
from shipmoor_hooks.model import Decision, Verdict
from shipmoor_hooks.output import say
from shipmoor_hooks.place import Place
from shipmoor_hooks.render import as_text
from shipmoor_hooks.standing_now import standings
from shipmoor_hooks.store.spool import Spool
from shipmoor_hooks.trees import scoped_tree
from shipmoor_hooks.trees import tree as tree_module
from shipmoor_hooks.visible import visible
from shipmoor_hooks.wiring.hook_files import hooks_folder, owner

GO_ON, TOLD, REFUSED = 0, 1, 2
LARGEST = 8 << 20  # bytes of JSON; a command line is shorter than that


@dataclass(frozen=True, slots=True)
class Event:
    """What the agent tells: the name of the moment, where it stands, the shell command, and whether a hook of ours already
    held it back at the end of this turn."""

    name: str
    directory: str
    command: str
    again: bool


def run(stdin: bytes, directory: str, environ: Mapping[str, str], now: float, err: TextIO | None) -> int:
    """Answer one event; 0 go on, 1 told to the person, 2 refused and told to the agent."""
    try:
        event = event_of(stdin, directory)
    except UsageFault as fault:
        say(err, f"shipmoor-hooks: {fault.message}")
        return TOLD  # nothing that we can read is refused: every command of the agent would be
    try:
        if event.name == "PreToolUse":
            return before_command(event, environ, now, err)
        if event.name in ("Stop", "SubagentStop") and not event.again:
            return end_of_turn(event, environ, now, err)
    except ShipmoorError as fault:
        # What cannot be judged is not let through: the agent reads what to do.
        lines = [*fault.message.split("\n"), *([f"  next: {fault.next_step}"] if fault.next_step else [])]
        say(err, "shipmoor-hooks: " + "\n".join(visible(line) for line in lines))
        return REFUSED
    return GO_ON


def event_of(stdin: bytes, directory: str) -> Event:
    """The event. Raises UsageFault for what is no JSON object of the documented form."""
    if len(stdin) > LARGEST:
        raise UsageFault(f"the event on standard input is longer than {LARGEST >> 20} MiB")
    try:
        told = json.loads(stdin)
    except (ValueError, RecursionError) as broken:
        raise UsageFault("standard input is not the JSON object that an agent's hook is given") from broken
    if not isinstance(told, dict) or not isinstance(told.get("hook_event_name"), str):
        raise UsageFault("the JSON on standard input names no event (hook_event_name)")
    given = told.get("tool_input") if told.get("tool_name") == "Bash" else None
    command = given.get("command") if isinstance(given, dict) else ""
    where = told.get("cwd")
    return Event(
        name=told["hook_event_name"],
        directory=where if isinstance(where, str) and "\0" not in where and os.path.isdir(where) else directory,
        command=command if isinstance(command, str) else "",
        again=told.get("stop_hook_active") is True,
    )


def before_command(event: Event, environ: Mapping[str, str], now: float, err: TextIO | None) -> int:
    """Judge the pushes of a shell command, and refuse a way around the hooks where a policy stands."""
    if "git" not in event.command:
        return GO_ON
    reading = push_words.read(event.command)
    if reading.around and _measured(event.directory, environ) is not None:
        say(err, f"shipmoor-hooks: {visible(', '.join(reading.around))} goes past the hooks, which is not done here.")
        say(err, "  next: run it without; what the gate refuses is restored, repaired or disclosed")
        return REFUSED
    for push in reading.pushes:
        folder = os.path.join(event.directory, os.path.expanduser(push.directory))
        where = _measured(folder, environ) if "\0" not in folder and os.path.isdir(folder) else None
        code = _judge(where, push, now, err) if where is not None else GO_ON
        if code:
            return code
    return GO_ON


def _judge(where: Place, push: push_words.Push, now: float, err: TextIO | None) -> int:
    """What git's own hook would say. Where it cannot be told beforehand, git's own hook says it; where there is none, the
    push has to be one that can be judged."""
    if not push.alone or push.sources is None:
        if owner(os.path.join(hooks_folder(where).path, "pre-push")):
            return GO_ON
        say(err, "shipmoor-hooks: no pre-push hook is installed here, and this push cannot be judged beforehand.")
        say(err, "  next: shipmoor-hooks init --yes; or push in a call of its own, naming the branch")
        return REFUSED
    for source in push.sources or ("HEAD",):
        if history.commit_of(where.git, source) is None or source.startswith("refs/tags/"):
            continue  # git says so itself
        if _is_tag(where, source):
            continue
        verdict = gate.by_hand(where, gate.ByHand(tip=source), now)
        if verdict.decision is not Decision.ALLOWED and not verdict.watching:
            _tell(verdict, err)
            return REFUSED
    return GO_ON


def _is_tag(where: Place, name: str) -> bool:
    return where.git.try_text("rev-parse", "--verify", "--quiet", f"refs/tags/{name}") is not None


def end_of_turn(event: Event, environ: Mapping[str, str], now: float, err: TextIO | None) -> int:
    """Say once what is not measured in a changed working tree, or what the gate would refuse in a commit."""
    where = _measured(event.directory, environ)
    rules = policy.load_worktree(where) if where is not None and where.top is not None else None
    if where is None or rules is None or not rules.suites:
        return GO_ON
    seen = tree_module.capture(where)
    if seen.way == "head" and _is_pushed(where):
        return GO_ON
    spool = Spool(where.common_dir, where.worktree)
    scoped = {s.name: scoped_tree.scoped(where.git, seen, s.exclude) for s in rules.suites.values() if s.exclude}
    missing = [row for row in standings(where.git, spool, rules, seen.tree, scoped) if row.run is None]
    for row in missing:
        say(err, visible(f"shipmoor-hooks: {row.line(now)}"))
    if missing:
        say(err, f"  next: shipmoor-hooks run --suite {visible(missing[0].suite)}")
        return REFUSED
    verdict = _of_head(where, now) if seen.way == "head" else None
    if verdict is None or verdict.decision is not Decision.REFUSED:
        return GO_ON
    _tell(verdict, err)
    return REFUSED


def _is_pushed(where: Place) -> bool:
    """Some remote branch that is known here holds HEAD already."""
    found = where.git.try_text("for-each-ref", "--count=1", "--contains=HEAD", "--format=x", "refs/remotes/")
    return bool(found)


def _of_head(where: Place, now: float) -> Verdict | None:
    """The verdict on HEAD; None where no target is known yet."""
    try:
        return gate.by_hand(where, gate.ByHand(), now)
    except UsageFault:
        return None


def _tell(verdict: Verdict, err: TextIO | None) -> None:
    say(err, f"shipmoor-hooks: {as_text(verdict)}")


def _measured(directory: str, environ: Mapping[str, str]) -> Place | None:
    """The repository around the folder, if it has a policy; None where there is nothing to judge by."""
    try:
        where = place.find(directory, environ)
    except ShipmoorError:
        return None
    return where if where.top is not None and policy.load_worktree(where) is not None else None
