"""Opt-in and biased: the answer that could be true and is closest to all reports.

Where one table of non-negative counts stands behind a whole question (`decoded.closest`), every number is read from it:
counts, sums and averages agree with each other. Elsewhere (joins, several reports of a person) counts are cut to what is
possible. The interval stays the unbiased one, cut to what is possible and by totals that are better known; a number never lies
outside its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, prod

import numpy as np

from untold.decoded.closest import MOST_CELLS
from untold.decoded.combined import Set
from untold.decoded.products import Product
from untold.errors import UnsupportedQuery
from untold.estimates.better_known import Bounds, lowered
from untold.estimates.counted_groups import NOTHING, DecodedCounts
from untold.estimates.estimate import Estimated
from untold.estimates.gradients import value_and_gradient
from untold.estimates.totals import Totals
from untold.estimates.unknown import ANYTHING, possible
from untold.question.model import Floats, Formula, Question, TotalOf
from untold.randomness import BulkRandomness
from untold.scores.grouped import Grouped, GroupedQuestion, GroupedTerm

NOTE = "closest plausible: biased point, unbiased interval, cut to what is possible and by better known totals."
MOST_REDRAWN = 16_384  # cells of a table that is solved for many times
CUT = "plausible=True: counts are cut to what is possible, which is biased; joins and several reports of a person get no more."


@dataclass(frozen=True, eq=False)
class Plausible:
    """What makes the estimates of one group plausible.

    most    rows that there can be at most
    values  of the totals, from the closest plausible table; None: counts are cut, and that is all
    bounds  of single totals, by better known ones
    """

    question: Question
    most: float
    values: Floats | None = None
    bounds: Mapping[int, Bounds] = field(default_factory=dict)

    def __call__(self, formula: Formula, found: Estimated, confidence: float) -> Estimated:
        """The estimate of a formula, made plausible."""
        count = isinstance(formula, TotalOf) and self.question.totals[formula.index].is_count
        ends = possible(formula, self.question, self.most) if count or self.values is not None else ANYTHING
        low, high = cut_to(found, *ends)
        if isinstance(formula, TotalOf) and formula.index in self.bounds:
            cut = max(lowered(found.value, found.se, self.bounds[formula.index], confidence), ends[0])
            high = cut if cut >= low else high  # what contradicts itself is no reason for a shorter interval
        value = found.value
        if self.values is not None:
            none = np.zeros((len(self.values), len(self.values)))  # a table is one point: nothing varies together
            with np.errstate(all="ignore"):
                value = float(value_and_gradient(formula, Totals(self.values, none))[0])
        if not isfinite(value):
            value = found.value
        return replace(found, value=min(max(value, low), high) if low <= high else value, low=low, high=high)


def cut_to(found: Estimated, least: float, most: float) -> tuple[float, float]:
    """The interval, cut to what is possible. Where little or nothing of it is, the number is near the end of what is possible,
    but not known to be there: the interval reaches as far as a standard error from it."""
    reach = found.se if isfinite(found.se) else 0.0
    low, high = min(found.low, most - reach), max(found.high, least + reach)
    return max(low, least), min(high, most)


def plausible_values(asked: GroupedQuestion, counts: DecodedCounts, together: bool = True) -> Floats:
    """Every total of every group, read from the closest plausible table over exactly the attributes of the question.

    together   else each total by itself, from the table over its own attributes: closer, but no table has all of them
    """
    if not together:
        alone = [replace(asked, totals=(total,)) for total in asked.totals]
        return np.concatenate([plausible_values(each, counts) for each in alone], axis=1)
    attributes = attributes_of(*asked.totals)
    cells = _cells(counts, attributes)
    if cells > MOST_CELLS:
        raise UnsupportedQuery(
            f"plausible=True looks at all {cells:,} combinations of what the query touches; at most {MOST_CELLS:,} are "
            "feasible.\nHint: ask about fewer or coarser attributes, or leave plausible out."
        )

    def read(term: GroupedTerm) -> Floats:
        product, source = term.products[0] or NOTHING, counts.sum_of(term.publics)
        if source.closest is None:
            return source.sums(product)
        return _read(product, source.closest(attributes), attributes)

    return _values(asked, read)


def redrawn_values(
    asked: GroupedQuestion, counts: DecodedCounts, times: int, rng: BulkRandomness, plain: float = 0.0
) -> Floats | None:
    """What every total of every group would be if reports had come otherwise: (1 + times, groups, totals), the first as in
    the table around which noise is drawn. See decoded/redrawn.py, also for `plain`.

    None where public numbers are added up, or where there are too many cells to do it often.
    """
    attributes = attributes_of(*asked.totals)
    if any(term.publics for total in asked.totals for term in total) or _cells(counts, attributes) > MOST_REDRAWN:
        return None
    source, out = counts.sum_of(()), []
    assert source.redrawn is not None
    for table in source.redrawn(attributes, times, rng, plain):

        def read(term: GroupedTerm, table: Floats = table) -> Floats:
            return _read(term.products[0] or NOTHING, table, attributes)

        out.append(_values(asked, read))
    return np.stack(out)


def measured_values(asked: GroupedQuestion, counts: DecodedCounts) -> Floats:
    """The same as estimated, unbiased: (groups, totals)."""
    return _values(asked, lambda term: counts.sum_of(term.publics).sums(term.products[0] or NOTHING))


def attributes_of(*totals: Grouped) -> Set:
    """All that one of some totals touches."""
    products = [term.products[0] for total in totals for term in total]
    return tuple(sorted({a for each in products if each is not None for a in each.attributes}))


def cells_of(asked: GroupedQuestion, counts: DecodedCounts) -> int:
    """Of the table over all attributes of a question."""
    return _cells(counts, attributes_of(*asked.totals))


def _cells(counts: DecodedCounts, attributes: Set) -> int:
    return prod(counts.design.space.trees[a].padded for a in attributes)


def _read(product: Product, table: Floats, attributes: Set) -> Floats:
    """Of every variant, from a table over these attributes, of which the product touches some."""
    return product.read(table.sum(tuple(i for i, a in enumerate(attributes) if a not in product.attributes)))


def _values(asked: GroupedQuestion, read: Callable[[GroupedTerm], Floats]) -> Floats:
    """Every total of every group: (groups, totals)."""
    columns = []
    for total in asked.totals:
        out = np.zeros(asked.shape)
        for term in total:
            out += term.coefficient * asked.placed(0, (term.products[0] or NOTHING).attributes, read(term))
        columns.append(out.reshape(-1))
    return np.stack(columns, axis=1) if columns else np.zeros((int(np.prod(asked.shape)), 0))
