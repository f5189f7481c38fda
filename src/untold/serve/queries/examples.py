"""Questions that make sense for this very plan, from its names and domains. What it could not answer is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from math import ceil, floor, log10
from time import thread_time

from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.errors import UntoldError
from untold.plan import Plan
from untold.plan.schema import Sensitive, Service
from untold.plan.schema.words import plain

MOST = 8
DECLARED = 24  # questions of one service that are shown
TRIED = 30  # of plans that are large
SECONDS = 3.0  # how long they are tried: of processor time, since machines are busy
JOINS_FROM = 4.5  # their place among the others
GROUPS = 8  # of a histogram, at most
PARTS = (("hour", 3600), ("day", 86_400), ("month", 31 * 86_400))
NAMED = 12  # values of an attribute that is worth a group for each, at most


@dataclass(frozen=True)
class Example:
    """A question in words and in SQL."""

    words: str
    sql: str


def examples(plan: Plan, seconds: float = SECONDS) -> tuple[Example, ...]:
    """The questions that the plan declares; else the first few that can be answered, from easy to hard, tried for so long."""
    found: dict[str, Example] = {
        asked.sql: Example(" ".join(asked.sql.split()), asked.sql)
        for service in plan.schema.services
        for asked in service.questions[:DECLARED]
    }
    if found:
        return tuple(found.values())
    end = thread_time() + seconds
    for example in islice(_in_turn(plan), TRIED):
        if len(found) == MOST or thread_time() > end:
            break
        if example.sql not in found and _is_answerable(example.sql, plan):
            found[example.sql] = example
    return tuple(found.values())


def _is_answerable(sql: str, plan: Plan) -> bool:
    try:
        compile_question(question(sql, plan), plan, ESTIMATORS["blue"])
    except UntoldError:
        return False
    return True


def _in_turn(plan: Plan) -> list[Example]:
    """The first service first, but some of each."""
    services = [plan.service(name) for name in plan.services]
    ranked = [(place + 2 * s, e) for s, service in enumerate(services) for place, e in enumerate(_of_service(service))]
    pairs = [(one, many) for one in services for many in services if one is not many and one.rows is None]
    joins = [(JOINS_FROM, e) for one, many in pairs for e in _of_join(one, many, plan.user_key)]
    return [example for _, example in sorted([*ranked, *joins], key=lambda each: each[0])]


def _of_service(service: Service) -> Iterator[Example]:
    name, who = service.name, "people" if service.rows is None else "rows"
    groups, numbers = _groups(service), _numbers(service)
    for c in groups[:1]:
        yield Example(
            f"How many {who} of each {c.name}?", f"SELECT {c.name}, COUNT(*) AS {who}\nFROM {name}\nGROUP BY {c.name}"
        )
    for a in numbers[:1]:
        bound = plain(nice_bound(a))
        yield Example(
            f"How many {who} have {a.name} below {bound}?",
            f"SELECT COUNT(*) AS {who}\nFROM {name}\nWHERE {a.name} < {bound}",
        )
    for a in numbers[:1]:
        step = plain(nice_step(a))
        binned = f"{a.name} // {step} * {step} AS {a.name}_from"
        yield Example(
            f"How is {a.name} spread?",
            f"SELECT {binned},\n       COUNT(*) AS {who}\nFROM {name}\nGROUP BY {a.name}_from",
        )
    for a in numbers[-1:]:
        total = "average" if service.rows is None else "total"
        function = "AVG" if service.rows is None else "SUM"
        for c in groups[:1]:
            yield Example(
                f"The {total} {a.name} of each {c.name}?",
                f"SELECT {c.name}, {function}({a.name}) AS {total}_{a.name}\nFROM {name}\nGROUP BY {c.name}",
            )
        for p in service.public[:1]:
            yield Example(
                f"The average {a.name} by {p.name}, which is public?",
                f"SELECT {p.name}, AVG({a.name}) AS average_{a.name}\nFROM {name}\nGROUP BY {p.name}",
            )
    for a, b in pairwise(numbers):
        yield Example(
            f"What share has {a.name} from {plain(nice_bound(a))} and {b.name} from {plain(nice_bound(b))}?",
            f"SELECT 100.0 * COUNT(*) FILTER (WHERE {a.name} >= {plain(nice_bound(a))} AND {b.name} >= {plain(nice_bound(b))})\n"
            f"       / COUNT(*) AS percent\nFROM {name}",
        )
    for a in [a for a in service.sensitive if a.value_type in ("date", "timestamp")][:1]:
        part = nice_part(a)
        yield Example(
            f"How many {who} in each {part} of {a.name}?",
            f"SELECT date_trunc('{part}', {a.name}) AS {part}, COUNT(*) AS {who}\nFROM {name}\nGROUP BY ALL\nORDER BY {part}",
        )
    for a in [a for a in service.sensitive if a.may_be_missing][:1]:
        yield Example(
            f"How many {who} have no {a.name}?", f"SELECT COUNT(*) AS {who}\nFROM {name}\nWHERE {a.name} IS NULL"
        )
    for c, d in [pair for pair in pairwise(groups) if pair[0].size * pair[1].size <= 4 * NAMED][:1]:
        yield Example(
            f"How many {who} of each {c.name} and {d.name}?",
            f"SELECT {c.name}, {d.name}, COUNT(*) AS {who}\nFROM {name}\nGROUP BY ALL",
        )


def _of_join(one: Service, many: Service, key: str) -> Iterator[Example]:
    for c, a in zip(_groups(one)[:1], _numbers(many)[:1], strict=False):
        yield Example(
            f"The total {a.name} of each {c.name}, joining two services?",
            f"SELECT {c.name}, SUM({a.name}) AS total_{a.name}\nFROM {many.name} JOIN {one.name} USING ({key})\nGROUP BY {c.name}",
        )


def _groups(service: Service) -> list[Sensitive]:
    """Attributes that make a few groups."""
    return [a for a in service.sensitive if a.listed is not None and a.size <= NAMED]


def _numbers(service: Service) -> list[Sensitive]:
    """Attributes that are compared with numbers."""
    return [a for a in service.sensitive if a.ordered and a.compares_numbers]


def _ends(attribute: Sensitive) -> tuple[float, float, float]:
    """The lowest and the highest value, and the distance of neighbours."""
    low, high = attribute.number(0), attribute.number(attribute.known - 1)
    return low, high, (high - low) / (attribute.known - 1)


def nice_part(attribute: Sensitive) -> str:
    """The finest part of the calendar that cuts a span of dates or times into at most twice `NAMED` groups.

    >>> from datetime import date
    >>> from untold.plan.schema.kinds import Date
    >>> [nice_part(Date("d", date(2017, 1, 1), date(*last), step)) for *last, step in
    ...  ((2017, 1, 2, "day"), (2017, 12, 31, "day"), (2017, 3, 1, "month"), (2026, 1, 1, "month"))]
    ['day', 'month', 'month', 'year']
    """
    span = (attribute.value(attribute.known - 1) - attribute.value(0)).total_seconds()
    apart = span / (attribute.known - 1)
    return next((part for part, long in PARTS if apart <= long and span <= 2 * NAMED * long), "year")


def nice_step(attribute: Sensitive) -> float:
    """A round width that cuts the domain into at most `GROUPS` parts, each a whole number of knots.

    >>> from untold.plan.schema import Knots, Ordinal
    >>> [nice_step(a) for a in (Ordinal("age", 1, 125), Knots("income", 0, 250000, 125), Ordinal("stars", 1, 5))]
    [20.0, 50000.0, 1.0]
    """
    low, high, apart = _ends(attribute)
    least = max((high - low) / GROUPS, apart)
    power = 10.0 ** floor(log10(least))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= least)
    return ceil(step / apart) * apart


def nice_bound(attribute: Sensitive) -> float:
    """A round number on a knot, about a third of the way up.

    >>> from untold.plan.schema import Knots, Ordinal
    >>> [nice_bound(a) for a in (Ordinal("age", 1, 125), Knots("income", 0, 250000, 125), Ordinal("stars", 1, 5))]
    [40.0, 80000.0, 2.0]
    """
    low, high, apart = _ends(attribute)
    third = low + (high - low) / 3
    power = 10.0 ** floor(log10(max(abs(third), apart)))
    bound = floor(third / power) * power
    code = ceil((bound - low) / apart) if low < bound < high else attribute.known // 2
    return attribute.number(code)
