"""OLH over more than 2^32 cells: hashes of fewer bits, still independent for two cells; HIO over eight attributes."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.errors import UnsupportedQuery
from untold.oracles import OLH
from untold.oracles.olh import bucket, shared_bucket
from untold.randomness import Seeded


def pairs(width: int, bits: int, x: int, y: int) -> Counter[tuple[int, int]]:
    """How often two cells get two hashes, over all seeds of a small word."""
    sides = 1 << bits  # the hash itself
    seeds = product(range(1 << width), repeat=2)
    return Counter((bucket(x, a, b, sides, width, bits), bucket(y, a, b, sides, width, bits)) for a, b in seeds)


@pytest.mark.parametrize(("x", "y"), [(0, 1), (3, 5), (0, 16), (7, 15), (12, 28)])
def test_two_cells_have_independent_hashes(x: int, y: int) -> None:
    """Words of 7 bits and cells of 5 leave 7 + 1 - 5 bits; cells of 48 in words of 64 leave 17 by the same rule."""
    assert sorted(pairs(7, 3, x, y).values()) == [1 << 14 - 6] * 64
    assert OLH(1.0, 1 << 48).hash_bits == 17


def test_one_bit_more_would_not_do() -> None:
    assert len(pairs(7, 4, 0, 16)) < 1 << 8  # some pairs of hashes never occur


@pytest.mark.parametrize(("cells", "bits"), [(1 << 32, 32), ((1 << 32) + 1, 32), (1 << 33, 32), ((1 << 33) + 1, 31)])
def test_as_many_bits_as_stay_independent(cells: int, bits: int) -> None:
    assert OLH(2.0, cells).hash_bits == bits


def test_more_than_2_to_the_48_cells_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 2\\^48"):
        OLH(1.0, (1 << 48) + 1)


def test_bulk_and_single_reports_support_alike() -> None:
    """False alarms: less than one in a million (5 standard deviations)."""
    oracle, cell, n = OLH(2.0, 10**12), 987_654_321_098, 20_000
    many = oracle.encode_many(np.full(n, cell, dtype=np.uint64), Seeded(4))
    a, b = many.extra["seed_a"].tolist(), many.extra["seed_b"].tolist()
    rng = Seeded(5)
    single = [oracle.supports(oracle.encode(cell, rng), cell) for _ in range(2_000)]
    for other, chance in ((cell, float(oracle.p)), (cell - (1 << 35), float(oracle.q))):
        hit = sum(oracle.hashed(x, y, other) == index for index, x, y in zip(many.index.tolist(), a, b, strict=True))
        assert abs(hit - n * chance) < 5 * sqrt(n * chance * (1 - chance))
    assert abs(sum(single) - 2_000 * float(oracle.p)) < 5 * sqrt(500)
    assert float(shared_bucket(oracle.sides, oracle.hash_bits)) == pytest.approx(1 / oracle.sides, rel=1e-6)


def test_hio_over_eight_attributes(tmp_path: Path) -> None:
    """1.98e10 cells in the finest of 4,096 views. False alarms: less than one in a million."""
    ordinal, few = {"kind": "ordinal", "low": 0, "high": 124}, {"kind": "categorical", "values": ["x", "y", "z"]}
    attributes = {**{f"a{i}": ordinal for i in range(4)}, **{f"k{i}": few for i in range(4)}}
    service = {"design": "hio", "oracle": "olh", "attributes": attributes}
    plan = untold.Plan.from_dict({"name": "t", "user_key": "uid", "epsilon": 5.0, "services": {"people": service}})
    n, rng = 20_000, np.random.default_rng(1)
    rows = {f"a{i}": rng.integers(0, 125, n) for i in range(4)}
    rows |= {f"k{i}": np.array(["x", "y", "z"], dtype=object)[rng.integers(0, 3, n)] for i in range(4)}
    untold.perturb(plan, "people", pa.table({"uid": np.arange(n), **rows}), out=tmp_path, seed=3)
    sql = "SELECT COUNT(*) AS x FROM people WHERE k2 = 'y'"
    with untold.connect(tmp_path) as con:
        (found,) = con.sql(sql, estimator="greedy").arrow().to_pylist()
        error = (
            plan.forecast(sql, users=n, estimator="greedy").columns[0].se
        )  # a handful of reports knows no error of its own
        assert abs(found["x"] - (rows["k2"] == "y").sum()) < 5 * error
        with pytest.raises(UnsupportedQuery, match="greedy"):
            con.sql(sql).arrow()
