"""`evals.expectations`: what of a case's expectation changed, in words, and what follows from it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repo_builder import RepoBuilder

from shipmoor_hooks.evals.definitions import CaseDefinition, ChangedFile, Grader, LoadFault
from shipmoor_hooks.evals.expectations import NOTE, SAMPLES_FEWER, WEAKENED, ChangedPart, compare
from shipmoor_hooks.evals.folder_changes import folder_changes
from shipmoor_hooks.evals.loading import load_tree
from shipmoor_hooks.git import Git
from shipmoor_hooks.visible import visible

SAYS = Grader("says-fail", "regex", {"pattern": r"\bFAIL\b"})
NO_AGENT = Grader("no-agent", "tool_used", {"tool": "Agent", "min": 0, "max": 0})
RAN = Grader("ran", "tool_used", {"tool": "Bash", "input_match": "validator"})
NO_PLAN = Grader("no-plan", "file_exists", {"path": "**/plan.md", "exists": False})
CASE = CaseDefinition(
    "plan", "evals/plan", "case_yaml", "Run it.", (SAYS, NO_AGENT, RAN, NO_PLAN), runs=3, allowed_tools=("Bash", "Read"),
    scaffold_script="scaffold.sh",
)  # fmt: skip


def graded(index: int, **config: object) -> CaseDefinition:
    """The case with other keys in one grader."""
    old = CASE.graders[index]
    return replace(CASE, graders=(*CASE.graders[:index], replace(old, config={**old.config, **config}),
                                  *CASE.graders[index + 1 :]))  # fmt: skip


@pytest.mark.parametrize(
    "tip",
    [
        pytest.param(CASE, id="the same case"),
        pytest.param(graded(0, match="contains", target="last_message"), id="defaults that are written out"),
        pytest.param(replace(CASE, dir="evals/other", source="mixed"), id="where it is written"),
    ],
)
def test_no_change_is_none(tip: CaseDefinition) -> None:
    assert compare(CASE, tip) == ()


@pytest.mark.parametrize(
    ("tip", "says"),
    [
        pytest.param(replace(CASE, graders=CASE.graders[1:]),
                     r"grader says-fail is gone (regex, pattern `\bFAIL\b`)", id="a grader is gone"),
        pytest.param(graded(0, pattern="FAIL"), r"grader says-fail has another pattern: `\bFAIL\b` became `FAIL`",
                     id="a pattern"),
        pytest.param(graded(0, match="not_contains"),
                     "grader says-fail has another match: `contains` became `not_contains`", id="match"),
        pytest.param(graded(0, flags="i"), "grader says-fail has another flags: none became `i`", id="flags"),
        pytest.param(graded(0, target="trace"), "grader says-fail has another target: `last_message` became `trace`",
                     id="target"),
        pytest.param(graded(1, max=1), "grader no-agent has another max: 0 became 1", id="a higher max"),
        pytest.param(graded(2, min=0), "grader ran has another min: 1 became 0", id="a lower min"),
        pytest.param(graded(2, min=2), "grader ran has another min: 1 became 2, which asks for more", id="a higher min"),
        pytest.param(graded(2, max=5), "grader ran has another max: none became 5, which asks for more", id="a max at all"),
        pytest.param(graded(2, input_match="."), "grader ran has another input_match: `validator` became `.`",
                     id="the input"),
        pytest.param(graded(3, path="**/plan2.md"), "grader no-plan has another path: `**/plan.md` became `**/plan2.md`",
                     id="a glob"),
        pytest.param(graded(3, exists=True), "grader no-plan has another exists: false became true", id="exists"),
        pytest.param(replace(CASE, graders=(replace(SAYS, weight=0.1), *CASE.graders[1:])),
                     "grader says-fail has another weight: 1 became 0.1", id="a weight"),
        pytest.param(replace(CASE, graders=(replace(SAYS, arm="with-only"), *CASE.graders[1:])),
                     "grader says-fail has another arm: none became `with-only`", id="an arm"),
        pytest.param(replace(CASE, graders=(Grader("says-fail", "llm", {"criteria": "x"}), *CASE.graders[1:])),
                     r"grader says-fail was regex, pattern `\bFAIL\b` and is llm, criteria `x`", id="another type"),
        pytest.param(replace(CASE, graders=CASE.graders[::-1]), "the graders stand in another order", id="their order"),
        pytest.param(replace(CASE, prompt="Run that."), "the prompt changed: `Run it.` became `Run that.`", id="prompt"),
        pytest.param(replace(CASE, prompt="Run it.\nGently."), "the prompt changed (+1 \u22120 lines)", id="a longer prompt"),
        pytest.param(replace(CASE, allowed_tools=("Read", "Write")), "allowed tools now without `Bash` and with `Write`",
                     id="tools"),
        pytest.param(replace(CASE, max_turns=1), "max_turns: 10 became 1", id="turns"),
        pytest.param(replace(CASE, timeout_seconds=900), "timeout_seconds: 300 became 900", id="time"),
        pytest.param(replace(CASE, env={"EVAL_X": "1"}), "env: {} became {EVAL_X: `1`}", id="environment"),
        pytest.param(replace(CASE, scaffold_script=""), "scaffold script: `scaffold.sh` became none", id="no scaffold"),
        pytest.param(replace(CASE, name="other"), "name: `plan` became `other`", id="its name"),
    ],
)  # fmt: skip
def test_a_change_is_named_in_words(tip: CaseDefinition, says: str) -> None:
    assert [(p.sentence, p.kind) for p in compare(CASE, tip)] == [(says, WEAKENED)]


@pytest.mark.parametrize(
    ("tip", "kind", "says"),
    [
        pytest.param(replace(CASE, runs=1), SAMPLES_FEWER, "1 runs where 3 were asked for", id="fewer runs"),
        pytest.param(replace(CASE, runs=5), NOTE, "5 runs where 3 were asked for", id="more runs"),
        pytest.param(replace(CASE, graders=(*CASE.graders, Grader("more", "regex", {"pattern": "x"}))), NOTE,
                     "grader more was added (regex, pattern `x`)", id="a grader more"),
    ],
)  # fmt: skip
def test_what_is_no_weakening(tip: CaseDefinition, kind: str, says: str) -> None:
    files = (ChangedFile("case.yaml", "changed", 1, 1),)
    assert [(p.kind, p.sentence) for p in compare(CASE, tip, files)] == [(kind, says)]


@pytest.mark.parametrize(
    ("weight", "threshold", "kind"),
    [
        pytest.param(1.0, 1.0, NOTE, id="like the others"),
        pytest.param(1e16, 1.0, WEAKENED, id="so heavy that the others leave no trace in the score"),
        pytest.param(float("inf"), 1.0, WEAKENED, id="infinitely heavy"),
        pytest.param(1.0, 0.7, NOTE, id="under a threshold that let one be red before"),
        pytest.param(4.0, 0.8, WEAKENED, id="under a threshold that lets one be red now"),
    ],
)
def test_a_grader_more_that_covers_for_an_old_one(weight: float, threshold: float, kind: str) -> None:
    more = replace(CASE, graders=(*CASE.graders, Grader("more", "regex", {"pattern": ""}, weight)))
    (part,) = compare(CASE, more, (), threshold)
    assert part.kind == kind
    if kind == WEAKENED:
        assert "the case can pass while says-fail is red" in part.sentence


@pytest.mark.parametrize(
    ("file", "says"),
    [
        pytest.param(ChangedFile("scaffold.sh", "changed", 2, 1), "scaffold scaffold.sh changed (+2 \u22121 lines)",
                     id="the scaffold, with its diffstat"),
        pytest.param(ChangedFile("data/x.json", "removed", 0, 9), "fixture data/x.json removed (+0 \u22129 lines)",
                     id="a fixture"),
        pytest.param(ChangedFile("x.bin", "added"), "fixture x.bin added", id="a binary file"),
        pytest.param(ChangedFile("scaffold.sh", "mode"), "scaffold scaffold.sh has another mode", id="a mode"),
        pytest.param(ChangedFile("case.yaml", "changed", 1, 0),
                     "case.yaml changed, though nothing that is graded by (+1 \u22120 lines)", id="a comment"),
    ],
)  # fmt: skip
def test_any_other_file_of_the_folder_counts(file: ChangedFile, says: str) -> None:
    assert [(p.sentence, p.kind) for p in compare(CASE, CASE, (file,))] == [(says, WEAKENED)]


def test_a_grader_file_that_grades_nothing_is_a_note() -> None:
    (part,) = compare(CASE, CASE, (ChangedFile("graders/x.md", "added", 1, 0),))
    assert (part.kind, part.sentence) == (NOTE, "graders/x.md was added and grades nothing")


def test_a_case_that_no_longer_loads_is_weakened_with_the_reason() -> None:
    fault = LoadFault("evals/plan/case.yaml", "YAML parse failed: \x1b[31m")
    first, second = compare(CASE, fault, (ChangedFile("scaffold.sh", "removed", 0, 3),))
    assert first == ChangedPart("case", "the case no longer loads: YAML parse failed: \\x1b[31m")
    assert second.sentence == "scaffold scaffold.sh removed (+0 \u22123 lines)"


def test_only_a_pattern_needs_a_regrade() -> None:
    tip = replace(graded(0, pattern="x"), prompt="y")
    tip = replace(tip, graders=(tip.graders[0], replace(NO_AGENT, config={"tool": "Agent"}), *tip.graders[2:]))
    for changed, names in (
        (tip, {"says-fail"}),
        (graded(2, input_match="x"), {"ran"}),
        (replace(CASE, graders=()), set()),
    ):
        assert {part.grader for part in compare(CASE, changed) if part.needs_regrade} == names


@given(st.text(max_size=200), st.text(max_size=200))
def test_nothing_from_a_case_reaches_a_terminal_unescaped(before: str, after: str) -> None:
    old = replace(CASE, prompt=before, graders=(Grader(before, "regex", {"pattern": before}),))
    new = replace(CASE, prompt=after, graders=(Grader(before, "regex", {"pattern": after}),))
    for part in compare(old, new, (ChangedFile(after),)):
        assert visible(part.sentence) == part.sentence
        assert len(part.sentence) < 1500


CASE_TEXT = """\
schema_version: "1.1"
name: plan
context: {scaffold_script: scaffold.sh}
execution: {prompt: go}
graders:
  - {name: g, type: regex, pattern: ok}
"""


def test_two_commits_are_compared_by_their_folders(repo: RepoBuilder) -> None:
    base = repo.commit(
        files={"evals/plan/case.yaml": CASE_TEXT, "evals/plan/scaffold.sh": "a\nb\n", "evals/plan/x": "1"}
    )
    (repo.path / "evals" / "plan" / "x").chmod(0o755)
    tip = repo.commit(
        files={"evals/plan/case.yaml": CASE_TEXT.replace("ok", "o"), "evals/plan/scaffold.sh": "a\nc\nd\n"}
    )
    git = Git(str(repo.path), repo.env)
    files = folder_changes(git, repo.sha(f"{base}:evals/plan"), repo.sha(f"{tip}:evals/plan"))
    (old,), (new,) = load_tree(git, base).cases, load_tree(git, tip).cases
    assert [p.sentence for p in compare(old, new, files)] == [
        "grader g has another pattern: `ok` became `o`",
        "scaffold scaffold.sh changed (+2 \u22121 lines)",
        "fixture x has another mode",
    ]
