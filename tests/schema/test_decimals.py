"""Decimals keep their declared digits, from every library to the answer."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import untold
from untold.errors import BadRecord
from untold.plan import Plan

PRICE = {"kind": "ordinal", "low": 0, "high": 9.99, "digits": 2, "missing": True}
EXACT = [Decimal("3.10"), Decimal("0.07"), None, Decimal("9.99"), Decimal("0.30")]
COLUMNS: dict[str, Any] = {
    "wide decimals": pa.array(
        [None if d is None else d.quantize(Decimal("0.00000")) for d in EXACT], pa.decimal128(30, 5)
    ),
    "texts": [None if d is None else str(d) for d in EXACT],
    "doubles": [None if d is None else float(d) for d in EXACT],
    "objects": pd.Series(EXACT, dtype=object),
}


def plan_of(design: str = "mg") -> Plan:
    services = {"s": {"attributes": {"price": PRICE}, "design": design}}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 8, "services": services})


@pytest.mark.parametrize("name", COLUMNS)
def test_tables_of_any_kind_say_the_same(name: str) -> None:
    first, other = (
        untold.perturb(plan_of(), "s", pa.table({"uid": range(5), "price": column}), seed=1).table["message"]
        for column in (pa.array(EXACT), COLUMNS[name])
    )
    assert first.equals(other)


@pytest.mark.parametrize(
    "value", [Decimal("3.105"), "3.105", 3.105, "3,1", Decimal("10.00"), 0.1 + 0.2, Decimal("inf")]
)
def test_more_digits_are_refused(value: Any) -> None:
    with pytest.raises(BadRecord, match=r"allowed are numbers 0\.00\.\.9\.99 with 2 digits behind the point"):
        plan_of().service("s").sensitive[0].position(value)
    if not isinstance(value, Decimal) or value.is_finite():
        with pytest.raises(BadRecord, match="row 0, column 'price'"):
            untold.perturb(plan_of(), "s", pa.table({"uid": [1], "price": [value]}), seed=1)


def test_answers_are_decimals(tmp_path: Path) -> None:
    prices = np.round(np.sqrt(np.arange(20_000) * 7919 % 99_800) / 32, 2)
    table = pa.table({"uid": np.arange(20_000), "price": prices})
    untold.perturb(plan_of("tuned"), "s", table, out=tmp_path / "r", seed=2)
    with untold.connect(tmp_path / "r") as con:
        groups = con.sql(
            "SELECT price, COUNT(*) AS n FROM s WHERE price < 0.03 OR price IS NULL GROUP BY price"
        ).arrow()
        assert groups["price"].to_pylist() == [Decimal("0.00"), Decimal("0.01"), Decimal("0.02"), None]
        assert pa.types.is_decimal(groups.schema.field("price").type)
        assert groups.schema.field("price").type.scale == 2
        row = con.sql("SELECT AVG(price) AS a, COUNT(*) FILTER (WHERE price >= 5.25) AS n FROM s").df().iloc[0]
        assert abs(row["a"] - prices.mean()) < 5 * row["a_se"]  # a true claim fails once in 10^6 runs over fresh seeds
        assert abs(row["n"] - (prices >= 5.25).sum()) < 5 * row["n_se"]
