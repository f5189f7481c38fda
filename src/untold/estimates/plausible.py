"""Opt-in and biased: the answer that could be true and is closest to all reports.

Where one table of non-negative counts stands behind a whole question (`decoded.closest`), every number is read from it:
counts, sums and averages agree with each other. Elsewhere (joins, several reports of a person) counts are cut to what is
possible. The interval stays the unbiased one, cut to what is possible and by totals that are better known; a number never lies
outside its interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, prod

import numpy as np

from untold.decoded.closest import MOST_CELLS
from untold.errors import UnsupportedQuery
from untold.estimates.better_known import Bounds, lowered
from untold.estimates.counted_groups import NOTHING, DecodedCounts
from untold.estimates.estimate import Estimated
from untold.estimates.gradients import value_and_gradient
from untold.estimates.totals import Totals
from untold.estimates.unknown import ANYTHING, possible
from untold.question.model import Floats, Formula, Question, TotalOf
from untold.scores.grouped import GroupedQuestion

NOTE = "closest plausible: biased point, unbiased interval, cut to what is possible and by better known totals."
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
    products = [term.products[0] for total in asked.totals for term in total]
    attributes = tuple(sorted({a for each in products if each is not None for a in each.attributes}))
    cells = prod(counts.design.space.trees[a].padded for a in attributes)
    if cells > MOST_CELLS:
        raise UnsupportedQuery(
            f"plausible=True looks at all {cells:,} combinations of what the query touches; at most {MOST_CELLS:,} are "
            "feasible.\nHint: ask about fewer or coarser attributes, or leave plausible out."
        )
    columns = []
    for total in asked.totals:
        out = np.zeros(asked.shape)
        for term in total:
            product, source = term.products[0] or NOTHING, counts.sum_of(term.publics)
            beside = tuple(i for i, a in enumerate(attributes) if a not in product.attributes)
            found = (
                source.sums(product) if source.closest is None else product.read(source.closest(attributes).sum(beside))
            )
            out += term.coefficient * asked.placed(0, product.attributes, found)
        columns.append(out.reshape(-1))
    return np.stack(columns, axis=1) if columns else np.zeros((int(np.prod(asked.shape)), 0))
