"""A changed pattern at the gate: words alone do not disclose it, words and a recorded re-grade do (design, section 3)."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from eval_world import MANIFEST, NO_AGENT, POLICY, EvalSpec, files, regex, result, written
from repo_builder import RepoBuilder
from trace_world import said, trace_of

from shipmoor_hooks.cli import main as cli
from shipmoor_hooks.error_handler import guarded
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.store import trace_store
from shipmoor_hooks.store.trace_store import FAULT, RUN, KeptTrace

BEFORE = EvalSpec("plan", graders=(regex("says-fail", r"\bFAIL\b"), NO_AGENT))
AFTER = EvalSpec("plan", graders=(regex("says-fail", r"\b[Ff][Aa][Ii][Ll]"), NO_AGENT))
WORDS = "Test-Weakened: plan -- the reply may be in lower case (#55)"


class World:
    """A base with a measured case, and a tip that widens its pattern and says so."""

    def __init__(self, repo: RepoBuilder, capfd: pytest.CaptureFixture[str], reports: Path) -> None:
        self.repo, self.capfd, self.reports = repo, capfd, reports
        self.base = repo.commit("Base", files={**files([BEFORE]), **MANIFEST, "shipmoor-hooks.toml": POLICY})
        self.measure(BEFORE)
        repo.git("switch", "-q", "-c", "work")
        self.tip = repo.commit("Wider", [WORDS], files={**files([AFTER]), "lib/code.py": "MORE = 1\n"})
        self.measure(AFTER)

    def call(self, *words: str) -> tuple[int, str]:
        code = guarded(lambda: cli.run(["-C", str(self.repo.path), *words]), os.environ)
        done = self.capfd.readouterr()
        return code, done.out + done.err

    def measure(self, case: EvalSpec) -> None:
        report = self.reports / f"{case.graders[0]['pattern']!s:.3}.json".replace("\\", "x")
        report.write_bytes(written(result([case], when=time.time())))
        code, told = self.call("capture", "--as", "plugin-eval", str(report))
        assert code == 0, told

    def keep(self, reply: str, kind: str = RUN, *, passed: bool = True) -> str:
        about = KeptTrace("", "evals", "plan", "r", 1, 1000.0, kind, passed=passed)
        return trace_store.keep(str(self.repo.path / ".git"), about, trace_of(said(reply)), Workspace((), {}))

    def gate(self) -> tuple[int, list[tuple[str, bool]]]:
        code = guarded(
            lambda: cli.run(["-C", str(self.repo.path), "gate", "--base", self.base, "--format", "json"]), os.environ
        )
        found = json.loads(self.capfd.readouterr().out)["findings"]
        return code, [(f["code"], f["disclosed"] is not None) for f in found if f["level"] == "refuse"]


@pytest.fixture
def world(
    repo: RepoBuilder, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> World:
    monkeypatch.chdir(repo.path)
    return World(repo, capfd, tmp_path)


def test_words_alone_are_not_enough(world: World) -> None:
    assert world.gate()[0] == 1


def test_words_and_a_recorded_re_grade_are(world: World) -> None:
    world.keep("FAIL")
    world.keep("it fails", passed=False)
    assert world.call("eval", "regrade", "--old", world.base)[0] == 0
    assert world.gate() == (0, [("EXPECTATION_WEAKENED", True)])


def test_a_re_grade_that_rests_on_no_trace_is_none(world: World) -> None:
    assert world.call("eval", "regrade", "--old", world.base)[0] == 3
    assert world.gate()[0] == 1


def test_a_re_grade_between_other_folders_is_none(world: World) -> None:
    world.keep("FAIL")
    world.repo.write(
        "evals/plan/case.yaml", EvalSpec("plan", graders=(regex("says-fail", "F"),)).files()["evals/plan/case.yaml"]
    )
    assert world.call("eval", "regrade", "--old", world.base)[0] == 0
    assert world.gate()[0] == 1


def test_one_that_newly_takes_a_reply_labelled_wrong_is_none(world: World) -> None:
    world.keep("FAIL")
    wrong = world.keep("it did not fail", passed=False)
    world.call("eval", "label", wrong, "wrong")
    assert world.call("eval", "regrade", "--old", world.base)[0] == 1
    assert world.gate()[0] == 1


def test_one_under_which_a_known_positive_no_longer_falls_is_none(world: World) -> None:
    world.keep("FAIL")
    world.keep("nothing fails here", FAULT, passed=False)
    assert world.call("eval", "regrade", "--old", world.base)[0] == 1
    assert world.gate()[0] == 1
