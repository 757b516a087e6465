"""The rules for eval suites: expectations, samples, registered cases, thresholds, what clears, and how it is worded."""

from __future__ import annotations

import dataclasses

import pytest
from eval_rule_world import eval_case, eval_run, judge, told
from hypothesis import given
from hypothesis import strategies as st
from rule_world import NOW, conclude

from shipmoor_hooks import eval_block
from shipmoor_hooks.evals.expectations import ChangedPart
from shipmoor_hooks.model import Code, Decision, Evidence, Run, Trailer
from shipmoor_hooks.rules import eval_rules, eval_runs, eval_wording
from shipmoor_hooks.rules.eval_rules import Change, Moved, Sides
from shipmoor_hooks.store.record_model import Regrade, Tally

WIDER = Change(("grader says has another pattern",))


def one(text: str, **how: object) -> list[Run]:
    return [eval_run(text, **how)]  # type: ignore[arg-type]


# ---------------------------------------------------------------- the table, no-op cases first


ROWS = [
    pytest.param(one("plan P"), one("plan P"), {}, [], id="nothing-changed"),
    pytest.param(one("plan PPP"), one("plan PPPPP"), {}, [], id="more-samples"),
    pytest.param(one("plan PPE"), one("plan PP"), {}, [], id="an-invalid-sample-was-none-before-either"),
    pytest.param(one("plan P"), [eval_run("plan P"), eval_run("plan P", 2)], {}, [], id="two-runs-at-the-tip"),
    pytest.param(
        one("plan P"), one("plan@f P"), {"plan": Change(notes=("a grader was added",))},
        ["EXPECTATION_CHANGED plan"], id="a-grader-more",
    ),
    pytest.param(one("plan P"), one("plan@f P"), {"plan": WIDER}, ["EXPECTATION_WEAKENED plan"], id="a-wider-pattern"),
    pytest.param(one("plan PPP"), one("plan PP"), {}, ["SAMPLES_FEWER plan"], id="two-samples-of-three"),
    pytest.param(one("plan PPP"), one("plan PPE"), {}, ["SAMPLES_FEWER plan"], id="a-sample-that-measured-nothing"),
    pytest.param(
        one("plan PPP"), [eval_run("plan PP"), eval_run("plan PP", 2)], {}, ["SAMPLES_FEWER plan"],
        id="what-piles-up-makes-up-for-nothing",
    ),
    pytest.param(
        one("plan PPP"), one("plan@f PP"), {"plan": Change(fewer="2 runs where 3 were asked for")},
        ["SAMPLES_FEWER plan"], id="fewer-runs-asked-and-taken",
    ),
    pytest.param(
        one("plan P"), one("plan@f P"), {"plan": Change(fewer="1 run where 3 were asked for")},
        ["SAMPLES_FEWER plan"], id="fewer-runs-asked-although-as-many-ran",
    ),
    pytest.param(
        one("plan P"), one("plan P", threshold=0.5), {},
        ["CONDITIONS_DIFFER", "EXPECTATION_WEAKENED plan"], id="a-lower-threshold",
    ),
    pytest.param(
        one("plan P", threshold=0.5), one("plan P", threshold=0.5), {}, ["EXPECTATION_WEAKENED plan"],
        id="a-base-measured-lower-than-the-command-asks",
    ),
    pytest.param(one("plan P"), one("plan P, new P", registered=True), {}, ["CASE_ADDED new"], id="a-registered-case"),
    pytest.param(
        one("plan P"), one("plan P, new P", registered=False), {}, ["CASE_ADDED new", "CASE_UNREGISTERED new"],
        id="a-case-that-ran-before-its-commit",
    ),
    pytest.param(
        one("plan P", registered=False), one("plan P", registered=False), {}, [],
        id="what-the-base-has-is-not-asked-again",
    ),
    pytest.param(
        one("plan P"), one("plan P, new P", registered=None), {}, ["CASE_ADDED new"], id="unknown-is-no-accusation",
    ),
    pytest.param(
        one("plan P"), one("plan@f P", registered=False), {"plan": WIDER},
        ["CASE_UNREGISTERED plan", "EXPECTATION_WEAKENED plan"], id="a-changed-case-that-ran-before-its-commit",
    ),
    pytest.param(one("plan PPPPP"), one("plan PPFPP"), {}, ["CASE_RED plan"], id="four-of-five"),
    pytest.param(one("plan P"), [eval_run("plan P"), eval_run("plan F", 2)], {}, ["CASE_RED plan"], id="every-run-counts"),
]  # fmt: skip


@pytest.mark.parametrize(("base", "tip", "changes", "expected"), ROWS)
def test_rules(base: list[Run], tip: list[Run], changes: dict[str, Change], expected: list[str]) -> None:
    assert told(judge(base, tip, changes)) == expected


def test_a_higher_threshold_is_no_loss() -> None:
    found = judge(one("plan P", threshold=0.8), one("plan P", threshold=1.0))
    assert told(found) == ["CONDITIONS_DIFFER"]


def test_a_threshold_alone_makes_nothing_incomparable_and_another_tool_does() -> None:
    assert "NOT_COMPARABLE" not in told(judge(one("plan P"), one("plan P", threshold=0.5)))
    assert told(judge(one("plan P"), one("plan P", tool="2.2.0"))) == ["NOT_COMPARABLE"]


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ((), 0.5),
        (("claude", "plugin", "eval", "."), 1.0),
        (("claude", "plugin", "eval", ".", "--threshold", "0.5"), 0.5),
        (("claude", "plugin", "eval", ".", "--threshold=0.8"), 0.8),
        (("make", "evals"), 0.5),
        (("claude", "plugin", "eval", ".", "--threshold", "much"), 1.0),
    ],
)
def test_the_threshold_that_is_asked_for(command: tuple[str, ...], asked: float) -> None:
    assert eval_rules.asked_threshold(Sides(one("plan P", threshold=0.5), one("plan P"), command)) == asked


# ---------------------------------------------------------------- what changed


def test_moved_are_the_cases_that_no_run_of_the_base_has() -> None:
    base = [eval_run("a P, b P, c@x P"), eval_run("a P, b@y P, c P", 2)]
    sides = Sides(base, one("a P, b@y P, c@z P, d P"))
    assert [row.tip.id for row in eval_rules.moved(sides)] == ["c"]


def test_an_expectation_that_is_not_known_is_taken_for_another() -> None:
    tip = one("plan P")
    evals = tip[0].evals
    assert evals is not None
    unknown = dataclasses.replace(evals, cases=(dataclasses.replace(evals.cases[0], expectation=None),))
    assert eval_rules.moved(Sides(one("plan P"), [dataclasses.replace(tip[0], evals=unknown)]))


PARTS = [
    ChangedPart("grader", "grader says has another pattern", "weakened", "says", needs_regrade=True),
    ChangedPart("grader", "grader more was added", "note", "more"),
    ChangedPart("runs", "1 runs where 3 were asked for", "samples_fewer"),
]


def test_parts_as_the_rules_take_them() -> None:
    change = eval_rules.change_of(PARTS, "no re-grade is stored")
    assert change == Change(
        ("grader says has another pattern",), ("grader more was added",), "1 runs where 3 were asked for",
        "no re-grade is stored",
    )  # fmt: skip
    assert eval_rules.change_of(PARTS[1:], "no re-grade is stored").record == ""


# ---------------------------------------------------------------- words and records


def weakened(record: str = "") -> list[object]:
    change = dataclasses.replace(WIDER, record=record)
    return list(judge(one("plan P"), one("plan@f P"), {"plan": change}))


def test_a_trailer_discloses_a_weaker_expectation() -> None:
    verdict = conclude(weakened(), trailers=["Test-Weakened: plan -- lower case is right too (#55)"])  # type: ignore[arg-type]
    assert verdict.decision is Decision.ALLOWED
    assert verdict.reduced is True


def test_words_alone_do_not_disclose_a_changed_pattern() -> None:
    found = weakened("no re-grade of recorded traces is stored")
    verdict = conclude(found, trailers=["Test-Weakened: plan -- lower case is right too (#55)"])  # type: ignore[arg-type]
    assert verdict.decision is Decision.REFUSED
    assert told(verdict.findings) == ["DISCLOSURE_UNUSED", "EXPECTATION_WEAKENED plan"]
    unused = next(f for f in verdict.findings if f.code is Code.DISCLOSURE_UNUSED)
    assert "no re-grade of recorded traces" in unused.message


def test_a_wildcard_does_not_count_what_words_cannot_disclose() -> None:
    found = weakened("no re-grade of recorded traces is stored")
    verdict = conclude(found, trailers=["Test-Weakened: pl* (1) -- all of them (#55)"])  # type: ignore[arg-type]
    assert verdict.decision is Decision.REFUSED


@pytest.mark.parametrize(
    ("code", "trailer"),
    [(Code.SAMPLES_FEWER, Trailer.WEAKENED), (Code.CASE_UNREGISTERED, Trailer.UNREGISTERED)],
)
def test_each_finding_offers_its_own_line(code: Code, trailer: Trailer) -> None:
    found = judge(one("plan PPP"), one("plan@f PP", registered=False), {"plan": Change()})
    verdict = conclude(found)
    told_line = next(f.next_step for f in verdict.findings if f.code is code)
    assert f"{trailer.value}: plan -- " in told_line


def regrade(*tallies: Tally, wrong: tuple[str, ...] = ()) -> Regrade:
    return Regrade("r", "evals", "plan", NOW, "e", "f", tallies, newly_wrong=wrong)


@pytest.mark.parametrize(
    ("records", "lacks"),
    [
        pytest.param([regrade(Tally("green", 31, 34, 34))], "", id="one-that-rests-on-traces"),
        pytest.param([], "no re-grade", id="none"),
        pytest.param([regrade(Tally("green", 0, 0, 0))], "rests on no trace", id="no-trace"),
        pytest.param([regrade(Tally("green", 3, 4, 4), wrong=("aa",))], "labelled wrong", id="takes-a-wrong-reply"),
    ],
)
def test_a_regrade_stands_or_says_why_not(records: list[Regrade], lacks: str) -> None:
    said = eval_rules.regrade_lacks(records)
    assert (lacks in said) if lacks else (said == "")


@pytest.mark.parametrize(
    ("text", "paths", "stands"),
    [
        pytest.param("plan@f P", [], True, id="the-base's-own-tree"),
        pytest.param("plan@f P", ["evals/plan/case.yaml"], True, id="only-case-folders-differ"),
        pytest.param("plan@f P", ["evals/plan/case.yaml", "src/app.py"], False, id="the-plugin-differs-too"),
        pytest.param("plan P", ["evals/plan/case.yaml"], False, id="the-old-graders"),
        pytest.param("plan@f E", ["evals/plan/case.yaml"], False, id="nothing-was-measured"),
    ],
)
def test_a_run_of_the_bases_tree_under_the_new_graders(text: str, paths: list[str], stands: bool) -> None:
    row = Moved(eval_case("plan P"), eval_run("plan P"), eval_case("plan@f P"), eval_run("plan@f P"))
    assert eval_rules.stands_for_regrade(eval_run(text), row, paths) is stands


# ---------------------------------------------------------------- clearing


CLEARING = [
    pytest.param([eval_run("plan P", 2)], [], "CASE_RED plan", "", id="the-base-is-green"),
    pytest.param(
        [eval_run("plan P", 2), eval_run("plan F", 3)], [], "CLEARED plan", "base red 1 of 2 today; full 1 of 2, alone 0 of 0",
        id="a-full-run-of-the-base-is-red",
    ),
    pytest.param(
        [eval_run("plan P", 2)], [eval_run("plan PFPPP", 1, alone=True)], "CLEARED plan",
        "base red 1 of 6 today; full 0 of 1, alone 1 of 5", id="alone-one-of-five",
    ),
    pytest.param([eval_run("plan P", 2)], [eval_run("plan PPP", 1, alone=True)], "CASE_RED plan", "", id="alone-green"),
    pytest.param(
        [eval_run("plan P", 2)], [eval_run("plan F", 25, alone=True)], "CASE_RED plan", "", id="alone-yesterday"
    ),
    pytest.param(
        [eval_run("plan P", 2)], [eval_run("plan@x F", 1, alone=True)], "CASE_RED plan", "",
        id="alone-under-another-expectation",
    ),
    pytest.param(
        [eval_run("plan P", 2)], [eval_run("plan F", 1, alone=True, tool="2.2.0")], "CASE_RED plan", "",
        id="alone-under-another-tool",
    ),
    pytest.param(
        [eval_run("plan P", 2)], [eval_run("other F", 1, alone=True)], "CASE_RED plan", "", id="another-case-alone"
    ),
    pytest.param(
        [eval_run("plan P", 2)], [eval_run("plan E", 1, alone=True)], "CASE_RED plan", "", id="alone-without-a-sample"
    ),
]  # fmt: skip


@pytest.mark.parametrize(("base", "alone", "expected", "says"), CLEARING)
def test_clearing(base: list[Run], alone: list[Run], expected: str, says: str) -> None:
    found = judge(base, one("plan F"), alone=alone)
    assert told(found) == [expected]
    assert says in found[0].message


def test_a_red_of_the_base_under_another_expectation_clears_nothing() -> None:
    base = [eval_run("plan@x P", 2), eval_run("plan@x F", 3)]
    assert told(judge(base, one("plan F"), {"plan": Change()})) == ["CASE_RED plan"]


@pytest.mark.parametrize(
    ("run", "counts"),
    [
        (eval_run("plan F", alone=True), True),
        (eval_run("plan F", alone=False), False),
        (eval_run("plan F", alone=True, suite="other"), False),
        (eval_run("plan F", alone=True, tree=None), False),
        (eval_run("plan F", alone=True, variant="linux"), False),
    ],
)
def test_which_runs_count_as_alone(run: Run, counts: bool) -> None:
    assert bool(eval_runs.alone_runs([run], "evals", None, Evidence.IMPORTED)) is counts
    assert eval_runs.alone_runs([run], "evals", None, Evidence.OBSERVED) == ()


# ---------------------------------------------------------------- laws


texts = st.lists(st.sampled_from("PFE"), min_size=1, max_size=4).map(lambda letters: f"plan {''.join(letters)}")
some_runs = st.lists(st.tuples(texts, st.floats(0.1, 20)), min_size=1, max_size=3).map(
    lambda rows: [eval_run(text, age) for text, age in rows]
)


@given(some_runs)
def test_runs_against_themselves_lose_nothing(runs: list[Run]) -> None:
    assert not [
        f
        for f in judge(runs, runs)
        if f.code in (Code.EXPECTATION_WEAKENED, Code.SAMPLES_FEWER, Code.CASE_UNREGISTERED)
    ]


@given(some_runs, some_runs, st.randoms())
def test_the_order_of_runs_does_not_matter(base: list[Run], tip: list[Run], random: object) -> None:
    shuffled = list(base), list(tip)
    for rows in shuffled:
        random.shuffle(rows)  # type: ignore[attr-defined]
    assert judge(*shuffled) == judge(base, tip)


@given(some_runs, texts)
def test_a_base_that_is_run_again_refuses_no_less_about_samples(base: list[Run], more: str) -> None:
    """Known positive of the rule: a smaller run of the base captured later shrinks nothing."""
    tip = one("plan P")
    before = Code.SAMPLES_FEWER in {f.code for f in judge(base, tip)}
    after = Code.SAMPLES_FEWER in {f.code for f in judge([*base, eval_run(more, 0.5)], tip)}
    assert after or not before


# ---------------------------------------------------------------- words


def test_the_graders_of_a_red_sample() -> None:
    case = eval_case("plan PFF")
    assert eval_wording.fallen([(case, 1.0)]) == "2 of 3; fell: says; held: no-agent, no-write (2 times)"
    assert eval_wording.fallen([(eval_case("plan PE"), 1.0)]) == ""


def rows(text: str, **how: object) -> dict[str, str]:
    return dict(eval_block.rows(eval_run(text, **how)))  # type: ignore[arg-type]


def test_the_first_run_block() -> None:
    run = dataclasses.replace(eval_run("plan PF, check P"), finished=NOW)
    assert run.evals is not None
    told_evals = dataclasses.replace(run.evals, seconds=53.0, cost=1.67, children=3, program_passed=1, program_total=2)
    block = dict(eval_block.rows(dataclasses.replace(run, evals=told_evals), ("Windows",)))
    assert block["cases"] == "1 of 2 passed"
    assert block["graders"] == "8 of 9 passed"
    assert block["overall score"] == "0.917 (mean of the case scores)"
    assert block["children"] == "3 (2 cases × samples × arms)"
    assert block["wall time"] == "3600 s (the program says 53 s)"
    assert block["cost"] == "$1.67 (list-price estimate)"
    assert block["red"] == "plan, sample 2: 2 of 3; fell: says; held: no-agent, no-write"
    assert block["not covered"] == "Windows"
    assert "program's n" not in block


def test_a_run_that_is_none_of_evals_has_no_block() -> None:
    from rule_world import run

    assert eval_block.rows(run("a P")) == []
    assert eval_block.block_json(run("a P")) is None


def differing(text: str, score: float, passed: int, threshold: float = 1.0) -> list[str]:
    run = eval_run(text, threshold=threshold)
    assert run.evals is not None
    cases = tuple(dataclasses.replace(c, score=score) for c in run.evals.cases)
    evals = dataclasses.replace(run.evals, cases=cases, program_passed=passed, program_total=len(cases))
    return eval_block.differences(dataclasses.replace(run, evals=evals))


@pytest.mark.parametrize(
    ("text", "score", "passed", "threshold", "says"),
    [
        pytest.param("plan P", 1.0, 1, 1.0, "", id="the-same"),
        pytest.param("plan E", 1.0, 1, 1.0, "0 valid of 1 samples (timed out)", id="green-without-a-sample"),
        pytest.param("plan F", 0.67, 1, 0.0, "threshold of 0", id="threshold-0"),
        pytest.param("plan PF", 0.8, 1, 0.7, "takes the mean", id="the-mean"),
        pytest.param("plan F", 1.0, 1, 1.0, "does not show the grader", id="a-weight-that-vanishes"),
    ],
)
def test_why_our_n_is_not_the_programs(text: str, score: float, passed: int, threshold: float, says: str) -> None:
    found = differing(text, score, passed, threshold)
    assert (says in found[0]) if says else (found == [])


def test_the_json_of_a_run() -> None:
    told_json = eval_block.block_json(eval_run("plan PFE"))
    assert told_json is not None
    assert told_json["graders"] == {"passed": 5, "of": 6}
    assert told_json["cost"]["what"] == "list-price estimate"
    samples = told_json["cases"][0]["samples"]
    assert [(s["green"], s["valid"]) for s in samples] == [(True, True), (False, True), (False, False)]
    assert samples[1]["fell"] == ["says"]
