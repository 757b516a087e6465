"""Laws of the bounds: they hold what they promise, and more runs promise more."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from shipmoor_hooks.rates import at_least, bound

COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
RATES = st.floats(0.001, 0.999)


def summed(k: int, n: int, rate: float) -> float:
    """The same probability, term by term."""
    return math.fsum(math.comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(k, n + 1))


@given(COUNTS, RATES)
def test_the_probability_is_the_sum_of_its_terms(count: tuple[int, int], rate: float) -> None:
    assert math.isclose(at_least(*count, rate), summed(*count, rate), rel_tol=1e-9, abs_tol=1e-12)


@given(COUNTS, st.floats(0.6, 0.999))
def test_under_the_lower_bound_so_many_are_as_rare_as_promised(count: tuple[int, int], confidence: float) -> None:
    k, n = count
    found = bound(k, n, confidence)
    assert 0 <= found.lower <= k / n <= found.upper <= 1
    if k:
        assert math.isclose(summed(k, n, found.lower), 1 - confidence, rel_tol=1e-6)
    if k < n:
        assert math.isclose(1 - summed(k + 1, n, found.upper), 1 - confidence, rel_tol=1e-6)


@given(COUNTS)
def test_one_more_pass_raises_and_one_more_miss_lowers_both_bounds(count: tuple[int, int]) -> None:
    k, n = count
    now, passed, missed = bound(k, n), bound(k + 1, n + 1), bound(k, n + 1)
    assert missed.lower <= now.lower <= passed.lower
    assert missed.upper <= now.upper + 1e-12
    assert now.upper <= passed.upper + 1e-12


@given(COUNTS)
def test_passes_and_misses_mirror_each_other(count: tuple[int, int]) -> None:
    k, n = count
    assert math.isclose(bound(k, n).upper, 1 - bound(n - k, n).lower, abs_tol=1e-12)


@given(st.integers(10, 5000))
def test_the_rule_of_three(n: int) -> None:
    assert 1 - 3 / n <= bound(n, n).lower <= 1 - 2.5 / n
