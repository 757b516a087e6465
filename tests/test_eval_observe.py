"""`run` of an eval suite: what argv tells, where result and traces are found, what the program leaves behind.

A program called claude stands in for the real one: it reads the same words and writes the same files.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from eval_world import MANIFEST, POLICY, EvalSpec, files, result
from repo_builder import RepoBuilder

from shipmoor_hooks import place
from shipmoor_hooks.model import Code, Run
from shipmoor_hooks.store import kept_traces, trace_store
from shipmoor_hooks.store.spool import Spool

PROGRAM = """#!{python}
import json, os, sys, tempfile
words = sys.argv[1:]
def value(name, default=""):
    return words[words.index(name) + 1] if name in words else default
plan = json.load(open(os.environ["PLAN"]))
document, code = plan["result"], plan["exit"]
document["suite"]["root"] = os.getcwd()
document["suite"]["plugins"][0]["path"] = os.getcwd()
chosen = value("--case")
if chosen:
    document["cases"] = [c for c in document["cases"] if c["name"] == chosen]
    document["suite"]["caseFilter"] = chosen
    document["aggregates"].update(casesTotal=len(document["cases"]), casesPassed=0)
for case in document["cases"]:
    for number, sample in enumerate(case["arms"]["with"]):
        base = tempfile.mkdtemp(prefix="claude-eval-", dir=os.environ["TMPDIR"])
        os.makedirs(base + "/out"), os.makedirs(base + "/home/cwd")
        open(base + "/out/trace.jsonl", "w").write(
            json.dumps({{"type": "system", "subtype": "init", "model": "claude-test-5"}}) + "\\n"
            + json.dumps({{"n": number, "case": case["name"]}}))
        open(base + "/home/cwd/made.txt", "w").write("made")
        sample["tracePath"] = base + "/out/trace.jsonl"
        if "--keep-temp" not in words:
            sample["tracePath"] = ""
        else:
            os.chmod(base, 0o500)
json.dump(plan["words"] + [words], open(os.environ["PLAN"] + ".seen", "w"))
if document["cases"]:
    folder = value("--output-dir", "evals/results/now")
    os.makedirs(folder, exist_ok=True)
    json.dump(document, open(folder + "/aggregate-result.json", "w"))
sys.exit(code)
"""


class World:
    """A plugin with two cases, and a claude that gives the result that is planned."""

    def __init__(self, repo: RepoBuilder, tmp_path: Path) -> None:
        self.repo = repo
        bin_folder = tmp_path / "bin"
        bin_folder.mkdir()
        program = bin_folder / "claude"
        program.write_text(PROGRAM.format(python=sys.executable))
        program.chmod(0o755)
        self.temporary = tmp_path / "temporary"
        self.temporary.mkdir()
        self.plan = tmp_path / "plan.json"
        repo.env["PATH"] = f"{bin_folder}{os.pathsep}{repo.env['PATH']}"
        repo.env["TMPDIR"] = str(self.temporary)
        repo.env["PLAN"] = str(self.plan)
        repo.commit(
            files={".gitignore": "results/\n", "shipmoor-hooks.toml": POLICY, **MANIFEST, **files([PLAN, CHECK])}
        )

    def run(self, *words: str, cases: Any = None, code: int = 0, **how: Any) -> tuple[int, dict[str, Any], str]:
        document = result([PLAN, CHECK] if cases is None else cases, **how)
        self.plan.write_text(json.dumps({"result": document, "exit": code, "words": []}))
        done = self.repo.tool("run", "--suite", "evals", "--format", "json", *words)
        told = done.stdout.decode()
        return done.returncode, json.loads(told) if told.startswith("{") else {}, done.stderr.decode()

    @property
    def seen(self) -> list[str]:
        return list(json.loads((self.plan.parent / "plan.json.seen").read_text())[0])

    def runs(self) -> tuple[Run, ...]:
        where = place.find(str(self.repo.path), self.repo.env)
        return Spool(where.common_dir, where.worktree).recent(10).runs

    @property
    def common_dir(self) -> str:
        return place.find(str(self.repo.path), self.repo.env).common_dir

    def left(self) -> list[str]:
        return sorted(p.name for p in self.temporary.iterdir() if p.name.startswith("claude-eval-"))


PLAN, CHECK = EvalSpec("plan", scaffold="#!/bin/sh\n"), EvalSpec("check", scaffold="#!/bin/sh\n")


@pytest.fixture
def world(repo: RepoBuilder, tmp_path: Path) -> World:
    return World(repo, tmp_path)


def test_a_run_is_observed_and_its_traces_are_kept(world: World) -> None:
    code, told, _ = world.run()
    assert (code, told["evidence"], told["complete"], told["passed"], told["of"]) == (0, "observed", True, 2, 2)
    assert told["conditions"]["grants"] == "Bash Write, scaffold"
    assert told["conditions"]["argv"].endswith("--ablation none --scaffold --allow-tools Bash Write")
    assert told["conditions"]["model"] == "claude-test-5", "the program's default is in the trace alone"
    assert "--keep-temp" in world.seen
    (run,) = world.runs()
    kept, broken = trace_store.every(world.common_dir, "evals")
    assert broken == ()
    assert {(k.case, k.run, k.passed) for k in kept} == {("plan", run.id, True), ("check", run.id, True)}
    assert run.evals is not None
    assert {s.trace for c in run.evals.cases for s in c.samples} == {k.sha for k in kept}
    assert world.left() == [], "the folders that only we asked to keep"
    assert world.repo.git("status", "--porcelain") == ""


def test_traces_that_the_policy_drops_are_not_kept(world: World) -> None:
    world.repo.commit(files={"shipmoor-hooks.toml": POLICY + 'traces = "drop"\n'})
    code, told, _ = world.run()
    assert (code, told["complete"]) == (0, True)
    assert trace_store.every(world.common_dir, "evals") == ((), ())
    assert world.left() == []


def test_what_the_person_asked_to_keep_stays(world: World) -> None:
    command = POLICY.replace("--no-publish", "--no-publish --keep-temp")
    world.repo.commit(files={"shipmoor-hooks.toml": command})
    world.run()
    assert len(world.left()) == 2


def test_the_persons_own_output_folder_is_read_there(world: World) -> None:
    world.repo.commit(
        files={
            "shipmoor-hooks.toml": POLICY.replace("--no-publish", "--no-publish --output-dir out"),
            ".gitignore": "out/\n",
        }
    )
    code, told, _ = world.run()
    assert (code, told["of"]) == (0, 2)
    assert (world.repo.path / "out" / "aggregate-result.json").exists()


def test_a_red_case_is_the_programs_exit_code_and_nothing_hidden(world: World) -> None:
    cases = [EvalSpec("plan", "F", scaffold="#!/bin/sh\n"), CHECK]
    code, told, said = world.run(cases=cases, code=1)
    assert (code, told["passed"], told["of"]) == (1, 1, 2)
    assert told["evals"]["cases"][0]["samples"][0]["fell"] == ["says-fail"]
    assert "exit" not in json.dumps([c.id for c in world.runs()[0].cases])
    assert "Traceback" not in said


def test_an_invalid_sample_explains_the_exit_code(world: World) -> None:
    cases = [EvalSpec("plan", "PE", scaffold="#!/bin/sh\n", runs=1), CHECK]
    code, told, _ = world.run(cases=cases, code=1)
    assert (code, told["complete"], told["passed"], told["of"]) == (1, True, 2, 2)


@pytest.mark.parametrize(
    ("words", "partial"),
    [
        pytest.param(("--case", "plan"), True, id="one-case"),
        pytest.param(("--runs", "5"), False, id="more-samples"),
        pytest.param(("-j", "4"), False, id="more-at-a-time"),
    ],
)
def test_what_makes_a_run_a_part(world: World, words: tuple[str, ...], partial: bool) -> None:
    usual = ["claude", "plugin", "eval", ".", "--trust-plugin", "--ablation", "none", "--no-publish", "--scaffold"]
    _, told, _ = world.run("--", *usual, *words)
    codes = [p["code"] for p in told["problems"]]
    assert codes == (["RUN_PARTIAL"] if partial else [])
    assert told["evals"]["alone"] is partial
    assert told["conditions"]["grants"] == "scaffold"
    assert "--case" not in told["conditions"]["argv"], "a case alone is measured under the same conditions"


def test_a_run_that_was_cut_short_counts_for_nothing(world: World) -> None:
    code, told, _ = world.run(code=2, partial=True, partialReason="cost_ceiling")
    assert (code, told["complete"]) == (2, False)
    assert told["problems"][0]["code"] == "RUN_INCOMPLETE"
    assert "cost_ceiling" in told["problems"][0]["message"]


def test_no_result_says_what_to_do(world: World) -> None:
    code, told, said = world.run(cases=[], code=1)
    assert (code, told["problems"][0]["code"]) == (1, Code.RUN_INCOMPLETE.value)
    assert "claude plugin eval writes no result" in said


def test_a_case_that_does_not_load_is_named_although_the_program_says_nothing(world: World) -> None:
    world.repo.commit(files={"evals/broken/case.yaml": "a: [\n"})
    code, told, _ = world.run(code=1)
    assert (code, told["complete"]) == (1, True)
    (missing,) = told["evals"]["missing"]
    assert missing["folder"] == "evals/broken"


# ---------------------------------------------------------------- whose folder is it


def folder(parent: Path, name: str) -> Path:
    made = parent / name / "out"
    made.mkdir(parents=True)
    (made / "trace.jsonl").write_text("{}")
    return made / "trace.jsonl"


def test_only_the_programs_own_folders_are_believed(tmp_path: Path) -> None:
    trace = folder(tmp_path, "claude-eval-abcdef")
    now = os.stat(trace).st_mtime
    assert kept_traces.folder_of(str(trace), now) == str(tmp_path / "claude-eval-abcdef")
    assert kept_traces.folder_of(str(folder(tmp_path, "home")), now) == "", "another name"
    assert kept_traces.folder_of(str(tmp_path / "claude-eval-abcdef" / "trace.jsonl"), now) == "", "another place"
    assert kept_traces.folder_of(str(trace), now + 3600) == "", "older than the run"
    assert kept_traces.folder_of("claude-eval-abcdef/out/trace.jsonl", now) == "", "no absolute path"
    assert kept_traces.folder_of("/x/claude-eval-abcdef\0/out/trace.jsonl", now) == "", "no path at all"
    os.symlink(tmp_path, tmp_path / "link")
    assert kept_traces.folder_of(str(tmp_path / "link" / "claude-eval-abcdef" / "out" / "trace.jsonl"), now) == ""
    os.symlink(tmp_path / "home", tmp_path / "claude-eval-linked")
    assert kept_traces.folder_of(str(tmp_path / "claude-eval-linked" / "out" / "trace.jsonl"), now) == "", "a link"


def test_kept_traces_are_for_their_owner_alone(world: World) -> None:
    world.run()
    blobs = Path(world.common_dir) / "shipmoor-hooks" / "traces" / "blobs"
    assert {stat.S_IMODE(p.stat().st_mode) for p in blobs.iterdir()} == {0o600}
