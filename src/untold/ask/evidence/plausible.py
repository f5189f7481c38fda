"""Opt-in and biased: the best guess of an answer and its typical error, beside the unbiased number and its interval.

Where one table of people stands behind a whole question (`evidence.best_guess`), every best guess is read from it: counts, sums
and averages agree with each other. Elsewhere (joins, several reports of a person) counts are cut to what is possible.

    typical^2 = g'S g + (0.03)^2 g'N g

    g   how the formula moves with its totals, at the best guess
    S   the covariance of the errors of the best guess (`evidence.best_guess`): what its own assumptions allow
    N   the covariance of the unbiased totals; the second term stands for assumptions that do not quite hold

and, for what lies in a range, no more than if nothing but the range were known. It is an average over questions, not a promise for
each. The interval stays the unbiased one, cut to what is possible and by totals that are better known. A best guess is not cut to
it: that makes it worse on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, nan, sqrt

import numpy as np

from untold.ask.decoded.closest import MOST_CELLS
from untold.ask.decoded.combined import Set
from untold.ask.estimates.estimate import Estimated, of_one
from untold.ask.estimates.gradients import value_and_gradient
from untold.ask.estimates.measured import Measured
from untold.ask.estimates.possible import cut_to, possible
from untold.ask.estimates.totals import Totals
from untold.ask.evidence.best_guess import best_guess
from untold.ask.evidence.better_known import Bounds, better_known, fewer_attributes, lowered
from untold.ask.evidence.counted import NOTHING, DecodedCounts
from untold.ask.evidence.table_totals import attributes_of, count_cells, read_product, values_of
from untold.ask.question.model import Floats, Formula, Question, TotalOf
from untold.ask.scores.compile import Compiled
from untold.ask.scores.grouped import GroupedQuestion, GroupedTerm
from untold.errors import UnsupportedQuery
from untold.randomness import BulkRandomness

NOTE = (
    "best guess: a biased number with its typical error, which is an average and no promise. Guaranteed is the interval, cut to "
    "what is possible and by better known totals."
)
MOST_REDRAWN = 16_384  # cells of a table that is solved for many times
CUT = (
    "best guess: counts are cut to what is possible, which is biased; joins and several reports of a person get no more. "
    "Guaranteed is the interval."
)
INEXACT = 0.03  # of the unbiased error, for assumptions of a best guess that do not quite hold


@dataclass(frozen=True, eq=False)
class Plausible:
    """What makes the estimates of one group plausible.

    most    rows that there can be at most
    values  of the totals, from the best guess of the table; None: counts are cut, and that is all
    bounds  of single totals, by better known ones
    spread  covariance of the errors of `values`; nan where it is not known
    noise   covariance of the unbiased totals
    """

    question: Question
    most: float
    values: Floats | None = None
    bounds: Mapping[int, Bounds] = field(default_factory=dict)
    spread: Floats | None = None
    noise: Floats | None = None

    def __call__(self, formula: Formula, found: Estimated, confidence: float) -> Estimated:
        """The estimate of a formula, with a best guess beside it, and the interval cut."""
        ends = possible(formula, self.question, self.most)
        within = cut_to(of_one(found), np.array(ends[0]), np.array(ends[1])).at(())
        low, high = within.low, within.high
        if isinstance(formula, TotalOf) and formula.between is None and formula.index in self.bounds:
            cut = max(lowered(found.value, found.se, self.bounds[formula.index], confidence), ends[0])
            high = cut if cut >= low else high  # what contradicts itself is no reason for a shorter interval
        best, typical = self._guessed(formula, ends)
        if not isfinite(best):
            best, typical = min(max(found.value, ends[0]), ends[1]), found.se
        return replace(found, low=low, high=high, best=best, typical=typical)

    def _guessed(self, formula: Formula, ends: tuple[float, float]) -> tuple[float, float]:
        """The best guess of a formula and its typical error, from the best guess of its totals; nan where there is none."""
        if self.values is None or self.spread is None or self.noise is None:
            return nan, nan
        none = np.zeros_like(self.spread)  # a table is one point: nothing varies together
        with np.errstate(all="ignore"):
            best, slope = value_and_gradient(formula, Totals(self.values, none))
            unbiased = max(float(slope @ self.noise @ slope), 0.0)
            variance = max(float(slope @ self.spread @ slope), 0.0) + INEXACT**2 * unbiased
        if not isfinite(variance):
            variance = unbiased
        width = ends[1] - ends[0]
        if isfinite(width) and variance > 0:
            variance = 1 / (1 / variance + 12 / width**2) if width > 0 else 0.0
        return min(max(float(best), ends[0]), ends[1]), sqrt(variance) if isfinite(variance) else nan


def plausible_rows(
    compiled: Compiled,
    rows: Sequence[Measured],
    users: int,
    counts: Sequence[DecodedCounts],
    most: float,
) -> tuple[list[Measured], str]:
    """What plausible=True does to the rows of an answer, and the remark on it: the best guess of each, or, without counts, numbers
    cut to what is possible.

    most       rows of one user that are counted
    """
    asked, question = compiled.grouped, compiled.question
    if not counts or asked is None:
        return [replace(row, adjust=Plausible(question, users * most)) for row in rows], CUT
    fewer, share = fewer_attributes(compiled), compiled.over_time.sampling.share
    # A table is of those who reported. Where they stand for others, no more is said than the unbiased error.
    unknown = np.nan if compiled.sample or share < 1 else 0.0
    adjusts = []
    for group in counts:
        _refuse_too_many(group, attributes_of(*asked.totals))
        bounds, guess = better_known(compiled, fewer, group), best_guess(asked, group, compiled.plan)
        for number, (own, spread) in enumerate(zip(guess.values / share, guess.covariance + unknown, strict=True)):
            ends = {index: (each[number], errors[number]) for index, (each, errors) in bounds.items()}
            adjusts.append(Plausible(question, group.users * most, own, ends, spread))
    pairs = zip(rows, adjusts, strict=True)
    return [replace(row, adjust=replace(adjust, noise=row.totals.covariance)) for row, adjust in pairs], NOTE


def plausible_values(asked: GroupedQuestion, counts: DecodedCounts, together: bool = True) -> Floats:
    """Every total of every group, read from the closest plausible table over exactly the attributes of the question.

    together   else each total by itself, from the table over its own attributes: closer, but no table has all of them
    """
    if not together:
        alone = [replace(asked, totals=(total,)) for total in asked.totals]
        return np.concatenate([plausible_values(each, counts) for each in alone], axis=1)
    attributes = attributes_of(*asked.totals)
    _refuse_too_many(counts, attributes)

    def read(term: GroupedTerm) -> Floats:
        product, source = term.products[0] or NOTHING, counts.sum_of(term.publics)
        if source.closest is None:
            return source.sums(product)
        return read_product(product, source.closest(attributes), attributes)

    return values_of(asked, read)


def _refuse_too_many(counts: DecodedCounts, attributes: Set) -> None:
    if (cells := count_cells(counts.design, attributes)) > MOST_CELLS:
        raise UnsupportedQuery(
            f"plausible=True looks at all {cells:,} combinations of what the query touches; at most {MOST_CELLS:,} are "
            "feasible.\nHint: ask about fewer or coarser attributes, or leave plausible out."
        )


def redrawn_values(
    asked: GroupedQuestion, counts: DecodedCounts, times: int, rng: BulkRandomness, plain: float = 0.0
) -> Floats | None:
    """What every total of every group would be if reports had come otherwise: (1 + times, groups, totals), the first as in
    the table around which noise is drawn. See decoded/redrawn.py, also for `plain`.

    None where public numbers are added up, or where there are too many cells to do it often.
    """
    attributes = attributes_of(*asked.totals)
    if (
        any(term.publics for total in asked.totals for term in total)
        or count_cells(counts.design, attributes) > MOST_REDRAWN
    ):
        return None
    source, out = counts.sum_of(()), []
    assert source.redrawn is not None
    for table in source.redrawn(attributes, times, rng, plain):

        def read(term: GroupedTerm, table: Floats = table) -> Floats:
            return read_product(term.products[0] or NOTHING, table, attributes)

        out.append(values_of(asked, read))
    return np.stack(out)


def measured_values(asked: GroupedQuestion, counts: DecodedCounts) -> Floats:
    """The same as estimated, unbiased: (groups, totals)."""
    return values_of(asked, lambda term: counts.sum_of(term.publics).sums(term.products[0] or NOTHING))
