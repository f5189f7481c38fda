"""Four plans and raw tables for them: what people's devices know, which tests may see and the product never does."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

from untold.plan import Plan
from untold.plan.schema import Sensitive

CATEGORICAL, ORDINAL, PUBLIC, DATE = ({"kind": kind} for kind in ("categorical", "ordinal", "public", "date"))

PLANS: dict[str, dict[str, Any]] = {
    "shop": {
        "users": {
            "max_active": 2,
            "attributes": {
                "age": ORDINAL | {"low": 1, "high": 40},
                "income": ORDINAL | {"low": 0, "high": 20000, "bins": 10},
                "state": CATEGORICAL | {"values": ["NY", "WA", "CA"]},
                "os": PUBLIC,
                "visits": PUBLIC,
            },
        },
        "orders": {
            "rows_per_user": {"max": 5, "report": 1},
            "attributes": {
                "amount": ORDINAL | {"low": 0, "high": 50, "bins": 10},
                "category": CATEGORICAL | {"values": ["sports", "food", "other"]},
            },
        },
    },
    "survey": {
        "people": {
            "attributes": {
                "age": ORDINAL | {"low": -5, "high": 14},
                "score": ORDINAL | {"low": 0, "high": 1, "bins": 4},
                "smoker": CATEGORICAL | {"values": [True, False]},
                "grade": CATEGORICAL | {"values": [1, 2, 3, 6]},
                "city": CATEGORICAL | {"values": ["O'Hara", "Łódź", "new york", "Rome"]},
                "joined": PUBLIC,
                "tariff": PUBLIC,
                "spend": PUBLIC,
                "active": PUBLIC,
                "n": PUBLIC,
            },
        },
    },
    "travel": {
        "guests": {
            "max_active": 2,
            "attributes": {
                "age": ORDINAL | {"low": 18, "high": 30, "missing": True},
                "spent": ORDINAL | {"low": 0, "high": 100, "bins": 10, "missing": True},
                "country": CATEGORICAL | {"values": ["FR", "IT", "JP"], "missing": True},
                "joined": DATE | {"low": "2024-01-01", "high": "2025-12-31", "step": "month", "missing": True},
                "born": DATE | {"low": "2024-02-26", "high": "2024-03-10"},
                "seen": {"kind": "timestamp", "low": "2024-02-28", "high": "2024-02-29", "missing": True},
                "rate": ORDINAL | {"low": 0, "high": 2.5, "digits": 1},
                "region": PUBLIC,
            },
        },
        "trips": {
            "rows_per_user": {"max": 3, "report": 1},
            "attributes": {
                "start": DATE | {"low": "2024-01-01", "high": "2024-03-31", "step": "week", "missing": True},
                "nights": ORDINAL | {"low": 1, "high": 7, "missing": True},
            },
        },
    },
    "clinic": {
        "profile": {
            "attributes": {
                "age": ORDINAL | {"low": 18, "high": 30},
                "state": CATEGORICAL | {"values": ["NY", "WA", "CA"]},
                "region": PUBLIC,
            }
        },
        "health": {
            "attributes": {
                "bmi": ORDINAL | {"low": 10, "high": 50, "bins": 20},
                "smoker": CATEGORICAL | {"values": [False, True]},
                "region": PUBLIC,
                "weight": PUBLIC,
            }
        },
        "stays": {
            "rows_per_user": {"max": 4, "report": 1},
            "attributes": {
                "cost": ORDINAL | {"low": 0, "high": 100, "bins": 10},
                "dept": CATEGORICAL | {"values": ["er", "lab", "ward"]},
            },
        },
    },
}


@cache
def plan_of(name: str) -> Plan:
    """A plan by name."""
    return Plan.from_dict({"name": name, "user_key": "uid", "epsilon": 2.0, "services": PLANS[name]})


def maybe(rng: np.random.Generator, values: list[Any], rows: int) -> list[Any]:
    """Public values, one in six of them NULL."""
    return [None if rng.random() < 1 / 6 else values[rng.integers(len(values))] for _ in range(rows)]


def public_column(name: str, rng: np.random.Generator, rows: int) -> Any:
    """What the public columns of these plans hold."""
    days = [dt.date(2023, 1, 31), dt.date(2024, 2, 29), dt.date(2024, 12, 1)]
    values: dict[str, list[Any]] = {
        "os": ["ios", "Android", "web", " ios "],
        "joined": days,
        "tariff": ["free", "PRO", "pro_max"],
        "spend": [0.0, 1.5, -2.25, 100.0],
        "active": [True, False],
        "region": ["north", "south"],
        "weight": [1.0, 2.5, 4.0],
    }
    if name in values:
        kind = {"joined": "datetime64[s]", "spend": "float64", "weight": "float64", "active": "boolean"}.get(
            name, "str"
        )
        column = pd.Series(maybe(rng, values[name], rows))
        return column.astype(kind)
    return pd.Series(maybe(rng, [0, 1, 2, 7], rows)).astype("Int64")


def sensitive_column(attribute: Sensitive, values: list[Any]) -> Any:
    """As pandas takes them; in Arrow's types where those of numpy have no NULL, no days or no decimals."""
    if not attribute.may_be_missing and attribute.value_type in ("integer", "number", "text", "boolean"):
        return values
    column = pa.array(values)
    return pd.Series(column, dtype=pd.ArrowDtype(column.type))


@cache
def tables(name: str) -> dict[str, pd.DataFrame]:
    """Raw rows of every service, on knots where an attribute has them."""
    plan = plan_of(name)
    rng = np.random.default_rng(7)  # values of a test, not privacy
    people = 150
    found = {}
    for service in plan.schema.services:
        uids = list(range(people))
        if service.rows is not None:
            uids = [uid for uid in uids for _ in range(int(rng.integers(service.rows.max + 1)))]
        frame: dict[str, Any] = {"uid": uids}
        for attribute in service.attributes:
            if isinstance(attribute, Sensitive):
                codes = rng.integers(attribute.size, size=len(uids))
                frame[attribute.name] = sensitive_column(attribute, [attribute.value(int(code)) for code in codes])
            else:
                frame[attribute.name] = public_column(attribute.name, rng, len(uids))
        found[service.name] = pd.DataFrame(frame)
    return found


@cache
def raw(name: str) -> duckdb.DuckDBPyConnection:
    """A DuckDB that holds the raw rows."""
    con = duckdb.connect()
    for service, frame in tables(name).items():
        con.register("incoming", frame)
        columns = ", ".join(f"{c}::DATE AS {c}" if c == "joined" and name == "survey" else c for c in frame.columns)
        con.execute(f"CREATE TABLE {service} AS SELECT {columns}, uid % 3 AS epoch FROM incoming")
        con.unregister("incoming")
    return con
