"""Whom an audit compares: two people with chosen rows and histories, and how far apart the plan allows what they send to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from untold.auditing.values import Rows, row_pairs
from untold.exact import NANO
from untold.plan import Plan
from untold.schema import Service

AGAIN = 4  # times that a device is asked within an epoch
LONGEST = 40  # epochs


@dataclass(frozen=True)
class Step:
    """What an app does with its client: report these rows to a service in an epoch."""

    service: str
    rows: Rows
    epoch: int = 0


Steps = tuple[Step, ...]


@dataclass(frozen=True)
class Comparison:
    """Two people, and the log of the ratio that is allowed between the probabilities of all they send."""

    words: str
    one: Steps
    other: Steps
    bound: float  # inf: the plan promises nothing here


def comparisons(plan: Plan) -> Iterator[Comparison]:
    """All that are tried: each service in one epoch and over time, and all services together."""
    for service in plan.schema.services:
        cost = plan.schema.budget.service_nano(service.name) / NANO
        for number, (words, a, b) in enumerate(row_pairs(service)):
            one, other = (Step(service.name, a),), (Step(service.name, b),)
            yield Comparison(f"{service.name}: {words}", one, other, cost)
            if number == 0:
                yield Comparison(f"{service.name}: {words}, asked {AGAIN} times", one * AGAIN, other * AGAIN, cost)
                yield from _over_time(plan, service, a, b, cost)
    if len(plan.services) > 1:
        yield Comparison("all services", *_everybody(plan, 1), plan.schema.budget.total / NANO)
        many, lifetime = length(plan), plan.schema.lifetime_nano / NANO
        yield Comparison(f"all services, the same values for {many} epochs", *_everybody(plan, many), lifetime)


def length(plan: Plan) -> int:
    """Epochs of a history: more than the lifetime and a panel last, as far as that is short."""
    lasts = plan.schema.lifetime_nano // max(plan.schema.budget.total, 1)
    panel = 0 if plan.panel is None else plan.panel.epochs * 3 // 2
    return min(max(2 * lasts + 2, panel), LONGEST)


def _over_time(plan: Plan, service: Service, a: Rows, b: Rows, cost: float) -> Iterator[Comparison]:
    """The same values for ever, and one change that is taken back."""
    many, name, lifetime = length(plan), service.name, plan.schema.lifetime_nano / NANO
    whole = {"fresh": lifetime, "once": cost, "changes": cost}[service.repeat]
    yield Comparison(
        f"{name}: lowest or highest values for {many} epochs", _same(name, a, many), _same(name, b, many), whole
    )
    epochs: Sequence[Rows] = [b if epoch == 1 else a for epoch in range(many)]
    changed = tuple(Step(name, rows, epoch) for epoch, rows in enumerate(epochs))
    once = inf if service.repeat == "changes" else cost
    yield Comparison(f"{name}: a change in one of {many} epochs", _same(name, a, many), changed, once)


def _same(name: str, rows: Rows, epochs: int) -> Steps:
    return tuple(Step(name, rows, epoch) for epoch in range(epochs))


def _everybody(plan: Plan, epochs: int) -> tuple[Steps, Steps]:
    """The widest pair of every service, in every epoch."""
    widest = [(service.name, next(row_pairs(service))) for service in plan.schema.services]
    one = tuple(Step(name, a, epoch) for epoch in range(epochs) for name, (_, a, _) in widest)
    return one, tuple(Step(name, b, epoch) for epoch in range(epochs) for name, (_, _, b) in widest)
