"""What to expect of each declared question, and what declaring it bought: errors of the plan beside those of one for everything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from math import exp, inf, isfinite, log

from untold.ask.forecast.errors_wanted import IN_WORDS, relative
from untold.ask.forecast.forecast import Expected, Forecast
from untold.errors import PlanError, UntoldError
from untold.plan import Plan
from untold.plan.proposals.columns import BINS, MOST_VALUES
from untold.plan.proposals.round_numbers import round_step
from untold.plan.schema import Schema, Sensitive, schema_to_dict
from untold.plan.schema.kinds import Attribute, Categorical, Classes, Decimals, Grouped, Knots, Ordinal, OrMissing
from untold.plan.schema.service import Declared

USUAL_PEOPLE = 500_000


@dataclass(frozen=True)
class ExpectedAnswer:
    """One column of one question: its error as a share, in words of what, and how many times larger it would be under a plan
    for everything; None where that could not answer it, or cannot be compared."""

    service: str
    sql: str
    column: Expected
    people: int
    gain: float | None

    @property
    def share(self) -> float:
        """The error: of all people for counts, of the value for sums and averages."""
        return relative(self.column, self.people)

    @property
    def of(self) -> str:
        """What the share is of."""
        return IN_WORDS[self.column.share_of]


def expected_answers(plan: Plan, people: int | None = None, compare: bool = True) -> list[ExpectedAnswer]:
    """All columns of all questions that a plan declares, the worst first."""
    number = people or plan.schema.people or USUAL_PEOPLE
    before = plan_for_everything(plan.schema) if compare else None
    found: list[ExpectedAnswer] = []
    for service in plan.schema.services:
        for asked in service.questions:
            made, other = _forecast(plan, asked, number), _forecast(before, asked, number)
            if made is not None:
                gains = _gains(made, other)
                found += [
                    ExpectedAnswer(service.name, asked.sql, column, number, gain)
                    for column, gain in zip(made.columns, gains, strict=True)
                ]
    return sorted(found, key=lambda each: -each.share if isfinite(each.share) else -inf)


def mean_gain(answers: list[ExpectedAnswer]) -> float | None:
    """The geometric mean of what declaring bought, over all columns that can be compared."""
    logs = [log(each.gain) for each in answers if each.gain]
    return exp(sum(logs) / len(logs)) if logs else None


def _forecast(plan: Plan | None, asked: Declared, people: int) -> Forecast | None:
    """None where nobody can foresee it: public groups, or what a plan for everything refuses."""
    try:
        return None if plan is None else plan.forecast(asked.sql, users=people)
    except UntoldError:
        return None


def _gains(made: Forecast, other: Forecast | None) -> list[float | None]:
    if other is None or len(other.columns) != len(made.columns):
        return [None] * len(made.columns)
    return [
        theirs.se / own.se if own.se > 0 and isfinite(theirs.se) and isfinite(own.se) else None
        for own, theirs in zip(made.columns, other.columns, strict=True)
    ]


def plan_for_everything(schema: Schema) -> Plan | None:
    """The plan that would be proposed for the same columns without questions; None if there is none."""
    services = tuple(replace(s, attributes=tuple(map(_plain, s.attributes)), questions=()) for s in schema.services)
    declared = schema_to_dict(replace(schema, services=services))
    for service in declared["services"].values():
        service.pop("max_active", None)  # as many as are usual
    try:
        return Plan.from_dict(declared)
    except PlanError:
        return None


def _plain(attribute: Attribute) -> Attribute:
    if isinstance(attribute, OrMissing):
        inner = _plain(attribute.inner)
        assert isinstance(inner, Sensitive)
        return OrMissing(attribute.name, inner)
    if isinstance(attribute, Grouped):
        return Categorical(attribute.name, attribute.values)
    if not isinstance(attribute, Classes):
        return attribute
    low, high, digits = attribute.low, attribute.high, attribute.digits
    if digits is not None and (high - low) * 10**digits < MOST_VALUES:
        return Decimals(attribute.name, low, high, digits) if digits else Ordinal(attribute.name, int(low), int(high))
    step = round_step(Decimal(str(high - low)), BINS)
    return Knots(attribute.name, low, high, int(Decimal(str(high - low)) / step))
