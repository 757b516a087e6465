"""k of n in words, and the bound that the numbers allow (design, section 2: never a percentage alone).

The bounds are those of Clopper and Pearson (Biometrika 26, 1934), one-sided: the smallest rate under which k or more
of n still come up with probability 1 - confidence, and the largest under which k or fewer do. They are exact, so they
hold for the few runs that people have, where Wilson's interval promises too much (5 of 5: 0.65 for a true 0.55). For
n of n the lower one is (1 - confidence) ** (1 / n); at 95 % that is near 1 - 3 / n, the rule of three.
"""

from __future__ import annotations

import math

from shipmoor_hooks.data_classes import dataclass

_STEPS = 60  # halvings: finer than a float between 0 and 1 needs
_MOST_SAMPLES = 10_000_000  # beyond, the logarithms below lose the digits that count
_CLOSE = 1e-14
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Interval:
    """What k of n says about the rate: at least `lower`, at most `upper`, each alone at `confidence`."""

    lower: float
    upper: float
    confidence: float


def of(k: int, n: int) -> str:
    """`5 of 5`. Raises ValueError unless 0 <= k <= n <= 10,000,000."""
    _check(k, n)
    return f"{k} of {n}"


def worded(k: int, n: int, confidence: float = 0.95) -> str:
    """`5 of 5: at least 0.55 at 95 %`. Raises ValueError unless 0 <= k <= n <= 10,000,000 and 0 < confidence < 1."""
    found = bound(k, n, confidence)
    if n == 0:
        return "0 of 0: nothing was measured"
    sides = []
    if k > 0:
        sides.append(f"at least {_shown(found.lower)}")
    if k < n:
        sides.append(f"at most {_shown(found.upper)}")
    each = ", each" if len(sides) == 2 else ""
    return f"{of(k, n)}: {' and '.join(sides)}{each} at {confidence * 100:g} %"


def bound(k: int, n: int, confidence: float = 0.95) -> Interval:
    """The one-sided bounds on the rate behind k of n; 0 and 1 where the numbers allow no other.

    Raises ValueError unless 0 <= k <= n <= 10,000,000 and 0 < confidence < 1.
    """
    _check(k, n)
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
    return Interval(_lower(k, n, confidence), 1 - _lower(n - k, n, confidence), confidence)


def at_least(k: int, n: int, rate: float) -> float:
    """The probability of k or more of n at this rate: the incomplete beta function I(rate; k, n - k + 1)."""
    if k <= 0:
        return 1.0
    if k > n or rate <= 0:
        return 0.0
    if rate >= 1:
        return 1.0
    a, b = k, n - k + 1
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(rate) + b * math.log1p(-rate))
    # The continued fraction converges fast on its own side of the mean; the other side is the complement.
    if rate < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, rate) / a
    return 1 - front * _fraction(b, a, 1 - rate) / b


def _check(k: int, n: int) -> None:
    if not 0 <= k <= n <= _MOST_SAMPLES:
        raise ValueError(f"{k} of {n} is no count")


def _shown(rate: float) -> str:
    """Two decimals, more where two would say 0 or 1, which no bound between them means."""
    words = [f"{rate:.{digits}f}" for digits in range(2, 10)]
    return next((w for w in words if 0 < float(w) < 1), words[0])


def _lower(k: int, n: int, confidence: float) -> float:
    """The rate at which k or more of n have the probability 1 - confidence, by halving: it grows with the rate."""
    if k == 0:
        return 0.0
    if k == n:
        return float((1 - confidence) ** (1 / n))
    low, high = 0.0, k / n
    if at_least(k, n, high) < 1 - confidence:
        high = 1.0  # a confidence so low that the bound lies above the rate itself
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if at_least(k, n, middle) < 1 - confidence:
            low = middle
        else:
            high = middle
    return low


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    numerator, denominator = 1.0, 1 / _kept(1 - (a + b) * x / (a + 1))
    value = denominator
    m = 0
    while True:
        m += 1
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            denominator = 1 / _kept(1 + term * denominator)
            numerator = _kept(1 + term / numerator)
            step = denominator * numerator
            value *= step
        if abs(step - 1) < _CLOSE:
            return value


def _kept(value: float) -> float:
    """Away from zero, so that the next step can divide."""
    return value if abs(value) > _TINY else _TINY
