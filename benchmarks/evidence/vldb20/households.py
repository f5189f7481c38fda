"""Made-up households and the people in them, like the census of 1940: one-to-many, at most ten to a household.

Indiana has 950,000 households (3.42 million people), Illinois 2,100,000 (7.56 million), as published.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

import untold
from benchmarks.joins.exact import Mechanism, plan_for

HOUSEHOLDS = {"Indiana": 950_000, "Illinois": 2_100_000}
CITY = {"Indiana": 0.11, "Illinois": 0.43}  # share of households in Indianapolis, in Chicago
SIZES = np.array([0.08, 0.22, 0.22, 0.19, 0.12, 0.07, 0.04, 0.03, 0.02, 0.01])  # 1 to 10 people: 3.6 on average
RACES = {"W": 0.915, "A": 0.078, "N": 0.0005, "C": 0.004, "J": 0.001, "O": 0.0015}
AGES, INCOMES = 120, 25


@dataclass(frozen=True, eq=False)
class Households:
    """One row per household and one per person."""

    homes: pa.Table
    people: pa.Table


@lru_cache(maxsize=1)
def households(state: str) -> Households:
    """Codes: city 1 is the large one; age 0 to 119; income in 25 steps."""
    rng = np.random.default_rng(len(state))
    n = HOUSEHOLDS[state]
    uid = np.arange(n)
    city = (rng.random(n) < CITY[state]).astype(np.int64)
    members = np.repeat(uid, rng.choice(np.arange(1, 11), n, p=SIZES / SIZES.sum()))
    share = np.array(list(RACES.values()))
    race = np.array(list(RACES), dtype=object)[rng.choice(len(RACES), n, p=share / share.sum())][members]
    age = np.clip(rng.gamma(1.9, 16.0, len(members)), 0, AGES - 1).astype(np.int64)
    income = np.where(age < 15, 0, np.clip(rng.gamma(1.5, 4.0, len(members)), 0, INCOMES - 1)).astype(np.int64)
    homes = pa.table({"uid": uid, "city": np.where(city == 1, "large", "other").astype(object)})
    return Households(homes, pa.table({"uid": members, "age": age, "race": race, "income": income}))


def services(*columns: str) -> dict[str, Any]:
    """A plan's services: the city of households, some columns of people, tau = 1 of at most 10."""
    known = {
        "age": {"kind": "ordinal", "low": 0, "high": AGES - 1},
        "race": {"kind": "categorical", "values": list(RACES)},
        "income": {"kind": "ordinal", "low": 0, "high": INCOMES - 1},
    }
    people = {"rows_per_user": {"max": 10, "report": 1}, "attributes": {name: known[name] for name in columns}}
    return {"homes": {"attributes": {"city": {"kind": "categorical", "values": ["large", "other"]}}}, "people": people}


def collected(
    state: str, columns: Sequence[str], epsilon: float, mechanisms: Sequence[Mechanism], sqls: Sequence[str], seed: int
) -> list[list[pa.Table]]:
    """One collection of the first mechanism's design, and by each mechanism's estimator the answers to all questions.

    The paper's OLH has a seed in every report; its twin with a finite family of hash functions, AGR, takes its place."""
    data, first = households(state), mechanisms[0]
    plan = plan_for(replace(first, oracle=first.oracle and "agr"), epsilon, services(*columns))
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as folder:
        untold.perturb(plan, "homes", data.homes, out=folder, seed=2 * seed, progress=False)
        population = data.homes.select(["uid"])
        untold.perturb(
            plan, "people", data.people, population=population, out=folder, seed=2 * seed + 1, progress=False
        )
        with untold.connect(folder, summaries=False) as con:
            return [[con.sql(sql, estimator=m.estimator, top=m.top).arrow() for sql in sqls] for m in mechanisms]  # type: ignore[arg-type]  # words are checked by the plan
