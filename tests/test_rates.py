"""k of n in words, and bounds that the numbers allow."""

from __future__ import annotations

import math

import pytest

from shipmoor_hooks.rates import Interval, at_least, bound, of, worded


@pytest.mark.parametrize(
    ("k", "n", "words"),
    [
        pytest.param(0, 0, "0 of 0: nothing was measured", id="no runs say nothing"),
        pytest.param(5, 5, "5 of 5: at least 0.55 at 95 %", id="all of few"),
        pytest.param(0, 5, "0 of 5: at most 0.45 at 95 %", id="none of few"),
        pytest.param(3, 5, "3 of 5: at least 0.19 and at most 0.92, each at 95 %", id="some"),
        pytest.param(1, 1, "1 of 1: at least 0.05 at 95 %", id="one run says next to nothing"),
        pytest.param(300, 300, "300 of 300: at least 0.99 at 95 %", id="the rule of three"),
        pytest.param(3000, 3000, "3000 of 3000: at least 0.999 at 95 %", id="more decimals where two would say 1"),
        pytest.param(0, 3000, "0 of 3000: at most 0.001 at 95 %", id="more decimals where two would say 0"),
    ],
)
def test_a_rate_in_words(k: int, n: int, words: str) -> None:
    assert worded(k, n) == words
    assert words.startswith(of(k, n))


def test_the_confidence_is_told() -> None:
    assert worded(5, 5, 0.9) == "5 of 5: at least 0.63 at 90 %"
    assert worded(5, 5, 0.999).endswith("at 99.9 %")


@pytest.mark.parametrize(
    ("k", "n", "lower", "upper"),
    [
        # Exact one-sided limits at 95 % (tables of Clopper and Pearson's two-sided 90 % interval).
        pytest.param(0, 10, 0.0, 0.2589, id="0 of 10"),
        pytest.param(1, 10, 0.0051, 0.3942, id="1 of 10"),
        pytest.param(5, 10, 0.2224, 0.7776, id="5 of 10"),
        pytest.param(9, 10, 0.6058, 0.9949, id="9 of 10"),
        pytest.param(10, 10, 0.7411, 1.0, id="10 of 10"),
        pytest.param(0, 0, 0.0, 1.0, id="0 of 0 leaves everything open"),
    ],
)
def test_the_bounds_are_those_of_clopper_and_pearson(k: int, n: int, lower: float, upper: float) -> None:
    found = bound(k, n)
    assert (found.lower, found.upper) == (pytest.approx(lower, abs=6e-5), pytest.approx(upper, abs=6e-5))
    assert found.confidence == 0.95


def test_a_low_confidence_bounds_beyond_the_rate_itself() -> None:
    found = bound(3, 5, 0.01)
    assert isinstance(found, Interval)
    assert at_least(3, 5, found.lower) == pytest.approx(0.99)
    assert found.lower > 3 / 5 > found.upper


@pytest.mark.parametrize(
    ("k", "n", "rate", "probability"),
    [
        pytest.param(0, 5, 0.3, 1.0, id="none or more is certain"),
        pytest.param(6, 5, 0.3, 0.0, id="more than all is impossible"),
        pytest.param(1, 5, 0.0, 0.0, id="at rate 0 nothing comes up"),
        pytest.param(5, 5, 1.0, 1.0, id="at rate 1 all come up"),
        pytest.param(5, 5, 0.5, 1 / 32, id="five heads"),
        pytest.param(1, 5, 0.5, 31 / 32, id="at least one head"),
    ],
)
def test_the_probability_of_k_or_more(k: int, n: int, rate: float, probability: float) -> None:
    assert at_least(k, n, rate) == pytest.approx(probability, abs=1e-12)


@pytest.mark.parametrize("k", [1, 9, 5_000_000, 9_999_991, 9_999_999])
def test_ten_million_samples_still_have_sound_bounds(k: int) -> None:
    n = 10_000_000
    found = bound(k, n)
    spread = 1.645 * math.sqrt(k / n * (1 - k / n) / n)
    assert k / n - 5 * spread < found.lower < k / n < found.upper < k / n + 5 * spread
    assert at_least(k, n, found.lower) == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize(
    ("k", "n", "confidence"),
    [
        pytest.param(-1, 5, 0.95, id="fewer than none"),
        pytest.param(6, 5, 0.95, id="more than all"),
        pytest.param(1, 10_000_001, 0.95, id="more samples than the arithmetic carries"),
        pytest.param(1, 5, 0.0, id="no confidence"),
        pytest.param(1, 5, 1.0, id="certainty"),
    ],
)
def test_what_is_no_count_is_refused(k: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match=r"no count|between 0 and 1"):
        worded(k, n, confidence)
