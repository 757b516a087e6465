"""`run`: real processes, watched from outside, and the runs that they leave (design, sections 6, 7, 10.27 and 10.28)."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
from capture_world import CaptureWorld
from gate_world import junit
from repo_builder import RepoBuilder

from shipmoor_hooks import editable, observe, policy
from shipmoor_hooks.capture import Captured
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.model import Code, Evidence, Run
from shipmoor_hooks.observe import Order

SCRIPTED = f"""\
[suite.unit]
command = ["{sys.executable}", "runner.py"]
reports = ["build/*.xml"]
"""
PYTEST = f"""\
[suite.unit]
command = ["{sys.executable}", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
"""
WRITE = "import os, pathlib\npathlib.Path('build').mkdir(exist_ok=True)\npathlib.Path('build/r.xml').write_text({report!r})\n"


def runner(after: str = "", **cases: str) -> str:
    """A suite that writes its report where the policy looks, and then does what `after` says."""
    return WRITE.format(report=junit(cases or {"a": "passed", "b": "passed"})) + after


def scripted(repo: RepoBuilder, after: str = "", **cases: str) -> CaptureWorld:
    repo.write("runner.py", runner(after, **cases))
    return CaptureWorld.create(repo, SCRIPTED)


@dataclass(frozen=True)
class Seen:
    """What `observe` gave, where it could be stored."""

    captured: Captured
    exit_code: int


def seen(world: CaptureWorld, *command: str, cwd: Path | None = None) -> Seen:
    rules = policy.load_worktree(world.place)
    assert rules is not None
    order = Order(rules.suites["unit"], tuple(command))
    done = observe.observe(world.place, rules, order, world.repo.env, str(cwd or world.repo.path))
    assert done.captured is not None, done.fault
    return Seen(done.captured, done.exit_code)


def codes(run: Run) -> list[Code]:
    return [p.code for p in run.problems]


# ---------------------------------------------------------------- what a run holds


def test_a_script_that_writes_the_policy_s_report(repo: RepoBuilder) -> None:
    world = scripted(repo)
    done = seen(world)
    run = done.captured.run
    assert done.exit_code == 0
    assert run.is_complete, run.problems
    assert (run.evidence, run.exit_code, str(run.count)) == (Evidence.OBSERVED, 0, "2 of 2")
    assert run.tree == repo.sha("HEAD^{tree}")
    assert run.command == (sys.executable, "runner.py")
    assert [r.name for r in run.reports] == ["build/r.xml"]
    assert run.finished is not None
    assert run.started <= run.finished
    assert world.found().runs == (run,)
    assert world.found().begun == ()


def test_pytest_by_a_report_of_our_own_place(repo: RepoBuilder) -> None:
    repo.write("tests/test_cart.py", "def test_a():\n    pass\n\ndef test_b():\n    assert 1 == 2\n")
    repo.write(
        "tests/sub/test_more.py",
        "import unittest\nclass TestX(unittest.TestCase):\n    def test_c(self):\n        pass\n",
    )
    world = CaptureWorld.create(repo, PYTEST)
    repo.write(".gitignore", "__pycache__/\n")
    repo.commit()
    done = seen(world)
    run = done.captured.run
    assert done.exit_code == 1
    assert run.is_complete, run.problems
    assert {c.id: c.outcome.value for c in run.cases} == {
        "tests/sub/test_more.py::TestX::test_c": "passed",
        "tests/test_cart.py::test_a": "passed",
        "tests/test_cart.py::test_b": "failed",
    }
    assert (run.runner, run.runner_version) == ("pytest", version("pytest"))
    assert dict(run.conditions)["harness version"] == version("pytest")
    assert repo.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("more", "code"),
    [(["-k", "a"], Code.RUN_PARTIAL), (["--deselect", "tests/test_set.py::test_b"], Code.RUN_PARTIAL), (["-x"], None)],
)
def test_a_selection_is_partial_and_bailing_only_when_something_is_red(
    repo: RepoBuilder, more: list[str], code: Code | None
) -> None:
    repo.write("tests/test_set.py", "def test_a():\n    pass\n\ndef test_b():\n    pass\n")
    world = CaptureWorld.create(repo, PYTEST)
    repo.write("tests/test_set.py", "def test_a():\n    pass\n\ndef test_b():\n    pass\n")
    run = seen(world, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *more).captured.run
    assert codes(run) == ([code] if code else [])


@pytest.mark.parametrize(
    ("folder", "words", "narrowing", "argv"),
    [
        pytest.param("", ["test_x.py"], "only test_x.py", "test_x.py", id="at-the-root"),
        pytest.param("", ["tests", "test_x.py"], "", "tests test_x.py", id="all-of-it-at-the-root"),
        pytest.param("tests", ["test_a.py"], "only tests/test_a.py", "tests/test_a.py", id="a-file-in-a-sub-folder"),
        pytest.param("tests", [], "only tests", "tests", id="no-word-in-a-sub-folder-means-that-folder"),
        pytest.param("tests", [".."], "", ".", id="the-whole-from-a-sub-folder"),
    ],
)
def test_a_command_typed_in_a_sub_folder_is_judged_as_it_reads_at_the_root(
    repo: RepoBuilder, folder: str, words: list[str], narrowing: str, argv: str
) -> None:
    repo.write(".gitignore", "__pycache__/\n")
    repo.write("pytest.ini", "[pytest]\n")
    repo.write("tests/test_a.py", "def test_a():\n    pass\n")
    repo.write("test_x.py", "def test_x():\n    pass\n")
    world = CaptureWorld.create(repo, PYTEST.replace('"no:cacheprovider"', '"no:cacheprovider", "tests", "test_x.py"'))
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words)
    run = seen(world, *command, cwd=repo.path / folder).captured.run
    problems = "; ".join(p.message for p in run.problems)
    assert problems == (f"only a selection of unit was run ({narrowing})" if narrowing else "")
    assert dict(run.conditions)["argv"].endswith(f"-m pytest -p no:cacheprovider {argv}")


def test_the_policy_s_own_command_starts_at_the_root_wherever_one_stands(repo: RepoBuilder) -> None:
    world = scripted(repo)
    repo.write("deep/down/keep", "")
    repo.commit()
    run = seen(world, cwd=repo.path / "deep" / "down").captured.run
    assert run.is_complete, run.problems
    assert run.cwd == "."


def test_a_start_elsewhere_of_a_runner_that_nobody_knows_is_a_part(repo: RepoBuilder) -> None:
    world = scripted(repo)
    repo.write("sub/runner.py", runner())
    repo.commit()
    run = seen(world, sys.executable, "runner.py", cwd=repo.path / "sub").captured.run
    assert [p.message for p in run.problems if p.code is Code.RUN_PARTIAL] == [
        "only a selection of unit was run (it was started in sub, not at the worktree's root)"
    ]


def test_a_listing_asked_for_by_the_environment_is_incomplete(repo: RepoBuilder) -> None:
    repo.write(".gitignore", "__pycache__/\n")
    repo.write("tests/test_a.py", "def test_a():\n    pass\n")
    world = CaptureWorld.create(repo, PYTEST)
    repo.env["PYTEST_ADDOPTS"] = "--collect-only"
    run = seen(world).captured.run
    assert (run.problems[0].code, run.problems[0].message) == (
        Code.RUN_INCOMPLETE, "the command only lists cases, it runs none",
    )  # fmt: skip


def test_another_command_is_partial(repo: RepoBuilder) -> None:
    world = scripted(repo)
    repo.write("other.py", runner())
    run = seen(world, sys.executable, "other.py").captured.run
    assert codes(run) == [Code.RUN_PARTIAL]
    assert "other.py" in run.problems[0].message


# ---------------------------------------------------------------- exit codes


def test_the_exit_code_is_passed_on_and_one_that_no_case_explains_is_a_red_case(repo: RepoBuilder) -> None:
    world = scripted(repo, "raise SystemExit(7)\n")
    done = seen(world)
    assert done.exit_code == 7
    run = done.captured.run
    assert run.is_complete
    assert [c.id for c in run.cases if c.outcome.is_red] == ["<run>::exit 7"]
    assert str(run.count) == "2 of 2"


def test_an_exit_code_that_a_red_case_explains_adds_nothing(repo: RepoBuilder) -> None:
    done = seen(scripted(repo, "raise SystemExit(1)\n", a="failed"))
    assert done.exit_code == 1
    assert [c.id for c in done.captured.run.cases] == ["tests/test_set.py::test_a"]


def test_zero_with_red_cases_is_said(repo: RepoBuilder) -> None:
    done = seen(scripted(repo, a="failed"))
    assert done.exit_code == 0
    assert any("although cases are red" in w for w in done.captured.warnings)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_signal_is_told_as_a_shell_tells_it(repo: RepoBuilder, number: signal.Signals) -> None:
    done = seen(scripted(repo, f"os.kill(os.getpid(), {int(number)})\n"))
    assert done.exit_code == 128 + number
    assert f"<run>::exit {128 + number}" in [c.id for c in done.captured.run.cases]


def test_a_command_that_cannot_be_started_leaves_no_run(repo: RepoBuilder) -> None:
    world = scripted(repo)
    for command in ("no-such-program-anywhere", "./runner.py"):
        with pytest.raises(UsageFault, match="cannot be started"):
            seen(world, command)
    assert world.stored() == []


# ---------------------------------------------------------------- reports


def test_no_report_is_an_incomplete_run(repo: RepoBuilder) -> None:
    repo.write("runner.py", "print('all green')\n")
    world = CaptureWorld.create(repo, SCRIPTED)
    done = seen(world)
    assert codes(done.captured.run) == [Code.RUN_INCOMPLETE]
    assert "left no report" in done.captured.run.problems[0].message
    assert done.captured.run.cases == ()


@pytest.mark.parametrize(
    "old", [junit({"a": "passed", "b": "passed"}), "<testsuite"], ids=["a whole one", "a broken one"]
)
def test_a_report_that_lay_there_before_is_not_taken(repo: RepoBuilder, old: str) -> None:
    repo.write("runner.py", "pass\n")
    world = CaptureWorld.create(repo, SCRIPTED)
    world.report("build/old.xml", old, age=30)
    began = time.monotonic()
    run = seen(world).captured.run
    assert time.monotonic() - began < 4
    assert codes(run) == [Code.RUN_INCOMPLETE]
    assert run.reports == ()


def test_an_old_report_beside_the_new_one(repo: RepoBuilder) -> None:
    world = scripted(repo, a="passed")
    world.report("build/old.xml", junit({"gone": "passed"}), age=30)
    assert [c.id for c in seen(world).captured.run.cases] == ["tests/test_set.py::test_a"]


def test_the_same_bytes_written_again_are_a_new_report(repo: RepoBuilder) -> None:
    world = scripted(repo)
    first, second = seen(world).captured.run, seen(world).captured.run
    assert first.is_complete
    assert second.is_complete
    assert len(world.found().runs) == 2


def test_a_report_that_becomes_whole_after_the_runner_returned(repo: RepoBuilder) -> None:
    late = """
import subprocess, sys
whole = pathlib.Path('build/r.xml').read_text()
pathlib.Path('build/r.xml').write_text(whole[:50])
code = "import pathlib, time; time.sleep(0.8); pathlib.Path('build/r.xml').write_text(" + repr(whole) + ")"
subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
"""
    run = seen(scripted(repo, late)).captured.run
    assert run.is_complete, run.problems
    assert str(run.count) == "2 of 2"


def test_a_report_that_stays_broken_is_named(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observe, "_PATIENCE", 0.2)
    run = seen(scripted(repo, "pathlib.Path('build/r.xml').write_text('<testsuite>')\n")).captured.run
    assert codes(run) == [Code.RUN_INCOMPLETE]
    assert "build/r.xml" in run.problems[0].message


@pytest.mark.parametrize("pattern", ["build/out.xml", "build/away/*.xml"])
def test_the_policy_s_globs_never_leave_the_worktree(repo: RepoBuilder, tmp_path: Path, pattern: str) -> None:
    outside = tmp_path / "away.xml"
    text = junit({"stolen": "passed"})
    repo.write(
        "runner.py",
        f"import os, pathlib\npathlib.Path({str(outside)!r}).write_text({text!r})\n"
        f"pathlib.Path('build').mkdir(exist_ok=True)\n"
        f"os.symlink({str(outside)!r}, 'build/out.xml')\nos.symlink({str(tmp_path)!r}, 'build/away')\n",
    )
    world = CaptureWorld.create(repo, SCRIPTED.replace("build/*.xml", pattern))
    run = seen(world).captured.run
    assert run.cases == ()
    assert codes(run) == [Code.RUN_INCOMPLETE]


def test_an_observed_report_handed_in_again_makes_no_second_run(repo: RepoBuilder) -> None:
    world = scripted(repo)
    run = seen(world).captured.run
    again = world.take("build/r.xml")
    assert (again.run, again.known) == (run, True)
    assert len(world.stored()) == 1


def test_the_report_of_a_selection_does_not_become_a_whole_run(repo: RepoBuilder) -> None:
    world = scripted(repo)
    repo.write("other.py", runner())
    repo.commit()
    partial = seen(world, sys.executable, "other.py").captured.run
    assert partial.is_partial
    assert world.take("build/r.xml").run == partial
    assert not any(r.is_complete for r in world.found().runs)


# ---------------------------------------------------------------- the tree, before and after


def test_a_file_that_changes_binds_the_run_to_nothing_and_is_named(repo: RepoBuilder) -> None:
    world = scripted(repo, "pathlib.Path('tests/test_set.py').write_text('# weaker')\n")
    run = seen(world).captured.run
    assert run.tree is None is run.scoped_tree
    assert codes(run) == [Code.TREE_CHANGED]
    assert "tests/test_set.py" in run.problems[0].message
    assert world.found().runs == (run,)


def test_the_report_of_a_run_whose_tree_changed_cannot_be_captured_for_the_new_one(repo: RepoBuilder) -> None:
    world = scripted(repo, "pathlib.Path('tests/test_set.py').write_text('# weaker')\n")
    seen(world)
    world.settle()
    with pytest.raises(Exception, match="bound to no tree"):
        world.take("build/r.xml")


def test_a_file_that_vanishes(repo: RepoBuilder) -> None:
    run = seen(scripted(repo, "os.unlink('tests/test_set.py')\n")).captured.run
    assert codes(run) == [Code.TREE_CHANGED]
    assert "tests/test_set.py" in run.problems[0].message


def test_files_that_only_appear_are_named_and_the_run_keeps_the_first_tree(repo: RepoBuilder) -> None:
    world = scripted(repo, "pathlib.Path('generated.txt').write_text('x')\n")
    done = seen(world)
    assert done.captured.run.tree == repo.sha("HEAD^{tree}")
    assert done.captured.run.is_complete
    assert any("generated.txt" in w for w in done.captured.warnings)


def test_a_commit_during_the_run_changes_no_file(repo: RepoBuilder) -> None:
    world = scripted(repo, "import subprocess\nsubprocess.run(['git', 'commit', '-qam', 'same'], check=True)\n")
    repo.write("tests/test_set.py", "# edited\n")
    run = seen(world).captured.run
    assert run.is_complete, run.problems
    assert run.tree == repo.sha("HEAD^{tree}")


def test_a_submodule_that_becomes_dirty_binds_the_run_to_nothing(repo: RepoBuilder, tmp_path: Path) -> None:
    inner = RepoBuilder.create(tmp_path / "inner", repo.env)
    inner.commit(files={"x": "1\n"})
    repo.commit(files={"a": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    run = seen(scripted(repo, "pathlib.Path('sub/x').write_text('2')\n")).captured.run
    assert run.tree is None
    assert codes(run)[0] is Code.TREE_CHANGED
    assert "sub" in run.problems[0].message


# ---------------------------------------------------------------- as a process: streams, signals, hooks


def test_output_streams_through_untouched(repo: RepoBuilder) -> None:
    world = scripted(
        repo,
        "import sys\nos.write(1, b'out \\xff\\x1b[31m\\n')\nos.write(2, b'err \\xfe\\n')\nprint(sys.stdin.read())\n",
    )
    done = world.repo.tool("--quiet", "run", stdin=b"from stdin")
    assert done.returncode == 0
    assert done.stdout == b"out \xff\x1b[31m\nfrom stdin\n"
    assert done.stderr == b"err \xfe\n"


@pytest.mark.parametrize(("after", "code"), [("", 0), ("raise SystemExit(5)\n", 5), ("os.kill(os.getpid(), 9)\n", 137)])
def test_the_command_line_returns_the_command_s_code(repo: RepoBuilder, after: str, code: int) -> None:
    assert scripted(repo, after).repo.tool("run").returncode == code


@pytest.mark.parametrize(("ends", "code"), [("", 4), ("raise SystemExit(7)\n", 7)])
def test_where_recording_fails_the_command_s_code_goes_first(repo: RepoBuilder, ends: str, code: int) -> None:
    world = scripted(repo, "pathlib.Path('.git/shipmoor-hooks/inventories').write_text('in the way')\n" + ends)
    done = world.repo.tool("run")
    assert done.returncode == code
    assert b"inventories is not a folder" in done.stderr


def test_no_report_and_zero_is_no_evidence(repo: RepoBuilder) -> None:
    repo.write("runner.py", "print('all green')\n")
    world = CaptureWorld.create(repo, SCRIPTED)
    done = world.repo.tool("run")
    assert done.returncode == 3
    assert b"left no report" in done.stderr
    repo.write("runner.py", "raise SystemExit(9)\n")
    assert world.repo.tool("run").returncode == 9


def test_interrupted_it_leaves_an_incomplete_run(repo: RepoBuilder) -> None:
    world = scripted(repo, "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "shipmoor_hooks", "run"],
        cwd=repo.path, env=repo.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to the whole group
    said = process.communicate(timeout=30)[1]
    assert process.returncode == 130, said
    assert (
        b"Traceback (most recent call last)"
        not in said.replace(b"time.sleep(60)", b"").partition(b"shipmoor-hooks:")[2]
    )
    (run,) = world.found().runs
    assert Code.RUN_INCOMPLETE in codes(run)
    assert "interrupted" in run.problems[0].message
    assert world.found().begun == ()


def test_killed_it_leaves_a_run_that_began(repo: RepoBuilder) -> None:
    world = scripted(repo, "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "shipmoor_hooks", "run"],
        cwd=repo.path, env=repo.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    found = world.found()
    assert (found.runs, len(found.begun)) == ((), 1)
    done = repo.tool("status")
    assert done.returncode == 3
    assert b"did not end" in done.stdout
    listed = repo.tool("log").stdout
    assert b"RUN_INCOMPLETE" in listed


def test_a_suite_that_commits_inside_a_hook_lands_nothing_on_the_user_s_branch(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    """git exports GIT_DIR and GIT_INDEX_FILE to its hooks; a suite that makes repositories of its own must not see them."""
    suite = """
import subprocess, tempfile
with tempfile.TemporaryDirectory() as folder:
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "INTRUDER"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
assert not {"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"} & set(os.environ)
"""
    scripted(repo, suite)
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(linked), "-b", "work")
    hook = repo.path / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\nenv | grep -q ^GIT_INDEX_FILE= || exit 9\nexec {shlex.quote(sys.executable)} -m shipmoor_hooks run\n"
    )
    hook.chmod(0o755)
    (linked / "new.txt").write_text("x")
    repo.git("add", "-A", cwd=linked)
    done = repo.process(["git", "commit", "-m", "Mine"], cwd=linked)
    assert done.returncode == 0, done.stderr
    for branch in ("work", "main"):
        assert "INTRUDER" not in repo.git("log", "--format=%s", branch)
    assert repo.git("log", "-1", "--format=%s", "work") == "Mine"
    assert repo.git("status", "--porcelain", cwd=linked) == ""


# ---------------------------------------------------------------- run --at


def test_at_a_revision_in_a_scratch_worktree(repo: RepoBuilder, home: Path) -> None:
    repo.write("runner.py", "import pathlib\nassert pathlib.Path('prepared').exists()\n" + runner(a="passed"))
    setup = f'setup = [["{sys.executable}", "-c", "open(\'prepared\', \'w\')"]]\n'
    world = CaptureWorld.create(repo, SCRIPTED + setup)
    base = repo.sha()
    repo.commit(files={"src.py": "1\n"})
    repo.write("dirty.txt", "mine")
    before = (repo.index_bytes(), repo.git("status", "--porcelain"), repo.git("worktree", "list"), repo.sha())
    done = repo.tool("run", "--at", base)
    assert done.returncode == 0, done.stderr
    after = (repo.index_bytes(), repo.git("status", "--porcelain"), repo.git("worktree", "list"), repo.sha())
    assert before == after
    (run,) = world.found(base).runs
    assert run.is_complete, run.problems
    assert run.worktree == "main"
    assert not [p for p in home.rglob("*") if "scratch-" in p.name]
    assert repo.git("for-each-ref", "refs") == f"{repo.sha()} commit\trefs/heads/main"


def test_at_a_revision_whose_setup_fails_or_that_is_none(repo: RepoBuilder, home: Path) -> None:
    world = scripted(repo)
    repo.write("shipmoor-hooks.toml", SCRIPTED + 'setup = [["false"]]\n')
    repo.commit()
    done = repo.tool("run", "--at", "HEAD")
    assert done.returncode == 3
    assert b"`false`" in done.stderr
    assert world.stored() == []
    assert repo.tool("run", "--at", "nowhere").returncode == 2
    assert not [p for p in home.rglob("*") if "scratch-" in p.name]


# ---------------------------------------------------------------- editable installs


@pytest.mark.parametrize(("inside", "warned"), [("", True), ("/src", True), ("-other", False)])
def test_an_editable_install_of_this_worktree_is_told(
    repo: RepoBuilder, tmp_path: Path, inside: str, warned: bool
) -> None:
    world = scripted(repo)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    library = next((tmp_path / "venv" / "lib").glob("python*/site-packages"))
    (library / "__editable__.thing.pth").write_text(f"{repo.path}{inside}\n")
    said = editable.imports_other_tree(world.place, repo.env | {"PATH": f"{tmp_path}/venv/bin:{repo.env['PATH']}"})
    assert (said is not None) is warned
    if said is not None:
        assert "__editable__.thing.pth" in said
        assert "setup" in said


def test_without_a_python_there_is_nothing_to_tell(repo: RepoBuilder, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    world = scripted(repo)
    assert editable.imports_other_tree(world.place, {"PATH": str(tmp_path / "empty")}) is None


# ---------------------------------------------------------------- reports that lie under their test file's own path


PROVE = '[suite.unit]\ncommand = ["prove", "-r", "t"]\n'
GREEN = 'print "1..1\\nok 1 - total\\n";\n'


@pytest.mark.skipif(shutil.which("prove") is None, reason="prove is not installed")
def test_prove_s_cases_know_their_files(repo: RepoBuilder) -> None:
    repo.write("t/a.t", GREEN)
    repo.write("t/deep/a.t", GREEN)  # the same bytes of TAP from another file
    repo.write("t/b.t", 'print "1..0 # SKIP no database\\n";\n')
    run = seen(CaptureWorld.create(repo, PROVE)).captured.run
    assert run.is_complete, run.problems
    assert {(c.id, c.outcome.value, c.covers) for c in run.cases} == {
        ("t/a.t::total", "passed", ""),
        ("t/deep/a.t::total", "passed", ""),
        ("t/b.t", "skipped", "t/b.t::"),
    }


@pytest.mark.skipif(shutil.which("prove") is None, reason="prove is not installed")
def test_prove_from_a_sub_folder_gives_the_ids_of_the_root(repo: RepoBuilder) -> None:
    repo.write("lib/t/a.t", GREEN)
    world = CaptureWorld.create(repo, '[suite.unit]\ncommand = ["prove", "lib/t"]\n')
    run = seen(world, "prove", "t", cwd=repo.path / "lib").captured.run
    assert run.is_complete, run.problems
    assert [c.id for c in run.cases] == ["lib/t/a.t::total"]


@pytest.mark.skipif(shutil.which("prove") is None, reason="prove is not installed")
def test_a_perl_file_that_dies_at_once_stands_for_its_cases(repo: RepoBuilder) -> None:
    repo.write("t/a.t", GREEN)
    repo.write("t/b.t", 'die "no database";\n')
    done = seen(CaptureWorld.create(repo, PROVE))
    run = done.captured.run
    assert done.exit_code == 1
    assert run.is_complete, run.problems
    assert {(c.id, c.outcome.value, c.covers) for c in run.cases} == {
        ("t/a.t::total", "passed", ""),
        ("t/b.t", "error", "t/b.t::"),
    }
