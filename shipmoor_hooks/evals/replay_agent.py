"""`shipmoor-hooks-replay SCRIPT`: an agent without a model, which plays a script or recorded traces (docs/eval-run.md).

It reads the prompt on stdin and writes the stream of JSON messages that `claude -p --output-format stream-json` writes. The
calls of a script are really made, in the folder where it was started: a plugin's own code runs, and its real output stands
in the trace. Bash runs as you, outside any sandbox.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from shipmoor_hooks import __version__
from shipmoor_hooks.data_classes import dataclass, field
from shipmoor_hooks.error_handler import guarded
from shipmoor_hooks.errors import EnvironmentFault, UsageFault
from shipmoor_hooks.evals import replay_script
from shipmoor_hooks.evals.agent_command import VARIABLE
from shipmoor_hooks.evals.replay_script import Reply, Session, Step

_LONGEST_CALL = 120.0  # seconds
_LARGEST = 64 * 1024 * 1024  # bytes of a script or a trace


def main() -> int:
    """The console script: 0 when the session was played, 2 for a script that cannot be used."""
    return guarded(lambda: play(sys.argv[1:], os.environ), os.environ)


def play(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Play the reply to the prompt on stdin."""
    if len(arguments) != 1:
        raise UsageFault("expected one argument: the replay script", "shipmoor-hooks-replay SCRIPT < PROMPT")
    path = arguments[0]
    try:
        document = json.loads(_read(path))
    except ValueError as wrong:
        raise UsageFault(f"{path}: not JSON: {wrong}") from wrong
    try:
        replies = replay_script.replies_of(document)
    except UsageFault as fault:
        raise UsageFault(f"{path}: {fault.message}") from fault
    prompt = sys.stdin.read()
    reply = replay_script.reply_to(replies, prompt)
    if reply is None:
        raise UsageFault(f"{path}: no reply to this prompt: {prompt.strip()[:200]!r}", "add it to `replies`")
    sample = int(environ.get(VARIABLE + "SAMPLE", "1"))
    if reply.traces:
        _play_trace(os.path.dirname(os.path.abspath(path)), reply, sample)
        return 0
    _play_steps(replay_script.steps_of(reply, sample), prompt, environ)
    return 0


def _read(path: str) -> bytes:
    try:
        if os.path.getsize(path) > _LARGEST:
            raise UsageFault(f"{path}: larger than {_LARGEST} bytes")
        with open(path, "rb") as stream:
            return stream.read(_LARGEST + 1)
    except OSError as error:
        raise EnvironmentFault(f"{path}: {error.strerror}") from error


# ---------------------------------------------------------------- a script


@dataclass(slots=True)
class Stream:
    """The messages that are written, and what of them the last one sums up."""

    session: str
    model: str
    messages: int = 0
    calls: int = 0
    last_text: str = ""
    started: float = field(default_factory=time.monotonic)

    def write(self, record: Mapping[str, object]) -> None:
        line = json.dumps({**record, "session_id": self.session}, ensure_ascii=False, separators=(",", ":"))
        sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()

    def assistant(self, blocks: Sequence[Mapping[str, object]]) -> None:
        """One message, a record for each block, as the real stream has it."""
        self.messages += 1
        head = {"id": f"msg_replay{self.messages:06}", "type": "message", "role": "assistant", "model": self.model}
        for block in blocks:
            self.write(
                {"type": "assistant", "message": {**head, "content": [block]}, "parent_tool_use_id": None},
            )

    def result(self) -> None:
        spent = int((time.monotonic() - self.started) * 1000)
        self.write(
            {"type": "result", "subtype": "success", "is_error": False, "result": self.last_text, "duration_ms": spent,
             "num_turns": self.messages, "total_cost_usd": 0, "permission_denials": []}
        )  # fmt: skip


def _play_steps(steps: Sequence[Step], prompt: str, environ: Mapping[str, str]) -> None:
    plugin = environ.get(VARIABLE + "PLUGIN", "")
    tools = [tool for tool in environ.get(VARIABLE + "TOOLS", "").split(",") if tool]
    stream = Stream("replay", environ.get(VARIABLE + "MODEL") or "replay")
    stream.write(
        {"type": "system", "subtype": "init", "cwd": os.getcwd(), "tools": tools, "model": stream.model,
         "permissionMode": "dontAsk", "claude_code_version": f"replay {__version__}"}
    )  # fmt: skip
    session = Session(_text_of(prompt, plugin), plugin)
    outputs: list[str] = []
    while True:
        turn = replay_script.next_turn(steps, session, outputs)
        time.sleep(turn.sleep)
        blocks: list[Mapping[str, object]] = [{"type": "text", "text": text} for text in turn.texts]
        stream.last_text = turn.texts[-1] if turn.texts else stream.last_text
        if turn.call is None:
            stream.assistant(blocks)
            break
        stream.calls += 1
        name = f"toolu_replay{stream.calls:06}"
        stream.assistant([*blocks, {"type": "tool_use", "id": name, "name": turn.call, "input": turn.input}])
        output, is_error = _call(turn.call, turn.input, tools)
        outputs.append(output)
        answered = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": is_error}
        stream.write({"type": "user", "message": {"role": "user", "content": [answered]}, "parent_tool_use_id": None})
    stream.result()


def _text_of(prompt: str, plugin: str) -> str:
    """The body of the command that the prompt calls, else the prompt itself."""
    called = replay_script.called_command(prompt)
    path = os.path.join(plugin, "commands", f"{called[0]}.md") if called and plugin else ""
    if not called or not os.path.isfile(path):
        return prompt
    return replay_script.command_text(_read(path).decode("utf-8", "replace"), called[1], plugin)


def _call(tool: str, given: Mapping[str, object], granted: Sequence[str]) -> tuple[str, bool]:
    """Make a call; what it gave, and whether that is an error. A tool that was not granted is not there."""
    if tool not in granted:
        return f"Error: No such tool available: {tool}", True
    try:
        if tool == "Bash":
            return _bash(str(given.get("command", "")))
        if tool == "Write":
            return _write(str(given.get("file_path", "")), str(given.get("content", ""))), False
        if tool == "Read":
            return _read(_inside(str(given.get("file_path", "")))).decode("utf-8", "replace"), False
    except (UsageFault, EnvironmentFault) as refused:
        return f"Error: {refused.message}", True
    except OSError as error:
        return f"Error: {error.strerror}", True
    return f"{tool} was called; a replay makes no such call", False


def _bash(command: str) -> tuple[str, bool]:
    try:
        done = subprocess.run(
            ["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_LONGEST_CALL
        )
    except subprocess.TimeoutExpired:
        return f"Command timed out after {_LONGEST_CALL:.0f}s", True
    said = (done.stdout + done.stderr).decode("utf-8", "replace").rstrip("\n")
    return (f"Exit code {done.returncode}\n{said}", True) if done.returncode else (said, False)


def _inside(path: str) -> str:
    """The path below the folder of the session. Raises UsageFault for one that leads out of it."""
    here = os.path.realpath(os.getcwd())
    whole = os.path.realpath(os.path.join(here, path))
    if not path or os.path.commonpath([here, whole]) != here:
        raise UsageFault(f"{path!r} is outside the workspace")
    return whole


def _write(path: str, content: str) -> str:
    whole = _inside(path)
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    with open(whole, "w", encoding="utf-8", errors="replace", newline="") as stream:
        stream.write(content)
    return f"File created successfully at: {path}"


# ---------------------------------------------------------------- a recorded trace


def _play_trace(folder: str, reply: Reply, sample: int) -> None:
    """Write a recorded trace again, and the files that its Write calls made, into the folder of this session."""
    named = reply.traces[(sample - 1) % len(reply.traces)]
    data = _read(os.path.join(folder, named))
    for path, content in _written(data):
        try:
            _write(path, content)
        except (UsageFault, OSError):
            continue  # outside the workspace: the recorded session was not let there either, or it is not ours to write
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
    sys.stdout.buffer.flush()


def _written(data: bytes) -> list[tuple[str, str]]:
    """The files of the Write calls that went well, with paths relative to the recorded session's folder."""
    calls: dict[str, tuple[str, str]] = {}
    failed: set[str] = set()
    cwd = ""
    for line in data.decode("utf-8", "replace").split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        cwd = cwd or str(record.get("cwd") or "")
        for block in _blocks(record):
            given = block.get("input")
            if block.get("type") == "tool_use" and block.get("name") == "Write" and isinstance(given, dict):
                calls[str(block.get("id"))] = (str(given.get("file_path", "")), str(given.get("content", "")))
            if block.get("type") == "tool_result" and block.get("is_error"):
                failed.add(str(block.get("tool_use_id")))
    here = re.escape(cwd.rstrip("/") + "/")
    return [(re.sub(f"^{here}", "", path), text) for name, (path, text) in calls.items() if name not in failed]


def _blocks(record: Mapping[str, object]) -> list[dict[str, object]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


if __name__ == "__main__":
    raise SystemExit(main())
