"""Whom an audit compares: two people with rows and histories, and how far apart the plan allows what they send to be.

Some pairs are the widest that there are, the same in every audit. The others are drawn for each audit, in secret: a client
that is honest for the former alone is caught by the latter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from untold.auditing.values import Rows, drawn_rows, row_pairs
from untold.exact import NANO
from untold.plan import Plan
from untold.plan.schema import Service
from untold.randomness import Randomness
from untold.wire.contract import LAST_EPOCH

AGAIN = 4  # times that a device is asked within an epoch
LONGEST = 40  # epochs
TRIES = 50  # to draw somebody else
DRAWN_PAIRS = 2  # pairs of people of a service, and of all services, that are drawn once for all runs of a comparison


@dataclass(frozen=True)
class Step:
    """What an app does with its client: report these rows to a service in an epoch."""

    service: str
    rows: Rows
    epoch: int = 0


Steps = tuple[Step, ...]
Pair = tuple[Steps, Steps]


@dataclass(frozen=True)
class Comparison:
    """Two people, and the log of the ratio that is allowed between the probabilities of all they send.

    With several pairs, each run takes the next one. Whatever is counted of them together keeps the same bound, as each does.
    """

    words: str
    pairs: tuple[Pair, ...]
    bound: float  # inf: the plan promises nothing here


def comparisons(plan: Plan, rng: Randomness, runs: int) -> Iterator[Comparison]:
    """All that are tried: each service in one epoch and over time, and all services together."""
    for service in plan.schema.services:
        cost = plan.schema.budget.service_nano(service.name) / NANO
        for number, (words, a, b) in enumerate(row_pairs(service)):
            one, other = (Step(service.name, a),), (Step(service.name, b),)
            yield Comparison(f"{service.name}: {words}", ((one, other),), cost)
            if number == 0:
                again = ((one * AGAIN, other * AGAIN),)
                yield Comparison(f"{service.name}: {words}, asked {AGAIN} times", again, cost)
                yield from _over_time(plan, service, a, b, cost)
        yield from _drawn(plan, (service,), rng, runs)
    if len(plan.services) > 1:
        yield Comparison("all services", (_everybody(plan, 1),), plan.schema.budget.total / NANO)
        many, lifetime = length(plan), plan.schema.lifetime_nano / NANO
        yield Comparison(f"all services, the same values for {many} epochs", (_everybody(plan, many),), lifetime)
        yield from _drawn(plan, plan.schema.services, rng, runs)


def length(plan: Plan) -> int:
    """Epochs of a history: more than the lifetime and a panel last, as far as that is short."""
    panel = 0 if plan.panel is None else plan.panel.epochs * 3 // 2
    return min(max(2 * paid_epochs(plan) + 2, panel), LONGEST)


def paid_epochs(plan: Plan) -> int:
    """In how many epochs a person can report before the lifetime is spent."""
    return int(plan.schema.lifetime_nano // max(plan.schema.budget.total, 1))


def _over_time(plan: Plan, service: Service, a: Rows, b: Rows, cost: float) -> Iterator[Comparison]:
    """The same values for ever, and one change that is taken back."""
    many, name, lifetime = length(plan), service.name, plan.schema.lifetime_nano / NANO
    whole = {"fresh": lifetime, "once": cost, "changes": cost}[service.repeat]
    pair = (_same(name, a, many), _same(name, b, many))
    yield Comparison(f"{name}: lowest or highest values for {many} epochs", (pair,), whole)
    epochs: Sequence[Rows] = [b if epoch == 1 else a for epoch in range(many)]
    changed = tuple(Step(name, rows, epoch) for epoch, rows in enumerate(epochs))
    once = inf if service.repeat == "changes" else cost
    yield Comparison(f"{name}: a change in one of {many} epochs", ((_same(name, a, many), changed),), once)


def _same(name: str, rows: Rows, epochs: int) -> Steps:
    return tuple(Step(name, rows, epoch) for epoch in range(epochs))


def _everybody(plan: Plan, epochs: int) -> Pair:
    """The widest pair of every service, in every epoch."""
    widest = [(service.name, next(row_pairs(service))) for service in plan.schema.services]
    one = tuple(Step(name, a, epoch) for epoch in range(epochs) for name, (_, a, _) in widest)
    return one, tuple(Step(name, b, epoch) for epoch in range(epochs) for name, (_, _, b) in widest)


def _drawn(plan: Plan, services: Sequence[Service], rng: Randomness, runs: int) -> Iterator[Comparison]:
    """Pairs drawn for this audit: some for all runs of a comparison, and one for every run, in one epoch and over time."""
    name = services[0].name if len(services) == 1 else "all services"
    cost = sum(plan.schema.budget.service_nano(each.name) for each in services) / NANO
    for number in range(DRAWN_PAIRS):
        yield Comparison(f"{name}: two drawn people, {number + 1}", (_people(services, rng),), cost)
    many = tuple(_people(services, rng) for _ in range(2 * runs))
    yield Comparison(f"{name}: two people drawn for each run", many, cost)
    if all(each.repeat == "fresh" for each in services):
        yield Comparison(f"{name}: two drawn histories", (_histories(plan, services, rng),), cost)
        many = tuple(_histories(plan, services, rng) for _ in range(2 * runs))
        yield Comparison(f"{name}: two histories drawn for each run", many, cost)


def _people(services: Sequence[Service], rng: Randomness) -> Pair:
    """In one epoch, of any size: low numbers are as likely as high ones."""
    epoch, one = _epoch(rng), _rows(services, rng)
    other = _others(services, one, rng)
    return (
        tuple(Step(service.name, own, epoch) for service, own in zip(services, one, strict=True)),
        tuple(Step(service.name, own, epoch) for service, own in zip(services, other, strict=True)),
    )


def _rows(services: Sequence[Service], rng: Randomness) -> tuple[Rows, ...]:
    return tuple(drawn_rows(service, rng) for service in services)


def _others(services: Sequence[Service], rows: tuple[Rows, ...], rng: Randomness) -> tuple[Rows, ...]:
    """Rows of somebody else: two people with the same rows tell nothing."""
    return next((other for _ in range(TRIES) if (other := _rows(services, rng)) != rows), rows)


def _epoch(rng: Randomness) -> int:
    return rng.below(2 ** (1 + rng.below(31))) % (LAST_EPOCH - 4 * LONGEST)


def _histories(plan: Plan, services: Sequence[Service], rng: Randomness) -> Pair:
    """Some epochs, others left out, some asked in twice, values that stay and change; the two people differ in one of the
    epochs that are paid for."""
    epoch, steps = _epoch(rng), list[tuple[int, tuple[Rows, ...]]]()
    paid = max(paid_epochs(plan), 1)
    count = min(paid, LONGEST // 4) + rng.below(3)
    rows = _rows(services, rng)
    for _ in range(count):
        steps += [(epoch, rows)] * (1 + (rng.below(4) == 0))
        epoch += 1 + rng.below(3)
        if rng.below(4):
            rows = _rows(services, rng)
    epochs = sorted({each for each, _ in steps})
    # rather late: what a client does after some changes is what nobody has looked at
    last = min(paid, len(epochs))
    where = epochs[max(rng.below(last), rng.below(last))]
    other = _others(services, next(own for each, own in steps if each == where), rng)
    changed = [(each, other if each == where else own) for each, own in steps]
    one, two = (
        tuple(Step(service.name, own[i], each) for each, own in history for i, service in enumerate(services))
        for history in (steps, changed)
    )
    return one, two
