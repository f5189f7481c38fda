"""Forecasts: what a query's error will be for n users, or how many users an error needs, from the plan alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from untold.errors import UnsupportedQuery, UntoldError
from untold.estimates.estimate import brief, check_confidence, estimates
from untold.estimates.expected_epochs import Measure, assumed, epochs_spoken_of, over_epochs
from untold.estimates.expected_groups import expected_groups
from untold.estimates.expected_moments import ASSUMPTIONS, HALF_THE_ROWS, Spreads, expected_moments
from untold.estimates.gradients import is_linear
from untold.estimates.grouped import measured_groups
from untold.estimates.measured import Blocks, Measured, totals_of
from untold.estimates.rows import measured
from untold.estimator_names import EstimatorName
from untold.plan import Plan
from untold.question.epochs import epochs_asked, of_epochs_alone
from untold.question.model import EstimateOutput, Floats, PublicKey, Quantile, Question
from untold.scores.coefficients import estimator_named
from untold.scores.compile import Compiled, compile_question, parted_by
from untold.sql.from_clause.epochs import NO_DATES, EpochDates
from untold.sql.question import question

MOST_USERS = 1e15
ASSUMED_SHARES = (
    "assuming the given shares of {}, other values spread evenly, all independent of each other, "
    "and public numbers equal to 1"
)


@dataclass(frozen=True)
class Expected:
    """One estimated column: what the stated assumptions give for it, and its standard error; the mean over groups if
    there are any."""

    name: str
    value: float
    se: float
    grows: bool  # a count or a sum: its error is best read as a share of the users


@dataclass(frozen=True)
class Forecast:
    """The errors to expect from this many users."""

    sql: str
    users: int
    columns: tuple[Expected, ...]
    groups: int
    assumptions: str = ASSUMPTIONS

    def __str__(self) -> str:
        per = f" in each of {self.groups} groups" if self.groups > 1 else ""
        lines = [f"{self.users:,} users, {self.assumptions}:"]
        for column in self.columns:
            small = column.grows and column.se <= self.users
            share = f", {100 * column.se / self.users:.2g}% of all users" if small else ""
            lines.append(
                f"  {column.name}: standard error {_short(column.se)}{share}{per} (95% interval: ± {_short(1.96 * column.se)})"
            )
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
    `error`: a share of the users for counts and sums, the number itself for averages and ratios.

    shares   for some attributes, how people are thought to be spread over their values (in the plan's order, any
             scale); the others are taken as even. Averages and ratios within small groups depend on it, counts hardly.
    epochs   that are collected, as far as the query does not choose among them; by default 0 up to the last one that it
             names. `users` report in each of them, or, in a panel, as many of them as the panel draws.
    dates    on which day epochs began, where the query speaks of epoch_start
    sample   whether people are a sample of others, so that who they are is part of the error
    top      how many decompositions of a predicate the estimator rdc averages
    """
    if (users is None) == (error is None):
        raise UntoldError("a forecast needs either users=... or error=....")
    _check_positive("users", users)
    _check_positive("error", error)
    check_confidence(confidence)
    chosen = estimator_named(estimator, top)
    asked = question(sql, plan, dates=dates)
    outputs = [output for output in asked.outputs if isinstance(output, EstimateOutput)]
    if any(isinstance(key, PublicKey) and not of_epochs_alone(key.expression) for key in asked.keys):
        raise UnsupportedQuery(
            "how a public column is spread is not known before collection.\nHint: forecast without GROUP BY over it."
        )
    if any(isinstance(output.formula, Quantile) for output in outputs):
        raise UnsupportedQuery(
            "the error of a quantile depends on how values are spread.\nHint: forecast a range count instead."
        )
    if any(parted_by(asked, plan)):
        raise UnsupportedQuery(
            "a condition on an attribute of kind each is not forecast.\nHint: forecast without it; within one of P values a "
            "count has 1/P of the rows and 1/sqrt(P) of the error."
        )
    spreads = _spreads(plan, asked.services, shares or {})
    collected = epochs_asked(asked, epochs_spoken_of(asked) if epochs is None else epochs)
    if not collected:
        raise UnsupportedQuery("WHERE leaves no epoch.\nHint: name one that is collected.")

    def of_epoch(inner: Question, epoch: int) -> Measure:
        return _measure(compile_question(inner, plan, chosen, (epoch,), sample), spreads)

    measure = over_epochs(asked, plan, collected, of_epoch)
    assumptions = ASSUMED_SHARES.format(", ".join(shares)) if shares else ASSUMPTIONS
    if any(plan.service(name).rows for name in asked.services):
        assumptions += HALF_THE_ROWS
    assumptions += assumed(asked, plan, collected)

    def expected(n: float) -> Forecast:
        groups = measure(n)
        totals, columns = totals_of(groups), []
        for output in outputs:
            found = estimates(output.formula, totals, confidence)
            columns.append(Expected(output.name, _mean(found.value), _mean(found.se), is_linear(output.formula)))
        return Forecast(sql, int(n), tuple(columns), len(groups), assumptions)

    if users is not None:
        return expected(float(users))
    assert error is not None

    def close_enough(n: float) -> bool:
        return all(column.se <= error * (n if column.grows else 1) for column in expected(n).columns)

    low, high = 1.0, MOST_USERS
    if not close_enough(high):
        raise UnsupportedQuery(f"an error of {error:g} is out of reach even with {MOST_USERS:g} users.")
    for _ in range(80):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if close_enough(middle) else (middle, high)
    return expected(high)


def _measure(compiled: Compiled, spreads: Spreads) -> Measure:
    """The totals of all groups for so many users."""
    asked, sampling = compiled.grouped, compiled.over_time.sampling
    share = sampling.share
    if asked is not None:
        each = expected_groups(asked, compiled.plan, spreads)
        return lambda n: Blocks(
            [measured_groups(asked, each.times(n * share), int(n * share), sampling=sampling, known=True)]
        )
    one = expected_moments(compiled, share, spreads)
    return lambda n: _expected(
        measured(compiled, [replace(one, users=int(n * share), first=one.first * n, second=one.second * n)])
    )


def _expected(groups: list[Measured]) -> list[Measured]:
    return [replace(group, totals=replace(group.totals, known=True)) for group in groups]


def _check_positive(name: str, number: Any) -> None:
    if number is not None and (not isinstance(number, int | float) or not 0 < number <= MOST_USERS):
        raise UntoldError(
            f"{name} = {brief(number)}: a number above 0 and up to {MOST_USERS:g} is needed, such as users=1e6 or error=0.01."
        )


def _spreads(plan: Plan, services: Sequence[str], shares: Mapping[str, Sequence[float]]) -> Spreads:
    """Shares by attribute name as shares by place, each adding up to 1."""
    sizes = {a.name: a.size for name in services for a in plan.service(name).sensitive}
    for name, given in shares.items():
        if len(given) != sizes.get(name) or min(given) < 0 or sum(given) <= 0:
            raise UntoldError(
                f"shares of '{name}': {len(given)} numbers do not say how people are spread over it.\n"
                f"Hint: give one number of 0 or more for each value: {', '.join(f'{n} has {m}' for n, m in sizes.items())}."
            )
    scaled = {name: tuple(x / sum(given) for x in given) for name, given in shares.items()}
    return {s: tuple(scaled.get(a.name) for a in plan.service(name).sensitive) for s, name in enumerate(services)}


def _mean(values: Floats) -> float:
    """Over groups; those that can have no member (a condition excludes them) have no average."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else nan


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
