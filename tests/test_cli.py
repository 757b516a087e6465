"""The command line as people and scripts meet it: exit codes, streams, and no traceback (design, section 7)."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from capture_world import CaptureWorld
from gate_world import GateWorld, junit, said
from repo_builder import RepoBuilder

from shipmoor_hooks import __version__, error_handler
from shipmoor_hooks.cli import gate_commands
from shipmoor_hooks.cli import main as cli

RUNNER = f'[suite.unit]\ncommand = ["{sys.executable}", "runner.py"]\nreports = ["build/*.xml"]\n'
COMMANDS = [
    "run",
    "capture",
    "read",
    "gate",
    "disclose",
    "status",
    "log",
    "show",
    "tree",
    "init",
    "doctor",
    "demo",
    "gc",
]


@pytest.fixture
def world(repo: RepoBuilder) -> CaptureWorld:
    report = junit({"a": "passed", "b": "passed"})
    repo.write(
        "runner.py",
        f"import pathlib\npathlib.Path('build').mkdir(exist_ok=True)\nopen('build/r.xml','w').write({report!r})\n",
    )
    return CaptureWorld.create(repo, RUNNER)


@pytest.fixture
def gated(repo: RepoBuilder) -> GateWorld:
    return GateWorld.create(repo, Path(sys.executable))


class Inside:
    """The command line in this process, for what needs no process of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, *words: str, cwd: Path) -> tuple[int, str, str]:
        self.monkeypatch.chdir(cwd)
        code = error_handler.guarded(lambda: cli.run(list(words)), dict(os.environ))
        out, err = self.capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err


@pytest.fixture
def inside(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Inside:
    return Inside(capsys, monkeypatch)


# ---------------------------------------------------------------- a story, each command as a process


def test_a_day_s_work(world: CaptureWorld) -> None:
    repo = world.repo

    def tool(*words: str, code: int = 0) -> subprocess.CompletedProcess[bytes]:
        done = repo.tool(*words)
        assert done.returncode == code, (words, said(done))
        assert b"Traceback" not in done.stdout + done.stderr
        return done

    assert b"no run for this tree" in tool("status", code=3).stdout
    assert b"2 of 2" in tool("run").stderr
    assert b"unit 2 of 2, observed" in tool("status").stdout
    (row,) = tool("log").stdout.decode().splitlines()
    name = row.split()[0]
    assert b"tests/test_set.py::test_a" in tool("show", name).stdout
    assert repo.sha("HEAD^{tree}").encode() in tool("tree").stdout
    assert b"2 of 2 passed, read as junit" in tool("read", "build/r.xml").stdout
    assert b"captured before" in tool("capture", "build/r.xml").stderr
    assert tool("gc", "--dry-run").stdout == b"would drop 0 entries, 0 inventories, 0 leftovers\n"
    assert b"hooks" in tool("init", "--dry-run").stdout + tool("init", "--dry-run").stderr


def test_a_refusal_a_disclosure_and_missing_evidence(gated: GateWorld) -> None:
    gated.branch("work", ["a"])
    done = gated.repo.tool("gate", "--format", "json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert (told["schema"], told["verdict"]) == ("shipmoor-hooks.gate/1", "refused")
    assert gated.repo.tool("disclose", "--reason", "gone (#1)").returncode == 0
    assert gated.repo.tool("gate").returncode == 0
    gated.commit(["a", "c"], measured=False)
    assert gated.repo.tool("gate").returncode == 3


# ---------------------------------------------------------------- usage


def test_version_and_help(inside: Inside, tmp_path: Path) -> None:
    assert inside("--version", cwd=tmp_path) == (0, f"shipmoor-hooks {__version__}\n", "")
    for words in (["-h"], ["--help"]):
        code, out, err = inside(*words, cwd=tmp_path)
        assert (code, err) == (0, "")
        assert [c for c in COMMANDS if c not in out] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself_outside_of_any_repository(inside: Inside, tmp_path: Path, command: str) -> None:
    for word in ("-h", "--help"):
        code, out, err = inside(command, word, cwd=tmp_path)
        assert (code, err) == (0, "")
        assert f"shipmoor-hooks {command}" in out


@pytest.mark.parametrize(
    ("words", "next_step"),
    [
        (["nonsense"], "shipmoor-hooks --help"),
        (["gate", "--nonsense"], "shipmoor-hooks gate --help"),
        (["--nonsense", "gate"], None),
        (["show"], "shipmoor-hooks show --help"),
        (["gate", "--format", "xml"], None),
        (["run", "--shard", "5/4"], None),
        (["run", "--suite", "nope"], None),
        (["capture", "--suite", "nope", "x.xml"], None),
        (["gate", "--base", "nowhere"], None),
        (["gate", "--tip", "nowhere"], None),
        (["tree", "nowhere"], None),
        (["show", "../../x"], None),
        (["log", "-n", "0"], None),
        (["gc", "--older-than", "soon"], None),
        (["-C", "/nowhere/at/all", "status"], None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_call_that_cannot_be_used_is_two_with_one_sentence(
    inside: Inside, world: CaptureWorld, words: list[str], next_step: str | None
) -> None:
    code, out, err = inside(*words, cwd=world.repo.path)
    assert (code, out) == (2, "")
    assert err.startswith("shipmoor-hooks: ")
    if next_step:
        assert f"next: {next_step}\n" in err


def test_no_command_shows_the_help(inside: Inside, tmp_path: Path) -> None:
    code, out, err = inside(cwd=tmp_path)
    assert code == 2
    assert "gate" in out + err


# ---------------------------------------------------------------- options before the command


def test_another_folder(inside: Inside, world: CaptureWorld, tmp_path: Path) -> None:
    tree = world.repo.sha("HEAD^{tree}")
    assert inside("-C", str(world.repo.path), "tree", cwd=tmp_path)[:2] == (0, f"{tree}\n")
    assert inside("-C", "tests", "tree", cwd=world.repo.path)[:2] == (0, f"{tree}\n")
    world.report()
    assert inside("-C", "build", "read", "r.xml", cwd=world.repo.path)[0] == 0


def test_quiet_says_nothing_but_the_result(inside: Inside, world: CaptureWorld) -> None:
    assert inside("--quiet", "log", cwd=world.repo.path) == (0, "", "")
    assert "the spool is empty" in inside("log", cwd=world.repo.path)[2]
    world.report()
    assert inside("-q", "capture", "build/r.xml", cwd=world.repo.path) == (0, "", "")
    assert "unit  2 of 2" in inside("-q", "log", cwd=world.repo.path)[1]
    code, _, err = inside("-q", "show", "ffff", cwd=world.repo.path)
    assert (code, err.startswith("shipmoor-hooks: ")) == (3, True)


def test_verbose_shows_every_finding(inside: Inside, gated: GateWorld) -> None:
    many = [f"n{i:03}" for i in range(60)]
    gated.commit(many)
    gated.repo.git("push", "-q", "--no-verify", "origin", "main")
    gated.branch("work", [f"m{i}" for i in range(60)])
    short, long = (inside(*words, "gate", cwd=gated.repo.path) for words in ([], ["-v"]))
    assert (short[0], long[0]) == (1, 1)
    assert all(f"test_{n}" in long[1] for n in many)
    assert len(short[1]) < len(long[1])


def test_results_are_on_stdout_and_talk_on_stderr(inside: Inside, world: CaptureWorld) -> None:
    world.report()
    code, out, _ = inside("capture", "--format", "json", "build/r.xml", cwd=world.repo.path)
    run = json.loads(out)
    assert (code, run["schema"], run["passed"], run["of"], run["complete"]) == (0, "shipmoor-hooks.run/1", 2, 2, True)
    assert run["outcomes"] == {"passed": 2, "failed": 0, "error": 0, "skipped": 0, "xfailed": 0}
    for command, schema in (("log", "log/1"), ("tree", "tree/1"), ("status", "status/1")):
        code, out, _ = inside(command, "--format", "json", cwd=world.repo.path)
        assert (code, json.loads(out)["schema"]) == (0, f"shipmoor-hooks.{schema}")
    code, out, _ = inside("show", run["run"][:8], "--format", "json", cwd=world.repo.path)
    assert [c["case"] for c in json.loads(out)["cases"]] == ["tests/test_set.py::test_a", "tests/test_set.py::test_b"]
    code, out, _ = inside("read", "--format", "json", "build/r.xml", cwd=world.repo.path)
    report = json.loads(out)
    assert (report["schema"], report["passed"], report["of"]) == ("shipmoor-hooks.report/1", 2, 2)
    assert report["cases"][0] == {
        "case": "tests/test_set.py::test_a",
        "outcome": "passed",
        "count": 1,
        "samples": [1, 1],
    }


# ---------------------------------------------------------------- status and log


def test_status_says_which_runs_do_not_count_and_why(inside: Inside, world: CaptureWorld) -> None:
    world.take(world.report("build/1.xml", age=70), tree="HEAD", partial=True)
    code, out, err = inside("status", cwd=world.repo.path)
    assert code == 3
    assert "only a selection of unit was run" in out
    assert "next: shipmoor-hooks run --suite unit" in err
    world.take(world.report("build/2.xml", age=80), tree="HEAD")
    code, out, _ = inside("status", cwd=world.repo.path)
    assert code == 0
    assert "unit 2 of 2, imported" in out
    assert "not counted: only a selection of unit was run" in out
    code, out, _ = inside("status", "--format", "json", cwd=world.repo.path)
    (suite,) = json.loads(out)["suites"]
    assert (suite["suite"], suite["runs"], suite["run"]["of"]) == ("unit", 1, 2)
    assert [p["code"] for p in suite["set_aside"]] == ["RUN_PARTIAL"]


def test_log_lists_what_cannot_be_read_and_show_says_why(inside: Inside, world: CaptureWorld) -> None:
    run = world.take(world.report("build/1.xml"), tree="HEAD").run
    path = Path(world.stored()[0])
    path.write_bytes(path.read_bytes()[:50])
    code, out, _ = inside("log", cwd=world.repo.path)
    assert code == 0
    assert "SEAL_BROKEN" in out
    code, _, err = inside("show", run.id, cwd=world.repo.path)
    assert code == 3
    assert "not an envelope of ours" in err


def test_names_from_outside_reach_no_terminal(inside: Inside, world: CaptureWorld) -> None:
    """A test is called what its author likes: escape and direction characters are shown, not sent."""
    world.report(
        "build/r.xml",
        '<testsuite name="pytest" tests="1"><testcase classname="t" name="a&#x202e;b&#x9b;c"/></testsuite>',
    )
    for words in (["read", "build/r.xml"], ["capture", "build/r.xml"], ["show", "0"], ["log"]):
        name = world.found().runs[0].id[:8] if words[0] == "show" else None
        _, out, err = inside(words[0], *([name] if name else words[1:]), cwd=world.repo.path)
        assert not set("\u202e\x9b\x1b") & set(out + err)


# ---------------------------------------------------------------- repositories that cannot be used


def test_no_repository_and_no_policy(inside: Inside, tmp_path: Path, repo: RepoBuilder) -> None:
    code, _, err = inside("status", cwd=tmp_path)
    assert code == 2
    assert "not inside a git repository" in err
    code, _, err = inside("status", cwd=repo.path)
    assert code == 2
    assert "next: shipmoor-hooks init" in err


def test_a_bare_repository(inside: Inside, world: CaptureWorld, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    world.repo.git("clone", "-q", "--bare", str(world.repo.path), str(bare))
    for words in (["run"], ["capture", "x.xml"], ["status"], ["gate"], ["tree"], ["disclose"]):
        code, _, err = inside(*words, cwd=bare)
        assert code == 2, words
        assert "bare repository" in err
    assert inside("gate", "--base", "HEAD", "--tip", "HEAD", cwd=bare)[0] == 3
    assert inside("log", cwd=bare)[0] == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository away")
def test_a_repository_of_somebody_else_names_safe_directory(inside: Inside, world: CaptureWorld) -> None:
    os.chown(world.repo.path, 12345, 12345)
    os.chown(world.repo.path / ".git", 12345, 12345)
    code, _, err = inside("status", cwd=world.repo.path)
    assert code == 2
    assert f"git config --global --add safe.directory {world.repo.path}" in err


def test_a_policy_that_is_wrong_names_file_and_line(inside: Inside, world: CaptureWorld) -> None:
    world.repo.write("shipmoor-hooks.toml", "[suite.unit]\ncomand = 'true'\n")
    code, _, err = inside("status", cwd=world.repo.path)
    assert code == 2
    assert "shipmoor-hooks.toml:2" in err
    assert "command" in err


# ---------------------------------------------------------------- three, four, and bugs of ours


@pytest.mark.parametrize(
    "words", [["capture", "none.xml"], ["read", "none.xml"], ["capture", "-h.xml"], ["show", "ffff"]]
)
def test_missing_evidence_is_three(inside: Inside, world: CaptureWorld, words: list[str]) -> None:
    code, out, err = inside(words[0], "--", *words[1:], cwd=world.repo.path)
    assert (code, out) == (3, "")
    assert words[1] in err


def test_a_disk_that_says_no_is_four(inside: Inside, world: CaptureWorld) -> None:
    (world.repo.path / ".git" / "shipmoor-hooks").write_text("in the way")
    world.report()
    code, _, err = inside("capture", "build/r.xml", cwd=world.repo.path)
    assert code == 4
    assert "is not a folder" in err


def test_a_bug_writes_its_log_and_says_where(
    inside: Inside, world: CaptureWorld, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("thirteen\x1b[31m")

    monkeypatch.setattr(gate_commands.gate, "by_hand", broken)
    code, out, err = inside("gate", cwd=world.repo.path)
    assert (code, out) == (4, "")
    assert "this is a bug of ours (ZeroDivisionError: thirteen" in err
    assert "\x1b" not in err
    (log,) = home.rglob("errors.log")
    assert str(log) in err
    assert "Traceback (most recent call last)" in log.read_text()


def test_debug_shows_the_traceback(world: CaptureWorld) -> None:
    done = world.repo.tool("show", "ffff", env={"SHIPMOOR_HOOKS_DEBUG": "1"})
    assert done.returncode == 3
    assert b"Traceback (most recent call last)" in done.stderr
    assert b"Traceback" not in world.repo.tool("show", "ffff").stderr


@pytest.mark.parametrize(
    "fault", [KeyboardInterrupt(), OSError(28, "No space left on device"), RecursionError(), MemoryError()]
)
def test_what_can_happen_anywhere_has_its_code(capsys: pytest.CaptureFixture[str], fault: BaseException) -> None:
    def action() -> int:
        raise fault

    assert error_handler.guarded(action, {}) == (130 if isinstance(fault, KeyboardInterrupt) else 4)
    err = capsys.readouterr().err
    assert err.startswith("shipmoor-hooks: ")
    assert err.count("\n") == 1


# ---------------------------------------------------------------- nobody reads it


def through_a_shell(repo: RepoBuilder, words: str, redirect: str) -> subprocess.CompletedProcess[bytes]:
    return repo.process(["sh", "-c", f"{shlex.quote(sys.executable)} -m shipmoor_hooks {words} {redirect}"])


@pytest.mark.parametrize("redirect", [">&-", "2>&-", ">&- 2>&-", ">/dev/full", ">/dev/full 2>/dev/full", "| true"])
def test_an_output_that_nobody_can_read_changes_no_code(gated: GateWorld, redirect: str) -> None:
    gated.branch("work", ["a"])
    if redirect == "| true":
        redirect = "; echo $? >&3; } 3>code | true"
        done = gated.repo.process(["sh", "-c", f"{{ {shlex.quote(sys.executable)} -m shipmoor_hooks gate {redirect}"])
        assert (gated.repo.path / "code").read_text().strip() == "1"
    else:
        done = through_a_shell(gated.repo, "gate", redirect)
        assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize("words", ["--version", "--help", "gate --help"])
def test_help_that_cannot_be_written_is_at_most_one_sentence(repo: RepoBuilder, words: str) -> None:
    closed, full = (through_a_shell(repo, words, redirect) for redirect in (">&-", ">/dev/full"))
    assert (closed.returncode, closed.stderr) == (0, b"")
    assert full.returncode in (0, 4)
    assert full.stderr in (b"", b"shipmoor-hooks: [Errno 28] No space left on device\n")
