"""What an error is a share of: of the people for a count, of the number itself for a sum or an average.

A ratio of two counts is a share already, and its error is in points of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from untold.ask.limits import MAX_FORECAST_USERS
from untold.ask.question.formulas import has_quantile, is_linear, totals_in
from untold.ask.question.model import Formula, Question
from untold.errors import UnsupportedQuery

if TYPE_CHECKING:
    from untold.ask.forecast.forecast import Expected, Forecast

ShareOf = Literal["people", "value", "points"]
IN_WORDS = {"people": "of all users", "value": "of its value", "points": "as a difference of shares"}


def share_of(formula: Formula, question: Question) -> ShareOf:
    """What an error of this column is read as a share of."""
    counts = not has_quantile(formula) and all(question.totals[t].is_count for t in totals_in(formula))
    if not counts:
        return "value"
    return "people" if is_linear(formula) else "points"


def relative(column: Expected, users: float) -> float:
    """The standard error as that share."""
    if column.share_of == "value":
        return column.se / abs(column.value) if column.value else float("inf")
    return column.se / users if column.share_of == "people" else column.se


def fewest_users(expected: Callable[[float], Forecast], error: float) -> Forecast:
    """The forecast with the fewest users for which every column is as close as wanted."""

    def close_enough(n: float) -> bool:
        return all(relative(column, n) <= error for column in expected(n).columns)

    low, high = 1.0, MAX_FORECAST_USERS
    if not close_enough(high):
        raise UnsupportedQuery(f"an error of {error:g} is out of reach even with {MAX_FORECAST_USERS:g} users.")
    while high > low * 1.0001:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if close_enough(middle) else (middle, high)
    return expected(high)
