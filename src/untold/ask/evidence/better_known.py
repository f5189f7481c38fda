"""Upper ends from totals that are better known, for counts and sums of nothing negative.

COUNT(a AND b) is at most COUNT(a), and at most COUNT(b). A group is at most the whole. SUM(x) over some rows is at most SUM(x) over
more of them, and at most the largest x times their COUNT. All of it is one rule: with factors f_c >= 0 of a product, some left out,

    sum over tuples of prod f_c  <=  (product of max f_c of those left out) * (sum over tuples of prod of the others)

The right side is a total of fewer attributes, with less noise. Its own upper end is used, at a share of the error rate. Of what a
two-sided interval leaves above it, SHARE is divided among all bounds, and the interval itself has the rest. Each of these ends
is too low at most as often as its share, so the least of them at most as often as all shares together, however they depend.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from statistics import NormalDist

import numpy as np

from untold.ask.estimates.totals import totals
from untold.ask.evidence.counted import DecodedCounts, evidence_of
from untold.ask.question.algebra import never_negative
from untold.ask.question.formulas import formulas_of
from untold.ask.question.model import (
    Column,
    EstimateOutput,
    Floats,
    PublicKey,
    Question,
    SensitiveKey,
    Term,
    Total,
    TotalOf,
)
from untold.ask.scores.compile import Compiled, compile_question
from untold.ask.scores.grouped import GroupedQuestion

SHARE = 0.1
MANY = 3  # attributes: of more of them, only one and all but one are kept
Bounds = tuple[Floats, Floats]  # values and standard errors, one of each bound along the last axis


def lowered(value: float, se: float, bounds: Bounds, confidence: float) -> float:
    """The upper end of an interval, from the estimate itself and from the bounds. None of them is taken as nearer to 0 than its own
    standard error: what came out far below 0 by chance is small, but not known to be 0."""
    values, errors = np.append(bounds[0], value), np.append(bounds[1], se)
    return float(np.maximum(values + _reach(len(values) - 1, confidence) * errors, errors).min())


@lru_cache(maxsize=64)
def _reach(bounds: int, confidence: float) -> Floats:
    """Standard errors up to the end of each bound, and of the estimate itself."""
    shares = [*[SHARE / bounds] * bounds, 1 - SHARE]
    return np.array([NormalDist().inv_cdf(1 - (1 - confidence) / 2 * share) for share in shares])


def fewer_attributes(compiled: Compiled) -> Mapping[int, Sequence[GroupedQuestion]]:
    """For every total that is shown by itself: the totals of fewer attributes that bound it."""
    question, out = compiled.question, {}
    for index in sorted({each.index for each in formulas_of(question) if isinstance(each, TotalOf)}):
        asked = [
            compile_question(fewer, compiled.plan, compiled.estimate, compiled.epochs, compiled.sample).grouped
            for fewer in with_fewer(question, question.totals[index])
        ]
        out[index] = [each for each in asked if each is not None]
    return out


def better_known(
    compiled: Compiled, fewer: Mapping[int, Sequence[GroupedQuestion]], counts: DecodedCounts
) -> Mapping[int, Bounds]:
    """The bounds of every total that has some, in all groups: (groups, bounds)."""
    out = {}
    for index, questions in fewer.items():
        found = [_measured(compiled, each, counts) for each in questions]
        if found:
            values, errors = (np.stack(each, axis=-1) for each in zip(*found, strict=True))
            out[index] = values, errors
    return out


def with_fewer(question: Question, total: Total) -> Iterator[Question]:
    """Questions for totals that are at least as large, each without some attributes of WHERE, of SUM or of GROUP BY."""
    if len(total.terms) != 1 or not never_negative(total) or total.within is not None:
        return
    keys = [key for key in question.keys if isinstance(key, SensitiveKey)]
    factors = {factor.column: factor for factor in total.terms[0].factors}
    columns = sorted({*factors, *(key.column for key in keys)})
    sizes = range(1, len(columns)) if len(columns) <= MANY else (1, len(columns) - 1)
    for kept in (kept for size in sizes for kept in combinations(columns, size)):
        most = float(np.prod([factors[c].values.max() for c in factors if c not in kept]))
        yield _kept(question, total, kept, most)


def _kept(question: Question, total: Total, kept: tuple[Column, ...], most: float) -> Question:
    term = total.terms[0]
    fewer = Term(most * term.coefficient, tuple(f for f in term.factors if f.column in kept), term.publics)
    return replace(
        question,
        keys=tuple(key for key in question.keys if isinstance(key, PublicKey) or key.column in kept),
        totals=(Total((fewer,), total.is_count),),
        outputs=(EstimateOutput("bound", TotalOf(0), ""),),
        having=None,
        order=(),
    )


def _measured(compiled: Compiled, fewer: GroupedQuestion, counts: DecodedCounts) -> Bounds:
    """Of every group of the question itself, flat."""
    asked = compiled.grouped
    assert asked is not None
    found = totals(fewer, evidence_of(fewer, [counts])[0], compiled.over_time.sampling)
    shape = [len(key.labels) if key in fewer.keys else 1 for key in asked.keys]

    def everywhere(each: Floats) -> Floats:
        return np.broadcast_to(each.reshape(shape), asked.shape).reshape(-1)

    return everywhere(found.values[:, 0]), everywhere(np.sqrt(np.maximum(found.variances[:, 0], 0.0)))
