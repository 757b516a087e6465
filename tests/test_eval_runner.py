"""Our own runner of eval suites: real agents (small programs of our own), real scaffolds, real process groups."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shipmoor_hooks.errors import EnvironmentFault, UsageFault
from shipmoor_hooks.evals import runner, sample
from shipmoor_hooks.evals.definitions import CaseDefinition, Grader, Verdict
from shipmoor_hooks.evals.result_document import document
from shipmoor_hooks.evals.run_options import RunOptions
from shipmoor_hooks.evals.runner import Done, Material
from shipmoor_hooks.evals.sample import Setting

SAID = Grader("said", "regex", {"pattern": "done"})
AGENT = """
import json, os, sys, time
def write(**record):
    sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\\n"); sys.stdout.flush()
def end(**more):
    write(**{"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "total_cost_usd": 0.5, **more})
prompt = sys.stdin.read()
write(type="system", subtype="init", claude_code_version="9.9.9", cwd=os.getcwd())
"""


class World:
    """A plugin, an agent and what they leave."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder, self.environ = folder, dict(environ)
        self.root = folder / "repository" / "plugin"
        (self.root / "evals").mkdir(parents=True)
        (self.root / "lib").mkdir()
        (self.root / "lib" / "gate.py").write_text("print('gate')\n")
        self.lines: list[str] = []
        self.graded: list[Material] = []
        self.temporary = folder / "tmp"
        self.temporary.mkdir()

    def left(self) -> list[str]:
        """What of workspaces is still there: everything but the traces."""
        return [str(p) for p in self.temporary.rglob("*") if p.is_file() and p.name != "trace.jsonl"]

    def setting(self, agent: str, **options: Any) -> Setting:
        path = self.folder / "agent.py"
        path.write_text(AGENT + agent)
        top = str(self.root.parent)
        hidden = (str(self.root / "evals"), f"{top}/.git")
        return Setting(str(self.root), top, (sys.executable, str(path)), RunOptions(**options), self.environ, hidden)

    def case(self, name: str = "c", **more: Any) -> CaseDefinition:
        (self.root / "evals" / name).mkdir(exist_ok=True)
        given: dict[str, Any] = {"prompt": "hello", "graders": (SAID,), "runs": 1} | more
        return CaseDefinition(name, f"evals/{name}", "case_yaml", **given)

    def run(self, setting: Setting, *cases: CaseDefinition, verdict: bool | None = True) -> Done:
        def grade(case: CaseDefinition, material: Material) -> tuple[Verdict, ...]:
            self.graded.append(material)
            return tuple(Verdict(verdict, "as told") for _ in case.graders)

        return runner.run(setting, cases, (), grade, self.lines.append)


@pytest.fixture
def world(tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path, environment)
    monkeypatch.setattr("tempfile.tempdir", str(world.temporary))
    return world


def only(done: Done) -> Any:
    (case,) = done.result.cases
    return case.samples[0]


def trace_of(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(only(done).trace).read_bytes().split(b"\n")]


def test_a_session_is_run_kept_and_graded(world: World) -> None:
    done = world.run(world.setting('write(type="assistant", text=prompt + "\\u2028")\nend()'), world.case())
    taken = only(done)
    assert (done.exit_code, done.result.version, taken.error, taken.turns, taken.cost) == (0, "9.9.9", "", 1, 0.5)
    assert trace_of(done)[1] == {"type": "assistant", "text": "hello\u2028"}
    assert not Path(taken.trace).read_bytes().endswith(b"\n")
    assert world.graded[0].trace == Path(taken.trace).read_bytes()
    assert world.left() == []
    assert "✓ c  score 1.00  (1 of 1 samples)" in world.lines


def test_a_case_below_its_threshold_is_exit_1(world: World) -> None:
    setting = world.setting("end()")
    assert world.run(setting, world.case(), verdict=False).exit_code == 1
    halves = world.setting("end()", threshold=0.0)
    assert world.run(halves, world.case(), verdict=False).exit_code == 0


def test_the_agent_is_told_no_path_of_the_suite(world: World, environment: dict[str, str]) -> None:
    top = str(world.root.parent)
    world.environ |= {
        "OLDPWD": top, "EVIDENCE": f"x:{world.root}/evals", "SHIPMOOR_HOOKS_RUN": "1", "KEPT": "yes", "GIT_DIR": f"{top}/.git",
    }  # fmt: skip
    (world.root / "outside").symlink_to("..")
    (world.root / "absolute").symlink_to(world.root / "evals")
    (world.root / "inside").symlink_to("lib/gate.py")
    agent = """
tree = [os.path.join(h, n) for h, d, f in os.walk(os.environ["SHIPMOOR_HOOKS_EVAL_PLUGIN"]) for n in d + f]
write(type="seen", environ=dict(os.environ), argv=sys.argv[1:], tree=tree, files=os.listdir("."))
end()
"""
    done = world.run(world.setting(agent), world.case())
    seen = trace_of(done)[1]
    assert top not in json.dumps(seen)
    assert seen["environ"]["KEPT"] == "yes"
    assert seen["environ"]["PWD"].endswith("/home/cwd")
    assert seen["files"] == []
    assert sorted(os.path.basename(p) for p in seen["tree"]) == ["gate.py", "inside", "lib"]


def test_what_a_case_asks_for_reaches_the_agent(world: World) -> None:
    case = world.case(
        model="small", allowed_tools=("Read", "Bash", "Write"), disallowed_tools=("Read",), max_turns=7,
        append_system_prompt="be brief", env={"EVAL_X": "1"}, runs=2, add_dirs=("data",),
    )  # fmt: skip
    (world.root / "evals" / "c" / "data").mkdir()
    (world.root / "evals" / "c" / "data" / "a.txt").write_text("A")
    agent = """
e = {k.removeprefix("SHIPMOOR_HOOKS_EVAL_"): v for k, v in os.environ.items() if "EVAL_" in k}
write(type="seen", data=open(e["DIRS"] + "/a.txt").read(), **{k: v for k, v in e.items() if k not in ("DIRS", "PLUGIN")})
end()
"""
    done = world.run(world.setting(agent, allow_tools=("Bash",)), case)
    first, second = (json.loads(Path(s.trace).read_bytes().split(b"\n")[1]) for s in done.result.cases[0].samples)
    assert first == {
        "type": "seen", "MODEL": "small", "TOOLS": "Bash", "DISALLOWED_TOOLS": "Read", "MAX_TURNS": "7",
        "SYSTEM_PROMPT": "be brief", "SAMPLE": "1", "EVAL_X": "1", "HISTORY": "", "data": "A",
    }  # fmt: skip
    assert second["SAMPLE"] == "2"


def test_only_files_that_the_agent_made_count_as_created(world: World) -> None:
    (world.root / "evals" / "c").mkdir()
    (world.root / "evals" / "c" / "scaffold.sh").write_text(
        'mkdir work && echo "$HOME" > work/brief.md && env > env.txt\n'
    )
    case = world.case(scaffold_script="scaffold.sh")
    agent = """
os.makedirs("out/.deep"); open("out/.deep/plan.md", "w").close(); os.symlink("nowhere", "link"); os.mkdir("empty")
write(type="seen", env=open("env.txt").read()); open("work/brief.md", "a").write("more")
end()
"""
    world.environ |= {"EVAL_SECRET": "s", "TOKEN": "t"}
    done = world.run(world.setting(agent, scaffold=True), case)
    assert world.graded[0].created == ("link", "out/.deep/plan.md")
    scaffold = dict(line.split("=", 1) for line in trace_of(done)[1]["env"].splitlines())
    assert not {"EVAL_SECRET", "TOKEN"} & set(scaffold)
    assert scaffold["HOME"].endswith("/home")


def test_without_leave_no_scaffold_runs(world: World) -> None:
    (world.root / "evals" / "c").mkdir()
    (world.root / "evals" / "c" / "scaffold.sh").write_text("touch made\n")
    done = world.run(
        world.setting('write(type="seen", files=os.listdir("."))\nend()'), world.case(scaffold_script="scaffold.sh")
    )
    assert trace_of(done)[1]["files"] == []


@pytest.mark.parametrize(
    ("more", "files", "error"),
    [
        pytest.param({"scaffold_script": "s.sh"}, {"s.sh": "echo oops >&2; exit 3"}, "scaffold failed (exit 3): oops",
                     id="it fails"),
        pytest.param({"scaffold_script": "s.sh"}, {}, 'case "c": path "s.sh" does not exist', id="it is not there"),
        pytest.param({"scaffold_script": "../s.sh"}, {}, 'case "c": path "../s.sh" escapes the case directory',
                     id="it is outside"),
        pytest.param({"add_dirs": ("../..",)}, {}, 'case "c": path "../.." escapes the case directory', id="a folder outside"),
        pytest.param({"env": {"FOO": "1"}}, {}, 'case "c" execution.env key "FOO" is not allowed', id="a variable of others"),
    ],
)  # fmt: skip
def test_what_cannot_start_is_no_sample(world: World, more: dict[str, Any], files: dict[str, str], error: str) -> None:
    case = world.case(**more)
    for name, text in files.items():
        (world.root / case.dir / name).write_text(text)
    done = world.run(world.setting("end()", scaffold=True), case)
    assert only(done).error.startswith(error)
    assert (only(done).verdicts, only(done).trace, done.exit_code) == (None, "", 1)
    assert world.left() == []


@pytest.mark.parametrize(
    ("agent", "error", "graded"),
    [
        pytest.param("end()", "", True, id="it ended well"),
        pytest.param("pass", "exit 0: the agent ended without a result message", True, id="it ended in the middle"),
        pytest.param("print('Traceback', file=sys.stderr)\nsys.exit(3)", "exit 3: Traceback", True, id="it broke"),
        pytest.param("os.kill(os.getpid(), 9)", "exit 137: the agent said nothing", True, id="it was killed"),
        pytest.param("end(is_error=True, errors=['Reached maximum number of turns (2)'])\nsys.exit(1)",
                     "exit 1: Reached maximum number of turns (2)", True, id="too many turns"),
        pytest.param("end(is_error=True, result='refused')", "exit 1: refused", True, id="an error under exit 0"),
        pytest.param("end(is_error=True, result='API Error: 500', api_error_status=500)\nsys.exit(1)", "exit 1: API Error: 500",
                     False, id="the service failed: nothing is graded"),
    ],
)  # fmt: skip
def test_how_a_session_can_end(world: World, agent: str, error: str, graded: bool) -> None:
    done = world.run(world.setting(agent), world.case())
    assert (only(done).error, only(done).verdicts is not None) == (error, graded)
    assert done.exit_code == (0 if graded else 1)


def test_a_late_agent_is_ended_with_all_that_it_started(world: World) -> None:
    agent = """
import subprocess
child = subprocess.Popen(["sleep", "60"])
write(type="child", pid=child.pid)
time.sleep(60)
"""
    begun = time.monotonic()
    done = world.run(world.setting(agent), world.case(timeout_seconds=1))
    assert only(done).error == "timed out after 1s"
    assert only(done).verdicts is not None  # as the real program has it; the error makes it no valid sample
    assert time.monotonic() - begun < 6
    assert not is_alive(trace_of(done)[1]["pid"])


def test_what_an_agent_leaves_running_ends_with_it(world: World) -> None:
    agent = """
import subprocess
child = subprocess.Popen(["sleep", "60"])
write(type="child", pid=child.pid)
end()
"""
    begun = time.monotonic()
    done = world.run(world.setting(agent), world.case())
    assert only(done).error == ""
    assert time.monotonic() - begun < 5
    assert not is_alive(trace_of(done)[1]["pid"])


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be reaped by somebody does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_samples_run_side_by_side_and_stand_in_order(world: World) -> None:
    agent = """
time.sleep(0.8 if prompt == "first" else 0.1)
write(type="said", prompt=prompt)
end()
"""
    cases = [world.case(name, prompt=name) for name in ("first", "second", "third", "fourth")]
    begun = time.monotonic()
    done = world.run(world.setting(agent, concurrency=4), *cases)
    assert time.monotonic() - begun < 0.8 * 4
    said = [json.loads(Path(c.samples[0].trace).read_bytes().split(b"\n")[1])["prompt"] for c in done.result.cases]
    assert said == ["first", "second", "third", "fourth"]


def test_the_ceiling_ends_the_suite_before_the_next_sample(world: World) -> None:
    cases = [world.case(name) for name in ("a", "b", "c")]
    done = world.run(world.setting("end()", max_cost=0.9), *cases)
    assert [c.case.name for c in done.result.cases] == ["a", "b"]
    assert (done.exit_code, document(done.result)["partialReason"]) == (2, "cost_ceiling")
    assert "⚠ cost ceiling $0.9 hit; skipping remaining cases" in world.lines


def test_a_ceiling_of_nothing_starts_nothing(world: World) -> None:
    done = world.run(world.setting("end()", max_cost=0.0), world.case())
    assert (done.exit_code, done.result.cases) == (2, ())


def test_an_interrupt_keeps_what_is_there(world: World) -> None:
    agent = """
open(os.environ["STARTED"] + prompt, "w").close()
time.sleep(0 if prompt == "a" else 60)
end()
"""
    world.environ["STARTED"] = str(world.folder / "started-")

    def interrupt() -> None:
        while not (world.folder / "started-b").exists():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    done = world.run(world.setting(agent), *[world.case(name, prompt=name) for name in ("a", "b", "c")])
    thread.join()
    assert [(c.case.name, c.samples[0].error) for c in done.result.cases] == [("a", ""), ("b", "interrupted")]
    assert (done.exit_code, document(done.result)["partialReason"]) == (130, "interrupted")
    assert world.left() == []


def test_a_grader_without_a_verdict_makes_no_valid_sample(world: World) -> None:
    done = world.run(world.setting("end()"), world.case(), verdict=None)
    assert only(done).error == 'grader "said" gave no verdict: as told'
    assert done.exit_code == 1


def test_an_agent_that_is_not_there_is_told_before_anything_starts(world: World) -> None:
    with pytest.raises(EnvironmentFault, match="the agent no-such-agent is not here"):
        sample.check_agent(("no-such-agent",), str(world.root), world.environ)
    sample.check_agent((sys.executable,), str(world.root), world.environ)


def test_an_agent_that_cannot_be_started_is_told(world: World) -> None:
    broken = world.folder / "broken"
    broken.write_bytes(b"\x7fELF nothing")
    broken.chmod(0o755)
    setting = world.setting("end()")
    with pytest.raises(UsageFault, match="cannot be started"):
        world.run(
            Setting(setting.root, setting.top, (str(broken),), setting.options, setting.environ, ()), world.case()
        )
    assert world.left() == []


def test_a_fault_of_the_grading_leaves_no_workspace(world: World) -> None:
    def grade(*_: object) -> tuple[Verdict, ...]:
        raise UsageFault("no engine")

    with pytest.raises(UsageFault, match="no engine"):
        runner.run(world.setting("end()"), [world.case()], (), grade, world.lines.append)
    assert world.left() == []
