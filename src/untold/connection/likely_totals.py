"""What is measured, but with the values of the closest plausible table: what forecasts take people to be like."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from untold.connection.found import Found, found_for
from untold.connection.reports import Reports
from untold.errors import UnsupportedQuery
from untold.estimates.estimate import Estimated
from untold.estimates.gradients import is_linear
from untold.estimates.measured import Measured
from untold.estimates.plausible import Plausible
from untold.estimates.quantiles import invert
from untold.question.model import EstimateOutput, Quantile, Total
from untold.question.within import further_question, of_group
from untold.scores.coefficients import Estimator
from untold.scores.compile import Compiled


def likely_found(reports: Reports, compiled: Compiled) -> tuple[Found, bool]:
    """Totals of all groups, and whether their values are likely ones. Sums of totals have errors that do not depend on their
    values: these stay as measured."""
    outputs = [output for output in compiled.question.outputs if isinstance(output, EstimateOutput)]
    found = None if all(is_linear(output.formula) for output in outputs) else _likely(reports, compiled)
    return (found_for(reports, compiled), False) if found is None else (found, True)


def _likely(reports: Reports, compiled: Compiled) -> Found | None:
    """None where no table of people stands behind the question: joins, several reports of a person, too many cells."""
    if not compiled.from_counts or any(total.within is not None for total in compiled.question.totals):
        return None
    try:
        found = found_for(reports, compiled, plausible=True)
    except UnsupportedQuery:
        return None
    groups = []
    for group in found.groups:
        if not isinstance(group.adjust, Plausible) or group.adjust.values is None:
            return None
        groups.append(replace(group, adjust=None, totals=replace(group.totals, values=group.adjust.values)))
    return replace(found, groups=groups)


class LikelyQuantiles:
    """Quantiles of k times the people; what is counted below a value is counted once."""

    def __init__(self, reports: Reports, compiled: Compiled, estimator: Estimator, confidence: float) -> None:
        self.reports, self.compiled, self.estimator, self.confidence = reports, compiled, estimator, confidence
        self._known: dict[object, tuple[float, float]] = {}

    def __call__(self, formula: Quantile, group: Measured, k: float, confidence: float | None = None) -> Estimated:
        """The quantile with its error."""
        asked = self.compiled.question
        counted = of_group(asked, asked.totals[formula.total], group.number)
        own = self.reports.plan.service(formula.column.service).perturbed(formula.column.attribute)

        def measure(total: Total) -> tuple[float, float]:
            value, se = self._total(total, group.key)
            return k * value, sqrt(k) * se

        sure = self.confidence if confidence is None else confidence
        return invert(counted, formula.column, own.numbers, own.size, formula.probability, measure, sure)

    def _total(self, total: Total, key: tuple[object, ...]) -> tuple[float, float]:
        name = (key, tuple(factor.values.tobytes() for term in total.terms for factor in term.factors))
        if name not in self._known:
            inner = self.reports.compile(further_question(self.compiled.question, total), self.estimator)
            found = _likely(self.reports, inner) or found_for(self.reports, inner)
            totals = next(group.totals for group in found.groups if group.key == key)
            self._known[name] = float(totals.values[0]), max(float(totals.variances[0]), 0.0) ** 0.5
        return self._known[name]
