"""Sixty questions: what is asked of each table, by kind of answer.

count   COUNT under one range, two ranges, points, OR, NOT
sum     SUM of sensitive and public numbers, and differences of sums: linear, so exactly unbiased
avg     AVG;  ratio  quotients of other aggregates;  spread  VARIANCE and STDDEV: unbiased up to terms of order 1/n
group   GROUP BY, counts and sums;  group avg  GROUP BY, averages
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.queries.tables import SERVICE


@dataclass(frozen=True)
class Asked:
    """One query. `public` says that it needs a public column, of which a forecast knows nothing."""

    kind: str
    sql: str
    public: bool = False

    @property
    def short(self) -> str:
        """The text without what all of them have in common."""
        return self.sql.replace(f" FROM {SERVICE}", "").replace("SELECT ", "").replace("COUNT(*) WHERE ", "")


def _count(*conditions: str) -> list[Asked]:
    return [Asked("count", f"SELECT COUNT(*) FROM {SERVICE} WHERE {condition}") for condition in conditions]


def _of(kind: str, *asked: str, public: bool = False) -> list[Asked]:
    """'expression | the rest after FROM'."""
    pairs = (text.partition(" | ") for text in asked)
    return [Asked(kind, f"SELECT {what} FROM {SERVICE} {rest}".strip(), public) for what, _, rest in pairs]


SYNTHETIC: tuple[Asked, ...] = (
    *_count(
        "a BETWEEN 20 AND 80", "a <= 30", "b > 90", "b BETWEEN 60 AND 62", "a = 62", "a IN (5, 50, 100)", "a <> 0",
        "a BETWEEN 20 AND 80 AND b BETWEEN 40 AND 100", "a < 62 AND b < 62", "a BETWEEN 50 AND 59 AND b BETWEEN 50 AND 59",
        "a >= 100 AND b >= 100", "a = 60 AND b BETWEEN 30 AND 90", "a < 20 OR a > 100", "a < 40 OR b < 40",
        "NOT (a BETWEEN 40 AND 80 AND b BETWEEN 40 AND 80)", "NOT (a < 30 OR b > 100)",
        "(a < 30 AND b < 50) OR (a > 90 AND b > 80)", "k = 'v1'", "k IN ('v1', 'v2') AND a > 50",
        "k <> 'v0' AND b BETWEEN 30 AND 90", "k = 'v19' AND a < 62",
    ),
    *_of("sum", "SUM(a)", "SUM(a) | WHERE b BETWEEN 40 AND 100", "SUM(2 * a + b)", "SUM(b) | WHERE k = 'v0'",
         "SUM(a) | WHERE a BETWEEN 30 AND 90", "SUM(b) - SUM(a)"),
    *_of("sum", "SUM(spend) | WHERE a BETWEEN 30 AND 80", "SUM(spend) | WHERE a > 50 AND b < 70", public=True),
    *_of("avg", "AVG(a)", "AVG(a) | WHERE b > 62", "AVG(b) | WHERE a BETWEEN 30 AND 90", "AVG(a) | WHERE k IN ('v0', 'v1')"),
    *_of("avg", "AVG(spend) | WHERE a BETWEEN 20 AND 100", public=True),
    *_of("ratio", "SUM(a) / SUM(b)", "100 * COUNT(CASE WHEN a > 80 THEN 1 END) / COUNT(CASE WHEN a > 40 THEN 1 END)"),
    *_of("spread", "VARIANCE(a)", "STDDEV(b) | WHERE a > 40"),
    *_of("group", "k, COUNT(*) | GROUP BY k", "k, COUNT(*) | WHERE a BETWEEN 20 AND 70 GROUP BY k"),
    *_of("group", "os, COUNT(*) | WHERE a > 80 GROUP BY os", public=True),
    *_of("group avg", "k, AVG(a) | WHERE k IN ('v0', 'v1', 'v2', 'v3') GROUP BY k"),
)  # fmt: skip

CENSUS: tuple[Asked, ...] = (
    *_count(
        "age < 28", "work = 0", "work BETWEEN 40 AND 52", "age >= 30 AND work > 26", "morekids = 'yes'",
        "morekids = 'yes' AND work > 0", "afam = 'yes' OR hispanic = 'yes'",
        "age BETWEEN 25 AND 30 AND work = 0 AND morekids = 'no'",
        "hispanic = 'yes' AND age > 30",
    ),
    *_of("sum", "SUM(work)", "SUM(work) | WHERE morekids = 'yes'"),
    *_of("sum", "SUM(work) | WHERE gender1 = 'male' AND age > 28", public=True),
    *_of("avg", "AVG(work)", "AVG(work) | WHERE morekids = 'yes'", "AVG(age) | WHERE work > 20"),
    *_of("ratio", "100 * COUNT(CASE WHEN work > 0 THEN 1 END) / COUNT(*)", "SUM(work) / SUM(age)"),
    *_of("spread", "STDDEV(work)"),
    *_of("group", "morekids, COUNT(*) | GROUP BY morekids", "age, COUNT(*) | GROUP BY age",
         "afam, hispanic, COUNT(*) | GROUP BY afam, hispanic"),
    *_of("group avg", "morekids, AVG(work) | GROUP BY morekids", "hispanic, AVG(work) | GROUP BY hispanic"),
)  # fmt: skip
