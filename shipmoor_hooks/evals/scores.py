"""Scores as the program counts them: of a run, a case and a suite (design, section 8). Pure.

All arithmetic is in doubles, in the graders' order, one addition after the other: `0.3 + 0.2 + 0.1` is not 0.6, and the
program's own score is not 0.5 either. Weights that overflow give NaN, which meets no threshold; the program writes `null`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shipmoor_hooks.data_classes import dataclass
from shipmoor_hooks.evals.definitions import TOOL_USED, Grader

NO_SCORE = math.nan


@dataclass(frozen=True, slots=True)
class CaseScore:
    """The mean score of a case's runs, and the share of them that passed."""

    score: float
    pass_rate: float


@dataclass(frozen=True, slots=True)
class SuiteScore:
    """`passed` of `total` cases have a score that meets the threshold; the means are over cases, NaN where one has none."""

    passed: int
    total: int
    overall_score: float
    overall_pass_rate: float


def run_score(weights: Sequence[float], passes: Sequence[bool]) -> float:
    """The weight of the graders that passed, of all weight, for the scored graders in their order; 0 without a grader."""
    if not weights:
        return 0.0
    won = total = 0.0
    for weight, passed in zip(weights, passes, strict=True):
        total += weight
        won += weight if passed else 0.0
    return won / total if total else NO_SCORE if math.isinf(total) else 0.0


def run_passed(score: float) -> bool:
    """A run passes when its score is 1: in doubles, so that a failed grader of weight 1e-16 does not show."""
    return score == 1


def case_score(scores: Sequence[float]) -> CaseScore:
    """Of a case's runs; a run that was not graded has the score 0."""
    return CaseScore(_mean(scores), _mean([1.0 if run_passed(score) else 0.0 for score in scores]))


def meets(score: float, threshold: float) -> bool:
    """Does a score meet the threshold? NaN does not, whatever the threshold."""
    return score >= threshold


def suite_score(cases: Sequence[CaseScore], threshold: float) -> SuiteScore:
    """The aggregates of a suite."""
    passed = sum(meets(case.score, threshold) for case in cases)
    return SuiteScore(passed, len(cases), _mean([c.score for c in cases]), _mean([c.pass_rate for c in cases]))


def written(score: float) -> float | None:
    """A score as JSON has it: what is no number is null."""
    return score if math.isfinite(score) else None


def scored(graders: Sequence[Grader], *, two_arms: bool) -> tuple[bool, ...]:
    """Which graders count in the arm with the plugin.

    With two arms those that only make sense with the plugin (`arm: with-only`, a use of Skill) do not, unless all are such;
    `arm: both` undoes it. With one arm all count.
    """
    if not two_arms:
        return (True,) * len(graders)
    counts = tuple(not with_only(grader) for grader in graders)
    return counts if any(counts) else (True,) * len(graders)


def with_only(grader: Grader) -> bool:
    """Does the grader only make sense where the plugin is loaded?"""
    if grader.arm:
        return grader.arm == "with-only"
    return grader.type == TOOL_USED and grader.config.get("tool") == "Skill"


def _mean(values: Sequence[float]) -> float:
    """The sum from left to right by the number; not `sum`, which newer Pythons round more finely than JavaScript."""
    if not values:
        return 0.0
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
