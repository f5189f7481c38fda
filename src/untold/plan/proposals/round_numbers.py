"""Round bounds and steps for numbers that were seen."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

NICE = (1, 2, 5, 10)


def round_step(span: Decimal, parts: int) -> Decimal:
    """The least of 1, 2 or 5 times a power of ten that cuts a span into at most so many parts.

    >>> round_step(Decimal(74), 20), round_step(Decimal("0.9"), 100)
    (Decimal('5'), Decimal('0.01'))
    """
    least = span / parts
    power = Decimal(1).scaleb(least.adjusted())
    found = next(power * n for n in NICE if power * n >= least)
    return found if found >= 1 else found.normalize()


def round_bounds(low: Decimal, high: Decimal, step: Decimal) -> tuple[Decimal, Decimal]:
    """The nearest multiples of a step at or outside of two numbers.

    >>> round_bounds(Decimal(17), Decimal(91), Decimal(5))
    (Decimal('15'), Decimal('95'))
    """
    first = (low / step).to_integral_value(ROUND_FLOOR) * step
    last = (high / step).to_integral_value(ROUND_CEILING) * step
    return first, last


def as_toml(number: Decimal) -> int | float:
    """A number that a plan file takes."""
    return int(number) if number == number.to_integral_value() else float(number)
