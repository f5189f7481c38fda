"""From questions to classes: the coarsest partition of each attribute on which all that is asked is constant, or a straight line.

For one function f over ordered values with differences d_i = f_(i+1) - f_i, walk from s = 0: if d_s is not 0 and differs from
d_(s+1), the value s is a piece by itself; else the piece is the longest run with equal differences. Classes are the common
refinement of the pieces of all functions. A slope inside of a class needs the bit. Values of a list are one group if no
function tells them apart.

GROUP BY the column itself tells all values apart, so nothing would be left of what conditions have in common. Where conditions
alone make few classes, these are the classes, and single values are the level below: hours of a day below mornings and nights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from untold.ask.question.formulas import formulas_of, parts
from untold.ask.question.model import Column, Floats, Quantile, Question, SensitiveKey

EQUAL = 1e-9  # of the largest value: rounding
MOST_PIECES = 64  # of one function: more have no classes of their own, and get a grid


@dataclass(frozen=True, eq=False)
class Partition:
    """How an attribute is asked.

    starts   the first value of each class, of an ordered attribute
    earlier  those of them that could as well be the value before: a line ends there, and another begins
    groups   the number of the group of each value
    sloped   whether a function has a slope inside of a class
    curved   whether something is asked that no classes are fine enough for: quantiles, squares, logarithms
    above    what conditions alone tell apart, where all values are asked by themselves, too
    """

    starts: tuple[int, ...]
    earlier: frozenset[int]
    groups: tuple[int, ...]
    sloped: bool
    curved: bool
    above: Partition | None = None
    missing: bool = False  # whether something is asked of missing values


def partitions(asked: Sequence[Question], numbers: Mapping[Column, Floats]) -> dict[Column, Partition]:
    """Of every column that a question names; `numbers` has its values, missing ones aside, or just their places."""
    found: dict[Column, list[Floats]] = {}
    keys: dict[Column, list[Floats]] = {}
    curved: set[Column] = set()
    for question in asked:
        for column, function in _functions(question):
            found.setdefault(column, []).append(function)
        for key in question.keys:
            if isinstance(key, SensitiveKey):
                single = _tells_all(key.indicators[:, : len(numbers[key.column])])
                (keys if single else found).setdefault(key.column, []).extend(key.indicators)
                found.setdefault(key.column, [])
        for part in (part for formula in formulas_of(question) for part in parts(formula)):
            if isinstance(part, Quantile):
                found.setdefault(part.column, [])
                curved.add(part.column)
    return {
        column: _with_single_values(rows, keys.get(column, []), numbers[column], column in curved)
        for column, rows in found.items()
    }


def _tells_all(indicators: Floats) -> bool:
    """Whether the groups of a key are the single values."""
    return bool((indicators.sum(axis=0) == 1).all() and (indicators.sum(axis=1) <= 1).all())


def _with_single_values(
    conditions: Sequence[Floats], singles: Sequence[Floats], numbers: Floats, curved: bool
) -> Partition:
    found = _partition([*conditions, *singles], numbers, curved)
    missing = any(bool(each[len(numbers) :].any()) for each in (*conditions, *singles))
    found = replace(found, missing=missing)
    return replace(found, above=_partition(conditions, numbers, curved)) if singles and conditions else found


def _functions(question: Question) -> Iterable[tuple[Column, Floats]]:
    totals = (*question.totals, *(() if question.where is None else (question.where,)))
    for total in totals:
        for term in total.terms:
            yield from ((factor.column, factor.values) for factor in term.factors)


def _partition(functions: Sequence[Floats], numbers: Floats, curved: bool) -> Partition:
    fixed, free, sloped, size = {0}, set[int](), False, len(numbers)
    distinct = list({row.tobytes(): row for row in functions}.values())
    for function in distinct:
        found, earlier, slope = pieces(function[:size], numbers)
        if len(found) > MOST_PIECES:
            curved = True
            continue
        free |= earlier
        fixed |= {*found} - earlier
        sloped |= slope
    table = np.array([function[:size] for function in distinct]).reshape(len(distinct), size)
    _, groups = np.unique(table, axis=1, return_inverse=True)
    return Partition(
        tuple(sorted(fixed | free)),
        frozenset(free - fixed),
        tuple(groups.reshape(-1).tolist()),
        sloped or curved,
        curved,
    )


def pieces(function: Floats, numbers: Floats) -> tuple[list[int], set[int], bool]:
    """Where the pieces of a function begin; which of them could begin one value earlier, as two lines meet there; and whether one
    of three or more values has a slope.

    >>> pieces(np.array([0.0, 0.0, 1.0, 1.0, 1.0]), np.arange(5.0)), pieces(np.array([0.0, 1.0, 2.0, 2.0]), np.arange(4.0))
    (([0, 2], set(), False), ([0, 3], {3}, True))
    """
    gaps = np.diff(numbers)
    largest = EQUAL * float(np.abs(function).max(initial=0.0)) / gaps
    slopes = np.diff(function) / gaps
    slopes[np.abs(slopes) <= largest] = 0.0
    # where a run of equal slopes ends: the next one is another, or there is none
    ends = np.append(np.flatnonzero(np.abs(np.diff(slopes)) > largest[1:] + largest[:-1]) + 1, len(slopes))
    starts, earlier, sloped, at = [0], set[int](), False, 0

    def run_at(place: int) -> int:
        return int(ends[np.searchsorted(ends, place, side="right")]) - place

    while at < len(slopes) and len(starts) <= 4 * MOST_PIECES:
        run, flat = run_at(at), slopes[at] == 0
        alone = not flat and run == 1
        sloped |= not (flat or alone)
        last = at + (0 if alone else run)
        at = last + 1
        if at < len(function):
            starts.append(at)
            if not alone and (slopes[last] == 0 or run_at(last) > 1):
                earlier.add(at)
    return starts, earlier, sloped
