"""The example's plugin: its gates, its eight cases, and its recorded traces under their own graders."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shipmoor_hooks import policy
from shipmoor_hooks.evals import graders, loading, trace
from shipmoor_hooks.evals.recording import Workspace
from shipmoor_hooks.evals.regex_engine import RegexEngine

VOYAGE = Path(__file__).parent.parent / "examples" / "voyage"
CASES = {case.name: case for case in loading.load_folder(str(VOYAGE)).cases}
FALLEN = {
    "plan-halts-without-intent-approval": ["names-code"],
    "plan-halts-without-phase-signals": ["names-code"],
    "review-validate-flags-bad-finding-id": ["names-rule", "says-fail"],
}


def test_eight_cases_load_without_a_word_and_each_says_its_promise() -> None:
    found = loading.load_folder(str(VOYAGE))
    assert (len(found.cases), found.faults, found.warnings) == (8, (), ())
    assert sum(len(case.graders) for case in found.cases) == 38
    assert all((case.runs, "Agent" in case.allowed_tools) == (1, True) for case in found.cases)
    assert all("no-agent" in {g.name for g in case.graders} for case in found.cases)
    named = {name: {g.name for g in case.graders} for name, case in CASES.items()}
    assert all("no-bash-write" in names for names in named.values() if "no-write" in names)
    readme = (VOYAGE / "README.md").read_text()
    assert all(f"| {name} |" in readme for name in CASES)


def test_what_is_not_covered_stands_in_the_readme_and_in_the_policy() -> None:
    listed = (VOYAGE / "README.md").read_text().partition("## What the suite does not cover")[2].partition("##")[0]
    (suite,) = policy.parse((VOYAGE / "shipmoor-hooks.toml").read_bytes(), "shipmoor-hooks.toml").suites.values()
    assert listed.count("\n- ") == len(suite.not_covered) == 5


@pytest.mark.parametrize("path", sorted(VOYAGE.glob("recordings/*/*.jsonl")), ids=lambda p: f"{p.parent.name} {p.stem}")
def test_a_recording_is_graded_as_its_name_says(path: Path) -> None:
    case = CASES[path.parent.name]
    with RegexEngine() as engine:
        seen = graders.Recording(trace.read(path.read_bytes()), Workspace(()), case.name)
        verdicts = graders.grade(engine, case.graders, seen)
    fell = [g.name for g, v in zip(case.graders, verdicts, strict=True) if not v.passed]
    assert fell == (FALLEN[case.name] if path.stem.endswith("-fault") else [])


def test_each_case_has_a_green_recording_of_both_programs() -> None:
    there = {(p.parent.name, p.stem) for p in VOYAGE.glob("recordings/*/*.jsonl")}
    wanted = {(name, f"{who}-green") for name in CASES for who in ("claude", "replay")}
    assert there == wanted | {(name, f"{who}-fault") for name in FALLEN for who in ("claude", "replay")}


# ---------------------------------------------------------------- the gates

HASH = "708269ae0043898dacb34d811f4db9a4661226b7"
REVIEW = '---\ntype: trekreview\nreview_version: "1.0"\n---\n\n### Finding {} ({})\n\nText.\n'
INTENT = "\n# T\n\n## Intent\n\nDo it.\n"


def gate(script: str, *words: str) -> tuple[int, list[str], str]:
    """Exit code, the codes of its JSON, and what it says to a person."""
    done = subprocess.run(
        [sys.executable, str(VOYAGE / "lib" / script), *words], capture_output=True, text=True, check=False, timeout=30
    )
    answer = json.loads(done.stdout)
    assert answer["valid"] is (done.returncode == 0)
    return done.returncode, [e["code"] for e in answer["errors"]], done.stderr


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        pytest.param(["trekreview", "--project", "work"], [], id="a project"),
        pytest.param(["trekreview", "--project=work", "--validate"], [], id="with an equals sign"),
        pytest.param(["trekplan"], [], id="a command that needs none"),
        pytest.param(["trekreview"], ["ARG_REQUIRED_MISSING"], id="no project"),
        pytest.param(["trekreview", "--project"], ["ARG_REQUIRED_MISSING"], id="no value"),
        pytest.param(["trekreview", "--project", "--validate"], ["ARG_REQUIRED_MISSING"], id="an option for a value"),
    ],
)
def test_the_argument_parser(words: list[str], codes: list[str]) -> None:
    code, found, said = gate("parse_args.py", *words)
    assert (found, code) == (codes, 1 if codes else 0)
    assert said == (
        "Error: --project <dir> is required.\nUsage: /trekreview --project <dir> [--validate]\n" if codes else ""
    )


@pytest.mark.parametrize(
    ("script", "text", "codes"),
    [
        pytest.param("brief_validator.py", '---\nbrief_version: "2.0"\n---\n', [], id="an older brief needs no signals"),
        pytest.param("brief_validator.py", "---\nbrief_version: 2.1\nphase_signals: [a]\n---\n", [], id="signals in brackets"),
        pytest.param("brief_validator.py", "---\nbrief_version: 3.0\nphase_signals:\n  - a\n---\n", [], id="signals in lines"),
        pytest.param("brief_validator.py", "---\nbrief_version: 2.1\n---\n", ["BRIEF_V51_MISSING_SIGNALS"], id="no signals"),
        pytest.param("brief_validator.py", "---\nbrief_version: 2.10\nphase_signals: []\n---\n", ["BRIEF_V51_MISSING_SIGNALS"],
                     id="an empty list, and 2.10 is later than 2.1"),
        pytest.param("brief_validator.py", "---\nbrief_version: two\n---\n", ["BRIEF_VERSION_FORMAT"], id="no version"),
        pytest.param("brief_validator.py", "# T\n", ["BRIEF_NO_HEAD"], id="a brief without a head"),
        pytest.param("intent_approval.py", "---\na: b\n---\n" + INTENT, ["BRIEF_INTENT_NOT_APPROVED"], id="nobody approved"),
        pytest.param("intent_approval.py", f"---\nintent_approved_hash: {HASH}\n---\n" + INTENT, ["BRIEF_INTENT_CHANGED"],
                     id="approved, then changed"),
        pytest.param("review_validator.py", REVIEW.format(HASH, "MAJOR"), [], id="a clean review"),
        pytest.param("review_validator.py", REVIEW.format("F-001", "MAJOR"), ["REVIEW_BAD_FINDING_ID"], id="a short id"),
        pytest.param("review_validator.py", REVIEW.format(HASH[:39], "MAJOR"), ["REVIEW_BAD_FINDING_ID"], id="39 digits"),
        pytest.param("review_validator.py", REVIEW.format(HASH, "HUGE"), ["REVIEW_BAD_SEVERITY"], id="no such severity"),
        pytest.param("review_validator.py", "---\ntype: x\n---\n", ["REVIEW_WRONG_TYPE", "REVIEW_VERSION_FORMAT"], id="a note"),
        pytest.param("review_validator.py", "Text.\n", ["REVIEW_NO_HEAD"], id="a review without a head"),
    ],
)  # fmt: skip
def test_the_validators(tmp_path: Path, script: str, text: str, codes: list[str]) -> None:
    (tmp_path / "file.md").write_text(text)
    flag = "--check" if script == "intent_approval.py" else "--json"
    assert gate(script, flag, str(tmp_path / "file.md"))[:2] == (1 if codes else 0, codes)
    assert gate(script, flag, str(tmp_path / "gone.md"))[0] == 1


def test_a_mark_that_was_written_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "brief.md"
    path.write_text("---\na: b\n---\n" + INTENT)
    words = [sys.executable, str(VOYAGE / "lib" / "intent_approval.py"), "--hash", str(path)]
    mark = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    path.write_text(f"---\nintent_approved_hash: {mark}\n---\n" + INTENT)
    assert gate("intent_approval.py", "--check", str(path))[:2] == (0, [])
