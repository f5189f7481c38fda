"""Integer arithmetic of privacy: budgets in nano-epsilon, probabilities as integer weights, rounded so that no ratio of
probabilities ever exceeds e^epsilon."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

NANO = 10**9
PRECISION = 192  # bits after the binary point in lower bounds of e^x


def to_nano(epsilon: float) -> int:
    """Epsilon as the user wrote it, in billionths, rounded down.

    >>> to_nano(2.3)
    2300000000
    """
    return int(Decimal(repr(float(epsilon))) * NANO)


def at_most_text(value: float, digits: int = 6) -> str:
    """A bound as people read it, rounded up: nobody is promised more than holds. Every epsilon, delta and ratio that is
    shown goes through here; what is a least number goes through `at_least_text`.

    >>> at_most_text(1.0049, 2), at_most_text(2 / 3), at_most_text(0.3), at_most_text(1e-8)
    ('1.1', '0.666667', '0.3', '1e-08')
    """
    return _rounded(value, digits, ROUND_CEILING)


def at_least_text(value: float, digits: int = 6) -> str:
    """The same, rounded down.

    >>> at_least_text(2 / 3), at_least_text(0.3)
    ('0.666666', '0.3')
    """
    return _rounded(value, digits, ROUND_FLOOR)


def percent_range(low: float, high: float) -> tuple[str, str]:
    """Two shares in per cent with one digit behind the point, the lower one rounded down and the upper one up.

    >>> percent_range(0.01478, 0.45088)
    ('1.4%', '45.1%')
    """
    down = Decimal(repr(100 * low)).quantize(Decimal("0.1"), ROUND_FLOOR)
    up = Decimal(repr(100 * high)).quantize(Decimal("0.1"), ROUND_CEILING)
    return f"{max(down, Decimal('0.0'))}%", f"{min(up, Decimal('100.0'))}%"


def nano_text(nano: int) -> str:
    """Nano-epsilon as epsilon, to the last digit.

    >>> nano_text(1_500_000_000), nano_text(333_333_333), nano_text(0)
    ('1.5', '0.333333333', '0')
    """
    whole, part = divmod(nano, NANO)
    return f"{whole}.{part:09d}".rstrip("0").rstrip(".")


def _rounded(value: float, digits: int, towards: str) -> str:
    shown = Context(prec=digits, rounding=towards).create_decimal(repr(float(value)))
    return f"{float(shown):.{digits}g}"


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
            f"epsilon {nano_text(nano)} is too small for {sides:,} cells: the truth would be less likely than a lie"
        )
    return heavy, light
