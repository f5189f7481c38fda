"""How to divide epsilon over services: the shares for which a workload's forecast errors are least.

Even shares are close to best where queries join one attribute of each service; uneven ones pay where queries ask more
of one service than of another. Shares are data-independent: only the plan and the queries go in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

from untold.ask.forecast.forecast import forecast
from untold.errors import UntoldError
from untold.plan import Plan

STEP = 0.01  # shares are given in hundredths
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Shares:
    """The chosen shares, and the workload's mean error with them relative to that with even shares: 0.8 is a fifth less."""

    shares: dict[str, float]
    error: float

    def __str__(self) -> str:
        listed = ", ".join(f"{name}: epsilon_share = {share:g}" for name, share in self.shares.items())
        return f"{listed} (errors {100 * (1 - self.error):.0f}% below even shares, by forecast)"


def best_shares(declared: Mapping[str, Any], queries: Sequence[str], users: float, rounds: int = 2) -> Shares:
    """The shares that minimise the geometric mean of the queries' forecast standard errors.

    declared  a plan as `Plan.from_dict` takes it; its own shares are not looked at
    queries   SQL; each counts as much as any other
    users     how many people will report

    Pairs of services are balanced in turn by golden-section search, `rounds` times (once where there are two).
    """
    services = list(declared["services"])
    if not queries or len(services) < 2:
        raise UntoldError("shares are chosen for two or more services and at least one query.")
    shares = dict.fromkeys(services, 1 / len(services))
    known: dict[tuple[float, ...], float] = {}

    def cost(each: Mapping[str, float]) -> float:
        key = tuple(round(share, 9) for share in each.values())
        if key not in known:
            known[key] = mean_log_error(with_shares(declared, each), queries, users)
        return known[key]

    even = cost(shares)
    for _ in range(1 if len(services) == 2 else rounds):
        for i, first in enumerate(services):
            for second in services[i + 1 :]:
                shares = balanced(shares, first, second, cost)
    shares = whole_steps(shares)
    return Shares(shares, exp(cost(shares) - even)) if cost(shares) < even else Shares(_even(services), 1.0)


def balanced(shares: Mapping[str, float], first: str, second: str, cost: Any) -> dict[str, float]:
    """Move epsilon between two services until the cost is least."""
    both = shares[first] + shares[second]

    def moved(x: float) -> dict[str, float]:
        return {**shares, first: x, second: both - x}

    low, high = STEP, both - STEP
    inner, outer = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    while high - low > STEP:
        if cost(moved(inner)) < cost(moved(outer)):
            high, outer = outer, inner
            inner = high - GOLDEN * (high - low)
        else:
            low, inner = inner, outer
            outer = low + GOLDEN * (high - low)
    return moved((low + high) / 2)


def with_shares(declared: Mapping[str, Any], shares: Mapping[str, float]) -> Plan:
    """The plan with these shares; the last service takes what the others leave."""
    last = list(shares)[-1]
    services = {}
    for name, service in declared["services"].items():
        services[name] = {key: value for key, value in service.items() if key != "epsilon_share"}
        if name != last:
            services[name]["epsilon_share"] = round(shares[name], 9)
    return Plan.from_dict({**declared, "services": services})


def mean_log_error(plan: Plan, queries: Sequence[str], users: float) -> float:
    """Mean over queries of the mean logarithm of their columns' standard errors: no query counts more for its unit."""
    total = 0.0
    for sql in queries:
        columns = forecast(plan, sql, users=users).columns
        total += sum(log(column.se) for column in columns) / len(columns)
    return total / len(queries)


def whole_steps(shares: Mapping[str, float]) -> dict[str, float]:
    """Hundredths that sum to 1."""
    steps = {name: max(1, round(share / STEP)) for name, share in shares.items()}
    largest = max(steps, key=steps.__getitem__)
    steps[largest] += round(1 / STEP) - sum(steps.values())
    return {name: each / round(1 / STEP) for name, each in steps.items()}


def _even(services: Sequence[str]) -> dict[str, float]:
    return dict.fromkeys(services, 1 / len(services))
