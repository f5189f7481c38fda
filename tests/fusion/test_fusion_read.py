"""Tables in, reports out; what is wrong is refused with its row and the reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from untold import fuse
from untold.errors import BadRecord
from untold.fusion.user_likelihood import user_likelihood
from untold.numeric import HM, PM, SR, SW, Laplace

SERVICES = {"bank": PM(0.5), "shop": SW(0.5), "gym": SR(0.5), "bus": Laplace(0.5), "cafe": HM(1.0)}


def long_table(n=40):
    """Everybody at every service, rows mixed."""
    rng = np.random.default_rng(3)
    rows = []
    for name, m in SERVICES.items():
        for user in range(n):
            index = int(rng.integers(m.indexes))
            rows.append(
                {
                    "user": f"u{user}",
                    "service": name,
                    "value": float(m.value(index)),
                    "epsilon": m.epsilon,
                    "index": index,
                }
            )
    order = rng.permutation(len(rows))
    return pd.DataFrame([rows[i] for i in order])


@pytest.fixture
def table():
    return long_table().drop(columns="index")


def same(a, b):
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a.values, b.values, strict=True))


def test_every_kind_of_table_gives_the_same_reports(table, tmp_path):
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    pq.write_table(arrow, tmp_path / "reports.parquet")
    kinds = [table, pl.from_pandas(table), arrow, tmp_path / "reports.parquet", str(tmp_path), arrow.to_pydict()]
    loaded = [fuse.load(kind, SERVICES) for kind in kinds]
    assert loaded[0].people == 40
    assert all(same(loaded[0], other) for other in loaded[1:])


def test_indexes_are_values(table):
    by_value = fuse.load(table, SERVICES)
    by_index = fuse.load(long_table().drop(columns="value"), SERVICES)
    assert same(by_value, by_index)


def test_wide_tables_and_absent_people(table):
    kept = table.drop(index=table.index[[0, 5, 7]])
    long = fuse.load(kept, SERVICES)
    wide = kept.pivot_table(index="user", columns="service", values="value", sort=False).reset_index()
    wide = wide.set_index("user").loc[[f"u{i}" for i in range(40)]].reset_index()
    arrow = pa.Table.from_pandas(wide, preserve_index=False)
    across = fuse.load(arrow, SERVICES)
    assert sum(np.isnan(column).sum() for column in long.values) == 3
    for name, ours, theirs in zip(SERVICES, long.values, across.values, strict=True):
        assert np.allclose(np.sort(ours), np.sort(theirs), equal_nan=True), name


def test_integer_users_and_sparse_integer_users(table):
    numbers = table["user"].str[1:].astype(int)
    dense = fuse.load(table.assign(user=numbers), SERVICES)
    sparse = fuse.load(table.assign(user=numbers * 10**12), SERVICES)
    assert dense.people == sparse.people == 40
    assert fuse.mean(dense, "ua").value == pytest.approx(fuse.mean(sparse, "ua").value)


def test_without_users_reports_are_pooled(table):
    reports = fuse.load(table.drop(columns="user"), SERVICES)
    assert not reports.linked
    assert reports.people == 200
    with pytest.raises(ValueError, match="belong to one person"):
        fuse.mean(reports, "uwa")
    with pytest.raises(ValueError, match="no user keys"):
        user_likelihood(reports, linked=True)


def put(table, column, row, value):
    changed = table.copy()
    changed[column] = changed[column].astype(object)
    changed.loc[changed.index[row], column] = value
    return changed.infer_objects()


@pytest.mark.parametrize("name", list(SERVICES))
def test_refuses_a_value_outside_of_the_range(table, name):
    row = int(np.flatnonzero(table["service"] == name)[4])
    with pytest.raises(BadRecord, match=rf"^row {row}: value .* at service '{name}'"):
        fuse.load(put(table, "value", row, 1e6), SERVICES)


def test_refuses_a_number_that_stochastic_rounding_does_not_send(table):
    row = int(np.flatnonzero(table["service"] == "gym")[2])
    with pytest.raises(BadRecord, match=rf"^row {row}: value 0.5 .* is not in"):
        fuse.load(put(table, "value", row, 0.5), SERVICES)


def test_refuses_an_unknown_service(table):
    with pytest.raises(BadRecord, match=r"^row 17: service 'spy' is not in the plan. Its services: bank, shop"):
        fuse.load(put(table, "service", 17, "spy"), SERVICES)


def test_refuses_another_epsilon(table):
    with pytest.raises(BadRecord, match=r"^row 9: epsilon 0.7 at service .* differs from the plan's"):
        fuse.load(put(table, "epsilon", 9, 0.7), SERVICES)


@pytest.mark.parametrize("hole", [float("nan"), None])
def test_refuses_nan(table, hole):
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    values = arrow["value"].to_pylist()
    values[23] = hole
    arrow = arrow.set_column(arrow.column_names.index("value"), "value", pa.array(values, pa.float64()))
    with pytest.raises(BadRecord, match=r"^row 23: value is missing or NaN"):
        fuse.load(arrow, SERVICES)


def test_refuses_an_empty_service(table):
    with pytest.raises(BadRecord, match=r"service 'gym' has no reports"):
        fuse.load(table[table["service"] != "gym"], SERVICES)


def test_refuses_one_user_twice_in_a_service(table):
    twice = pd.concat([table, table.iloc[[31]]], ignore_index=True)
    user, service = table["user"].iloc[31], table["service"].iloc[31]
    with pytest.raises(BadRecord, match=rf"^row 200: user '{user}' has a report at service '{service}' already"):
        fuse.load(twice, SERVICES)


def test_refuses_what_is_not_a_table_of_reports(table):
    with pytest.raises(BadRecord, match="no rows"):
        fuse.load(table.iloc[:0], SERVICES)
    with pytest.raises(BadRecord, match="either 'value'"):
        fuse.load(table.drop(columns="value"), SERVICES)
    with pytest.raises(BadRecord, match="no column 'service'"):
        fuse.load(table.drop(columns="service"), SERVICES)
    with pytest.raises(BadRecord, match=r"^row 3: no user"):
        fuse.load(put(table, "user", 3, None), SERVICES)
    with pytest.raises(BadRecord, match="column of numbers has type"):
        fuse.load(table.assign(value="x"), SERVICES)
    with pytest.raises(ValueError, match="either services"):
        fuse.load(table)
    index = long_table().drop(columns="value")
    with pytest.raises(BadRecord, match=r"^row 6: index at service .* is not a whole number"):
        fuse.load(put(index, "index", 6, 10**7), SERVICES)


def test_dimensions_are_kept_apart(table):
    dims = np.array(["left", "right"])[np.arange(len(table)) % 2]
    reports = fuse.load(table.assign(dimension=dims), SERVICES)
    parts = reports.split()
    assert sorted(parts) == ["left", "right"]
    present = sum(int((~np.isnan(c)).sum()) for part in parts.values() for c in part.values)
    assert present == len(table)
    with pytest.raises(ValueError, match="2 dimensions"):
        fuse.mean(reports)
    with pytest.raises(BadRecord, match="needs a column 'user'"):
        fuse.load(table.assign(dimension=dims).drop(columns="user"), SERVICES)
