"""What a scripted agent does: for each prompt the words and tool calls of a session, some of them on a condition.

Pure. The schema is `shipmoor-hooks.replay/1` (docs/eval-run.md). `next_turn` is asked again with what the calls so far
gave, so that whoever drives it (the replay agent, a stand-in for a model's service) needs no state of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.errors import UsageFault

SCHEMA = "shipmoor-hooks.replay/1"
ANY_PROMPT = "*"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the agent does: `say` a text, or `call` a tool with `input`; nothing at all with `stop`.

    `when` and `unless` are patterns over what the calls before gave. `line` takes the command of a Bash call from the text
    of the plugin's command: its first line that holds these words, with `fill` put in; `otherwise` where there is none.
    """

    say: str | None = None
    call: str = ""
    input: Mapping[str, object] = field(default_factory=dict)
    line: str = ""
    fill: Mapping[str, str] = field(default_factory=dict)
    otherwise: str = ""
    when: str = ""
    unless: str = ""
    stop: bool = False
    sleep: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What is done for one prompt: the steps of each sample in turn, or the recorded traces (paths) of each."""

    prompt: str
    samples: tuple[tuple[Step, ...], ...] = ()
    traces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """Where the steps play: the text that the prompt stands for (a command's body), and the plugin's folder."""

    text: str
    plugin: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What the agent says next, and the call it makes behind it (None: it is done). `sleep` comes first, in seconds."""

    texts: tuple[str, ...]
    call: str | None = None
    input: Mapping[str, object] = field(default_factory=dict)
    sleep: float = 0.0


def replies_of(document: object) -> tuple[Reply, ...]:
    """The replies of a parsed script. Raises UsageFault that names the place of the first fault."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise UsageFault(f'a replay script is a JSON object with "schema": "{SCHEMA}"')
    replies = document.get("replies")
    if not isinstance(replies, list):
        raise UsageFault("replies: expected a list")
    return tuple(_reply(entry, f"replies[{number}]") for number, entry in enumerate(replies))


def reply_to(replies: Sequence[Reply], prompt: str) -> Reply | None:
    """The reply to a prompt, word for word but for blanks around it; else the one for any prompt."""
    wanted = prompt.strip()
    exact = next((r for r in replies if r.prompt.strip() == wanted), None)
    return exact or next((r for r in replies if r.prompt == ANY_PROMPT), None)


def steps_of(reply: Reply, sample: int) -> tuple[Step, ...]:
    """The steps of the n-th sample (from 1); behind the last one it starts again."""
    return reply.samples[(sample - 1) % len(reply.samples)]


def next_turn(steps: Sequence[Step], session: Session, outputs: Sequence[str]) -> Turn:
    """What comes next when the calls made so far gave `outputs`, one for each."""
    said: list[str] = []
    made = 0
    sleep = 0.0
    for step in steps:
        found = _found(step, "\n".join(outputs[:made]))
        if found is None:
            continue
        if step.stop:
            break
        sleep += step.sleep
        if step.say is not None:
            said.append(step.say.replace("{found}", found))
        elif step.call and made < len(outputs):
            made += 1
            said, sleep = [], 0.0
        elif step.call:
            return Turn(tuple(said), step.call, _input(step, session), sleep)
    return Turn(tuple(said), sleep=sleep)


def command_text(body: str, arguments: str, plugin: str) -> str:
    """A command's body as a session sees it: without its head, arguments and plugin folder put in."""
    head = re.match(r"---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|$)", body, re.DOTALL)
    text = body[head.end() :] if head else body
    return text.replace("$ARGUMENTS", arguments).replace("${CLAUDE_PLUGIN_ROOT}", plugin)


def called_command(prompt: str) -> tuple[str, str] | None:
    """The command of a plugin that a prompt calls, and its arguments: `/voyage:trekplan --brief x`. None for other prompts."""
    found = re.fullmatch(r"/[\w.-]+:([\w.-]+)(?:\s+(.*))?", prompt.strip(), re.DOTALL)
    return (found[1], (found[2] or "").strip()) if found else None


def _found(step: Step, seen: str) -> str | None:
    """What the step's condition found ("" without one); None when the step is not taken."""
    if step.unless and re.search(step.unless, seen):
        return None
    if not step.when:
        return ""
    match = re.search(step.when, seen)
    return match[0] if match else None


def _input(step: Step, session: Session) -> Mapping[str, object]:
    made = {k: _placed(v, session) for k, v in step.input.items()}
    if step.line:
        lines = (line.strip().strip("`") for line in session.text.splitlines())
        line = next((each for each in lines if step.line in each), step.otherwise)
        for blank, value in step.fill.items():
            line = line.replace(blank, value)
        # First, as the tool's own schema has it: patterns over a call's JSON see that order.
        made = {"command": line.replace("{plugin}", session.plugin), **made}
    return made


def _placed(value: object, session: Session) -> object:
    return value.replace("{plugin}", session.plugin) if isinstance(value, str) else value


def _reply(entry: object, where: str) -> Reply:
    if not isinstance(entry, dict) or not isinstance(entry.get("prompt"), str):
        raise UsageFault(f"{where}: expected an object with a prompt")
    kinds = [k for k in ("steps", "samples", "traces") if k in entry]
    if len(kinds) != 1 or set(entry) - {"prompt", *kinds}:
        raise UsageFault(f"{where}: expected prompt and one of steps, samples, traces")
    value = entry[kinds[0]]
    if not isinstance(value, list) or (not value and kinds != ["steps"]):
        raise UsageFault(f"{where}.{kinds[0]}: expected a list")
    if kinds == ["traces"]:
        if not all(isinstance(path, str) for path in value):
            raise UsageFault(f"{where}.traces: expected paths")
        return Reply(entry["prompt"], traces=tuple(value))
    samples = [value] if kinds == ["steps"] else value
    return Reply(entry["prompt"], tuple(_steps(s, f"{where}.{kinds[0]}") for s in samples))


_KINDS: Mapping[str, tuple[str, Any]] = {
    "say": ("say", str), "call": ("call", str), "input": ("input", dict), "line": ("line", str), "fill": ("fill", dict),
    "otherwise": ("otherwise", str), "if": ("when", str), "unless": ("unless", str), "stop": ("stop", bool),
    "sleep": ("sleep", (int, float)),
}  # fmt: skip


def _steps(value: object, where: str) -> tuple[Step, ...]:
    if not isinstance(value, list):
        raise UsageFault(f"{where}: expected a list of steps")
    return tuple(_step(entry, f"{where}[{number}]") for number, entry in enumerate(value))


def _step(entry: object, where: str) -> Step:
    if not isinstance(entry, dict):
        raise UsageFault(f"{where}: expected an object")
    given: dict[str, Any] = {}
    for key, value in entry.items():
        name, kind = _KINDS.get(key, ("", object))
        if not name:
            raise UsageFault(f"{where}.{key}: not a key of a step; known: {', '.join(_KINDS)}")
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise UsageFault(f"{where}.{key}: not a value for it")
        if name in ("when", "unless"):
            _check_pattern(value, f"{where}.{key}")
        given[name] = value
    if any(not isinstance(v, str) for v in given.get("fill", {}).values()):
        raise UsageFault(f"{where}.fill: expected texts")
    return Step(**given)


def _check_pattern(pattern: str, where: str) -> None:
    try:
        re.compile(pattern)
    except re.error as wrong:
        raise UsageFault(f"{where}: {wrong}") from wrong
