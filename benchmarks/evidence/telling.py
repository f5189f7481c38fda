"""Numbers as the book prints them: three digits, the standard error with two, no exponent where it can be avoided."""

from __future__ import annotations

from benchmarks.evidence.exhibit import Estimate, Value

TINY, THOUSAND = 1e-4, 1000
BELOW_THE_DIGITS = 1e-3  # of a number: an error below it does not show in three digits


def number(x: float, digits: int = 3) -> str:
    """With so many digits, and all of them before the point.

    >>> number(0.67134), number(999.7), number(25504.2), number(18034.0, 2), number(0.0000123)
    ('0.671', '1,000', '25,504', '18,000', '1.23e-05')
    """
    short = float(f"{x:.{digits}g}")
    if abs(short) >= THOUSAND:
        return f"{x if digits > 2 else short:,.0f}"
    return f"{short:.{digits}g}" if 0 < abs(short) < TINY else f"{short:g}"


def told(value: Value | Estimate) -> str:
    """A number with its standard error and its unit; an error that does not show in the digits is left out.

    >>> told(Estimate(1.5, 0.748)), told(Estimate(67.1, 0.029, "%")), told(Estimate(7, unit=" of 12"))
    ('1.5 +- 0.75', '67.1%', '7 of 12')
    """
    if isinstance(value, Estimate):
        shows = value.error and (value.error >= BELOW_THE_DIGITS * abs(value.value) or abs(value.value) >= THOUSAND)
        return number(value.value) + value.unit + (f" +- {number(value.error, 2)}{value.unit}" if shows else "")
    if isinstance(value, float):
        return number(value)
    return f"{value:,}" if isinstance(value, int) else value
