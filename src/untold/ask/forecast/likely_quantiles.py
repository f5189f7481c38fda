"""The error of a quantile as a forecast takes it: from how dense people are likely to be around it.

How many people lie below each value, as estimated, goes up and down at random. In the closest plausible table it only rises,
but people are spread more evenly than they are. The mean of both is taken, and the density over two errors to each side: with fewer
it is that of chance. Where so many errors reach beyond most people on one side, it is over as many as do not, and at least one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from untold.ask.estimates.estimate import Estimated
from untold.ask.estimates.quantiles import below, inverted
from untold.ask.estimates.rows import Invert
from untold.ask.evidence.counted import DecodedCounts
from untold.ask.evidence.plausible import measured_values, plausible_values, redrawn_values
from untold.ask.evidence.quantiles import Below
from untold.ask.evidence.reports import Reports
from untold.ask.forecast.likely_totals import TIMES, LikelyTotals
from untold.ask.question.groups import further_question, of_group
from untold.ask.question.model import Floats, Quantile, Total
from untold.ask.scores.grouped import GroupedQuestion, grouped_question
from untold.errors import UnsupportedQuery
from untold.plan.schema import Sensitive
from untold.randomness import Seeded

WIDE = 2.0  # errors to each side
MOST = 0.8  # of the people on that side of the quantile with fewer of them
Asked = tuple[Quantile, int, tuple[object, ...]]  # number of the sensitive group, public key


@dataclass(frozen=True, eq=False)
class LikelyQuantiles:
    """`measured` is how quantiles are read from estimates alone, where there is no plausible table."""

    reports: Reports
    known: LikelyTotals
    measured: Invert
    _errors: dict[tuple[Asked, int], float] = field(default_factory=dict)
    _asked: dict[Quantile, Below] = field(default_factory=dict)
    _redrawn: dict[Asked, Floats | None] = field(default_factory=dict)

    def likely(self, formula: Quantile, group: int, key: tuple[object, ...], confidence: float) -> Estimated:
        """From the closest plausible table and the estimates."""
        asked, found = (formula, group, key), self._question(formula, group, key)
        if found is None:
            return self.measured(*asked, confidence)
        under = (plausible_values(*found)[0] + measured_values(*found)[0]) / 2
        return self._read(asked, under, partial(self._error, asked), confidence)

    def redrawn(self) -> list[Invert]:
        """The same of reports that might have come instead; first from the table around which they are drawn."""
        return [partial(self._again, number) for number in range(1 + TIMES)]

    def _again(
        self, number: int, formula: Quantile, group: int, key: tuple[object, ...], confidence: float
    ) -> Estimated:
        asked = formula, group, key
        if asked not in self._redrawn:
            found = self._question(*asked)
            self._redrawn[asked] = None if found is None else redrawn_values(*found, TIMES, Seeded(TIMES), 0.5)
        every = self._redrawn[asked]
        if every is None:
            return self.measured(*asked, confidence)
        known = {code: error for (own, code), error in self._errors.items() if own == asked}

        def nearest(code: int) -> float:
            """Errors hardly depend on what people hold: those that are known serve."""
            return known[min(known, key=lambda other: abs(other - code))]

        return self._read(asked, every[number, 0], nearest, confidence)

    def _read(self, asked: Asked, under: Floats, error: Callable[[int], float], confidence: float) -> Estimated:
        """`under`: at each value, the people at or below it less the share that should be; of those who take part."""
        formula, attribute = asked[0], self._attribute(asked[0])
        everybody = float(under[-1]) / (1.0 - formula.probability)
        less = min(formula.probability, 1.0 - formula.probability)
        share = self.known.compiled.over_time.sampling.share

        def at(code: int) -> tuple[float, float]:
            value = float(under[code]) if code >= 0 else -formula.probability * everybody
            return value / share, error(code)

        middle = error(int(np.argmax(under >= 0)))
        reach = WIDE if middle <= 0 else min(WIDE, max(1.0, MOST * everybody / share * less / middle))
        return inverted(at, attribute, confidence, reach, step=len(under))

    def _question(
        self, formula: Quantile, group: int, key: tuple[object, ...]
    ) -> tuple[GroupedQuestion, DecodedCounts] | None:
        """For every value one total, and what was counted; None where there is no plausible table."""
        counts = next((each for each in self.known.found.counts if each.key == key), None)
        if not self.known.likely or counts is None or not 0 < formula.probability < 1:
            return None
        totals = tuple(self._below(formula, group, code) for code in range(len(self._attribute(formula).numbers)))
        every = replace(further_question(self.known.compiled.question, totals[0]), totals=totals)
        try:
            grouped = grouped_question(every, self.reports.plan, False, False, (), {})
        except UnsupportedQuery:
            return None
        return None if grouped is None else (grouped, counts)

    def _error(self, asked: Asked, code: int) -> float:
        """As measured."""
        if (asked, code) not in self._errors:
            formula, group, key = asked
            if formula not in self._asked:
                self._asked[formula] = Below(self.reports, self.known.compiled, formula)
            self._errors[asked, code] = self._asked[formula].at(key, group, code)[1]
        return self._errors[asked, code]

    def _below(self, formula: Quantile, group: int, code: int) -> Total:
        """Those at or below a value, less the share that should be."""
        question, size = self.known.compiled.question, self._attribute(formula).size
        counted = of_group(question, question.totals[formula.total], group)
        return below(counted, formula.column, size, code, formula.probability)

    def _attribute(self, formula: Quantile) -> Sensitive:
        return self.reports.plan.service(formula.column.service).perturbed(formula.column.attribute)
