"""What is measured, but with values of the closest plausible table: what forecasts take people to be like.

All totals are read from one table over the attributes of the question, so that they fit each other: an average lies among the
values that it is one of. How well they are known shows in tables made of reports that might have come instead.
Such a table is flatter than the one around which noise was drawn, as the closest table is flatter than the truth. With t_0 the
totals of the closest table, and t_b those drawn anew,

    likely = t_0 + (t_0 - mean of t_b) / 2

Half of what the second flattening took is put back. With less, forecasts of deviations are too low on average; with more, those
from many reports are too high, and single ones further off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from untold.ask.decoded.closest import FEW_CELLS, normals
from untold.ask.estimates.measured import totals_of
from untold.ask.evidence.counted import DecodedCounts
from untold.ask.evidence.plausible import plausible_values, redrawn_values
from untold.ask.evidence.reports import Reports
from untold.ask.evidence.routes import Found, FromCounts, measure
from untold.ask.evidence.table_totals import attributes_of, count_cells
from untold.ask.question.formulas import is_linear
from untold.ask.question.model import EstimateOutput, Floats
from untold.ask.scores.compile import Compiled
from untold.ask.scores.grouped import GroupedQuestion
from untold.errors import UnsupportedQuery
from untold.randomness import Seeded

TIMES = 20  # that reports are drawn anew
HALF = 0.5


@dataclass(frozen=True, eq=False)
class LikelyTotals:
    """Totals of all groups.

    likely    whether their values are likely ones, and not as measured
    redrawn   values that reports might have led to instead: (1 + times, groups, totals), first those in `found`
    """

    compiled: Compiled
    found: Found
    likely: bool
    redrawn: Floats


def likely_totals(reports: Reports, compiled: Compiled) -> LikelyTotals:
    """Of a question. Sums of totals have errors that do not depend on their values: these stay as measured."""
    outputs = [output for output in compiled.question.outputs if isinstance(output, EstimateOutput)]
    linear = all(is_linear(output.formula) for output in outputs)
    found = None if linear else _likely(reports, compiled, True) or _likely(reports, compiled, False)
    if found is None:
        return measured_totals(compiled, measure(reports, compiled))
    asked = compiled.grouped
    assert asked is not None
    drawn = _redrawn(asked, found.counts)
    if drawn is None:
        return replace(measured_totals(compiled, found), likely=True)
    values = drawn / compiled.over_time.sampling.share
    if all(count_cells(counts.design, attributes_of(*asked.totals)) <= FEW_CELLS for counts in found.counts):
        flatter = HALF * (values[0] - values[1:].mean(axis=0))
        values = values + np.clip(flatter, -abs(values[0]) / 2, abs(values[0]) / 2)
    groups = [replace(g, totals=replace(g.totals, values=own)) for g, own in zip(found.groups, values[0], strict=True)]
    return LikelyTotals(compiled, replace(found, groups=groups), True, values)


def measured_totals(compiled: Compiled, found: Found) -> LikelyTotals:
    """Where no table is drawn anew, the totals themselves are, with the errors that they have: further apart than likely ones."""
    totals = totals_of(found.groups)
    values, vectors = np.linalg.eigh(np.nan_to_num(totals.covariance))
    root = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    noise = (root @ normals(Seeded(TIMES), (TIMES, *totals.values.shape))[..., None])[..., 0]
    return LikelyTotals(compiled, found, False, np.concatenate([totals.values[None], totals.values + noise]))


def _redrawn(asked: GroupedQuestion, counts: tuple[DecodedCounts, ...]) -> Floats | None:
    rng, parts = Seeded(TIMES), []
    for each in counts:
        part = redrawn_values(asked, each, TIMES, rng)
        if part is None:
            return None
        parts.append(part)
    return np.concatenate(parts, axis=1)


def _likely(reports: Reports, compiled: Compiled, together: bool) -> Found | None:
    """None where no table of people stands behind the question: joins, several reports of a person, too many cells."""
    if FromCounts().why_not(compiled) or any(total.within is not None for total in compiled.question.totals):
        return None
    asked, found = compiled.grouped, measure(reports, compiled, counted=True)
    assert asked is not None
    try:
        parts = [plausible_values(asked, counts, together) for counts in found.counts]
    except UnsupportedQuery:
        return None
    values = np.concatenate(parts) / compiled.over_time.sampling.share if parts else np.zeros((0, 0))
    groups = [replace(g, totals=replace(g.totals, values=own)) for g, own in zip(found.groups, values, strict=True)]
    return replace(found, groups=groups)
