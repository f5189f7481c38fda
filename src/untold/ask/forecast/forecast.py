"""Forecasts: what a query's error will be for n users, or how many users an error needs, from the plan alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any

import numpy as np

from untold.ask.estimates.estimate import (
    Estimated,
    Estimates,
    brief,
    check_confidence,
    estimates,
    estimates_over,
    of_one,
)
from untold.ask.estimates.measured import Block, Blocks, Measured, totals_of
from untold.ask.estimates.quantiles import invert
from untold.ask.estimates.rows import without_absent
from untold.ask.estimates.totals import totals
from untold.ask.evidence.scanned import scanned_groups
from untold.ask.forecast.errors_wanted import IN_WORDS, ShareOf, fewest_users, relative, share_of
from untold.ask.forecast.expected import ExpectedEvidence
from untold.ask.forecast.expected_epochs import Measure, assumed, epochs_spoken_of, over_epochs
from untold.ask.forecast.expected_moments import ASSUMPTIONS, HALF_THE_ROWS, expected_moments
from untold.ask.forecast.known_spread import KnownSpread, known_spread
from untold.ask.limits import MAX_FORECAST_USERS
from untold.ask.question.epochs import epochs_asked, of_epochs_alone
from untold.ask.question.formulas import has_quantile, has_rank, is_linear
from untold.ask.question.groups import further_question, of_group
from untold.ask.question.model import EstimateOutput, Floats, Formula, PublicKey, Quantile, Question, Total
from untold.ask.scores.coefficients import Estimator, estimator_named
from untold.ask.scores.compile import Compiled, compile_question, parted_by
from untold.ask.sql.from_clause.bind import NO_DATES, EpochDates
from untold.ask.sql.parse import may_be_several
from untold.ask.sql.question import question
from untold.errors import UnsupportedQuery, UntoldError
from untold.plan import Plan
from untold.plan.estimator_names import EstimatorName

ASSUMED_SHARES = (
    "assuming the given spread of {}, other values spread evenly, all independent of each other, "
    "and other public numbers equal to 1"
)


ROUGHLY, GUESS = 1.15, 5.0  # factors between which a number says how far a forecast may be off


@dataclass(frozen=True)
class Expected:
    """One estimated column: what the stated assumptions give for it, and its standard error; the mean over groups if
    there are any."""

    name: str
    value: float
    se: float
    grows: bool  # a count or a sum: it is larger with more users
    share_of: ShareOf = "people"  # what an error is best read as a share of
    factor: float = 1.0  # nine of ten such forecasts from reports are right to it; 1 where nothing is drawn to tell


@dataclass(frozen=True)
class Forecast:
    """The errors to expect from this many users."""

    sql: str
    users: int
    columns: tuple[Expected, ...]
    groups: int
    assumptions: str = ASSUMPTIONS
    wanted: float | None = None  # the error that was asked for, if it was

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        per = f" in each of {self.groups} groups" if self.groups > 1 else ""
        lines = [f"{self.users:,} users, {self.assumptions}:"]
        for column in self.columns:
            if column.se == inf:
                lines.append(f"  {column.name}: not forecast")
                continue
            share = relative(column, self.users)
            small = share <= 1 and column.share_of != "points"
            said = f", {100 * share:.2g}% {IN_WORDS[column.share_of]}" if small else ""
            lines.append(
                f"  {column.name}: standard error {_short(column.se)}{said}{per} (95% interval: ± {_short(1.96 * column.se)})"
                f"{trust(column.factor)}"
            )
        if self.wanted is not None:
            kinds = ", ".join(f"of {c.name} {IN_WORDS[c.share_of]}" for c in self.columns)
            lines.append(f"  the error of {100 * self.wanted:g}% that was asked for is taken {kinds}")
        return "\n".join(lines)


def forecast(
    plan: Plan,
    sql: str,
    users: float | None = None,
    error: float | None = None,
    estimator: EstimatorName = "blue",
    confidence: float = 0.95,
    shares: Mapping[str, Sequence[float]] | None = None,
    epochs: Sequence[int] | None = None,
    dates: EpochDates = NO_DATES,
    sample: bool = False,
    top: int = 2,
) -> Forecast:
    """The errors for `users`, or the fewest users for which every estimated column has a standard error of at most
    `error`: a share of the users for counts, of the value for sums, averages and quantiles, points for ratios of counts.

    shares   how people are thought to be spread, see known_spread.py; what is not said there nor by the plan is taken as
             even. Sums of public numbers, averages and ratios within small groups depend on it, counts hardly.
    epochs   that are collected, as far as the query does not choose among them; by default 0 up to the last one that it
             names. `users` report in each of them, or, in a panel, as many of them as the panel draws.
    dates    on which day epochs began, where the query speaks of epoch_start
    sample   whether people are a sample of others, so that who they are is part of the error
    top      how many decompositions of a predicate the estimator rdc averages
    """
    check_wanted(users, error)
    check_confidence(confidence)
    chosen = estimator_named(estimator, top)

    def of_question(asked: Question, users: float | None, error: float | None) -> Forecast:
        return forecast_question(plan, asked, users, error, chosen, confidence, shares, epochs, sample)

    if may_be_several(sql):
        from untold.ask.sql.unions.questions import union

        if (several := union(sql, plan, dates=dates)) is not None:
            return union_forecast(sql, several.questions, of_question, users, error)
    return of_question(question(sql, plan, dates=dates), users, error)


def forecast_question(
    plan: Plan,
    asked: Question,
    users: float | None,
    error: float | None,
    chosen: Estimator,
    confidence: float = 0.95,
    shares: Mapping[str, Sequence[float]] | None = None,
    epochs: Sequence[int] | None = None,
    sample: bool = False,
) -> Forecast:
    """The same for one SELECT that was read before."""
    outputs = [output for output in asked.outputs if isinstance(output, EstimateOutput)]
    if any(isinstance(key, PublicKey) and not of_epochs_alone(key.expression) for key in asked.keys):
        raise UnsupportedQuery(
            "how a public column is spread is not known before collection.\nHint: forecast without GROUP BY over it."
        )
    if any(parted_by(asked, plan)):
        raise UnsupportedQuery(
            "a condition on an attribute of kind each is not forecast.\nHint: forecast without it; within one of P values a "
            "count has 1/P of the rows and 1/sqrt(P) of the error."
        )
    known = known_spread(plan, asked.services, shares or {})
    collected = epochs_asked(asked, epochs_spoken_of(asked) if epochs is None else epochs)
    if not collected:
        raise UnsupportedQuery("WHERE leaves no epoch.\nHint: name one that is collected.")

    def of_epoch(inner: Question, epoch: int) -> Measure:
        return _measure(compile_question(inner, plan, chosen, (epoch,), sample), known)

    measure = over_epochs(asked, plan, collected, of_epoch)
    assumptions = ASSUMED_SHARES.format(", ".join(known.names)) if known.names else ASSUMPTIONS
    if any(plan.service(name).rows and name not in known.names for name in asked.services):
        assumptions += HALF_THE_ROWS
    assumptions += assumed(asked, plan, collected)

    counted_below: dict[tuple[bytes, ...], Measure] = {}

    def below(total: Total) -> Measure:
        name = tuple(factor.values.tobytes() for term in total.terms for factor in term.factors)
        if name not in counted_below:
            counted_below[name] = over_epochs(further_question(asked, total), plan, collected, of_epoch)
        return counted_below[name]

    def quantile(formula: Quantile, group: Measured, n: float, sure: float) -> Estimated:
        def measure_total(total: Total) -> tuple[float, float]:
            found = below(total)(n)
            totals = next(each.totals for each in found if each.key == group.key)
            return float(totals.values[0]), max(float(totals.variances[0]), 0.0) ** 0.5

        own = plan.service(formula.column.service).perturbed(formula.column.attribute)
        counted = of_group(asked, asked.totals[formula.total], group.number)
        return invert(counted, formula.column, own, formula.probability, measure_total, sure)

    def over_quantiles(formula: Formula, group: Measured, n: float) -> Estimated:
        def leaf(part: Formula, sure: float) -> Estimates:
            if isinstance(part, Quantile):
                return of_one(quantile(part, group, n, sure))
            return estimates(part, group.totals, sure)

        return estimates_over(formula, leaf, confidence).at(())

    def expected(n: float) -> Forecast:
        groups = without_absent(asked, measure(n))
        found_totals, columns = totals_of(groups), []
        for output in outputs:
            if has_rank(output.formula):
                values, errors = np.full(len(groups), nan), np.full(len(groups), inf)
            elif has_quantile(output.formula):
                cells = [over_quantiles(output.formula, group, n) for group in groups]
                values, errors = np.array([(cell.value, cell.se) for cell in cells]).T
            else:
                found = estimates(output.formula, found_totals, confidence)
                values, errors = found.value, found.se
            kind = share_of(output.formula, asked)
            columns.append(Expected(output.name, _mean(values), _mean(errors), is_linear(output.formula), kind))
        return Forecast(asked.sql, int(n), tuple(columns), len(groups), assumptions, error)

    return fewest_users(expected, error) if error is not None else expected(float(users or 0))


def _measure(compiled: Compiled, known: KnownSpread) -> Measure:
    """The totals of all groups for so many users."""
    asked, sampling = compiled.grouped, compiled.over_time.sampling
    share = sampling.share
    if asked is not None:
        each = ExpectedEvidence(asked, compiled.plan, known.spreads, known.mean_of)
        return lambda n: Blocks([Block((), compiled.labels, totals(asked, each.times(n * share), sampling, True))])
    one = expected_moments(compiled, share, known.spreads, known.mean_of)
    return lambda n: _expected(
        scanned_groups(compiled, [replace(one, users=int(n * share), first=one.first * n, second=one.second * n)])
    )


def _expected(groups: Sequence[Measured]) -> list[Measured]:
    return [replace(group, totals=replace(group.totals, known=True)) for group in groups]


def check_wanted(users: object, error: object, neither: bool = False) -> None:
    """Refuse anything but a number of users or an error; or neither, where that means as many as there are."""
    if (users is None) == (error is None) and not (neither and users is None):
        raise UntoldError("a forecast needs either users=... or error=....")
    _check_positive("users", users)
    _check_positive("error", error)


def _check_positive(name: str, number: Any) -> None:
    if number is not None and (not isinstance(number, int | float) or not 0 < number <= MAX_FORECAST_USERS):
        raise UntoldError(
            f"{name} = {brief(number)}: a number above 0 and up to {MAX_FORECAST_USERS:g} is needed, such as users=1e6 or "
            "error=0.01."
        )


def _mean(values: Floats) -> float:
    """Over groups; those that can have no member (a condition excludes them) have no average."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else nan


def trust(factor: float) -> str:
    """What to say of a forecast that so few reports hardly tell; nothing where they do.

    >>> trust(1.05), trust(1.57), trust(30.0)
    ('', '; right to a factor of about 1.6, as the reports tell no better', '; a guess, as the reports hardly tell')
    """
    if factor < ROUGHLY:
        return ""
    if factor > GUESS:
        return "; a guess, as the reports hardly tell"
    return f"; right to a factor of about {factor:.2g}, as the reports tell no better"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


OfPart = Callable[[Question, float | None, float | None], Forecast]  # question, users, error


def union_forecast(
    sql: str, parts: Sequence[Question], of_part: OfPart, users: float | None, error: float | None
) -> Forecast:
    """For so many users; or for the fewest with which every column of every part is as close as wanted."""
    found = [of_part(part, users, error) for part in parts]
    if error is not None:
        most = max(each.users for each in found)
        found = [of_part(part, most, None) for part in parts]
    names = [column.name for column in found[0].columns]
    columns = tuple(
        replace(column, name=f"{name} of SELECT number {number}")
        for number, each in enumerate(found, 1)
        for name, column in zip(names, each.columns, strict=False)
    )
    groups = {each.groups for each in found}
    return Forecast(sql, found[0].users, columns, groups.pop() if len(groups) == 1 else 1, found[0].assumptions, error)
