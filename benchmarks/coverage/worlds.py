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
class World:
    """`declared` services, and what else the plan says; `tables` makes the rows of n people; `asked` is SQL by class."""

    name: str
    services: Mapping[str, Any]
    tables: Callable[[int], Tables]
    asked: Mapping[str, str]
    more: Mapping[str, Any]

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
    age = np.clip(rng.normal(26, 13, n), 0, 63).astype(np.int64)
    income = np.clip(rng.exponential(5, n) + age / 10, 0, 31).astype(np.int64)
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


WORLDS = (
    World(
        "one",
        {
            "people": {
                "attributes": {
                    "age": ordinal(64),
                    "income": ordinal(32),
                    "region": categorical("abcdef"),
                    "city": {"kind": "public"},
                    "spent": {"kind": "public"},
                }
            }
        },
        _one,
        {
            "COUNT": "SELECT COUNT(*) AS x FROM people WHERE age BETWEEN 20 AND 39",
            "COUNT, two ranges": "SELECT COUNT(*) AS x FROM people WHERE age BETWEEN 20 AND 39 AND income < 8",
            "SUM": "SELECT SUM(income) AS x FROM people WHERE age >= 30",
            "SUM, public number": "SELECT SUM(spent) AS x FROM people WHERE region = 'b'",
            "AVG": "SELECT AVG(income) AS x FROM people WHERE age >= 30",
            "ratio": "SELECT COUNT(*) FILTER (WHERE region = 'a') / COUNT(*) AS x FROM people WHERE age < 40",
            "1 - ratio": "SELECT 1 - COUNT(*) FILTER (WHERE region = 'a') / COUNT(*) AS x FROM people WHERE age < 40",
            "STDDEV": "SELECT STDDEV_POP(income) AS x FROM people",
            "quantile": "SELECT MEDIAN(age) AS x FROM people",
            "GROUP BY sensitive": "SELECT region, COUNT(*) AS x FROM people GROUP BY region",
            "GROUP BY public": "SELECT city, COUNT(*) AS x FROM people WHERE age < 30 GROUP BY city",
            "GROUP BY both": "SELECT city, region, COUNT(*) AS x FROM people GROUP BY city, region",
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
)
