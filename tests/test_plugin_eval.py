"""The reader of eval results: samples, what is no valid sample, what is green, and what is refused by name."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from eval_world import SAYS, EvalSpec, no, result, written
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.errors import ReportFault
from shipmoor_hooks.eval_model import EvalSample, GraderVerdict
from shipmoor_hooks.model import Code, Report
from shipmoor_hooks.readers import registry

Document = dict[str, Any]


def read(document: Document) -> Report:
    return registry.read(written(document), None, "aggregate-result.json")


def one(letters: str, threshold: float = 1, **top: Any) -> Report:
    return read(result([EvalSpec("plan", letters)], threshold=threshold, **top))


# ---------------------------------------------------------------- samples


@pytest.mark.parametrize(
    ("letters", "outcome", "passed", "of"),
    [
        pytest.param("P", "passed", 1, 1, id="one-green-sample"),
        pytest.param("PPP", "passed", 3, 3, id="all-of-three"),
        pytest.param("PFP", "failed", 2, 3, id="one-red-sample-reddens-the-case"),
        pytest.param("FFF", "failed", 0, 3, id="none-of-three"),
        pytest.param("PE", "passed", 1, 1, id="an-error-is-no-sample"),
        pytest.param("PA", "passed", 1, 1, id="an-aborted-one-is-no-sample"),
        pytest.param("PZ", "passed", 1, 1, id="no-turn-is-no-sample"),
        pytest.param("PS", "passed", 1, 1, id="paid-graders-left-out-is-no-sample"),
        pytest.param("FE", "failed", 0, 1, id="an-error-beside-a-red-one"),
    ],
)
def test_samples(letters: str, outcome: str, passed: int, of: int) -> None:
    record = one(letters).records[0]
    outcomes = [*record.attempts, record.outcome]
    assert record.outcome.value == outcome
    assert (sum(o.is_green for o in outcomes), len(outcomes)) == (passed, of)


@pytest.mark.parametrize("letters", ["E", "A", "Z", "S", "EEE", ""])
def test_a_case_without_a_valid_sample_makes_the_run_incomplete(letters: str) -> None:
    report = one(letters)
    assert [p.code for p in report.problems] == [Code.RUN_INCOMPLETE]
    assert "plan" in report.problems[0].message
    assert not report.records[0].outcome.is_green


def test_samples_are_what_ran_and_never_what_the_case_asks_for() -> None:
    report = read(result([EvalSpec("plan", "P", runs=3)]))
    assert report.evals is not None
    case = report.evals.run.cases[0]
    assert (len(case.samples), case.required) == (1, 3)


def test_a_result_that_the_program_cut_short_holds_no_valid_sample() -> None:
    report = one("PP", partial=True, partialReason="cost_ceiling")
    assert report.evals is not None
    assert not report.evals.run.cases[0].valid
    assert "cost_ceiling" in report.problems[0].message


def test_graders_that_were_not_graded_make_no_sample() -> None:
    document = result([EvalSpec("plan", "PP")])
    document["cases"][0]["arms"]["with"][0]["graders"].pop()
    report = read(document)
    assert report.evals is not None
    assert [s.is_valid for s in report.evals.run.cases[0].samples] == [False, True]


# ---------------------------------------------------------------- green


@pytest.mark.parametrize(
    ("verdicts", "threshold", "green"),
    [
        pytest.param([(True, 1), (True, 1)], 1.0, True, id="all-passed"),
        pytest.param([(True, 1), (False, 1)], 1.0, False, id="one-fell"),
        pytest.param([(True, 2), (False, 1)], 0.6, True, id="enough-weight"),
        pytest.param([(True, 1), (False, 2)], 0.6, False, id="too-little-weight"),
        pytest.param([(True, 1), (False, 1e-16)], 1.0, False, id="a-weight-that-rounding-swallows"),
        pytest.param([(False, 1), (False, 1)], 0.0, False, id="threshold-0-is-no-green"),
        pytest.param([(True, 1), (False, 1)], 0.0, False, id="threshold-0-with-one-passed"),
        pytest.param([(True, 1), (True, 1)], 0.0, True, id="threshold-0-and-all-passed"),
        pytest.param([(True, 1), (True, 0)], 1.0, False, id="a-weight-that-is-no-number"),
        pytest.param([(True, 1e308), (True, 1e308)], 1.0, False, id="a-sum-that-is-no-number"),
        pytest.param([], 1.0, False, id="no-grader"),
        pytest.param([(True, 0.3), (True, 0.2), (False, 0.1)], 0.8333333333333334, True, id="summed-as-doubles"),
        pytest.param([(None, 1), (True, 1)], 0.5, False, id="one-was-not-graded"),
        pytest.param([(True, 1)], 1.5, False, id="a-threshold-above-1"),
    ],
)
def test_green(verdicts: list[tuple[bool | None, float]], threshold: float, green: bool) -> None:
    graders = tuple(GraderVerdict(f"g{i}", "regex", p, w) for i, (p, w) in enumerate(verdicts))
    assert EvalSample(True, 1.0, graders).is_green(threshold) is green
    assert EvalSample(True, 1.0, graders, invalid="timed out").is_green(threshold) is False


def test_graders_without_weight_in_the_score_do_not_count() -> None:
    graders = (GraderVerdict("a", "regex", True), GraderVerdict("b", "tool_used", False, scored=False))
    assert EvalSample(True, 1.0, graders).is_green(1.0)


def verdicts_of(lightest: float, heaviest: float) -> st.SearchStrategy[list[GraderVerdict]]:
    weight = st.floats(lightest, heaviest)
    return st.lists(st.builds(GraderVerdict, st.just("g"), st.just("regex"), st.booleans(), weight), max_size=5)


# Not where rounding swallows a weight: then the sample is red although all of what is left passed.
@given(verdicts_of(1e-6, 1e6), st.floats(0, 1))
def test_a_grader_that_falls_never_turns_a_sample_green(graders: list[GraderVerdict], threshold: float) -> None:
    fallen = (*graders, GraderVerdict("last", "regex", False))
    if EvalSample(True, 1.0, fallen).is_green(threshold):
        assert EvalSample(True, 1.0, (*graders, GraderVerdict("last", "regex", True))).is_green(threshold)


@given(verdicts_of(1e-300, 1e300))
def test_under_threshold_1_only_all_passed_is_green(graders: list[GraderVerdict]) -> None:
    green = EvalSample(True, 1.0, tuple(graders)).is_green(1.0)
    assert not green or all(g.passed for g in graders)


def test_the_programs_own_score_is_not_believed() -> None:
    document = result([EvalSpec("plan", "F")])
    arm = document["cases"][0]["arms"]["with"][0]
    arm |= {"score": 1, "passed": True}
    assert not read(document).records[0].outcome.is_green


# ---------------------------------------------------------------- what stands in it


def test_what_a_run_is_told() -> None:
    report = read(
        result(
            [EvalSpec("plan", "PF"), EvalSpec("check", graders=(SAYS, no("Write")))],
            suite={"modelOverride": "opus", "judgeModel": "haiku", "caseFilter": "p*", "tagFilters": ["fast"]},
        )
    )
    found = report.evals
    assert found is not None
    run = found.run
    assert (run.program, run.program_version, run.model, run.judge) == (
        "claude plugin eval",
        "2.1.328",
        "opus",
        "haiku",
    )
    assert (run.threshold, run.ablation, run.seconds, run.cost, run.children) == (1.0, "none", 5.0, 0.5, 3)
    assert (run.program_passed, run.program_total) == (1, 2)
    assert (found.case_filter, found.tag_filters, found.root) == ("p*", ("fast",), "/nowhere")
    graders = run.cases[0].samples[1].graders
    assert [(g.name, g.type, g.passed) for g in graders] == [
        ("says-fail", "regex", False),
        ("no-agent", "tool_used", True),
    ]
    assert found.traces[0] == ("/nowhere/claude-eval-abcdef/out/trace.jsonl",) * 2


# ---------------------------------------------------------------- refused by name


def changed(*path: str | int, value: object) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        place: Any = document
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = value

    return change


ARM = ("cases", 0, "arms", "with", 0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(changed("schemaVersion", value=2), "schemaVersion 2 is newer", id="a-newer-schema"),
        pytest.param(changed("schemaVersion", value="1"), "schemaVersion", id="a-schema-that-is-a-text"),
        pytest.param(changed("aggregates", "casesPassed", value=9), "casesPassed is 9, more than", id="nine-of-one"),
        pytest.param(changed("aggregates", "casesPassed", value=True), "casesPassed is True", id="a-boolean-count"),
        pytest.param(changed("aggregates", "casesPassed", value=-1), "casesPassed is -1", id="a-negative-count"),
        pytest.param(changed("aggregates", "casesPassed", value=0.5), "casesPassed is 0.5", id="half-a-case"),
        pytest.param(
            changed("aggregates", "casesTotal", value=8), "casesTotal is 8, and the file lists 1", id="a-list-cut"
        ),
        pytest.param(changed("cases", value={}), "cases is {}", id="cases-that-are-no-list"),
        pytest.param(changed("cases", 0, "name", value=""), "name is empty", id="a-case-without-a-name"),
        pytest.param(changed("cases", 0, "dir", value="../x"), "no folder below", id="a-folder-outside"),
        pytest.param(changed("cases", 0, "dir", value="/etc"), "no folder below", id="an-absolute-folder"),
        pytest.param(changed("suite", "threshold", value=-0.1), "threshold is -0.1", id="a-negative-threshold"),
        pytest.param(changed("suite", "threshold", value=None), "threshold is None", id="no-threshold"),
        pytest.param(changed(*ARM, "passed", value=1), "passed is 1", id="a-count-for-a-boolean"),
        pytest.param(changed(*ARM, "turns", value=True), "turns is True", id="a-boolean-for-turns"),
        pytest.param(changed(*ARM, "graders", 0, "weight", value=0), "weight is 0", id="a-weight-of-nothing"),
        pytest.param(changed(*ARM, "graders", 0, "name", value="zz"), "no grader of its case", id="a-strange-grader"),
        pytest.param(changed(*ARM, "startedAt", value="today"), "no time with a zone", id="a-time-that-is-none"),
        pytest.param(changed(*ARM, "costUsd", value="1"), "costUsd is '1'", id="a-cost-that-is-a-text"),
        pytest.param(changed("cases", 0, "arms", value=[]), "arms is []", id="arms-that-are-a-list"),
    ],
)
def test_a_bad_file_is_refused_by_name(change: Callable[[Document], None], says: str) -> None:
    document = result([EvalSpec("plan")])
    change(document)
    with pytest.raises(ReportFault) as fault:
        read(document)
    assert fault.value.message.startswith("aggregate-result.json: ")
    assert says in fault.value.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param('{"schemaVersion": 1, "cases": NaN}', "NaN", id="NaN"),
        pytest.param('{"schemaVersion": 1, "cases": -Infinity}', "-Infinity", id="an-infinity"),
        pytest.param('{"schemaVersion": 1, "cases": 1e400}', "1e400", id="a-number-no-double-holds"),
        pytest.param('{"schemaVersion": 1, "cases": [], "cases": []}', "'cases' stands twice", id="a-key-twice"),
        pytest.param('{"schemaVersion": 1, "n": ' + "9" * 5000 + "}", "number too long", id="five-thousand-digits"),
        pytest.param('{"schemaVersion": 1, "n": ' + "[" * 100 + "]" * 100 + "}", "levels deep", id="beyond-the-cap"),
        pytest.param('{"schemaVersion": 1, "n": ' + "[" * 99_999, "too deep", id="a-hundred-thousand-levels"),
        pytest.param('{"schemaVersion": 1, "cases"', "no whole JSON", id="cut-off"),
        pytest.param('{"schemaVersion": 1}', "cases is missing", id="nothing-else-in-it"),
    ],
)
def test_what_is_no_strict_json_is_refused(text: str, says: str) -> None:
    with pytest.raises(ReportFault) as fault:
        registry.read(text.encode(), "plugin-eval", "r.json")
    assert says in fault.value.message
    assert fault.value.message.startswith("r.json")


def test_a_missing_field_is_named_with_its_place() -> None:
    document = result([EvalSpec("plan"), EvalSpec("check")])
    del document["cases"][1]["arms"]["with"][0]["turns"]
    with pytest.raises(ReportFault, match=r"cases\[1\]\.arms\.with\[0\]\.turns is missing"):
        read(document)


@given(
    st.sampled_from(["cases", "suite", "aggregates", "partial", "claudeVersion", "startedAt", "costUsd"]),
    st.one_of(st.none(), st.integers(), st.text(), st.lists(st.integers()), st.dictionaries(st.text(), st.none())),
)
def test_any_other_value_is_read_or_refused(key: str, value: object) -> None:
    document = result([EvalSpec("plan")]) | {key: value}
    with contextlib.suppress(ReportFault):  # anything else would be a traceback
        assert registry.read(json.dumps(document).encode("utf-8", "replace"), "plugin-eval", "r.json").records
