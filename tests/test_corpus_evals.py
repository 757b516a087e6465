"""Real results of `claude plugin eval`, where a corpus of them lies at SHIPMOOR_HOOKS_EVAL_CORPUS (not part of the project).

`artifacts/INDEX.json` says what each run was. Each result is captured on a tree that holds the cases that it lists, as the
result itself describes them, and for one run the two files that did not load.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from repo_builder import RepoBuilder

from shipmoor_hooks import capture, eval_block, place, policy
from shipmoor_hooks.capture import Captured
from shipmoor_hooks.model import Code

CORPUS = os.environ.get("SHIPMOOR_HOOKS_EVAL_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="SHIPMOOR_HOOKS_EVAL_CORPUS names no corpus of eval results")
FOLDER = Path(CORPUS) / "artifacts"
INDEX: list[dict[str, Any]] = json.loads((FOLDER / "INDEX.json").read_text()) if CORPUS else []
POLICY = '[suite.evals]\ncommand = "claude plugin eval ."\nformat = "plugin-eval"\n'
BROKEN = {
    "load-errors": {
        "evals/badtype/case.yaml": (
            'schema_version: "1.0"\nname: badtype\nexecution: {prompt: x}\ngraders: [{name: g, type: nonsense}]\n'
        ),
        "evals/badyaml/case.yaml": "a: [\n",
    }
}


def document(name: str) -> dict[str, Any]:
    return dict(json.loads((FOLDER / name / "aggregate-result.json").read_text()))


def tree(name: str) -> dict[str, str]:
    """The case folders that a result speaks of."""
    files = {"shipmoor-hooks.toml": POLICY, ".claude-plugin/plugin.json": "{}", **BROKEN.get(name, {})}
    for case in document(name)["cases"]:
        written = {
            "schema_version": "1.0",
            "name": case["name"],
            "tags": ["proevesett"],
            "runs": case["runsPerCase"],
            "execution": {"prompt": case["promptMarkdown"] or "x"},
            "graders": [
                {"name": g["name"], "type": g["type"], **g["config"]} | ({"weight": g["weight"]} if g["weight"] else {})
                for g in case["graders"]
            ],
        }
        files[f"{case['dir']}/case.yaml"] = json.dumps(written)
    return files


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    home = tmp_path_factory.mktemp("home")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "XDG_"))}
    env |= {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    env |= {f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return RepoBuilder.create(tmp_path_factory.mktemp("corpus") / "repo", env)


def captured(repo: RepoBuilder, name: str) -> Captured:
    files: dict[str, str | None] = dict.fromkeys(repo.git("ls-files").splitlines())
    commit = repo.commit(name, files=files | tree(name))
    where = place.find(str(repo.path), repo.env)
    rules = policy.load_worktree(where)
    assert rules is not None
    result = str(FOLDER / name / "aggregate-result.json")
    return capture.import_reports(where, rules, rules.suites["evals"], [result], environ=repo.env, now=2e9, tree=commit)


def without_a_sample(name: str) -> list[str]:
    """The cases of which the program says itself that no sample of theirs ended as it should."""
    return [
        case["name"]
        for case in document(name)["cases"]
        if all(s["error"] is not None or s.get("aborted") or s["turns"] == 0 for s in case["arms"]["with"])
    ]


@pytest.mark.parametrize("row", INDEX, ids=lambda row: str(row["name"]))
def test_a_result_is_captured_with_the_right_answer(repo: RepoBuilder, row: dict[str, Any]) -> None:
    name = row["name"]
    done = captured(repo, name)
    evals = done.run.evals
    assert evals is not None
    codes = {p.code for p in done.run.problems}
    messages = " ".join(p.message for p in done.run.problems)
    empty = without_a_sample(name)
    if row["partial"]:
        assert codes == {Code.RUN_INCOMPLETE}
        assert row["partialReason"] in messages
        return
    if name in BROKEN:
        assert codes == set()
        assert all(any(case in text for text in done.warnings) for case in ("badtype", "badyaml"))
        return
    if empty:
        assert codes == {Code.RUN_INCOMPLETE}
        assert all(case in messages for case in empty[:3])
        return
    selected = "--case" in row["argv"] or "--tag" in row["argv"]
    assert codes == ({Code.RUN_PARTIAL} if selected else set())
    assert evals.alone is selected
    if name == "dup-names":
        assert str(done.run.count) == "0 of 1"
        assert done.run.cases[0].count == 2
    else:
        assert str(done.run.count) == row["n_of_N"]
        if name != "two-arm":  # the index counts the arm without the plugin as well
            assert str(eval_block.graders(evals)) == row["graders"]
    assert eval_block.overall(evals) == pytest.approx(row["overallScore"])
    fallen = {
        case: sorted(g.name for c in evals.cases if c.id == case for s in c.samples for g in s.scored if not g.passed)
        for case in row["red"]
    }
    told = {c: sorted(g for r in rows if r["arm"] == "with" for g in r["failed"]) for c, rows in row["red"].items()}
    assert fallen == told


def test_every_score_of_the_threshold_series_is_its_graders(repo: RepoBuilder) -> None:
    names = sorted(p.name for p in FOLDER.glob("scores-threshold-*"))
    assert names
    for name in names:
        done = captured(repo, name)
        assert done.run.evals is not None
        threshold = done.run.evals.threshold
        for case in done.run.evals.cases:
            for sample in case.valid:
                fell = [g for g in sample.scored if not g.passed]
                assert sample.is_green(threshold) <= (not fell or 0 < threshold < 1)
