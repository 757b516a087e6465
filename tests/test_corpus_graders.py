"""Verdicts and scores of the real program, where a corpus of them lies at SHIPMOOR_HOOKS_EVAL_CORPUS (not part of the project).

The folder holds `oracle/oracle.jsonl` (graders over recorded runs and what the program said) and `oracle/scores.jsonl`.
"""

from __future__ import annotations

import json
import math
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from shipmoor_hooks.evals import graders, scores, trace, workspace
from shipmoor_hooks.evals.case_values import Issues
from shipmoor_hooks.evals.definitions import Grader
from shipmoor_hooks.evals.grader_schema import read_grader
from shipmoor_hooks.evals.graders import Recording
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.evals.regex_engine import RegexEngine

CORPUS = os.environ.get("SHIPMOOR_HOOKS_EVAL_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="SHIPMOOR_HOOKS_EVAL_CORPUS names no corpus of eval results")
# The program's engine stops backtracking after a while and reports no match where there is one; we say "not graded".
GIVES_UP = "^(?:(?:a+)+$|a*b)"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (Path(CORPUS) / "oracle" / name).read_text("utf-8").splitlines()]


def grader_of(given: dict[str, Any]) -> Grader:
    found = read_grader(Issues(), "grader", {"name": "g", **given})
    assert found is not None
    return found


def recording(folder: Path, grader: Grader, scratch: Path) -> Recording:
    about = json.loads((folder / "run.json").read_text("utf-8"))
    left = scratch / folder.name
    if not left.exists():
        left.mkdir()
        if (packed := folder / "workspace-after.tar.gz").exists():
            with tarfile.open(packed) as archive:
                archive.extractall(left, filter="fully_trusted")  # noqa: S202 # recorded workspaces, links included
    files = workspace.read(str(left), graders.focus_paths([grader]))
    seen = Workspace(tuple(about.get("files_created") or ()), files)
    return Recording(trace.read((folder / "trace.jsonl").read_bytes()), seen, f"o-{folder.name}")


def test_every_verdict_is_the_program_s(tmp_path: Path) -> None:
    vectors = rows("oracle.jsonl")
    asked = [grader_of(v["grader"]) for v in vectors]
    runs = [recording(Path(CORPUS) / "oracle" / v["run"], g, tmp_path) for v, g in zip(vectors, asked, strict=True)]
    with RegexEngine() as engine:
        said = [row[0] for row in graders.grade_many(engine, [((g,), r) for g, r in zip(asked, runs, strict=True)])]
    differ = [v["id"] for v, s in zip(vectors, said, strict=True) if s.passed != v["passed"]]
    given_up = [
        v["id"]
        for v, s in zip(vectors, said, strict=True)
        if v["grader"].get("pattern") == GIVES_UP and s.passed is None
    ]
    assert differ == given_up
    words = [v["id"] for v, s in zip(vectors, said, strict=True) if v["explanation"] not in (None, s.explanation)]
    assert len(words) <= len(given_up) + 1  # one invalid pattern is worded in two ways by the program itself


@pytest.mark.parametrize("kind", ["case", "suite", "overflow"])
def test_every_score_is_the_program_s(kind: str) -> None:
    vectors = [v for v in rows("scores.jsonl") if v["kind"] == kind]
    assert vectors
    for v in vectors:
        if kind == "suite":
            cases = [scores.CaseScore(s, r) for s, r in zip(v["scores"], v["passRates"], strict=True)]
            found = scores.suite_score(cases, v["threshold"])
            told = v["aggregates"]
            assert (found.passed, found.total) == (told["casesPassed"], told["casesTotal"])
            assert (found.overall_score, found.overall_pass_rate) == (told["overallScore"], told["overallPassRate"])
        elif kind == "case":
            given = [scores.run_score(v["weights"], run["passes"]) for run in v["runs"]]
            assert given == [run["score"] for run in v["runs"]]
            assert [scores.run_passed(s) for s in given] == [run["passed"] for run in v["runs"]]
            assert scores.case_score(given) == scores.CaseScore(*v["aggregates"].values())
        else:
            assert math.isnan(scores.run_score(v["weights"], [True] * len(v["weights"])))
