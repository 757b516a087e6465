"""`export`: in-toto statements that validate against the published schemas, the same bytes each time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gate_world import GateWorld, said
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from repo_builder import RepoBuilder
from share_world import cli

from shipmoor_hooks.model import Case, Evidence, Outcome, RecordKind, ReportFile, Run
from shipmoor_hooks.sharing.attestation import STATEMENT, TEST_RESULT, as_lines, statements

SCHEMAS = Path(__file__).parent.parent / "docs" / "schemas"
TREE = "ab" * 20
GREEN = Case("t.py::a", Outcome.PASSED, passed=1)
RUN = Run(
    "c0ffee", "unit", TREE, TREE, Evidence.OBSERVED, 1e9, 1e9, (GREEN,), finished=1e9 + 1, command=("pytest", "-q")
)


def faults(name: str, document: Any) -> list[str]:
    """What the published schema says against a document; schemas refer to each other by their files' names."""
    loaded = {p.name: json.loads(p.read_text()) for p in SCHEMAS.glob("*.json")}
    registry: Registry[Any] = Registry().with_resources(
        [(name, Resource.from_contents(schema)) for name, schema in loaded.items()]
    )
    found = Draft202012Validator(loaded[f"{name}.schema.json"], registry=registry).iter_errors(document)
    return [f"{list(e.absolute_path)}: {e.message[:200]}" for e in found]


@pytest.mark.parametrize(
    ("cases", "result"),
    [
        pytest.param((GREEN,), "PASSED", id="all green"),
        pytest.param((GREEN, Case("t.py::b", Outcome.SKIPPED)), "WARNED", id="one did not run"),
        pytest.param((GREEN, Case("t.py::b", Outcome.XFAILED)), "WARNED", id="one is expected to fail"),
        pytest.param((Case("t.py::b", Outcome.ERROR), Case("t.py::c", Outcome.SKIPPED)), "FAILED", id="one is red"),
        pytest.param(
            (GREEN, Case("<run>::exit 3", Outcome.FAILED, kind=RecordKind.RUN)), "FAILED", id="the process failed"
        ),
    ],
)
def test_the_result_is_the_worst_of_the_cases(cases: tuple[Case, ...], result: str) -> None:
    told, whole = statements(replace(RUN, cases=cases), {"shipmoor-hooks.toml": "cd" * 20})
    assert told["predicate"]["result"] == result
    assert faults("in-toto-test-result", told) == []
    assert faults("in-toto-run", whole) == []


def test_the_statement_names_the_tree_and_what_configured_the_run() -> None:
    run = replace(RUN, reports=(ReportFile("r.xml", "ef" * 32, 5),))
    told, whole = statements(run, {"shipmoor-hooks.toml": "cd" * 20})
    assert (told["_type"], told["predicateType"]) == (STATEMENT, TEST_RESULT)
    assert told["subject"] == whole["subject"] == [{"name": "tree", "digest": {"gitTree": TREE}}]
    assert told["predicate"]["passedTests"] == ["t.py::a"]
    assert told["predicate"]["configuration"] == [
        {"name": "shipmoor-hooks.toml", "digest": {"gitBlob": "cd" * 20}},
        {"name": "r.xml", "digest": {"sha256": "ef" * 32}},
        {"name": "command", "content": "WyJweXRlc3QiLCAiLXEiXQ=="},
    ]
    assert whole["predicate"]["cases"][0]["case"] == "t.py::a"


def test_a_document_of_another_form_is_seen() -> None:
    told, whole = statements(RUN, {})
    assert faults("in-toto-test-result", told | {"predicateType": "x"}) != []
    assert faults("in-toto-test-result", told | {"subject": []}) != []
    assert faults("in-toto-run", whole | {"predicate": {"schema": "x"}}) != []


def test_hostile_names_stay_in_their_strings() -> None:
    case = Case('t.py::"}\n\u202e\udc80', Outcome.PASSED, passed=1)
    text = as_lines(statements(replace(RUN, cases=(case,)), {}))
    assert text.count("\n") == 2
    assert text.isascii()
    assert json.loads(text.splitlines()[0])["predicate"]["passedTests"] == [case.id]


@pytest.fixture
def world(repo: RepoBuilder) -> GateWorld:
    made = GateWorld(repo, repo.bare_remote())
    repo.write(".gitignore", "build/\n")
    repo.write("shipmoor-hooks.toml", '[suite.unit]\ncommand = ["pytest"]\n')
    made.commit(["a", "b"])
    return made


def test_the_command_gives_the_same_bytes_each_time(world: GateWorld) -> None:
    first = cli(world.repo, "export")
    assert first.returncode == 0, said(first)
    lines = [json.loads(line) for line in first.stdout.splitlines()]
    assert [faults(name, line) for name, line in zip(("in-toto-test-result", "in-toto-run"), lines, strict=True)] == [
        [],
        [],
    ]
    assert lines[0]["subject"][0]["digest"]["gitTree"] == world.repo.sha("HEAD^{tree}")
    blob = world.repo.sha("HEAD:shipmoor-hooks.toml")
    assert lines[0]["predicate"]["configuration"][0]["digest"] == {"gitBlob": blob}
    assert cli(world.repo, "export", lines[1]["predicate"]["run"][:8]).stdout == first.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        pytest.param(["abc"], 3, "no run", id="no such run"),
        pytest.param(["../x"], 2, "no id", id="no id"),
        pytest.param(["--format", "json"], 2, "in-toto", id="no such form"),
    ],
)
def test_what_cannot_be_exported_is_one_line(world: GateWorld, words: list[str], code: int, told: str) -> None:
    done = cli(world.repo, "export", *words)
    assert (done.returncode, told in said(done)) == (code, True)


def test_an_incomplete_run_is_not_handed_on(world: GateWorld) -> None:
    captured = world.measure({"a": "passed"}, partial=True)
    done = cli(world.repo, "export", captured.run.id)
    assert done.returncode == 3
    assert "no evidence to hand on" in said(done)


def test_publish_and_fetch_print_what_their_schemas_say(world: GateWorld) -> None:
    world.repo.git("push", "-q", "origin", "main")
    assert faults("publish-1", json.loads(cli(world.repo, "publish", "--all", "--format", "json").stdout)) == []
    told = json.loads(cli(world.repo, "fetch", "--format", "json").stdout)
    assert len(told["runs"]) == 1
    assert faults("fetch-1", told) == []
