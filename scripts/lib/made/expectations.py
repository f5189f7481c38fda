"""What error to expect: tables made by `plan.forecast`, for the page docs/ideas/expect.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache

import untold

ATTRIBUTES = {
    "smoker": {"kind": "categorical", "values": ["no", "yes"]},
    "region": {"kind": "categorical", "values": [f"region {number}" for number in range(1, 11)]},
    "age": {"kind": "ordinal", "low": 18, "high": 97},
    "income": {"kind": "ordinal", "low": 0, "high": 200_000, "bins": 40},
}
ORDERS = {
    "rows_per_user": {"max": 5},
    "attributes": {"kind": {"kind": "categorical", "values": ["food", "books", "other"]}},
}
AGE = "age BETWEEN 30 AND 49"
QUESTIONS = {  # in words, and in SQL
    "What share smokes?": "SELECT COUNT(*) FILTER (WHERE smoker = 'yes') / COUNT(*) AS x FROM people",
    "How many live in each of 10 regions?": "SELECT region, COUNT(*) AS x FROM people GROUP BY region",
    "How many are 30 to 49?": f"SELECT COUNT(*) AS x FROM people WHERE {AGE}",
    "What is the average income?": "SELECT AVG(income) AS x FROM people",
    "How many are 30 to 49 and earn 100,000 or more?": f"SELECT COUNT(*) AS x FROM people WHERE {AGE} AND income >= 100000",
    "What is the average income of each region?": "SELECT region, AVG(income) AS x FROM people GROUP BY region",
    "How many book orders come from each region?": "SELECT region, COUNT(*) AS x FROM orders JOIN people USING (uid) "
    "WHERE kind = 'books' GROUP BY region",
}
ALONE = {words: sql for words, sql in QUESTIONS.items() if "JOIN" not in sql}
CLASSES = {  # what `untold plan init --questions` makes of the two numbers
    "age": {**ATTRIBUTES["age"], "digits": 0, "cuts": [30, 50], "parts": 4},
    "income": {"kind": "ordinal", "low": 0, "high": 200_000, "cuts": [100_000], "parts": 4},
}
MIXED = 4.0  # the local epsilon behind a relay
PEOPLE = (10_000, 100_000, 1_000_000, 10_000_000)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
WITHIN = 0.05  # half of a 95% interval
SURE = 1.96  # standard errors of half of a 95% interval


@cache
def survey(epsilon: float, joined: bool) -> untold.Plan:
    """A survey with four questions; if orders are joined, they have an epsilon of their own of the same size."""
    services = {"people": {"max_active": 2, "attributes": ATTRIBUTES}} | ({"orders": ORDERS} if joined else {})
    return untold.Plan.from_dict(
        {"name": "survey", "user_key": "uid", "epsilon": epsilon * len(services), "services": services}
    )


@cache
def made(epsilon: float) -> untold.Plan:
    """The same survey, made for its questions."""
    people = {"max_active": 2, "attributes": ATTRIBUTES | CLASSES, "questions": list(ALONE.values()), "undeclared": 0.2}
    return untold.Plan.from_dict(
        {"name": "survey", "user_key": "uid", "epsilon": epsilon, "services": {"people": people}}
    )


def width(sql: str, epsilon: float, people: int) -> float:
    """Half of the 95% interval: a share of all people for counts, of the value for averages, points for shares."""
    return width_of(survey(epsilon, "JOIN" in sql), sql, people)


def width_of(plan: untold.Plan, sql: str, people: int) -> float:
    """The same of any plan."""
    (column,) = plan.forecast(sql, users=people).columns
    whole = {"people": people, "points": 1.0}.get(column.share_of, column.value)
    return SURE * column.se / whole


def needed(sql: str, epsilon: float) -> int:
    """The people that an interval of +- 5% needs."""
    return survey(epsilon, "JOIN" in sql).forecast(sql, error=WITHIN / SURE).users


def percent(share: float) -> str:
    """Two digits; what says nothing is called so."""
    return "no answer" if share > 1 else f"± {100 * share:.2g}%" if share > 1e-6 else "under 0.0001%"


def rounded(people: int) -> str:
    """Two digits."""
    digits = len(str(people)) - 2
    return f"{round(people, -digits):,}" if digits > 0 else str(people)


def table(heads: list[str], rows: Iterator[list[str]]) -> str:
    """In Markdown, numbers to the right."""
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def by_people() -> str:
    """Errors at epsilon 1."""
    rows = ([words, *(percent(width(sql, 1.0, people)) for people in PEOPLE)] for words, sql in QUESTIONS.items())
    return table(["question", *(f"{people:,} people" for people in PEOPLE)], rows)


def by_epsilon() -> str:
    """Errors of a million people."""
    rows = ([words, *(percent(width(sql, epsilon, 10**6)) for epsilon in EPSILONS)] for words, sql in QUESTIONS.items())
    return table(["question", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS)], rows)


def people_needed() -> str:
    """People for +- 5%."""
    rows = ([words, *(rounded(needed(sql, epsilon)) for epsilon in EPSILONS)] for words, sql in QUESTIONS.items())
    return table(["question", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS)], rows)


def central(sql: str, people: int) -> float:
    """What a server that holds the true records would add at epsilon 1, as half of a 95% interval: Laplace noise.

    A count, or all counts of groups together, changes by 1 with a person: noise of scale 1. An average is a noisy sum by a
    noisy count, each at half of epsilon; here the average is half of the largest value, in one group or in each of ten.
    """
    noise = math.log(1 / 0.05)  # of scale 1: beyond it in 5% of cases
    groups = 10 if "GROUP BY region" in sql else 1
    return noise / people if "COUNT" in sql else noise * 2 * math.hypot(2, 1) * groups / people


WAYS: dict[str, Callable[[str, int], float]] = {
    "plain": lambda sql, people: width_of(survey(1.0, False), sql, people),
    "made for the questions": lambda sql, people: width_of(made(1.0), sql, people),
    "through a relay": lambda sql, people: width_of(survey(MIXED, False), sql, people),
    "both": lambda sql, people: width_of(made(MIXED), sql, people),
    "a trusted server": central,
}


def by_way() -> str:
    """Errors of a million people."""
    rows = ([words, *(percent(way(sql, 10**6)) for way in WAYS.values())] for words, sql in ALONE.items())
    return table(["question", *WAYS], rows)


def by_way_and_people() -> str:
    """Of the question with two conditions."""
    words = next(words for words in ALONE if "and earn" in words)
    rows = ([name, *(percent(way(ALONE[words], people)) for people in PEOPLE)] for name, way in WAYS.items())
    return table([words, *(f"{people:,} people" for people in PEOPLE)], rows)
