"""What mixing buys: errors of five queries at local epsilon 4, mixed, beside local epsilon 1 without a relay.

The reports of a mixed plan are the same as those of any plan of its epsilon: a relay changes who sees what, not what is
sent. So both plans are collected in bulk, and the error bars of answers are compared, and the errors themselves.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

import untold

SERVICES: dict[str, Any] = {
    "users": {
        "attributes": {
            "age": {"kind": "ordinal", "low": 0, "high": 99},
            "state": {"kind": "categorical", "values": list("abcdefgh")},
        }
    },
    "orders": {
        "rows_per_user": {"max": 1},
        "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 99}},
    },
}
QUERIES = {
    "a range": "SELECT COUNT(*) AS x FROM users WHERE age BETWEEN 20 AND 39",
    "a group": "SELECT COUNT(*) AS x FROM users WHERE state = 'c'",
    "a mean": "SELECT AVG(age) AS x FROM users",
    "two attributes": "SELECT COUNT(*) AS x FROM users WHERE state = 'c' AND age BETWEEN 20 AND 39",
    "a join": "SELECT COUNT(*) AS x FROM orders JOIN users USING (uid) WHERE age BETWEEN 20 AND 39 AND amount >= 50",
}


def plan_of(epsilon: float, people: int | None) -> untold.Plan:
    """The same services at an epsilon, mixed or not."""
    mix = {} if people is None else {"mix": {"people": people, "delta": 1e-8}}
    declared = {"name": "shop", "user_key": "uid", "epsilon": epsilon, "services": SERVICES, **mix}
    return untold.Plan.from_dict(declared)


def tables(people: int, seed: int) -> tuple[pa.Table, pa.Table]:
    """Everybody has a row as a user; three of four have an order, larger for older people."""
    rng = np.random.default_rng(seed)
    uid, age = np.arange(people), np.clip(rng.normal(40, 18, people), 0, 99).astype(int)
    state = np.array(list("abcdefgh"))[rng.choice(8, people, p=np.arange(8, 0, -1) / 36)]
    buys = rng.random(people) < 0.75
    amount = np.clip(rng.normal(20 + age / 2, 20), 0, 99).astype(int)
    return pa.table({"uid": uid, "age": age, "state": state}), pa.table({"uid": uid[buys], "amount": amount[buys]})


def truths(users: pa.Table, orders: pa.Table) -> dict[str, float]:
    """The same questions of the rows themselves."""
    age, state = users["age"].to_numpy(), users["state"].to_numpy(zero_copy_only=False)
    young = (age >= 20) & (age <= 39)
    own = young[orders["uid"].to_numpy()] & (orders["amount"].to_numpy() >= 50)
    found = (young.sum(), (state == "c").sum(), age.mean(), ((state == "c") & young).sum(), own.sum())
    return dict(zip(QUERIES, map(float, found), strict=True))


def measured(
    plan: untold.Plan, users: pa.Table, orders: pa.Table, seed: int, folder: Path
) -> dict[str, tuple[float, float]]:
    """Answer and standard error of each query."""
    untold.perturb(plan, "users", users, out=folder, seed=seed)
    untold.perturb(plan, "orders", orders, population=users["uid"], out=folder, seed=seed + 1)
    con = untold.connect(folder)
    rows = {name: con.sql(sql).arrow().to_pylist()[0] for name, sql in QUERIES.items()}
    return {name: (row["x"], row["x_se"]) for name, row in rows.items()}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench accuracy mixing")
    parser.add_argument("--people", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    users, orders = tables(given.people, given.seed)
    true = truths(users, orders)
    plans = {"local 1": plan_of(1.0, None), "local 4, mixed": plan_of(4.0, given.people)}
    found = {}
    for number, (name, plan) in enumerate(plans.items()):
        with TemporaryDirectory() as folder:
            found[name] = measured(plan, users, orders, given.seed + 10 * number, Path(folder) / "r")
    promise = plans["local 4, mixed"].promise()
    print(f"{given.people:,} people. Local 4, mixed, is central {promise.central:.3f} at delta 1e-8.")
    print("| query | truth | se at local 1 | error | se at local 4 | error | ratio |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for name in QUERIES:
        (plain, plain_se), (mixed, mixed_se) = found["local 1"][name], found["local 4, mixed"][name]
        errors = f"{plain_se:,.4g} | {plain - true[name]:,.4g} | {mixed_se:,.4g} | {mixed - true[name]:,.4g}"
        print(f"| {name} | {true[name]:,.6g} | {errors} | {plain_se / mixed_se:.2f} |")
