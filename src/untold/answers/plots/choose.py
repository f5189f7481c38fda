"""Chooses the chart that fits an answer: points, bars, a line or a heat map."""

from __future__ import annotations

import datetime
from itertools import pairwise
from typing import Any

from untold.answers.result import Result
from untold.errors import UntoldError

KINDS = {
    "points": "one line per row of the answer, in its order: a point and its interval",
    "bars": "the same with bars from 0, for counts and sums",
    "line": "a line with a band, for one key that is a number or a date; a line for each value of another key over epochs",
    "heatmap": "a coloured cell per pair of keys",
}
FEWEST_FOR_A_LINE = 4
MOST_LINES = 8  # that can be told apart


def choose_kind(result: Result, kind: str | None = None) -> str:
    """The kind that was asked for, if it can be drawn; otherwise by the keys."""
    if not result.estimates or result.table.num_rows == 0:
        what = "no rows" if result.estimates else "no estimated column"
        raise UntoldError(
            f"There is nothing to draw: the answer has {what}.\nHint: SELECT an aggregate, such as COUNT(*)."
        )
    if kind is None:
        return _by_keys(result)
    if kind not in KINDS:
        known = "".join(f"\n  {name}: {what}" for name, what in KINDS.items())
        raise UntoldError(f"kind={kind!r} is not a kind of chart. Known are:{known}")
    keys = len(result.keys)
    if (
        kind == "line"
        and along_time(result) is None
        and not (keys == 1 and is_scale(result.values(result.keys[0].name)))
    ):
        raise UntoldError(
            "kind='line' needs one key that is a number or a date.\nHint: kind='points' draws any answer."
        )
    if kind == "heatmap" and keys != 2:
        raise UntoldError(
            f"kind='heatmap' needs two keys; this answer has {keys}.\nHint: kind='points' draws any answer."
        )
    return kind


def _by_keys(result: Result) -> str:
    values = [result.values(key.name) for key in result.keys]
    if along_time(result) is not None:
        return "line"
    if len(values) == 2 and all(len(set(column)) > 1 for column in values):
        return "heatmap"
    if len(values) == 1 and len(values[0]) >= FEWEST_FOR_A_LINE and is_scale(values[0]) and in_order(values[0]):
        return "line"
    return "points"


def along_time(result: Result) -> int | None:
    """The number of the key to put along an axis where an answer tells how something went from epoch to epoch: with no other
    key, or one of few values."""
    keys = [result.values(key.name) for key in result.keys]
    for i, key in enumerate(result.keys):
        others = [set(column) for j, column in enumerate(keys) if j != i]
        few = len(others) == 0 or (len(others) == 1 and len(others[0]) <= MOST_LINES)
        if key.is_time and few and is_scale(keys[i]) and len(set(keys[i])) > 1:
            return i
    return None


def is_scale(values: list[Any]) -> bool:
    """Whether all keys are numbers, or all are dates: something to put along an axis."""
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    return numbers or all(isinstance(v, datetime.date) for v in values)


def in_order(values: list[Any]) -> bool:
    """Whether the keys rise or fall from row to row. An answer ordered by something else is shown in that order.

    >>> in_order([18, 19, 21]), in_order([3, 2, 1]), in_order([18, 42, 30])
    (True, True, False)
    """
    pairs = list(pairwise(values))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)
