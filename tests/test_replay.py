"""`replay`: real commits, measured in scratch worktrees, judged one by one (design, section 7)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import place, replay
from shipmoor_hooks.errors import UsageFault
from shipmoor_hooks.model import Code

POLICY = f"""\
[suite.unit]
command = ["{sys.executable}", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
"""


def suite_of(*names: str, red: str = "", skipped: str = "") -> str:
    rows = ["import pytest\n"]
    for name in names:
        mark = "@pytest.mark.skip\n" if name == skipped else ""
        rows.append(f"{mark}def test_{name}():\n    assert {name != red}\n")
    return "\n".join(rows)


@pytest.fixture
def history(repo: RepoBuilder) -> RepoBuilder:
    """Six commits before there was a policy, which lies in the working tree alone: grow, fine, lose, redden, say, skip."""
    steps = [
        ("start", suite_of("a", "b", "c"), ()),
        ("add d", suite_of("a", "b", "c", "d"), ()),
        ("lose b", suite_of("a", "c", "d"), ()),
        ("redden c", suite_of("a", "c", "d", red="c"), ()),
        ("lose d and say so", suite_of("a", "c", red="c"), ("Test-Removed: tests/test_set.py::test_d -- not needed",)),
        ("skip a", suite_of("a", "c", red="c", skipped="a"), ()),
    ]
    for message, text, trailers in steps:
        repo.write("tests/test_set.py", text)
        repo.write(".gitignore", "__pycache__/\nshipmoor-hooks.toml\n")
        repo.commit(message, trailers)
    repo.write("shipmoor-hooks.toml", POLICY)
    return repo


IN_THE_BACKGROUND = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")  # what `command &` in a script is


def replayed(repo: RepoBuilder, *words: str, under: Sequence[str] = ()) -> tuple[int, dict[str, object], str]:
    done = subprocess.run(
        [*under, sys.executable, "-m", "shipmoor_hooks", "replay", "--format", "json", *words],
        cwd=repo.path,
        env=repo.env,
        capture_output=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or b"{}"), done.stderr.decode()


def told(answer: dict[str, object]) -> list[tuple[str, list[str]]]:
    """Subject, and the codes that would have refused, a row a commit."""
    rows = []
    for commit in answer["commits"]:  # type: ignore[attr-defined]
        codes = [f["code"] for f in commit["verdict"]["findings"] if f["level"] == "refuse" and not f["disclosed"]]
        rows.append((commit["subject"], codes))
    return rows


def test_each_commit_is_told_what_it_would_have_been_told(history: RepoBuilder) -> None:
    before = (history.git("status", "--porcelain"), history.git("for-each-ref"), history.git("worktree", "list"))
    code, answer, talk = replayed(history, "-j", "2")
    assert code == 0
    assert "5 commits, 6 runs to make" in talk
    assert told(answer) == [
        ("add d", []),
        ("lose b", ["CASE_REMOVED"]),
        ("redden c", ["CASE_RED"]),
        ("lose d and say so", []),
        ("skip a", ["CASE_SKIPPED"]),
    ]
    assert (answer["allowed"], answer["refused"], answer["not_judged"]) == (2, 3, 0)
    assert before == (
        history.git("status", "--porcelain"),
        history.git("for-each-ref"),
        history.git("worktree", "list"),
    )


def test_it_goes_on_where_it_was_and_never_becomes_evidence(history: RepoBuilder) -> None:
    replayed(history, "-n", "1", "--collect")
    code, _, talk = replayed(history, "-n", "2", "--collect")
    assert code == 0
    assert "2 commits, 1 run to make" in talk
    found = subprocess.run(
        [sys.executable, "-m", "shipmoor_hooks", "log"],
        cwd=history.path,
        env=history.env,
        capture_output=True,
        check=True,
    )
    assert found.stdout == b""


def test_collection_shows_what_was_removed_and_runs_nothing(history: RepoBuilder) -> None:
    code, answer, _ = replayed(history, "--collect", "HEAD~4..HEAD~1")
    assert code == 0
    assert told(answer) == [("lose b", ["CASE_REMOVED"]), ("redden c", []), ("lose d and say so", [])]


def test_a_commit_that_cannot_be_measured_is_no_refusal(history: RepoBuilder) -> None:
    history.write("tests/test_set.py", "import no_such_module_anywhere\n")
    history.git("commit", "-qam", "break it")
    code, answer, _ = replayed(history, "-n", "1", "--collect")
    assert code == 3
    assert answer["not_judged"] == 1
    assert told(answer) == [("break it", [])]


@pytest.mark.parametrize(
    "under", [pytest.param((), id="typed"), pytest.param(IN_THE_BACKGROUND, id="in-the-background")]
)
def test_a_run_that_takes_too_long_is_ended_and_named(repo: RepoBuilder, under: Sequence[str]) -> None:
    repo.write("slow.py", "import time\ntime.sleep(60)\n")
    repo.write("shipmoor-hooks.toml", f'[suite.unit]\ncommand = ["{sys.executable}", "slow.py"]\n')
    repo.commit("one")
    repo.write("a.txt", "a")
    repo.commit("two")
    began = time.monotonic()
    code, answer, _ = replayed(repo, "--timeout", "1", "-j", "2", under=under)
    assert time.monotonic() - began < 30
    assert code == 3
    assert answer["commits"][0]["unmeasured"] == "it took longer than 1 s"  # type: ignore[index]
    assert repo.git("worktree", "list").count("\n") == 0


def test_an_interrupt_leaves_no_scratch_worktree(repo: RepoBuilder) -> None:
    repo.write("slow.py", "import pathlib, sys, time\npathlib.Path(sys.argv[1]).touch()\ntime.sleep(60)\n")
    started = repo.path.parent / "started"
    repo.write("shipmoor-hooks.toml", f'[suite.unit]\ncommand = ["{sys.executable}", "slow.py", "{started}"]\n')
    repo.commit("one")
    repo.write("a.txt", "a")
    repo.commit("two")
    with subprocess.Popen(
        [sys.executable, "-m", "shipmoor_hooks", "replay"], cwd=repo.path, env=repo.env, stderr=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 30
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 130
    assert repo.git("worktree", "list").count("\n") == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(["nowhere"], "no range of commits", id="no-such-revision"),
        pytest.param(["--", "--all"], "no range of commits", id="an-option-is-no-range"),
        pytest.param(["--suite", "e2e"], "has no suite 'e2e'", id="no-such-suite"),
    ],
)
def test_what_cannot_be_replayed_is_one_line(words: list[str], says: str, history: RepoBuilder) -> None:
    code, _, talk = replayed(history, *words)
    assert code == 2
    assert says in talk
    assert talk.count("\n") <= 2


def test_a_root_commit_alone_has_nothing_to_be_judged_by(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.write("shipmoor-hooks.toml", POLICY)
    repo.commit("root")
    with pytest.raises(UsageFault, match="no commit that has a parent"):
        replay.study(place.find(str(repo.path), repo.env), "HEAD", 20, None, collect=False)


def test_collection_needs_pytest(repo: RepoBuilder) -> None:
    repo.write("shipmoor-hooks.toml", '[suite.unit]\ncommand = ["npx", "jest"]\n')
    repo.commit("root")
    with pytest.raises(UsageFault, match="is run by npx"):
        replay.study(place.find(str(repo.path), repo.env), "HEAD", 20, None, collect=True)


def test_the_codes_are_counted(history: RepoBuilder) -> None:
    planned = replay.study(place.find(str(history.path), history.env), "HEAD", 20, None, collect=True)
    wanted = replay.to_measure(planned)
    ended = list(replay.measure(planned, wanted, history.env, jobs=2, timeout=60))
    assert [e.why_not for e in ended] == [""] * 6
    total = replay.summary(list(replay.told(planned, {}, time.time())))
    assert total.codes == {Code.CASE_REMOVED: 1}
