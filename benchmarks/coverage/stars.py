"""A star join: people's rows of each product, and products that are only reported about, too.

Every trial has a folder of its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

import untold
from benchmarks.coverage.worlds import PRODUCTS, WORLDS, categorical, ordinal
from untold.estimates.estimate import Estimated
from untold.plan import Plan

ASKED = {
    "star": "SELECT COUNT(*) AS x FROM sales JOIN products USING (pid) WHERE country = 'c' AND amount >= 1",
    "star, SUM": "SELECT SUM(amount) AS x FROM sales JOIN products USING (pid) WHERE country = 'c'",
}
THINGS = pa.table({"pid": PRODUCTS, "country": list("cciici"), "price": [1, 2, 0, 3, 1, 2]})


def star_errors(
    epsilon: float, people: int, times: int, seed: int
) -> Iterator[tuple[str, list[tuple[Estimated, float]]]]:
    """For every class: all estimates with the truth."""
    import duckdb

    shop = next(world for world in WORLDS if world.name == "shop")
    plan, tables = shop.plan(epsilon), shop.tables(people)
    products = {"attributes": {"country": categorical("ci"), "price": ordinal(4)}}
    catalogue = Plan.from_dict(
        {"name": "catalogue", "user_key": "pid", "epsilon": epsilon, "services": {"products": products}}
    )
    with duckdb.connect() as db:
        db.register("sales", tables["sales"])
        db.register("products", THINGS)
        truth = {name: float(db.sql(sql).fetchall()[0][0]) for name, sql in ASKED.items()}
    found: dict[str, list[tuple[Estimated, float]]] = {name: [] for name in ASKED}
    for trial in range(seed, seed + (times if people <= 2000 else times // 4)):
        with tempfile.TemporaryDirectory() as folder:
            a, b = Path(folder) / "people", Path(folder) / "things"
            everybody = list(range(people))
            untold.perturb(plan, "sales", tables["sales"], population=everybody, out=a, seed=trial, progress=False)
            untold.perturb(catalogue, "products", THINGS, out=b, seed=trial, progress=False)
            with untold.connect(a, threads=1) as con, untold.connect(b, threads=1) as things:
                con.register("products", things, key="pid")
                for name, sql in ASKED.items():
                    found[name].append((Estimated(*con.sql(sql).fetchall()[0]), truth[name]))
    yield from found.items()
