"""Attributes made for questions: what a plan declares of each column so that all that is asked lies at limits of classes.

Cuts come from the SQL alone. What the table holds decides nothing here: a cut that followed the data would tell something of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np

from untold.ask.dashboard.partitions import Partition, partitions
from untold.ask.dashboard.points import Points, as_read, numbers_in
from untold.ask.dashboard.reading import reading_plan
from untold.ask.question.model import Column, Floats, Question
from untold.ask.sql.unions.questions import questions
from untold.errors import PlanError, UntoldError
from untold.exact import NANO
from untold.plan.proposals.round_numbers import round_step
from untold.plan.schema import Schema, Sensitive
from untold.plan.schema.kinds import Attribute, Classes, Decimals, Listed, Ordinal
from untold.plan.schema.kinds.calendar import as_moment
from untold.plan.schema.kinds.classes import PARTS
from untold.plan.schema.kinds.dates import Calendar
from untold.plan.schema.kinds.range import Range
from untold.plan.schema.service import Declared

FEWEST, MOST = 8, 64  # classes of a grid, for what no classes are fine enough for
FEWER = 2  # values for each class, or a level of classes above single values is not worth having
LEAST_REST = 0.05  # of epsilon that services have alike, whatever is asked of them
MOST_PARTS = 16  # of a class, for questions that nobody declared
USUAL_PEOPLE = 500_000


@dataclass(frozen=True)
class Made:
    """What a plan declares: by service, its questions, each column that they name, and its share of epsilon."""

    questions: Mapping[str, tuple[Declared, ...]]
    attributes: Mapping[str, Mapping[str, dict[str, Any]]]
    shares: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class HowAsked:
    """All that decides how a column is declared: how it is asked, its values as they were read, and numbers in the SQL."""

    cut: Mapping[Column, Partition]
    numbers: Mapping[Column, Floats]
    literals: set[Decimal]
    parts: int | None  # of every class; None: as many as people can tell
    classes: int  # of a grid
    told_apart: float  # classes of a number that people can tell apart by the weight of undeclared questions


def made_for(schema: Schema, asked: Sequence[Declared], undeclared: float, parts: int | None = None) -> Made:
    """For a schema that declares columns at their finest. PlanError names every question that cannot be answered."""
    literals = numbers_in(each.sql for each in asked)
    read = replace(
        schema,
        services=tuple(
            replace(s, attributes=tuple(as_read(a, literals) for a in s.attributes), questions=())
            for s in schema.services
        ),
    )
    plan = reading_plan(read)
    found: list[Question] = []
    own: dict[str, list[Declared]] = {service.name: [] for service in schema.services}
    say = dict.fromkeys(own, 0.0)
    mistakes: list[str] = []
    for number, each in enumerate(asked, 1):
        try:
            selects = questions(each.sql, plan)
        except UntoldError as refusal:
            mistakes.append(f"question {number}: {refusal}")
            continue
        found += selects
        own[selects[0].services[0]].append(each)
        for name in {name for select in selects for name in select.services}:
            say[name] += each.weight
    if mistakes:
        raise PlanError(mistakes, "the questions")
    numbers = {Column(service.name, a.name): _numbers(a) for service in read.services for a in service.sensitive}
    cut = partitions(found, numbers)
    sets = len({frozenset(c for c in _columns(question)) for question in found})
    grid = int(min(max(classes_told(schema, sets), FEWEST), MOST))
    every = HowAsked(cut, numbers, literals, parts, grid, classes_told(schema, len(cut), undeclared))
    attributes = {
        service.name: {
            a.name: _declared(a, Column(service.name, a.name), every)
            for a in service.attributes
            if not isinstance(a, Sensitive) or Column(service.name, a.name) in cut
        }
        for service in schema.services
    }
    return Made({name: tuple(some) for name, some in own.items()}, attributes, shares_of_epsilon(say, undeclared))


def shares_of_epsilon(say: Mapping[str, float], undeclared: float) -> dict[str, float]:
    """The share of every service, as much as is asked of it: sum_s W_s log(1 / epsilon_s^2), the mean log variance where epsilon is
    small, is least for epsilon_s in proportion to W_s. A join needs all of its services, and counts for each; what is not
    declared is asked of all alike.

    >>> shares_of_epsilon({"users": 3.0, "orders": 1.0}, 0.2)
    {'users': 0.7, 'orders': 0.3}
    """
    total, rest = sum(say.values()), max(undeclared, LEAST_REST)
    shares = {name: (1 - rest) * own / total + rest / len(say) for name, own in say.items()}
    rounded = {name: round(share, 2) for name, share in shares.items()}
    last = [*rounded][-1]
    rounded[last] = round(1 - sum(share for name, share in rounded.items() if name != last), 2)
    return rounded


def classes_told(schema: Schema, sets: int, share: float = 1.0) -> float:
    """How many classes of a number are neither too coarse nor too noisy: 1.6 (n (e^eps - 1)^2 / (e^eps S))^(1/4) for n people, or
    a share of them, and S sets of columns, found by trials on real tables."""
    epsilon = min(schema.budget.slot_nano(s.name) for s in schema.services) / NANO
    people = share * (schema.people or USUAL_PEOPLE)
    return float(1.6 * (people * math.expm1(epsilon) ** 2 / math.exp(epsilon) / max(sets, 1)) ** 0.25)


def _numbers(attribute: Sensitive) -> Floats:
    inner = attribute.without_missing
    return inner.numbers if isinstance(inner, Points) else np.arange(float(inner.size))


def _columns(question: Question) -> set[Column]:
    return {factor.column for total in question.totals for term in total.terms for factor in term.factors}


def _declared(attribute: Attribute, column: Column, asked: HowAsked) -> dict[str, Any]:
    """The table of one column in the plan file."""
    if not isinstance(attribute, Sensitive):
        return attribute.declared()
    inner, own, numbers = attribute.without_missing, asked.cut[column], asked.numbers[column]
    declared = attribute.declared()
    if isinstance(inner, Listed):
        return {**declared, **_groups(inner, _groups_above(own))}
    if isinstance(inner, Calendar):
        return {**declared, "step": _step(inner, own, numbers)}
    if not isinstance(inner, Range):  # texts, and what has ends of its own: as it is
        return declared
    above, missing = _classes_above(own, len(numbers)), own.missing
    own = above or own
    starts = {*own.starts} | (_grid(numbers, asked.classes) if own.curved else set())
    if len(starts) == len(numbers) and isinstance(inner, Ordinal):  # every value is told apart
        return declared
    digits = _digits(inner)
    widest = _at_least(int(np.diff([*sorted(starts), len(numbers)]).max()))
    cuts = [_cut(numbers, start, digits, asked.literals, start in own.earlier) for start in sorted(starts - {0})]
    parts = widest if above else min(_parts(asked, len(starts)), widest)
    made: dict[str, Any] = {"kind": "ordinal", "low": _plain(inner.low), "high": _plain(inner.high), "cuts": cuts}
    made |= {} if digits is None else {"digits": digits}
    made |= {"parts": parts} if parts > 1 else {}
    # missing people are the last code alone, beside which nobody has a bit: they are told apart where bits are reported
    made |= {} if missing or (own.sloped and not above) else {"rounded": False}
    return made | ({"missing": True} if attribute.may_be_missing else {})


def _groups_above(own: Partition) -> Partition:
    """Groups that conditions make, with single values below them, where they are few; else what all that is asked tells apart."""
    found = own.above
    return found if found and 1 < len({*found.groups}) <= len(own.groups) / FEWER else own


def _classes_above(own: Partition, values: int) -> Partition | None:
    """The same of classes: single values are their parts."""
    found = own.above
    if found is None or found.curved or not 1 < len(found.starts) <= values / FEWER:
        return None
    return found if max(np.diff([*found.starts, values])) <= PARTS[-1] else None


def _parts(asked: HowAsked, classes: int) -> int:
    """Of every class: as it was said, or the power of two that comes nearest to what people can tell apart."""
    if asked.parts is not None:
        return asked.parts
    wanted = asked.told_apart / classes
    return min(2 ** round(math.log2(wanted)), MOST_PARTS) if wanted > 1 else 1


def _at_least(number: int) -> int:
    """The next power of two."""
    return 1 << (number - 1).bit_length()


def _digits(attribute: Range) -> int | None:
    if isinstance(attribute, Ordinal):
        return 0
    return attribute.digits if isinstance(attribute, Decimals | Classes) else None


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _cut(numbers: Floats, start: int, digits: int | None, literals: set[Decimal], earlier: bool) -> int | float:
    """Where a class begins that begins at a point, or could `earlier`, at the one before it. Where any number is allowed, a
    condition such as x <= 10 ends at 10 itself: the next class begins at the next double."""
    number, before = float(numbers[start]), float(numbers[start - 1])
    written = {abs(float(each)) for each in literals}
    if earlier and start > 1 and abs(before) in written and abs(number) not in written:
        return _plain(before)
    if digits is None and abs(number) not in written and abs(before) in written:
        return math.nextafter(before, math.inf)
    return _plain(number)


def _grid(numbers: Floats, classes: int) -> set[int]:
    """The first points at or above round numbers, so many classes at most."""
    low, high = float(numbers[0]), float(numbers[-1])
    step = float(round_step(Decimal(str(high - low)), classes))
    limits = np.arange(math.ceil(low / step) * step, high, step)
    return {int(at) for at in np.searchsorted(numbers, limits - step * 1e-9) if 0 < at < len(numbers)}


def _groups(attribute: Listed, own: Partition) -> dict[str, Any]:
    """Groups of two or more values."""
    members: dict[int, list[Any]] = {}
    for value, group in zip(attribute.values, own.groups, strict=True):
        members.setdefault(group, []).append(value)
    several = [values for values in members.values() if len(values) > 1]
    return {"groups": several} if several else {}


def _step(attribute: Calendar, own: Partition, days: Floats) -> str:
    """The widest step at whose beginnings all classes begin. Times keep theirs."""
    if attribute.kind != "date":
        return attribute.step
    first = replace(attribute, step="day")
    begins = [first.value(start) for start in own.starts[1:]]
    for word, step in reversed([*attribute.steps.items()]):
        wide = [as_day for as_day in begins if first.shown(step.begin(step.number(_moment(as_day)))) != as_day]
        last = first.value(len(days) - 1)
        if not wide and step.number(_moment(attribute.low)) < step.number(_moment(last)):
            return word
    return "day"


def _moment(day: Any) -> datetime:
    moment = as_moment(day)
    assert moment is not None
    return moment
