"""prove on a plugin's eval case: which graders fell and which held, by a program that speaks as `claude plugin eval` does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from eval_world import MANIFEST, POLICY, EvalSpec, files
from repo_builder import RepoBuilder
from test_prove import Shop

from shipmoor_hooks import place
from shipmoor_hooks.store import trace_store

# Takes the filter, the number of samples and the folder for its results; the case's first grader reads the plugin's gate.
PROGRAM = """#!{python} -S
import os, sys, tempfile
sys.path.insert(0, {tests!r})
from eval_world import EvalSpec, result, written
words = sys.argv[1:]
given = lambda name: words[words.index(name) + 1] if name in words else None
broken = "exit 1" not in open("gate.sh").read()
letters = ("F" if broken else "P") * int(given("--runs") or 1)
letters = open("letters").read().strip() if os.path.exists("letters") else letters
cases = [EvalSpec(n, letters) for n in ("plan", "review") if given("--case") in (None, n)]
folder = given("--output-dir")
os.makedirs(folder, exist_ok=True)
document = result(cases, root=os.getcwd())
for row in document["cases"]:
    for number, sample in enumerate(row["arms"]["with"]):
        kept = os.path.join(os.path.realpath(tempfile.mkdtemp(prefix="claude-eval-")), "out", "trace.jsonl")
        os.mkdir(os.path.dirname(kept))
        open(kept, "w").write('{{"type":"result","n":%d,"broken":%d}}\\n' % (number, broken))
        sample["tracePath"] = kept
open(os.path.join(folder, "aggregate-result.json"), "wb").write(written(document))
print(" ".join(words))
sys.exit(broken)
"""
GATE = "#!/bin/sh\necho BRIEF_MISSING\nexit 1\n"
OPEN = "--- a/gate.sh\n+++ b/gate.sh\n@@ -1,3 +1,3 @@\n #!/bin/sh\n echo BRIEF_MISSING\n-exit 1\n+exit 0\n"


@pytest.fixture
def plugin(
    repo: RepoBuilder, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shop:
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable, tests=str(Path(__file__).parent)))
    program.chmod(0o755)
    repo.env["PATH"] = f"{program.parent}:{repo.env['PATH']}"
    monkeypatch.setenv("PATH", repo.env["PATH"])
    cases = files([EvalSpec("plan"), EvalSpec("review")])
    repo.commit(files={**MANIFEST, **cases, "gate.sh": GATE, "open.patch": OPEN, "shipmoor-hooks.toml": POLICY})
    monkeypatch.chdir(repo.path)
    return Shop(repo, capfd, suite="evals")


def test_the_graders_that_fell_and_those_that_held(plugin: Shop) -> None:
    code, out, err = plugin.prove("--runs", "2", case="plan", patch="open.patch")
    assert (code, out.splitlines()) == (
        0,
        [
            "PROVEN: plan falls under open.patch",
            "  without the fault: passed 2 of 2 (score 1, 1)",
            "  with the fault: fell 2 of 2 (score 0.5, 0.5)",
            "  fell: says-fail",
            "  still passed: no-agent",
        ],
    )
    assert err.count("--runs 2 --case plan") == 2
    (proof,) = plugin.proofs("plan")
    assert (proof.expectation_path, proof.expectation) == ("evals/plan", plugin.repo.sha("HEAD:evals/plan"))
    assert [s.cost for s in proof.fault] == [0.1, 0.1]
    assert plugin.is_untouched()


def test_the_traces_of_both_sides_are_kept_apart_and_the_program_s_folders_go(plugin: Shop, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    plugin.repo.env["TMPDIR"] = str(tmp_path / "tmp")
    done = plugin.repo.tool("prove", "plan", "--fault", "open.patch", "--runs", "2")
    assert done.returncode == 0, done.stderr
    (proof,) = plugin.proofs("plan")
    kept, _ = trace_store.of_case(place.find(str(plugin.repo.path), plugin.repo.env).common_dir, "evals", "plan")
    assert [(t.kind, t.sample, t.passed) for t in sorted(kept, key=lambda t: (t.kind != "run", t.sample))] == [
        ("run", 1, True), ("run", 2, True), ("fault", 1, False), ("fault", 2, False),
    ]  # fmt: skip
    assert {t.run for t in kept} == {proof.id}
    assert {s.trace for s in (*proof.base, *proof.fault)} == {t.sha for t in kept}
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_fault_in_the_case_itself_shows_nothing(plugin: Shop) -> None:
    case = (plugin.repo.path / "evals/plan/scaffold.sh").read_text().splitlines()
    patch = (
        "--- a/evals/plan/scaffold.sh\n+++ b/evals/plan/scaffold.sh\n@@ -1,2 +1,2 @@\n"
        f" {case[0]}\n-{case[1]}\n+exit 1\n"
    )
    plugin.repo.commit(files={"own.patch": patch})
    code, _, err = plugin.prove(case="plan", patch="own.patch")
    assert (code, "changes what the case demands (evals/plan/scaffold.sh)" in err) == (3, True)


@pytest.mark.parametrize(
    ("letters", "says"),
    [
        pytest.param("E", "a sample of plan measured nothing: timed out after 2s", id="an error"),
        pytest.param("Z", "measured nothing: it took no turn", id="no turn"),
        pytest.param("F", "passed 0 of 1 without the fault", id="red without the fault"),
    ],
)
def test_a_sample_that_measured_nothing(plugin: Shop, letters: str, says: str) -> None:
    plugin.repo.commit(files={"letters": letters})
    code, _, err = plugin.prove(case="plan", patch="open.patch")
    assert (code, says in err, plugin.proofs("plan")) == (3, True, [])


def test_a_case_that_is_not_there(plugin: Shop) -> None:
    code, _, err = plugin.prove(case="nope", patch="open.patch")
    assert (code, "VOID" in err) == (3, True)


def test_a_case_command_takes_the_samples(plugin: Shop) -> None:
    words = '["claude", "plugin", "eval", ".", "--output-dir", "out", "--case", "{case}", "--runs", "{samples}"]'
    plugin.repo.commit(files={"shipmoor-hooks.toml": f"{POLICY}case_command = {words}\n", ".gitignore": "out/\n"})
    code, out, _ = plugin.prove("--runs", "3", case="plan", patch="open.patch")
    assert (code, "fell 3 of 3" in out) == (0, True)
