"""The place of a row among others: RANK, ROW_NUMBER, NTILE ... over groups, by keys, by estimates, or by both.

By keys a rank is exact. By estimates it is that of the numbers shown; what is certain of the true one follows from intervals
that hold for all of the rows together. While they do, with low and high the ends of a row's own, in the order of the window,

    first = 1 + number of rows whose interval lies before low wholly
    last  = rows - number of rows whose interval lies behind high wholly

and the true rank is one of first .. last. So all ranks of an answer hold together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.ask.question.model import Floats, Ranked

Value = tuple[bool, Any]  # whether it is missing, and the value: missing ones come last
Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Ranks:
    """Of some rows: the rank of the numbers shown, and the first and the last that it may be."""

    value: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class SortedBy:
    """One item of ORDER BY for all rows: its values, and the ends of their intervals; None where it is exact."""

    values: Sequence[Any]
    descending: bool
    ends: tuple[Floats, Floats] | None = None


def ranks(ranked: Ranked, order: Sequence[SortedBy]) -> Ranks:
    """The ranks of all rows of one partition.

    >>> from untold.ask.question.model import Ranked
    >>> ends = np.array([8.0, 3.0, 2.0]), np.array([12.0, 7.0, 6.0])
    >>> found = ranks(Ranked("rank", ()), [SortedBy([10.0, 5.0, 4.0], True, ends)])
    >>> found.value.tolist(), found.low.tolist(), found.high.tolist()
    ([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], [1.0, 3.0, 3.0])
    """
    columns = [_codes(each.values, each.descending) for each in order]
    size = len(columns[0])
    sequence = np.lexsort(columns[::-1])
    before = np.empty((size, len(columns)), dtype=np.intp)
    for place, column in enumerate(columns):
        before[:, place] = column
    sorted_rows = before[sequence]
    starts = np.ones(size, dtype=np.bool_)
    starts[1:] = (sorted_rows[1:] != sorted_rows[:-1]).any(axis=1)
    position, rank, dense, last = (np.empty(size) for _ in range(4))
    position[sequence] = np.arange(1, size + 1)
    first_of = np.flatnonzero(starts)
    group = np.cumsum(starts) - 1
    rank[sequence] = first_of[group] + 1
    dense[sequence] = group + 1
    last[sequence] = np.append(first_of[1:], size)[group]
    span = _span(order, columns)
    if ranked.kind == "dense_rank":
        return _exact_or(dense, span, lambda s: s.distinct)
    if ranked.kind == "row_number":
        return _exact_or(position, span, lambda s: s.first)
    if ranked.kind == "rank":
        return _exact_or(rank, span, lambda s: s.first)
    if ranked.kind == "percent_rank":
        found = _exact_or(rank, span, lambda s: s.first)
        return _mapped(found, lambda r: (r - 1) / max(size - 1, 1))
    if ranked.kind == "cume_dist":
        return _mapped(_exact_or(last, span, lambda s: s.first), lambda r: r / size)
    found = _exact_or(position, span, lambda s: s.first)
    return _mapped(found, lambda r: _tile(r, size, ranked.tiles))


def _tile(position: Floats, size: int, tiles: int) -> Floats:
    """NTILE: the first `size % tiles` tiles have one row more than the others."""
    small, larger = divmod(size, tiles)
    edge = larger * (small + 1)
    return np.where(
        position <= edge, (position - 1) // (small + 1) + 1, larger + (position - 1 - edge) // max(small, 1) + 1
    )


@dataclass(frozen=True, eq=False)
class _Span:
    """Between which places a row is for certain, and at which place among different numbers at least."""

    first: Floats
    last: Floats
    distinct: Floats


def _exact_or(value: Floats, span: _Span | None, low: Callable[[_Span], Floats]) -> Ranks:
    return Ranks(value, value, value) if span is None else Ranks(value, low(span), span.last)


def _mapped(ranks: Ranks, rule: Callable[[Floats], Floats]) -> Ranks:
    return Ranks(rule(ranks.value), rule(ranks.low), rule(ranks.high))


def _codes(values: Sequence[Any], descending: bool) -> Codes:
    """Numbers with the order of the values; what is missing comes last."""
    missing = [value is None or (isinstance(value, float) and isnan(value)) for value in values]
    there = sorted({value for value, gone in zip(values, missing, strict=True) if not gone}, reverse=descending)
    place = {value: number for number, value in enumerate(there)}
    return np.array([len(there) if gone else place[value] for value, gone in zip(values, missing, strict=True)])


def _span(order: Sequence[SortedBy], columns: Sequence[Codes]) -> _Span | None:
    """None if keys alone decide. What comes behind the first estimate in ORDER BY parts ties only, and no interval is one."""
    at = next((place for place, each in enumerate(order) if each.ends is not None), None)
    if at is None:
        return None
    lead = _together(columns[:at], len(columns[at]))
    low, high = order[at].ends or (np.empty(0), np.empty(0))
    starts, ends = (-high, -low) if order[at].descending else (low, high)
    missing = np.isnan(starts) | np.isnan(ends)  # those come last, for certain
    starts, ends = np.where(missing, inf, starts), np.where(missing, inf, ends)
    size = len(lead)
    first, last, distinct = np.empty(size), np.empty(size), np.empty(size)
    for code in np.unique(lead):
        mine = np.flatnonzero(lead == code)
        earlier, later = int((lead < code).sum()), int((lead > code).sum())
        by_end, by_start = np.sort(ends[mine]), np.sort(starts[mine])
        first[mine] = earlier + 1 + np.searchsorted(by_end, starts[mine], side="left")
        last[mine] = size - later - (len(mine) - np.searchsorted(by_start, ends[mine], side="right"))
        distinct[mine] = _distinct(starts[mine], ends[mine]) + (1 if earlier else 0)
    return _Span(first, last, distinct)


def _distinct(starts: Floats, ends: Floats) -> Floats:
    """One more than how many intervals that do not touch each other lie before each: so many different numbers at least."""
    chosen: list[float] = []
    for start, end in sorted(zip(starts.tolist(), ends.tolist(), strict=True), key=lambda each: each[1]):
        if not chosen or start > chosen[-1]:
            chosen.append(end)
    return np.asarray(1.0 + np.searchsorted(np.array(chosen), starts, side="left"))


def _together(columns: Sequence[Codes], size: int) -> Codes:
    """One number for several, with the same order."""
    if not columns:
        return np.zeros(size, dtype=np.intp)
    _, numbers = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return numbers.reshape(-1)
