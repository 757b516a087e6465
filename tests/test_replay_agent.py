"""The replay agent: what a script's prompts are answered with, the calls that it really makes, and recorded traces."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.evals.replay_script import (
    Session,
    called_command,
    command_text,
    next_turn,
    replies_of,
    reply_to,
    steps_of,
)

PLUGIN = {
    "commands/greet.md": "---\ndescription: x\n---\n\nRun\n\n    python3 ${CLAUDE_PLUGIN_ROOT}/lib/gate.py $ARGUMENTS <dir>\n"
}
GATE = "import sys\nprint('code: GATE_SHUT', sys.argv[1:])\nsys.exit(1)\n"


def script(*replies: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "shipmoor-hooks.replay/1", "replies": list(replies)}


def turns(steps: list[dict[str, Any]], outputs: list[str], text: str = "") -> tuple[tuple[str, ...], str | None, Any]:
    (reply,) = replies_of(script({"prompt": "p", "steps": steps}))
    turn = next_turn(steps_of(reply, 1), Session(text, "/plug"), outputs)
    return turn.texts, turn.call, dict(turn.input)


BASH = {"call": "Bash", "input": {"command": "x"}}


@pytest.mark.parametrize(
    ("steps", "outputs", "said", "call"),
    [
        pytest.param([], [], (), None, id="nothing to do"),
        pytest.param([{"say": "a"}, {"say": "b"}], [], ("a", "b"), None, id="words alone end the session"),
        pytest.param([{"say": "a"}, BASH, {"say": "b"}], [], ("a",), "Bash", id="words before a call go with it"),
        pytest.param([{"say": "a"}, BASH, {"say": "b"}], ["out"], ("b",), None, id="what was said is not said again"),
        pytest.param(
            [BASH, {"if": "E_\\w+", "say": "{found}!"}], ["E_ONE E_TWO"], ("E_ONE!",), None, id="on what came"
        ),
        pytest.param([BASH, {"if": "E_\\w+", "say": "{found}!"}], ["fine"], (), None, id="not on what did not come"),
        pytest.param([BASH, {"unless": "E_", "say": "ok"}], ["fine"], ("ok",), None, id="unless it came"),
        pytest.param([BASH, {"if": "E_", "stop": True}, BASH], ["E_1"], (), None, id="stop ends it"),
        pytest.param([BASH, {"if": "E_", "stop": True}, BASH], ["fine"], (), "Bash", id="no stop, one more call"),
        pytest.param(
            [{"if": "E_", "say": "early"}, BASH], ["E_1"], (), None, id="a condition sees the calls before it"
        ),
    ],
)
def test_what_comes_next(
    steps: list[dict[str, Any]], outputs: list[str], said: tuple[str, ...], call: str | None
) -> None:
    assert turns(steps, outputs)[:2] == (said, call)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        pytest.param("Run\n\n    python3 /p/gate.py <dir>\n", "python3 /p/gate.py work", id="the command's own line"),
        pytest.param("Run `python3 /p/gate.py <dir>`", "Run `python3 /p/gate.py work", id="a line is a whole line"),
        pytest.param("nothing", "rebuilt /plug work", id="the line is gone: what the prose around it gives"),
    ],
)  # fmt: skip
def test_a_call_takes_its_line_from_the_command(text: str, command: str) -> None:
    step = {
        "call": "Bash",
        "line": "gate.py",
        "fill": {"<dir>": "work"},
        "otherwise": "rebuilt {plugin} <dir>",
        "input": {"description": "d"},
    }
    given = turns([step], [], text)[2]
    assert given == {"command": command, "description": "d"}
    assert next(iter(given)) == "command"  # the order of the tool's schema


@pytest.mark.parametrize(
    ("document", "place"),
    [
        pytest.param([], "a replay script is", id="not an object"),
        pytest.param({"schema": "other/1", "replies": []}, "a replay script is", id="another schema"),
        pytest.param(script({"steps": []}), "replies[0]: expected an object with a prompt", id="no prompt"),
        pytest.param(script({"prompt": "p"}), "replies[0]: expected prompt and one of", id="nothing to do"),
        pytest.param(script({"prompt": "p", "steps": [], "traces": []}), "replies[0]: expected prompt and one of", id="both"),
        pytest.param(script({"prompt": "p", "samples": []}), "replies[0].samples", id="no sample"),
        pytest.param(script({"prompt": "p", "traces": [1]}), "replies[0].traces", id="a trace that is no path"),
        pytest.param(script({"prompt": "p", "steps": [{"says": "x"}]}), "replies[0].steps[0].says", id="an unknown key"),
        pytest.param(script({"prompt": "p", "steps": [{"say": 1}]}), "replies[0].steps[0].say", id="a wrong type"),
        pytest.param(script({"prompt": "p", "steps": [{"sleep": True}]}), "replies[0].steps[0].sleep", id="a boolean number"),
        pytest.param(script({"prompt": "p", "steps": [{"if": "("}]}), "replies[0].steps[0].if", id="no pattern"),
        pytest.param(script({"prompt": "p", "steps": [{"fill": {"a": 1}}]}), "replies[0].steps[0].fill", id="a fill, no text"),
    ],
)  # fmt: skip
def test_a_bad_script_is_refused_by_place(document: object, place: str) -> None:
    with pytest.raises(UsageFault, match=place.replace("[", r"\[").replace("]", r"\]")):
        replies_of(document)


def test_the_exact_prompt_goes_before_any() -> None:
    replies = replies_of(script({"prompt": "*", "steps": []}, {"prompt": "hello", "steps": [{"say": "x"}]}))
    assert [reply_to(replies, p).prompt for p in (" hello\n", "other")] == ["hello", "*"]  # type: ignore[union-attr]
    assert reply_to(replies[1:], "other") is None


def test_samples_start_again_behind_the_last() -> None:
    (reply,) = replies_of(script({"prompt": "p", "samples": [[{"say": "a"}], [{"say": "b"}]]}))
    assert [steps_of(reply, n)[0].say for n in (1, 2, 3)] == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("prompt", "called"),
    [
        pytest.param("/voyage:plan --x y", ("plan", "--x y"), id="with arguments"),
        pytest.param("/voyage:plan", ("plan", ""), id="without"),
        pytest.param("/plan", None, id="no plugin"),
        pytest.param("please /voyage:plan", None, id="in a sentence"),
    ],
)
def test_which_command_a_prompt_calls(prompt: str, called: tuple[str, str] | None) -> None:
    assert called_command(prompt) == called


def test_a_command_without_its_head() -> None:
    assert command_text("---\na: b\n---\nX $ARGUMENTS ${CLAUDE_PLUGIN_ROOT}/y", "1 2", "/p") == "X 1 2 /p/y"


# ---------------------------------------------------------------- the process


def play(tmp_path: Path, document: object, prompt: str = "p", **environ: str) -> tuple[int, list[dict[str, Any]], str]:
    (tmp_path / "script.json").write_text(json.dumps(document))
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "shipmoor_hooks.evals.replay_agent", str(tmp_path / "script.json")],
        cwd=work, input=prompt.encode(), capture_output=True, check=False, timeout=60,
        env={**os.environ, **{f"SHIPMOOR_HOOKS_EVAL_{k}": v for k, v in environ.items()}},
    )  # fmt: skip
    return done.returncode, [json.loads(line) for line in done.stdout.split(b"\n") if line], done.stderr.decode()


def test_the_gates_code_runs_and_its_output_stands_in_the_trace(tmp_path: Path) -> None:
    for name, text in {**PLUGIN, "lib/gate.py": GATE}.items():
        path = tmp_path / "plugin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    steps = [
        {"call": "Bash", "line": "gate.py", "fill": {"<dir>": "here"}},
        {"if": "GATE_\\w+", "say": "Stopped: {found}"},
    ]
    document = script({"prompt": "/own:greet --to me", "steps": steps})
    code, records, _ = play(
        tmp_path, document, "/own:greet --to me", TOOLS="Bash,Read", PLUGIN=str(tmp_path / "plugin")
    )
    assert code == 0
    assert [r["type"] for r in records] == ["system", "assistant", "user", "assistant", "result"]
    assert records[0]["tools"] == ["Bash", "Read"]
    answered = records[2]["message"]["content"][0]
    assert answered["is_error"]
    assert answered["content"] == "Exit code 1\ncode: GATE_SHUT ['--to', 'me', 'here']"
    assert records[4] | {"duration_ms": 0} == records[4] | {
        "result": "Stopped: GATE_SHUT",
        "num_turns": 2,
        "duration_ms": 0,
    }


@pytest.mark.parametrize(
    ("tools", "call", "output"),
    [
        pytest.param("Read", {"command": "echo hi"}, "No such tool available: Bash", id="a tool that was not granted"),
        pytest.param("Bash", {"command": "echo hi"}, "hi", id="one that was"),
    ],
)
def test_a_tool_needs_its_grant(tmp_path: Path, tools: str, call: dict[str, str], output: str) -> None:
    document = script({"prompt": "p", "steps": [{"call": "Bash", "input": call}]})
    _, records, _ = play(tmp_path, document, TOOLS=tools)
    assert output in records[2]["message"]["content"][0]["content"]


@pytest.mark.parametrize("path", ["../out.txt", "/etc/out.txt", ""])
def test_a_write_stays_in_the_workspace(tmp_path: Path, path: str) -> None:
    document = script({"prompt": "p", "steps": [{"call": "Write", "input": {"file_path": path, "content": "x"}}]})
    _, records, _ = play(tmp_path, document, TOOLS="Write")
    assert records[2]["message"]["content"][0]["is_error"]
    assert list((tmp_path / "work").iterdir()) == []


def test_a_recorded_trace_is_played_with_the_files_that_it_wrote(tmp_path: Path) -> None:
    def call(name: str, path: str) -> dict[str, Any]:
        block = {"type": "tool_use", "id": name, "name": "Write", "input": {"file_path": path, "content": f"by {name}"}}
        return {"type": "assistant", "message": {"id": "m", "content": [block]}}

    failed = {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "no", "is_error": True}]}}
    records = [
        {"type": "system", "subtype": "init", "cwd": "/old/cwd"},
        call("abs", "/old/cwd/a/b.md"), call("rel", "c.md"), call("no", "d.md"), call("out", "/old/e.md"), failed,
        {"type": "result", "result": "line\u2028separated"},
    ]  # fmt: skip
    trace = "\n".join(json.dumps(r, ensure_ascii=False) for r in records)
    (tmp_path / "one.jsonl").write_text(trace)
    code, played, _ = play(tmp_path, script({"prompt": "p", "traces": ["one.jsonl"]}))
    assert (code, played) == (0, records)
    work = tmp_path / "work"
    assert {str(p.relative_to(work)) for p in work.rglob("*") if p.is_file()} == {"a/b.md", "c.md"}


@pytest.mark.parametrize(
    ("document", "prompt", "said"),
    [
        pytest.param(script(), "hello", "no reply to this prompt: 'hello'", id="a prompt without a reply"),
        pytest.param({}, "p", "a replay script is", id="no script"),
        pytest.param(script({"prompt": "p", "traces": ["gone.jsonl"]}), "p", "gone.jsonl: No such file", id="no trace"),
    ],
)
def test_what_cannot_be_played_is_one_clear_line(tmp_path: Path, document: object, prompt: str, said: str) -> None:
    code, records, stderr = play(tmp_path, document, prompt)
    assert code in (2, 4)
    assert records == []
    assert said in stderr
    assert "Traceback" not in stderr
