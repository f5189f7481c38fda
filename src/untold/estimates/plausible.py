"""Opt-in and biased: the answer that could be true and is closest to all reports.

Where one table of non-negative counts stands behind a whole question (`decoded.closest`), every number is read from it:
counts, sums and averages agree with each other. Elsewhere (joins, several reports of a person) only counts are cut to what
is possible. The interval stays the unbiased one, cut to what is possible; a number never lies outside its interval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, prod

import numpy as np

from untold.decoded.closest import MOST_CELLS
from untold.errors import UnsupportedQuery
from untold.estimates.counted_groups import NOTHING, DecodedCounts
from untold.estimates.estimate import Estimated
from untold.estimates.gradients import value_and_gradient
from untold.estimates.totals import Totals
from untold.question.model import Floats, Formula, Question, TotalOf
from untold.scores.grouped import GroupedQuestion

NOTE = "closest plausible: biased point, unbiased interval."
CUT = "plausible=True: counts are cut to what is possible, which is biased; joins and several reports of a person get no more."


@dataclass(frozen=True, eq=False)
class Plausible:
    """What makes the estimates of one group plausible.

    most    rows that there can be at most
    values  of the totals, from the closest plausible table; None: counts are cut, and that is all
    """

    question: Question
    most: float
    values: Floats | None = None

    def __call__(self, formula: Formula, found: Estimated) -> Estimated:
        """The estimate of a formula, made plausible."""
        count = isinstance(formula, TotalOf) and self.question.totals[formula.index].is_count
        low, high = found.low, found.high
        if count:
            low, high = (float(np.clip(end, 0.0, self.most)) for end in (low, high))
        value = found.value
        if self.values is not None:
            none = np.zeros((len(self.values), len(self.values)))  # a table is one point: nothing varies together
            with np.errstate(all="ignore"):
                value = float(value_and_gradient(formula, Totals(self.values, none))[0])
        if not isfinite(value):
            value = found.value
        return replace(found, value=min(max(value, low), high) if low <= high else value, low=low, high=high)


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
