"""`eval run` with an agent of the policy, on the example's suite: a real repository, the replay agent, our engine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from repo_builder import RepoBuilder

ROOT = Path(__file__).parent.parent
VOYAGE = ROOT / "examples" / "voyage"
AGENT = [sys.executable, "-m", "shipmoor_hooks.evals.replay_agent", "./replay.json"]
ENGINE = ("eval", "run-cases", "--suite", "evals", "--")


@pytest.fixture
def voyage(repo: RepoBuilder) -> RepoBuilder:
    """The example as a repository of its own; its agent is found whatever is on PATH."""
    shutil.copytree(VOYAGE, repo.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("results", "__pycache__"))
    policy = repo.path / "shipmoor-hooks.toml"
    text = policy.read_text().replace('["shipmoor-hooks-replay", "./replay.json"]', json.dumps(AGENT))
    assert sys.executable in text
    policy.write_text(text)
    repo.env["PYTHONPATH"] = str(ROOT)
    repo.commit("A plugin and its evals")
    return repo


def result_of(repo: RepoBuilder) -> dict[str, Any]:
    """The newest result of the suite."""
    files = sorted(repo.path.glob("evals/results/*/aggregate-result.json"))
    whole: dict[str, Any] = json.loads(files[-1].read_bytes())
    return whole


def red(whole: dict[str, Any]) -> dict[str, list[str]]:
    """The red cases, each with the graders that fell in its first sample."""
    firsts = {case["name"]: case["arms"]["with"][0] for case in whole["cases"]}
    return {
        name: [g["name"] for g in sample["graders"] if not g["passed"]]
        for name, sample in firsts.items()
        if not sample["passed"]
    }


def engine(repo: RepoBuilder, *words: str) -> tuple[int, str]:
    done = repo.tool(*ENGINE, *words)
    return done.returncode, done.stderr.decode()


FULL = (".", "--scaffold", "--allow-tools", "Bash", "Write", "-j", "4")


def test_eight_of_eight(voyage: RepoBuilder) -> None:
    code, talk = engine(voyage, *FULL)
    whole = result_of(voyage)
    assert (code, red(whole)) == (0, {}), talk
    assert whole["aggregates"] == {"casesTotal": 8, "casesPassed": 8, "overallScore": 1, "overallPassRate": 1}
    assert sum(len(case["graders"]) for case in whole["cases"]) == 38
    assert [p["name"] for p in whole["suite"]["plugins"]] == ["voyage"]
    assert voyage.git("status", "--porcelain").strip() in (b"", "")
    assert not os.path.exists(whole["cases"][0]["arms"]["with"][0]["tracePath"])


@pytest.mark.parametrize(
    ("fault", "fallen"),
    [
        pytest.param("finding-id", {"review-validate-flags-bad-finding-id": ["names-rule", "says-fail"]}, id="any id is taken"),
        pytest.param("intent-gate", {"plan-halts-without-intent-approval": ["names-code"]}, id="the intent gate is open"),
        pytest.param("phase-signals", {"plan-halts-without-phase-signals": ["names-code"]}, id="the signals are not asked for"),
        pytest.param("gate-line-gone", {}, id="the line is gone: the agent rebuilds it, and the gate still works"),
    ],
)  # fmt: skip
def test_a_planted_fault_fells_its_case(voyage: RepoBuilder, fault: str, fallen: dict[str, list[str]]) -> None:
    voyage.git("apply", f"faults/{fault}.patch")
    code, talk = engine(voyage, *FULL)
    assert (red(result_of(voyage)), code) == (fallen, 1 if fallen else 0), talk


@pytest.mark.parametrize(
    ("words", "code", "names"),
    [
        pytest.param((".", "--case", "plan-requires-*"), 0, ["plan-requires-brief"], id="by name"),
        pytest.param(("evals/plan-requires-brief",), 0, ["plan-requires-brief"], id="by folder"),
        pytest.param((".", "--case", "plan-requires-brief", "--runs", "2"), 0, ["plan-requires-brief"], id="two samples"),
        pytest.param((".", "--case", "plan-halts*", "--max-cost-usd", "0"), 2, [], id="a ceiling of nothing"),
        pytest.param((".", "--case", "nothing"), 1, [], id="no such case"),
        pytest.param((".", "--tag", "other"), 1, [], id="no such tag"),
        pytest.param((".", "--case", "review-validate-p*", "--allow-tools", "Bash"), 1, ["review-validate-passes-clean-review"],
                     id="no scaffold, no review"),
        pytest.param((".", "--case", "review-requires-project"), 1, ["review-requires-project"], id="no grant, no parser"),
    ],
)  # fmt: skip
def test_what_is_chosen(voyage: RepoBuilder, words: tuple[str, ...], code: int, names: list[str]) -> None:
    assert engine(voyage, *words)[0] == code
    assert bool(list(voyage.path.glob("evals/results/*"))) is bool(names)
    if names:
        whole = result_of(voyage)
        assert [c["name"] for c in whole["cases"]] == names
        assert len(whole["cases"][0]["arms"]["with"]) == (2 if "--runs" in words else 1)


def test_a_case_that_does_not_load_is_told_and_is_exit_1(voyage: RepoBuilder) -> None:
    voyage.write("evals/broken/case.yaml", 'name: "\\d"\n')
    code, talk = engine(voyage, *FULL, "--case", "plan-requires-brief")
    assert code == 1
    assert "✗ evals/broken" in talk


def test_an_option_without_effect_is_told(voyage: RepoBuilder) -> None:
    code, talk = engine(voyage, ".", "--case", "plan-requires-brief", "--mocks", "off")
    assert (code, "⚠ --mocks has no effect with an agent of the policy" in talk) == (0, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_a_signal_leaves(voyage: RepoBuilder, number: signal.Signals) -> None:
    script = json.loads((voyage.path / "replay.json").read_text())
    script["replies"][1]["steps"].insert(0, {"sleep": 60, "say": "slow"})
    (voyage.path / "replay.json").write_text(json.dumps(script))
    words = [sys.executable, "-m", "shipmoor_hooks", *ENGINE, ".", "--case", "plan-*", "--runs", "1"]
    process = subprocess.Popen(words, cwd=voyage.path, env=voyage.env, stderr=subprocess.PIPE)
    assert process.stderr is not None
    seen = b""
    while b"plan-halts-without-phase-signals run 1/1" not in seen:  # the next one sleeps
        line = process.stderr.readline()
        assert line, seen
        seen += line
    time.sleep(0.3)
    process.send_signal(number)
    _, _talk = process.communicate(timeout=30)
    assert process.returncode == (130 if number is signal.SIGINT else 143)
    whole = result_of(voyage)
    assert (whole["partial"], whole["partialReason"]) == (True, "interrupted")
    last = whole["cases"][-1]
    assert (last["name"], last["arms"]["with"][0]["error"]) == ("plan-project-not-initialized", "interrupted")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("..",), "is no folder of this worktree", id="a target outside"),
        pytest.param((".", "--zzz"), "--zzz is not an option", id="an unknown option"),
        pytest.param((".", "--eval-dir", "other"), "--eval-dir is read from", id="another eval folder"),
    ],
)
def test_what_cannot_be_run_is_one_line(voyage: RepoBuilder, words: tuple[str, ...], said: str) -> None:
    code, talk = engine(voyage, *words)
    assert code == 2
    assert said in talk
    assert "Traceback" not in talk


def test_recorded_traces_are_played(voyage: RepoBuilder) -> None:
    """The real program's own recordings, under our engine: green ones pass, the one under a fault falls."""
    folder = "recordings/review-validate-flags-bad-finding-id"
    prompt = "/voyage:trekreview --project work/search --validate"
    traces = [f"{folder}/claude-green.jsonl", f"{folder}/claude-fault.jsonl"]
    document = {"schema": "shipmoor-hooks.replay/1", "replies": [{"prompt": prompt, "traces": traces}]}
    (voyage.path / "replay.json").write_text(json.dumps(document))
    code, talk = engine(voyage, *FULL, "--case", "review-validate-flags*", "--runs", "2")
    whole = result_of(voyage)
    assert (code, [s["passed"] for s in whole["cases"][0]["arms"]["with"]]) == (1, [True, False]), talk
    assert whole["claudeVersion"].startswith("2.")


# ---------------------------------------------------------------- eval run: run, and captured


def told(repo: RepoBuilder, *words: str) -> tuple[int, dict[str, Any], str]:
    """The exit code, the run that was stored, and the talk."""
    done = repo.tool("eval", "run", "--format", "json", *words)
    return done.returncode, json.loads(done.stdout), done.stderr.decode()


def test_a_run_is_captured_with_its_traces(voyage: RepoBuilder, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    voyage.env["TMPDIR"] = str(temporary)
    code, run, talk = told(voyage, "-j", "4")
    assert (code, run["complete"], run["passed"], run["of"], run["evidence"]) == (0, True, 8, 8, "observed"), talk
    done = voyage.tool("run", "--suite", "evals", "--format", "json")
    again = json.loads(done.stdout)
    assert (done.returncode, again["complete"], again["passed"]) == (0, True, 8)
    assert list((voyage.path / ".git" / "shipmoor-hooks").rglob("traces"))
    assert list(temporary.iterdir()) == []
    assert len(list(voyage.path.glob("evals/results/*/report.html"))) == 2


def test_a_results_folder_that_git_sees_is_not_written_by_a_captured_run(voyage: RepoBuilder) -> None:
    voyage.write(".gitignore", "__pycache__/\n")
    voyage.commit("See results")
    code, run, talk = told(voyage, "plan-requires-brief")
    assert (code, run["passed"]) == (0, 1)
    assert not (voyage.path / "evals" / "results").exists()
    assert "Report:" not in talk


def test_one_case_is_a_part_of_the_suite(voyage: RepoBuilder) -> None:
    code, run, _ = told(voyage, "review-requires-project", "--runs", "2")
    assert (code, run["complete"], run["passed"], run["of"]) == (0, False, 1, 1)
    assert [c["samples"] for c in json.loads(voyage.tool("show", "--format", "json", run["run"]).stdout)["cases"]] == [
        [2, 2]
    ]


def test_a_red_case_is_exit_1_and_stored(voyage: RepoBuilder) -> None:
    voyage.git("apply", "faults/finding-id.patch")
    voyage.commit("Take any id")
    code, run, _ = told(voyage, "-j", "4")
    assert (code, run["complete"], run["passed"], run["of"]) == (1, True, 7, 8)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        pytest.param(("agent = [", "x_agent = ["), 2, "x_agent", id="a key that is none"),
        pytest.param(("agent = [", "# ["), 4, "claude is not installed", id="no agent and no program"),
        pytest.param(("claude plugin eval .", "make evals"), 2, "is not claude plugin eval", id="a command of another kind"),
        pytest.param((sys.executable, "/no/such/agent"), 4, "the agent /no/such/agent is not here", id="no such agent"),
    ],
)  # fmt: skip
def test_what_cannot_start_is_told(voyage: RepoBuilder, change: tuple[str, str], code: int, said: str) -> None:
    policy = voyage.path / "shipmoor-hooks.toml"
    policy.write_text(policy.read_text().replace(*change))
    voyage.env["PATH"] = os.pathsep.join(
        folder for folder in voyage.env["PATH"].split(os.pathsep) if not os.path.exists(os.path.join(folder, "claude"))
    )
    done = voyage.tool("eval", "run")
    assert (done.returncode, said in done.stderr.decode()) == (code, True), done.stderr.decode()
