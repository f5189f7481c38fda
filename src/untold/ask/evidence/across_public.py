"""Totals over several public groups: the reports of each group were added up apart, and people are in one of them.

Let T_i(g) be total i among the rows of public group g, and K_i the public keys that it is taken within. For a row of the
answer in group g

    total i        = sum of T_i(h) over the groups h that agree with g in K_i
    Cov(i, j)      = sum of Cov(T_i(h), T_j(h)) over the groups h that agree with g in K_i and in K_j

since reports in different groups are independent of each other. Where they are not, the question was refused before
(`scores.compile`). A total over a window (`question.frames`) takes W[g, h] times the groups h that agree with g in the other
keys; with W_i(g, h) = 1 for all others,

    total i        = sum of W_i(g, h) T_i(h)
    Cov(i, j)      = sum of W_i(g, h) W_j(g, h) Cov(T_i(h), T_j(h))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.ask.estimates.measured import Measured, numbers_of
from untold.ask.estimates.totals import Totals, stacked
from untold.ask.evidence.plausible import Plausible
from untold.ask.question.frames import Frame
from untold.ask.question.groups import own_keys
from untold.ask.question.model import PublicKey, Question

Codes = npt.NDArray[np.intp]  # of groups: the same where they agree
Numbers = npt.NDArray[np.float64]


def across_public(question: Question, groups: Sequence[Measured]) -> list[Measured]:
    """The same groups, with totals over several public ones."""
    public = [n for n, key in enumerate(question.keys) if isinstance(key, PublicKey)]
    kept = [
        frozenset(place for place, n in enumerate(public) if total.within is None or n in own_keys(total))
        for total in question.totals
    ]
    frames = [
        (public.index(total.frame.key), total.frame) if total.frame is not None and total.frame.key in public else None
        for total in question.totals
    ]
    places: dict[int, list[int]] = {}
    for place, number in enumerate(numbers_of(groups)):
        places.setdefault(number, []).append(place)
    out: list[Measured] = list(groups)
    for rows in places.values():
        for place, measured in zip(rows, _together([out[place] for place in rows], kept, frames), strict=True):
            out[place] = measured
    return out


def _together(
    rows: Sequence[Measured], kept: Sequence[frozenset[int]], frames: Sequence[tuple[int, Frame] | None]
) -> list[Measured]:
    """The groups of one combination of sensitive labels."""
    agree = {both: _codes(rows, both) for both in {a | b for a in kept for b in kept}}
    windows = [
        None if frame is None else _window(rows, agree[own], *frame) for own, frame in zip(kept, frames, strict=True)
    ]
    apart = stacked([row.totals for row in rows])
    totals = range(len(kept))

    def total(i: int, numbers: Numbers) -> Numbers:
        window = windows[i]
        return _sums(agree[kept[i]], numbers) if window is None else window.weights @ numbers

    def pair(i: int, j: int, numbers: Numbers) -> Numbers:
        one, other = windows[i], windows[j]
        if one is None and other is None:
            return _sums(agree[kept[i] | kept[j]], numbers)
        weights = [_same(agree[kept[n]]) if w is None else w.weights for n, w in ((i, one), (j, other))]
        return np.asarray((weights[0] * weights[1]) @ numbers)

    values = np.stack([total(i, apart.values[:, i]) for i in totals], axis=1)
    alone = np.stack([pair(i, i, apart.variances[:, i]) for i in totals], axis=1)

    def added(matrix: Numbers) -> Numbers:
        out = np.empty_like(matrix)
        for i in totals:
            for j in totals:
                out[:, i, j] = pair(i, j, matrix[:, i, j])
        return out

    floor = None if apart.floor is None else added(apart.floor)
    for i, window in enumerate(windows):
        if window is not None:
            values[window.absent, i] = np.nan
    found = Totals(values, added(apart.covariance), floor, alone, apart.known)
    plausible = [row.adjust for row in rows if isinstance(row.adjust, Plausible)]
    if len(plausible) < len(rows):
        return [replace(row, totals=found.at(place)) for place, row in enumerate(rows)]
    most = sum(each.most for each in plausible)
    points = [each.values for each in plausible if each.values is not None]
    if len(points) < len(plausible):
        plain = [replace(each, most=most) for each in plausible]
    else:
        best = np.stack([total(i, np.stack(points)[:, i]) for i in totals], axis=1)
        spread = added(np.stack([each.spread for each in plausible if each.spread is not None]))
        plain = [
            replace(each, most=most, values=best[place], spread=spread[place], noise=found.covariance[place])
            for place, each in enumerate(plausible)
        ]
    return [
        replace(row, totals=found.at(place), adjust=each)
        for place, (row, each) in enumerate(zip(rows, plain, strict=True))
    ]


@dataclass(frozen=True, eq=False)
class _Window:
    """W of some rows, and which of them show NULL."""

    weights: Numbers
    absent: npt.NDArray[np.bool_]


def _window(rows: Sequence[Measured], agree: Codes, place: int, frame: Frame) -> _Window:
    """The window of every row among those that agree with it, by the order of their public key at a place."""
    weights, absent = np.zeros((len(rows), len(rows))), np.zeros(len(rows), dtype=np.bool_)
    for code in np.unique(agree):
        mine = np.flatnonzero(agree == code)
        own: list[Any] = [rows[row].key[place] for row in mine.tolist()]
        values = sorted({value for value in own if value is not None}, reverse=frame.descending)
        order = [*values, None]
        at = np.array([order.index(value) for value in own])
        size = int(at.max()) + 1
        weights[np.ix_(mine, mine)] = frame.weights(size)[np.ix_(at, at)]
        absent[mine] = frame.absent(size)[at]
    return _Window(weights, absent)


def _same(codes: Codes) -> Numbers:
    """1 where two groups agree."""
    return np.asarray((codes[:, None] == codes[None, :]).astype(np.float64))


def _codes(rows: Sequence[Measured], places: frozenset[int]) -> Codes:
    """A number for each group, the same for those with the same keys at these places."""
    numbers: dict[tuple[object, ...], int] = {}
    keys = (tuple(row.key[place] for place in sorted(places)) for row in rows)
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys])


def _sums(codes: Codes, values: Numbers) -> Numbers:
    """For each group, the sum over all that agree with it."""
    return np.bincount(codes, values).astype(np.float64)[codes]
