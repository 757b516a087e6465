"""A run as text and JSON: the schema's fields, each fact once, and names that move no terminal."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from rule_world import NOW, cases, run

from shipmoor_hooks.describe import case_json, case_line, moment, report_json, run_json, run_line, run_text
from shipmoor_hooks.model import Case, Change, Code, Outcome, Problem, Record, Report, ReportFile, Run, Shard

FULL = replace(
    run("a P, b F, c S, t/m.py C, 3 R", 2, id="5" * 32),
    variant="py312",
    shard=Shard(1, 2),
    scoped_tree="1" * 40,
    finished=NOW,
    command=("pytest", "-q"),
    exit_code=1,
    runner="pytest",
    runner_version="8",
    reader="junit",
    conditions=(("argv", "pytest -q"), ("harness", "pytest")),
    reports=(ReportFile("build/r.xml", "ab", 3),),
    head="2" * 40,
    changes=(Change("src/a.py", "100644", "3" * 40), Change("gone.py", None, None)),
    untracked=("new.py",),
    problems=(
        Problem(Code.RUN_PARTIAL, "only a selection was run", "run it all"),
        Problem(Code.RUN_INCOMPLETE, "torn"),
    ),
    worktree="main",
)


def test_a_run_in_its_schema() -> None:
    told = run_json(FULL)
    assert json.loads(json.dumps(told)) == told
    assert told["schema"] == "shipmoor-hooks.run/1"
    want = {
        "run": "5" * 32, "suite": "unit", "variant": "py312", "shard": "1/2", "tree": "0" * 40, "scoped_tree": "1" * 40,
        "evidence": "imported", "complete": False, "passed": 1, "of": 4,
        "outcomes": {"passed": 1, "failed": 1, "error": 1, "skipped": 1, "xfailed": 0},
        "started": "2027-01-15T06:00:00+00:00", "finished": "2027-01-15T08:00:00+00:00", "command": ["pytest", "-q"],
        "exit_code": 1, "runner": "pytest", "runner_version": "8", "reader": "junit", "head": "2" * 40,
        "conditions": {"argv": "pytest -q", "harness": "pytest"}, "changed": ["src/a.py", "gone.py"], "untracked": ["new.py"],
        "reports": [{"name": "build/r.xml", "sha256": "ab"}], "worktree": "main", "clock_suspect": False,
        "problems": [
            {"code": "RUN_PARTIAL", "message": "only a selection was run", "next": "run it all"},
            {"code": "RUN_INCOMPLETE", "message": "torn", "next": None},
        ],
    }  # fmt: skip
    assert {name: told[name] for name in want} == want
    assert "cases" not in told


def test_a_run_with_its_cases() -> None:
    told = run_json(run("a 2*P 1/3, b S"), cases=True)
    assert (told["shard"], told["finished"], told["complete"]) == (None, None, True)
    assert told["cases"] == [
        {"case": "t/s.py::a", "outcome": "passed", "count": 2, "samples": [1, 3]},
        {"case": "t/s.py::b", "outcome": "skipped", "count": 1, "samples": [0, 1]},
    ]


def test_a_report_in_its_schema() -> None:
    problem = Problem(Code.RUN_INCOMPLETE, "the report breaks off")
    report = Report("junit", "pytest", (Record("a"),), (problem,), warnings=("odd",))
    listed = cases("a P, b X")
    assert report_json("r.xml", report, listed) == {
        "schema": "shipmoor-hooks.report/1",
        "file": "r.xml",
        "reader": "junit",
        "dialect": "pytest",
        "complete": False,
        "passed": 1,
        "of": 2,
        "outcomes": {"passed": 1, "failed": 0, "error": 0, "skipped": 0, "xfailed": 1},
        "problems": [{"code": "RUN_INCOMPLETE", "message": "the report breaks off", "next": None}],
        "warnings": ["odd"],
        "cases": [case_json(c) for c in listed],
    }


@pytest.mark.parametrize(
    ("case", "line"),
    [
        (Case("x", Outcome.PASSED, passed=1), "passed   x"),
        (Case("x", Outcome.FAILED, count=3, passed=1, samples=3), "failed   x x3 (1 of 3)"),
        (Case("x\x1b", Outcome.XFAILED), "xfailed  x\\x1b"),
    ],
)
def test_a_case_in_a_line(case: Case, line: str) -> None:
    assert case_line(case) == line


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (run("a P, b F", 2, id="5" * 32), "555555555555  unit  1 of 2  imported, unsealed  2 h ago  tree 000000000000"),
        (
            replace(FULL, tree=None),
            "555555555555  unit [py312] shard 1/2  1 of 4  imported, unsealed  2 h ago  tree bound to nothing (RUN_PARTIAL)",
        ),
    ],
)
def test_a_run_in_a_line(one: Run, line: str) -> None:
    assert run_line(one, NOW) == line


def test_a_run_as_text_tells_each_fact_once() -> None:
    lines = run_text(FULL, NOW).split("\n")
    rows = dict(line.split("  ", 1) for line in lines)
    told = {name: value.strip() for name, value in rows.items()}
    assert len(told) == len(lines)
    assert told["suite"] == "unit [py312] shard 1/2"
    assert told["passed"] == "1 of 4"
    assert told["outcomes"] == "1 passed, 1 failed, 1 error, 1 skipped"
    assert told["started"] == "2027-01-15T06:00:00+00:00 (2 h ago)"
    assert told["scoped tree"] == "1" * 40
    assert told["command"] == "pytest -q"
    assert told["exit code"] == "1"
    assert told["condition harness"] == "pytest"
    assert told["RUN_PARTIAL"] == "only a selection was run"


def test_a_bare_run_as_text() -> None:
    text = run_text(replace(run(""), exit_code=None, tree=None, scoped_tree=None), NOW)
    assert "bound to nothing" in text
    assert "none" in text
    assert "command" not in text
    assert "exit code" not in text
    assert "scoped tree          none" not in text
    assert "none" in run_text(replace(run("a P"), scoped_tree=None), NOW)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "1970-01-01T00:00:00+00:00"), (1.9, "1970-01-01T00:00:01+00:00"), (1e18, f"@{10**18}"), (-1e18, f"@-{10**18}")],
)  # fmt: skip
def test_a_moment(seconds: float, text: str) -> None:
    assert moment(seconds) == text
