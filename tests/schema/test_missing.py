"""`missing = true`: how it is declared, and what counts as missing on devices and in tables of every library."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import untold
from untold.device.encoder import Encoder
from untold.errors import BadRecord, PlanError
from untold.plan import Plan
from untold.randomness import Seeded

AGE: dict[str, Any] = {"kind": "ordinal", "low": 1, "high": 9}
PAY: dict[str, Any] = {"kind": "ordinal", "low": 0, "high": 8, "bins": 2}
STATE: dict[str, Any] = {"kind": "categorical", "values": ["NY", "WA"]}
NOTHING = [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("nan")]


def plan_of(**attributes: dict[str, Any]) -> Plan:
    services = {"s": {"attributes": attributes, "design": "mg"}}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 8, "services": services})


def gappy(*declared: dict[str, Any]) -> Plan:
    return plan_of(**{f"x{i}": {**each, "missing": True} for i, each in enumerate(declared)})


@pytest.mark.parametrize("declared", [AGE, PAY, STATE])
@pytest.mark.parametrize("value", NOTHING, ids=lambda v: type(v).__name__)
def test_nothing_of_any_library_is_missing(declared: dict[str, Any], value: Any) -> None:
    allowed, refused = gappy(declared), plan_of(x0=declared)
    assert Encoder.of(allowed, "s").codes({"x0": value}, Seeded(1)) == [allowed.service("s").sensitive[0].size - 1]
    with pytest.raises(BadRecord, match="x0 = "):
        Encoder.of(refused, "s").codes({"x0": value}, Seeded(1))


def test_a_record_need_not_name_what_is_missing() -> None:
    assert len(untold.Client(gappy(AGE, STATE), user="u").report("s", {"x1": "NY"})) == 1
    assert len(untold.Client(gappy(AGE, STATE), user="u").report("s", {})) == 1
    assert len(untold.Client(gappy(AGE, STATE), user="u").report("s", {"x2": 1})) == 1  # which the plan does not have
    with pytest.raises(BadRecord, match="missing x0"):
        untold.Client(plan_of(x0=AGE), user="u").report("s", {})


TABLES: list[Any] = [
    pa.table({"uid": [1, 2, 3], "x0": [4, None, 2], "x1": [1.5, None, 8.0], "x2": ["NY", None, "WA"]}),
    pa.table({"uid": [1, 2, 3], "x0": [4.0, np.nan, 2.0], "x1": [1.5, np.nan, 8.0], "x2": ["NY", None, "WA"]}),
    pd.DataFrame({"uid": [1, 2, 3], "x0": [4, None, 2], "x1": [1.5, np.nan, 8], "x2": ["NY", np.nan, "WA"]}),
    pd.DataFrame(
        {
            "uid": [1, 2, 3],
            "x0": pd.array([4, pd.NA, 2], dtype="Int64"),
            "x1": [1.5, None, 8],
            "x2": pd.array(["NY", pd.NA, "WA"], dtype="string"),
        }
    ),
    pl.DataFrame({"uid": [1, 2, 3], "x0": [4, None, 2], "x1": [1.5, float("nan"), 8.0], "x2": ["NY", None, "WA"]}),
]


@pytest.mark.parametrize("table", TABLES, ids=["arrow", "nan", "pandas", "pandas NA", "polars"])
def test_nothing_of_any_table_is_missing(table: Any) -> None:
    plan = gappy(AGE, PAY, STATE)
    first, same = (untold.perturb(plan, "s", each, seed=5).table for each in (TABLES[0], table))
    assert first["message"].to_pylist() == same["message"].to_pylist()  # the same draws for the same values
    with pytest.raises(BadRecord, match=r"column 'x[012]': .* is not allowed"):
        untold.perturb(plan_of(x0=AGE, x1=PAY, x2=STATE), "s", table, seed=5)


def test_a_group_of_its_own(tmp_path: Path) -> None:
    plan = gappy(AGE, PAY, STATE)
    rows = {"uid": range(300), "x0": [1, None, 3] * 100, "x1": [None, 4.0, 8.0] * 100, "x2": ["NY", "WA", None] * 100}
    untold.perturb(plan, "s", pa.table(rows), out=tmp_path / "r", seed=1)
    with untold.connect(tmp_path / "r") as con:
        for column, keys in (("x0", [*range(1, 10), None]), ("x1", [0.0, 4.0, 8.0, None]), ("x2", ["NY", "WA", None])):
            assert con.sql(f"SELECT {column}, COUNT(*) FROM s GROUP BY 1").arrow()[column].to_pylist() == keys
        shown = str(con.sql("SELECT x2, COUNT(*) AS n FROM s GROUP BY x2"))
        assert "NULL" in shown
        last = con.sql("SELECT x0, COUNT(*) FROM s GROUP BY x0 ORDER BY x0 DESC").arrow()["x0"].to_pylist()
        assert last == [*range(9, 0, -1), None]


def test_it_is_declared_and_kept() -> None:
    plan = gappy(AGE, PAY, STATE)
    assert Plan.from_json(plan.to_json()) == plan
    assert plan_of(x0={**AGE, "missing": False}).id == plan_of(x0=AGE).id != gappy(AGE).id
    assert plan_of(x0=AGE, os={"kind": "public", "missing": True}).id == plan_of(x0=AGE, os={"kind": "public"}).id
    assert plan.service("s").sensitive[0].describe() == "integers 1..9, or missing"


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({**AGE, "missing": "yes"}, 'x0.missing: "yes" is a string, not a boolean. Write true or false'),
        ({**AGE, "missing": 1}, "x0.missing: 1 is an integer, not a boolean"),
        ({"kind": "public", "missing": False}, "x0.missing: public values may always be missing. Leave it out."),
        ({"kind": "each", "values": ["a", "b"], "missing": True}, "x0.missing: everybody reports about every value"),
        ({**AGE, "mising": True}, "x0.mising: unknown key. Did you mean 'missing'?"),
    ],
)
def test_mistakes(declared: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError) as refused:
        plan_of(x0=declared)
    assert said in str(refused.value)
