"""Numbers as people read them: never more digits than the error supports, never without the error.

Both stop at the second significant digit of the error, before the point as behind it: 12,350 ± 680, 0.123 ± 0.068. All digits
are in the data frame. ± is half of the interval, everywhere.
"""

from __future__ import annotations

from math import floor, inf, isfinite, isnan, log10
from typing import Any

LARGE = 1e15  # from here on, and below SMALL, powers of ten
SMALL = 1e-6
LOPSIDED = 0.05  # an interval whose halves differ by more than this share of the wider one is shown by its two ends
UNKNOWN = "undefined"
NOISE = "unknown"
NEAREST = "*"  # behind a number that stands for an estimate beyond what is possible
ROUNDED = 1e-9  # of a number: what doubles lose is not beyond what is possible
ANYTHING = "anything"  # an interval that rules out nothing, beside a best guess


def nearest(value: float, low: float, high: float, digits: int | None = None) -> float:
    """The possible number that is nearest to an estimate: intervals are cut to what is possible, so that only noise takes an
    estimate out of its own. `digits` are those that it was rounded to.

    >>> nearest(-3.2, 0.0, 4.1), nearest(2.0, 0.0, 4.1), nearest(0.0, 0.2, 0.4, digits=0)
    (0.0, 2.0, 0.0)
    """
    slack = ROUNDED * max(abs(value), *(abs(end) for end in (low, high) if isfinite(end)), 0.0)
    slack += 0.0 if digits is None else 0.5 * 10.0**-digits
    if value < low - slack:
        return low
    return high if value > high + slack else value


def interval_text(
    value: float | None,
    low: float | None,
    high: float | None,
    possible: tuple[float, float] = (-inf, inf),
    digits: int | None = None,
) -> str:
    """A value and its interval; "unknown" where the interval rules out nothing that is possible. In place of a value that is not
    possible stands the nearest one that is, with a mark.

    >>> interval_text(12345.4, 11667.4, 13023.4)
    '12,350 ± 680'
    >>> interval_text(52.0, 48.0, 61.0)
    '52.0 (48.0 to 61.0)'
    >>> interval_text(-3.2, float("-inf"), float("inf")), interval_text(0.4, -0.3, 1.1, (0.0, 1.0))
    ('unknown', 'unknown')
    >>> interval_text(-31.0, 0.0, 340.0)
    '0* (0 to 340)'
    """
    if value is None or isnan(value):
        return UNKNOWN
    if low is None or high is None or isnan(low) or isnan(high):
        return f"{number_text(value)} (error {UNKNOWN})"
    if low <= possible[0] and high >= possible[1] and possible[0] < possible[1]:
        return NOISE
    there = nearest(value, low, high, digits)
    mark, value = NEAREST if there != value else "", there
    below, above = value - low, high - value
    width = max((side for side in (below, above) if isfinite(side)), default=0.0)
    shown = number_text(value, width) + mark
    if is_symmetric(value, low, high, possible):
        return f"{shown} ± {number_text(width, width)}"
    return f"{shown} ({ends_text(low, high, width, possible)})"


def ends_text(low: float, high: float, width: float, possible: tuple[float, float] = (-inf, inf)) -> str:
    """Both ends of an interval; what is possible ends exactly there, and is not rounded.

    >>> ends_text(31.234, 4567.0, 2300.0), ends_text(31.234, 4567.0, 2300.0, (0.0, 4567.0))
    ('0 to 4,600', '0 to 4,567')
    """
    return " to ".join(_end_text(*each, width) for each in zip((low, high), possible, (-1, 1), strict=True))


def _end_text(end: float, most: float, side: int, width: float) -> str:
    rounded = number_text(end, width)
    beyond = isfinite(end) and side * float(rounded.replace(",", "")) > side * most
    return number_text(most) if beyond or end == most else rounded


def best_text(
    best: float | None,
    typical: float | None,
    low: float | None,
    high: float | None,
    possible: tuple[float, float] = (-inf, inf),
) -> str:
    """A best guess, ~ its typical error, and the guaranteed interval in brackets, which is another thing.

    >>> best_text(12345.4, 402.0, 9087.0, 14923.0)
    '12,350 ~ 400 (9,090 to 14,920)'
    >>> best_text(0.42, 0.031, -0.3, 1.2, (0.0, 1.0)), best_text(4.0, None, 0.0, 12.0), best_text(None, None, 0.0, 12.0)
    ('0.420 ~ 0.031 (anything)', '4.0 (0.0 to 12.0)', 'undefined')
    """
    if best is None or isnan(best):
        return UNKNOWN
    size = typical if typical is not None and isfinite(typical) else 0.0
    if low is None or high is None or isnan(low) or isnan(high):
        ends = f"error {UNKNOWN}"
    elif low <= possible[0] and high >= possible[1] and possible[0] < possible[1]:
        ends = ANYTHING
    else:
        width = size or max((side for side in (best - low, high - best) if isfinite(side)), default=0.0)
        ends = ends_text(low, high, width, possible)
        size = size if typical is not None and isfinite(typical) else width
    shown = number_text(best, size)
    if typical is None or isnan(typical):
        return f"{shown} ({ends})"
    return f"{shown} ~ {number_text(typical, typical)} ({ends})"


def is_symmetric(value: float, low: float, high: float, possible: tuple[float, float] = (-inf, inf)) -> bool:
    """Whether low and high are finite and, as far as people care, equally far from the value; both are where what is possible
    ends at one of them.

    >>> is_symmetric(100.0, 0.0, 204.0), is_symmetric(100.0, 0.0, 204.0, (0.0, 900.0)), is_symmetric(5.0, 5.0, 5.0, (0.0, 5.0))
    (True, False, True)
    """
    below, above = value - low, high - value
    if not isfinite(below) or not isfinite(above):
        return False
    touches = (low == possible[0] and above > below) or (high == possible[1] and below > above)
    return abs(above - below) <= (ROUNDED if touches else LOPSIDED) * max(above, below, 0.0)


def number_text(value: float, error: float = 0.0) -> str:
    """A number with as many digits as an error of this size supports; without an error, six significant digits.

    >>> number_text(1234.5678, 0.31), number_text(1234.5678, 31), number_text(1234.5678, 310), number_text(1e20, 1e18)
    ('1,234.57', '1,235', '1,230', '1.000e+20')
    >>> number_text(0.25), number_text(12.5, inf)
    ('0.25', '12.5')
    """
    if isnan(value):
        return UNKNOWN
    if not isfinite(value):
        return "∞" if value == inf else "-∞"
    error = error if isfinite(error) else 0.0  # it says nothing about digits
    size = max(abs(value), error)
    if size >= LARGE or 0 < size < SMALL:
        return f"{value:.{_digits(value, error) - 1}e}"
    if error > 0:
        place = min(12, _last_place(error))
        text = f"{round(value, place):,.{max(0, place)}f}"
    elif abs(value) >= 1e6 or value == int(value):
        text = f"{value:,.0f}"
    else:
        text = f"{value:,.6g}"
    return text[1:] if text.startswith("-") and not any(c in "123456789" for c in text) else text  # no -0.0


def percent_text(share: float) -> str:
    """
    >>> percent_text(0.95), percent_text(0.999)
    ('95%', '99.9%')
    """
    return f"{share * 100:.6g}%"


def count_text(count: int, noun: str) -> str:
    """
    >>> count_text(1, "user"), count_text(1200, "user")
    ('1 user', '1,200 users')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _last_place(error: float) -> int:
    """How many decimals two significant digits of the error need: 1 for 6.78; 0 for 9.96, which rounds to 10."""
    return 1 - floor(log10(float(f"{error:.1e}")))


def _digits(value: float, error: float) -> int:
    """Significant digits of the value down to the second one of the error, at most 12."""
    if error <= 0 or value == 0:
        return 2 if error > 0 else 6
    return min(12, max(2, floor(log10(abs(value))) + _last_place(error) + 1))


def json_value(value: Any) -> Any:
    """A cell as JSON can write it: neither nan nor infinity, and dates as text."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)
