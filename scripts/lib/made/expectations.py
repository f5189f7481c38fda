"""What error to expect: tables made by `plan.forecast`, for the page docs/ideas/expect.md."""

from __future__ import annotations

from collections.abc import Iterator
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


def width(sql: str, epsilon: float, people: int) -> float:
    """Half of the 95% interval: a share of all people for counts, of the value for averages, points for shares."""
    (column,) = survey(epsilon, "JOIN" in sql).forecast(sql, users=people).columns
    whole = {"people": people, "points": 1.0}.get(column.share_of, column.value)
    return SURE * column.se / whole


def needed(sql: str, epsilon: float) -> int:
    """The people that an interval of +- 5% needs."""
    return survey(epsilon, "JOIN" in sql).forecast(sql, error=WITHIN / SURE).users


def percent(share: float) -> str:
    """Two digits; what says nothing is called so."""
    return "no answer" if share > 1 else f"± {100 * share:.2g}%"


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
