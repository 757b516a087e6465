"""The published schemas against what the program really prints, and against what it really accepts."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from gate_world import POLICY, GateWorld, junit
from jsonschema import Draft202012Validator
from repo_builder import RepoBuilder

from shipmoor_hooks import policy
from shipmoor_hooks.errors import PolicyFault

SCHEMAS = Path(__file__).parent.parent / "docs" / "schemas"
POLICY_SCHEMA = SCHEMAS / "policy.schema.json"


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(name: str, document: Any) -> list[str]:
    return [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator(name).iter_errors(document)]


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda p: p.name)
def test_a_schema_is_one_and_names_its_document(path: Path) -> None:
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    if path.name.count("-") == 1 and path.name.partition("-")[2][:1].isdigit():
        name, _, version = path.name.removesuffix(".schema.json").partition("-")
        assert schema["properties"]["schema"] == {"const": f"shipmoor-hooks.{name}/{version}"}
        assert "schema" in schema["required"]


# ---------------------------------------------------------------- what is printed


@pytest.fixture
def world(repo: RepoBuilder, installed_python: Path) -> GateWorld:
    made = GateWorld.create(repo, installed_python)
    made.branch("topic", ["a"])
    return made


COMMANDS = {
    "gate": ["gate"],
    "status": ["status"],
    "log": ["log"],
    "tree": ["tree"],
    "tree of a commit": ["tree", "main"],
    "doctor": ["doctor"],
    "read": ["read", "build/r1.xml"],
    "capture": ["capture", "build/new.xml"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_what_is_printed_is_what_the_schema_says(words: list[str], world: GateWorld) -> None:
    world.repo.write("build/new.xml", junit({"a": "passed", "b": "skipped"}))
    done = subprocess.run(
        [sys.executable, "-m", "shipmoor_hooks", words[0], "--format", "json", *words[1:]],
        cwd=world.repo.path,
        env=world.repo.env,
        capture_output=True,
        check=False,
    )
    told = json.loads(done.stdout)
    name, _, version = told["schema"].removeprefix("shipmoor-hooks.").partition("/")
    assert faults(f"{name}-{version}", told) == []


def test_another_shape_is_seen(world: GateWorld) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "shipmoor_hooks", "gate", "--format", "json"],
        cwd=world.repo.path,
        env=world.repo.env,
        capture_output=True,
        check=False,
    )
    told = json.loads(done.stdout)
    told["findings"][0]["level"] = "fine"
    del told["tip"]
    assert len(faults("gate-1", told)) == 2


# ---------------------------------------------------------------- what is accepted

FULL = """\
[gate]
target = "origin/main"
evidence = "observed"
untracked = "refuse"
mode = "warn"
window = 12
[gate.disclosure]
reason = "#[0-9]+"
[suite.unit]
command = "pytest -q"
reports = ["build/*.xml"]
format = "junit"
exclude = ["docs/**"]
variants = ["a", "b"]
shards = 2
normalise = [{ pattern = "0x[0-9a-f]+", replace = "0x" }]
reruns = "all"
proofs = true
setup = [["npm", "ci"], "make deps"]
same = ["harness"]
not_covered = ["speed"]
case_command = ["pytest", "{case}"]
agent = ["agent", "--json"]
max_cost = 2.5
traces = "drop"
overlay = "refuse"
"""
GOOD = {"the least": POLICY, "every key": FULL, "nothing at all": ""}
BAD = {
    "a key that is none": "[gate]\ntraget = 'main'\n",
    "a word that is none": "[gate]\nmode = 'never'\n",
    "a number for a list": "[suite.unit]\nreports = 3\n",
    "a suite of one shard": "[suite.unit]\nshards = 1\n",
    "no time at all": "[gate]\nwindow = 0\n",
    "half a replacement": "[suite.unit]\nnormalise = [{ pattern = 'a' }]\n",
    "a name with a space": "[suite.'my unit']\n",
    "a table that is none": "[gates]\n",
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_what_the_program_takes_the_schema_takes(text: str) -> None:
    policy.parse(text.encode(), "shipmoor-hooks.toml")
    assert faults("policy", tomllib.loads(text)) == []


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_the_program_refuses_the_schema_refuses(text: str) -> None:
    with pytest.raises(PolicyFault):
        policy.parse(text.encode(), "shipmoor-hooks.toml")
    assert faults("policy", tomllib.loads(text)) != []


def test_every_key_is_in_the_schema() -> None:
    schema = json.loads(POLICY_SCHEMA.read_text())["properties"]
    suite = schema["suite"]["patternProperties"]["^[A-Za-z0-9_-]+$"]["properties"]
    assert set(suite) == set(policy.SUITE_KEYS)
    assert set(schema["gate"]["properties"]) == {*policy.GATE_KEYS, "disclosure"}
