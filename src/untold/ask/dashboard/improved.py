"""What a plan made for some questions would give, for a plan that is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log

from untold.answers.numbers import number_text
from untold.ask.dashboard.expected import USUAL_PEOPLE
from untold.ask.dashboard.in_words import short
from untold.ask.dashboard.made import made_for
from untold.ask.forecast.forecast import Expected
from untold.errors import UntoldError
from untold.plan import Plan
from untold.plan.schema import Sensitive, schema_to_dict
from untold.plan.schema.kinds import Attribute, Categorical, Classes, Grouped, Knots, OrMissing
from untold.plan.schema.service import DEFAULT_UNDECLARED, Declared


@dataclass(frozen=True)
class Improvement:
    """One number of one question: its error now (None: refused), and under a plan made for all these questions."""

    sql: str
    now: Expected | None
    then: Expected

    @property
    def fewer(self) -> float:
        """How many times fewer people would tell it as well."""
        if self.now is None or self.then.se == 0:
            return inf
        return (self.now.se / self.then.se) ** 2


def improved_plan(plan: Plan, asked: Sequence[Declared], undeclared: float, parts: int | None = None) -> Plan:
    """The plan with classes and groups made for these questions; columns that none of them names are left out."""
    finest = tuple(
        replace(s, attributes=tuple(map(_finest, s.attributes)), questions=(), workload=(), spread=())
        for s in plan.schema.services
    )
    made = made_for(replace(plan.schema, services=finest), asked, undeclared, parts)
    declared = schema_to_dict(plan.schema)
    for name, service in list(declared["services"].items()):
        for key in ("workload", "max_active", "questions", "undeclared"):
            service.pop(key, None)
        service["attributes"] = dict(made.attributes[name])
        if not any(declared_as["kind"] != "public" for declared_as in service["attributes"].values()):
            del declared["services"][name]
        elif made.questions[name]:
            service["questions"] = [{"sql": each.sql, "weight": each.weight} for each in made.questions[name]]
            service["undeclared"] = undeclared
    return Plan.from_dict(declared)


def fewer_people(plan: Plan, sql: str, people: int) -> tuple[float, ...]:
    """How many times fewer people would tell each number as well under a plan made for this question alone; nothing where
    nobody can foresee it."""
    asked = [Declared(sql, 1.0)]
    try:
        found = improvements(plan, improved_plan(plan, asked, DEFAULT_UNDECLARED), asked, max(people, 1), ranked=False)
    except UntoldError:
        return ()
    return tuple(each.fewer for each in found)


def _finest(attribute: Attribute) -> Attribute:
    """As questions may cut it anew."""
    if isinstance(attribute, OrMissing):
        inner = _finest(attribute.inner)
        assert isinstance(inner, Sensitive)
        return OrMissing(attribute.name, inner)
    if isinstance(attribute, Grouped):
        return Categorical(attribute.name, attribute.values)
    if isinstance(attribute, Knots | Classes):
        digits = attribute.digits if isinstance(attribute, Classes) else None
        return Classes(attribute.name, attribute.low, attribute.high, (), digits)
    return attribute


def improvements(
    plan: Plan, better: Plan, asked: Sequence[Declared], people: int, ranked: bool = True
) -> list[Improvement]:
    """All numbers of all questions that can be forecast, those that gain most first if they are `ranked`."""
    found: list[Improvement] = []
    for each in asked:
        then, now = _columns(better, each.sql, people), _columns(plan, each.sql, people)
        before: list[Expected | None] = [*now] if len(now) == len(then) else [None] * len(then)
        found += [Improvement(each.sql, old, new) for old, new in zip(before, then, strict=True)]
    return sorted(found, key=lambda each: -each.fewer) if ranked else found


def _columns(plan: Plan, sql: str, people: int) -> list[Expected]:
    try:
        return list(plan.forecast(sql, users=people).columns)
    except UntoldError:
        return []


def improvements_in_words(
    plan: Plan, asked: Sequence[Declared], undeclared: float, parts: int | None, people: int | None
) -> list[str]:
    """What would change, question by question, in people saved."""
    number = people or plan.schema.people or USUAL_PEOPLE
    better = improved_plan(plan, asked, undeclared, parts)
    found = improvements(plan, better, asked, number)
    lines = [f"Errors of {number:,} people now, and under a plan made for these questions:"]
    for each in found:
        lines += [f"  {_change(each)}", f"      {short(each.sql)}"]
    known = [each.fewer for each in found if each.now is not None]
    if known:
        mean = exp(sum(map(log, known)) / len(known))
        told = f"{mean:.1f} times fewer people" if mean > 1 else f"{1 / mean:.1f} times more people"
        lines.append(f"On average (geometric mean) {told} would give the same answers.")
    return lines


def _change(each: Improvement) -> str:
    then = number_text(1.96 * each.then.se, each.then.se)
    if each.now is None:
        return f"{each.then.name}: cannot be answered now; then ± {then}"
    now = number_text(1.96 * each.now.se, each.now.se)
    fewer = f"{each.fewer:.1f} times fewer people" if each.fewer >= 1 else f"{1 / each.fewer:.1f} times more people"
    return f"{each.then.name}: ± {now} now, ± {then} then: {fewer} for the same answer"
