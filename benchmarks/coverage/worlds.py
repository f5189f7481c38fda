"""Who is asked what: plans, true rows of n people, and a question for each class of query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from untold.plan import Plan

Tables = dict[str, pa.Table]  # true rows by service
PRODUCTS = ["tea", "ball", "oil", "pen", "cup", "hat"]


@dataclass(frozen=True)
class Query:
    """What is asked, and what DuckDB is asked for the truth, if that is another query.

    whole          the answer counts as a whole: it holds if all its rows do
    simultaneous   as in con.sql
    """

    sql: str
    truth: str | None = None
    whole: bool = False
    simultaneous: bool | None = None


@dataclass(frozen=True)
class World:
    """`declared` services, and what else the plan says; `tables` makes the rows of n people; `asked` are queries by class: SQL, or
    more than that."""

    name: str
    services: Mapping[str, Any]
    tables: Callable[[int], Tables]
    asked: Mapping[str, str | Query]
    more: Mapping[str, Any]

    @property
    def queries(self) -> dict[str, Query]:
        """By class."""
        return {name: Query(asked) if isinstance(asked, str) else asked for name, asked in self.asked.items()}

    def plan(self, epsilon: float) -> Plan:
        """At this epsilon for all services together."""
        declared = {"name": self.name, "user_key": "uid", "epsilon": epsilon, "services": dict(self.services)}
        return Plan.from_dict(declared | dict(self.more))


def ordinal(size: int) -> dict[str, Any]:
    """A declaration."""
    return {"kind": "ordinal", "low": 0, "high": size - 1}


def categorical(values: str) -> dict[str, Any]:
    """One letter for each value."""
    return {"kind": "categorical", "values": list(values)}


def _one(n: int) -> Tables:
    rng = np.random.default_rng(n)
    age = np.clip(rng.normal(13, 6.5, n), 0, 31).astype(np.int64)
    income = np.clip(rng.exponential(5, n) + age / 5, 0, 31).astype(np.int64)
    people = {
        "uid": np.arange(n),
        "age": age,
        "income": income,
        "region": rng.choice(list("abcdef"), n, p=[0.4, 0.25, 0.15, 0.1, 0.07, 0.03]),
        "city": rng.choice(["x", "y", "z"], n, p=[0.7, 0.25, 0.05]),
        "spent": np.round(rng.lognormal(2, 1, n), 2),
    }
    return {"people": pa.table(people)}


def _many(n: int) -> Tables:
    rng = np.random.default_rng(n)
    age = np.clip(rng.normal(8, 4, n), 0, 15).astype(np.int64)
    uid = np.repeat(np.arange(n), rng.integers(0, 4, n))
    return {
        "users": pa.table({"uid": np.arange(n), "age": age}),
        "health": pa.table({"uid": np.arange(n), "score": np.clip(age + rng.integers(-4, 5, n), 0, 15)}),
        "habits": pa.table({"uid": np.arange(n), "smokes": rng.choice(list("nsx"), n, p=[0.6, 0.3, 0.1])}),
        "orders": pa.table(
            {
                "uid": uid,
                "amount": np.minimum(31, rng.exponential(6, len(uid)).astype(np.int64)),
                "kind": rng.choice(list("abcd"), len(uid), p=[0.5, 0.3, 0.15, 0.05]),
            }
        ),
    }


def _shop(n: int) -> Tables:
    rng = np.random.default_rng(n)
    bought = rng.binomial(2, 0.4, (n, len(PRODUCTS))).ravel()
    uid = np.repeat(np.repeat(np.arange(n), len(PRODUCTS)), bought)
    pid = np.repeat(np.tile(np.arange(len(PRODUCTS)), n), bought)
    amount = np.minimum(rng.exponential(1.5, len(uid)), 4).astype(np.int64)
    return {"sales": pa.table({"uid": uid, "pid": pa.array(PRODUCTS).take(pa.array(pid)), "amount": amount})}


def _year(n: int) -> Tables:
    rng = np.random.default_rng(n)
    age, prone = np.clip(rng.normal(5, 2, n), 0, 9).astype(np.int64), rng.random(n)
    uid, epoch = np.tile(np.arange(n), 3), np.repeat(np.arange(3), n)
    sick = np.where(rng.random(3 * n) < 0.1 + 0.5 * np.tile(prone, 3), "y", "n")
    return {"people": pa.table({"uid": uid, "epoch": epoch, "age": np.tile(age, 3), "sick": sick})}


def _loans(n: int) -> Tables:
    """Rates between the limits of classes, and days of two years."""
    rng = np.random.default_rng(n)
    rate = np.round(np.clip(rng.gamma(6, 2, n) + 5, 5, 30), 2)
    day = np.datetime64("2016-01-01") + np.clip(rng.gamma(3, 130, n), 0, 730).astype(np.int64)
    state = rng.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1])
    uid = np.arange(n)
    return {
        "loans": pa.table({"uid": uid, "rate": rate, "state": state}),
        "bookings": pa.table({"uid": uid, "week": day.astype("datetime64[D]"), "month": day.astype("datetime64[D]")}),
    }


def _cities(n: int) -> Tables:
    """100 equal groups, and half of people on each side of a gap."""
    uid = np.arange(n)
    return {
        "cities": pa.table({"uid": uid, "city": uid % 100}),
        "gap": pa.table({"uid": uid, "x": np.where(uid % 2, 16, 239)}),
    }


BY_CITY = "SELECT city, COUNT(*) AS x FROM cities GROUP BY city"
DAYS = {"kind": "date", "low": "2016-01-01", "high": "2017-12-31"}


WORLDS = (
    World(
        "one",
        {
            "people": {
                "attributes": {
                    "age": ordinal(32),
                    "income": ordinal(32),
                    "region": categorical("abcdef"),
                    "city": {"kind": "public"},
                    "spent": {"kind": "public"},
                }
            }
        },
        _one,
        {
            "COUNT, first attribute": "SELECT COUNT(*) AS x FROM people WHERE age BETWEEN 10 AND 19",
            "COUNT, half of the first": "SELECT COUNT(*) AS x FROM people WHERE age < 16",
            "COUNT, last attribute": "SELECT COUNT(*) AS x FROM people WHERE region IN ('a', 'c')",
            "SUM, first attribute": "SELECT SUM(age) AS x FROM people",
            "COUNT, two ranges": "SELECT COUNT(*) AS x FROM people WHERE age BETWEEN 10 AND 19 AND income < 8",
            "SUM": "SELECT SUM(income) AS x FROM people WHERE age >= 15",
            "SUM, public number": "SELECT SUM(spent) AS x FROM people WHERE region = 'b'",
            "AVG": "SELECT AVG(income) AS x FROM people WHERE age >= 15",
            "ratio": "SELECT COUNT(*) FILTER (WHERE region = 'a') / COUNT(*) AS x FROM people WHERE age < 20",
            "1 - ratio": "SELECT 1 - COUNT(*) FILTER (WHERE region = 'a') / COUNT(*) AS x FROM people WHERE age < 20",
            "STDDEV": "SELECT STDDEV_POP(income) AS x FROM people",
            "quantile": "SELECT MEDIAN(age) AS x FROM people",
            "GROUP BY sensitive": "SELECT region, COUNT(*) AS x FROM people GROUP BY region",
            "GROUP BY public": "SELECT city, COUNT(*) AS x FROM people WHERE age < 15 GROUP BY city",
            "GROUP BY both": "SELECT city, region, COUNT(*) AS x FROM people GROUP BY city, region",
            "running total": "SELECT age // 4 AS k, SUM(COUNT(*)) OVER (ORDER BY age // 4) AS x FROM people GROUP BY k",
            "moving mean": "SELECT age // 4 AS k, AVG(COUNT(*)) OVER (ORDER BY age // 4 ROWS 2 PRECEDING) AS x FROM people "
            "GROUP BY k",
            "difference of groups": "SELECT region, COUNT(*) - LAG(COUNT(*), 1, 0) OVER (ORDER BY region) AS x FROM people "
            "GROUP BY region",
            "ranks, together": Query(
                "SELECT region, RANK() OVER (ORDER BY COUNT(*) DESC) AS x FROM people GROUP BY region", whole=True
            ),
            "slope": "SELECT REGR_SLOPE(income, age) AS x FROM people",
            "correlation": "SELECT CORR(income, age) AS x FROM people",
        },
        {},
    ),
    World(
        "many",
        {
            "users": {"attributes": {"age": ordinal(16)}},
            "health": {"attributes": {"score": ordinal(16)}},
            "habits": {"attributes": {"smokes": categorical("nsx")}},
            "orders": {
                "rows_per_user": {"max": 4},
                "attributes": {"amount": ordinal(32), "kind": categorical("abcd")},
            },
        },
        _many,
        {
            "one-to-many COUNT": "SELECT COUNT(*) AS x FROM orders WHERE kind = 'b'",
            "one-to-many SUM": "SELECT SUM(amount) AS x FROM orders WHERE kind = 'b'",
            "one-to-many AVG": "SELECT AVG(amount) AS x FROM orders",
            "join of two": "SELECT COUNT(*) AS x FROM users JOIN health USING (uid) WHERE age >= 8 AND score < 8",
            "join of two, one-to-many": "SELECT SUM(amount) AS x FROM users JOIN orders USING (uid) WHERE age >= 8",
            "join of three": "SELECT COUNT(*) AS x FROM users JOIN health USING (uid) JOIN habits USING (uid) "
            "WHERE age >= 6 AND score < 12 AND smokes = 'n'",
        },
        {},
    ),
    World(
        "shop",
        {
            "sales": {
                "rows_per_user": {"max": 2, "report": 1},
                "attributes": {"pid": {"kind": "each", "values": PRODUCTS}, "amount": ordinal(5)},
            }
        },
        _shop,
        {
            "each": "SELECT COUNT(*) AS x FROM sales WHERE pid = 'oil' AND amount >= 1",
            "each, COUNT by product": "SELECT pid, COUNT(*) AS x FROM sales WHERE amount >= 1 GROUP BY pid",
            "each, SUM by product": "SELECT pid, SUM(amount) AS x FROM sales GROUP BY pid",
        },
        {},
    ),
    World(
        "year",
        {"people": {"attributes": {"age": ordinal(10), "sick": categorical("ny")}}},
        _year,
        {
            "panel": "SELECT COUNT(*) AS x FROM people WHERE sick = 'y' AND age >= 5",
            "panel, by epoch": "SELECT epoch, COUNT(*) AS x FROM people WHERE sick = 'y' GROUP BY epoch",
            "panel, ratio": "SELECT COUNT(*) FILTER (WHERE sick = 'y') / COUNT(*) AS x FROM people WHERE age >= 5",
            "panel, difference": "SELECT COUNT(*) FILTER (WHERE epoch = 2) - COUNT(*) FILTER (WHERE epoch = 0) AS x "
            "FROM people WHERE sick = 'y'",
        },
        {"lifetime": 1000.0, "panel": {"report": 2, "epochs": 3}},
    ),
    World(
        "loans",
        {
            "loans": {
                "attributes": {
                    "rate": {"kind": "ordinal", "low": 5, "high": 30, "cuts": [8, 10, 12, 15, 20], "digits": 2},
                    "state": categorical("abcd"),
                }
            },
            "bookings": {"attributes": {"week": DAYS | {"step": "week"}, "month": DAYS | {"step": "month"}}},
        },
        _loans,
        {
            "number, COUNT at a limit": "SELECT COUNT(*) AS x FROM loans WHERE rate < 10",
            "number, COUNT inside": "SELECT COUNT(*) AS x FROM loans WHERE rate < 11",
            "number, SUM": "SELECT SUM(rate) AS x FROM loans WHERE state = 'b'",
            "number, AVG": "SELECT AVG(rate) AS x FROM loans WHERE state = 'b'",
            "number, MEDIAN": "SELECT MEDIAN(rate) AS x FROM loans",
            "months, kept by month": Query(
                "SELECT date_trunc('month', month) AS m, COUNT(*) AS x FROM bookings GROUP BY 1"
            ),
            "months, kept by week": Query(
                "SELECT date_trunc('month', week) AS m, COUNT(*) AS x FROM bookings GROUP BY 1"
            ),
            "dates, within a month": "SELECT COUNT(*) AS x FROM bookings WHERE month >= '2016-07-15'",
        },
        {},
    ),
    World(
        "cities",
        {
            "cities": {"attributes": {"city": ordinal(100)}},
            "gap": {"attributes": {"x": ordinal(256)}},
        },
        _cities,
        {
            "100 groups": Query(BY_CITY),
            "100 groups, together": Query(BY_CITY, whole=True, simultaneous=True),
            "chosen: top 1 of 100": Query(f"{BY_CITY} ORDER BY x DESC LIMIT 1", BY_CITY, whole=True),
            "chosen: top 5 of 100": Query(f"{BY_CITY} ORDER BY x DESC LIMIT 5", BY_CITY, whole=True),
            "chosen: last 5 of 100": Query(f"{BY_CITY} ORDER BY x LIMIT 5", BY_CITY, whole=True),
            "chosen: HAVING LOW(x) > 0": Query(f"{BY_CITY} HAVING LOW(x) > 0", BY_CITY, whole=True),
            "quantile in a gap": Query("SELECT MEDIAN(x) AS x FROM gap", "SELECT quantile_disc(x, 0.5) AS x FROM gap"),
        },
        {},
    ),
)
