"""Scores in doubles, as the program counts them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.evals import scores
from shipmoor_hooks.evals.definitions import Grader
from shipmoor_hooks.evals.scores import CaseScore


@pytest.mark.parametrize(
    ("weights", "passes", "expected"),
    [
        pytest.param([1], [True], 1.0, id="one that passed"),
        pytest.param([1], [False], 0.0, id="one that fell"),
        pytest.param([1, 1, 1], [True, True, False], 2 / 3, id="two of three"),
        pytest.param([0.3, 0.2, 0.1], [False, True, True], 0.5000000000000001, id="the order of sums shows"),
        pytest.param([0.1] * 10, [True] * 9 + [False], 0.9, id="ten tenths"),
        pytest.param([1, 1e-16], [True, False], 1.0, id="a weight that does not show"),
        pytest.param([1e300, 1], [True, False], 1.0, id="a weight beside which others do not show"),
        pytest.param([], [], 0.0, id="not graded"),
    ],
)
def test_the_score_of_a_run(weights: list[float], passes: list[bool], expected: float) -> None:
    assert scores.run_score(weights, passes) == expected
    assert scores.run_passed(scores.run_score(weights, passes)) is (expected == 1)


def test_weights_that_overflow_are_no_score_and_meet_no_threshold() -> None:
    score = scores.run_score([1e308, 1e308], [True, True])
    assert math.isnan(score)
    assert scores.written(score) is None
    assert not scores.meets(score, 0)
    found = scores.suite_score([scores.case_score([score]), scores.case_score([1.0])], 0.0)
    assert (found.passed, found.total, scores.written(found.overall_score)) == (1, 2, None)
    assert found.overall_pass_rate == 0.5


def test_a_case_is_the_mean_of_its_runs() -> None:
    assert scores.case_score([1.0, 0.5, 1.0]) == CaseScore(2.5 / 3, 2 / 3)
    assert scores.case_score([]) == CaseScore(0.0, 0.0)


@pytest.mark.parametrize(
    ("threshold", "passed"), [(1.0, 1), (0.9, 1), (2 / 3, 2), (0.67, 1), (0.0, 3)], ids=lambda value: str(value)[:5]
)
def test_the_threshold_counts_cases(threshold: float, passed: int) -> None:
    cases = [CaseScore(1.0, 1.0), CaseScore(2 / 3, 0.0), CaseScore(0.0, 0.0)]
    found = scores.suite_score(cases, threshold)
    assert (found.passed, found.total) == (passed, 3)


@given(st.lists(st.tuples(st.floats(1e-3, 1e3), st.booleans()), min_size=1, max_size=9))
def test_one_grader_more_that_passes_lowers_no_score(rows: list[tuple[float, bool]]) -> None:
    weights, passes = [w for w, _ in rows], [p for _, p in rows]
    assert scores.run_score([*weights, 1.0], [*passes, True]) >= scores.run_score(weights, passes) - 1e-12


SKILL = Grader("s", "tool_used", {"tool": "Skill"})
PLAIN = Grader("p", "regex", {"pattern": "x"})


@pytest.mark.parametrize(
    ("graders", "two_arms", "expected"),
    [
        pytest.param([SKILL, PLAIN], False, (True, True), id="one arm: all"),
        pytest.param([SKILL, PLAIN], True, (False, True), id="two arms: not what only the plugin can do"),
        pytest.param([SKILL], True, (True,), id="two arms: all where all are such"),
        pytest.param([Grader("s", "tool_used", {"tool": "Skill"}, arm="both"), PLAIN], True, (True, True), id="both"),
        pytest.param([Grader("p", "regex", {}, arm="with-only"), PLAIN], True, (False, True), id="with-only"),
    ],
)
def test_which_graders_count(graders: list[Grader], two_arms: bool, expected: tuple[bool, ...]) -> None:
    assert scores.scored(graders, two_arms=two_arms) == expected
