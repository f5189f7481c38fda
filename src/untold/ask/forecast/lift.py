"""How many users an experiment needs: two groups that a public column tells apart, and a difference worth seeing.

With s(n) the standard error of what is asked among n users, who they are included (`sample`), the difference of two
groups of n f and n (1 - f) users has the standard error sqrt(s(n f)^2 + s(n (1 - f))^2). Its interval excludes 0 with
probability `power` if

    lift = (z_c + z_power) * that error,        z_c and z_power quantiles of the normal distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from statistics import NormalDist

from untold.ask.forecast.forecast import Forecast, forecast
from untold.ask.limits import MAX_FORECAST_USERS
from untold.errors import UnsupportedQuery, UntoldError
from untold.plan import Plan


@dataclass(frozen=True)
class LiftForecast:
    """The users of both groups together, the error of the difference with so many, and what was asked."""

    sql: str
    users: int
    se: float
    lift: float
    split: float
    power: float
    confidence: float
    assumptions: str

    def __str__(self) -> str:
        groups = f"{100 * self.split:g}% and {100 * (1 - self.split):g}%"
        return (
            f"{self.users:,} users in two groups ({groups}) see a difference of {self.lift:g} with probability "
            f"{self.power:g}, {self.assumptions}:\n  the difference has a standard error of {self.se:.3g}; its "
            f"{100 * self.confidence:g}% interval then excludes 0."
        )


def forecast_lift(
    plan: Plan,
    sql: str,
    lift: float,
    split: float = 0.5,
    power: float = 0.8,
    confidence: float = 0.95,
    shares: Mapping[str, Sequence[float]] | None = None,
) -> LiftForecast:
    """The fewest users; `sql` asks for one average, share or ratio, of one group."""
    for name, value in (("split", split), ("power", power), ("confidence", confidence)):
        if not 0 < value < 1:
            raise UntoldError(f"{name} = {value}: a number between 0 and 1 is needed.")
    if not abs(lift) > 0:
        raise UntoldError(f"lift = {lift}: a difference other than 0 is needed.")

    def among(users: float) -> Forecast:
        return forecast(plan, sql, users=max(users, 2.0), shares=shares, sample=True)

    asked = among(1e6)
    if len(asked.columns) != 1 or asked.groups != 1 or asked.columns[0].grows:
        raise UnsupportedQuery(
            "a lift is a difference of one average, share or ratio between two groups; counts differ with the groups' sizes.\n"
            "Hint: SELECT AVG(x) ..., or COUNT(*) FILTER (WHERE ...) / COUNT(*)."
        )

    def error(users: float) -> float:
        return hypot(among(users * split).columns[0].se, among(users * (1 - split)).columns[0].se)

    needed = abs(lift) / (NormalDist().inv_cdf(0.5 + confidence / 2) + NormalDist().inv_cdf(power))
    low, high = 4.0, MAX_FORECAST_USERS
    if not error(high) <= needed:
        raise UnsupportedQuery(f"a lift of {lift:g} is out of reach even with {MAX_FORECAST_USERS:g} users.")
    while high > low * 1.0001:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if error(middle) <= needed else (middle, high)
    return LiftForecast(sql, int(high) + 1, error(high), lift, split, power, confidence, asked.assumptions)
