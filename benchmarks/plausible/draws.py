"""Answers and their bounds as normal draws around the truth, with the covariance that one collection estimates for all of them.

So thousands of collections cost little more than one. What it leaves out is what real collections are for: that sums of scores are
only nearly normal, and that errors are estimates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

import numpy as np

from untold.ask.estimates.estimate import Estimated
from untold.ask.estimates.totals import totals as totals_by
from untold.ask.evidence.better_known import Bounds, lowered, with_fewer
from untold.ask.evidence.counted import CountedEvidence, DecodedCounts
from untold.ask.evidence.plausible import cut_to
from untold.ask.question.model import Apply, EstimateOutput, Formula, Question, TotalOf
from untold.ask.scores.coefficients import blue
from untold.ask.scores.compile import compile_question
from untold.plan import Plan


def together(asked: Question) -> Question:
    """A question for its only total and for all totals that bound it, whose errors are then known together."""
    totals = (asked.totals[0], *(fewer.totals[0] for fewer in with_fewer(asked, asked.totals[0])))
    parts: list[Formula] = [TotalOf(i) for i in range(len(totals))]
    every = reduce(lambda left, right: Apply("add", (left, right)), parts)
    return replace(asked, totals=totals, outputs=(EstimateOutput("x", every, ""),))


def truth_of(asked: Question, codes: dict[str, np.ndarray]) -> np.ndarray:
    """Every total, of people with these codes."""
    out = []
    for total in asked.totals:
        (term,) = total.terms
        each = [factor.values[codes[factor.column.attribute]] for factor in term.factors]
        out.append(term.coefficient * float(np.prod(each, axis=0).sum()))
    return np.array(out)


def drawn_ends(
    asked: Question,
    plan: Plan,
    counts: DecodedCounts,
    codes: dict[str, np.ndarray],
    draws: int,
    rng: np.random.Generator,
) -> Iterator[tuple[float, ...]]:
    """Truth, then `three_intervals`."""
    whole = together(asked)
    grouped = compile_question(whole, plan, blue).grouped
    assert grouped is not None
    truth, totals = truth_of(whole, codes), totals_by(grouped, CountedEvidence(grouped, counts))
    covariance = totals.joint(np.eye(len(truth))[None])[0]
    errors = np.sqrt(np.diag(covariance))
    values = rng.multivariate_normal(truth, covariance, draws, method="eigh")
    most = counts.users * max(factor.values.max() for factor in whole.totals[0].terms[0].factors)
    for each in values:
        yield float(truth[0]), *three_intervals(float(each[0]), float(errors[0]), (each[1:], errors[1:]), most)


def three_intervals(value: float, se: float, bounds: Bounds, most: float) -> tuple[float, ...]:
    """Low and high: as estimated, cut to what is possible, and cut by bounds."""
    plain = Estimated(value, se, value - 1.959964 * se, value + 1.959964 * se)
    low, high = cut_to(plain, 0.0, most)
    cut = lowered(value, se, bounds, 0.95)
    return plain.low, plain.high, low, high, low, cut if cut >= low else high
