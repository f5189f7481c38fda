"""Integer arithmetic of privacy: budgets in nano-epsilon, probabilities as integer weights, rounded so that no ratio of
probabilities ever exceeds e^epsilon."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

NANO = 10**9
PRECISION = 192  # bits after the binary point in lower bounds of e^x


def to_nano(epsilon: float) -> int:
    """Epsilon as the user wrote it, in billionths, rounded down.

    >>> to_nano(2.3)
    2300000000
    """
    return int(Decimal(repr(float(epsilon))) * NANO)


def exp_at_most(nano: int, divisor: int = 1) -> Fraction:
    """The largest fraction over 2^192, but for rounding of each term, that is not above e^(nano / divisor / 10^9).

    Taylor's series with every term rounded down; all terms are positive.

    >>> float(exp_at_most(10**9))
    2.718281828459045
    """
    term = total = 1 << PRECISION
    n = 0
    while term:
        n += 1
        term = term * nano // (n * divisor * NANO)
        total += term
    return Fraction(total, 1 << PRECISION)


def tilt(nano: int, sides: int, total: int) -> tuple[int, int]:
    """Weights (heavy, light) with heavy + (sides - 1) * light = total and heavy / light <= e^epsilon, as near as
    integers get.

        light = ceil(total / (e^eps + sides - 1))        heavy = total - (sides - 1) * light

    >>> tilt(10**9, 3, 100)
    (56, 22)
    """
    if sides == 1:
        return total, total
    bound = exp_at_most(nano)
    light = -(-total * bound.denominator // (bound.numerator + (sides - 1) * bound.denominator))
    heavy = total - (sides - 1) * light
    if heavy < light:
        raise ValueError(
            f"epsilon {nano / NANO:g} is too small for {sides:,} cells: the truth would be less likely than a lie"
        )
    return heavy, light
