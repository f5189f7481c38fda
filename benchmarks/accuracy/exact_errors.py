"""The exact standard deviation of answers divided by the error that is stated, by enumeration of the chances of all messages.

    scripts/bench accuracy exact_errors [--people 4000] [--plans 1 2 3 4 5 6] [--epsilon 0.5 1 2 3 4 5 6 8]

Six plans of two to four attributes with 16 to 1,024 values; half of the range of each ordered attribute, its SUM, and the groups of
every attribute; people spread evenly, skewed, and all in one cell. Stated are the forecast (from the true shares) and the answer's
own error. `before` is the variance if cells are numbered in order, as in plans that were frozen before cells had an order of their
own. The line: 0.95 to 1.05.
"""

from __future__ import annotations

import json
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks.accuracy.standard_errors import exact
from benchmarks.table import Value, show

import untold
from untold.ask.scores.coefficients import blue
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question

LOW, HIGH = 0.95, 1.05
MOST_GROUPS = 32  # of a GROUP BY that are looked at, spread over all
PLANS: dict[int, tuple[tuple[str, int], ...]] = {
    1: (("ordinal", 32), ("ordinal", 32), ("list", 8)),
    2: (("ordinal", 64), ("ordinal", 32), ("list", 16)),
    3: (("ordinal", 128), ("ordinal", 128)),
    4: (("ordinal", 1024), ("list", 16)),
    5: (("ordinal", 16), ("ordinal", 16), ("ordinal", 16), ("ordinal", 16)),
    6: (("ordinal", 100), ("ordinal", 50), ("list", 6), ("list", 3)),
}
SPREADS = ("even", "skewed", "one cell")
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)


@dataclass(frozen=True)
class Asked:
    """A question; `groups` of its rows are compared."""

    what: str
    sql: str
    groups: int


def main(argv: list[str]) -> None:
    parser = ArgumentParser(prog="scripts/bench accuracy exact_errors")
    parser.add_argument("--people", type=int, default=4_000)
    parser.add_argument("--plans", type=int, nargs="*", default=list(PLANS))
    parser.add_argument("--epsilon", type=float, nargs="*", default=list(EPSILONS))
    given = parser.parse_args(argv)
    rows: list[list[Value]] = []
    for number in given.plans:
        for epsilon in given.epsilon:
            rows += compared(number, epsilon, given.people)
    outside = [row for row in rows if row[-1] != "held"]
    columns = ["plan", "eps", "people", "asked", "exact sd / forecast", "exact sd / answer's", "before / now", "line"]
    show("accuracy-exact-errors", f"Exact errors, {given.people:,} people", columns, rows)
    ratios = [value for row in rows for value in row[4:6] if isinstance(value, float)]
    print(f"{len(rows)} rows, {len(outside)} outside of {LOW} to {HIGH}; from {min(ratios):.3f} to {max(ratios):.3f}")


def compared(number: int, epsilon: float, people: int) -> Iterator[list[Value]]:
    """The rows of one plan at one epsilon."""
    plan = plan_of(number, epsilon)
    old = in_order(plan)
    for spread in SPREADS:
        weights = [weights_of(size, spread) for _, size in PLANS[number]]
        codes = codes_of(weights, people, number)
        names = [attribute.name for attribute in plan.service("t").sensitive]
        kinds = [kind for kind, _ in PLANS[number]]
        values = {name: named(kind, each) for name, kind, each in zip(names, kinds, codes, strict=True)}
        shares = {name: each.tolist() for name, each in zip(names, weights, strict=True)}
        with tempfile.TemporaryDirectory(prefix="untold-bench-") as folder:
            table = pa.table({"uid": np.arange(people), **values})
            untold.perturb(plan, "t", table, out=Path(folder) / "r", seed=number, progress=False)
            with untold.connect(Path(folder) / "r", summaries="in memory") as con:
                for asked in questions(number):
                    now, before = (errors(each, asked, codes) for each in (plan, old))
                    told = con.sql(asked.sql).arrow()["x_se"].to_numpy()[:: _step(asked.groups)]
                    foreseen = plan.forecast(asked.sql, users=people, shares=shares).columns[0].se
                    # A forecast is the mean over all groups.
                    alike = _step(asked.groups) == 1 or spread == "even"
                    ratios = now.mean() / foreseen if alike else None, now.mean() / told.mean()
                    held = all(each is None or LOW <= each <= HIGH for each in ratios)
                    more = float((before**2).mean() / (now**2).mean())
                    yield [number, epsilon, spread, asked.what, *map(_plain, ratios), more, "held" if held else "NO"]


def plan_of(number: int, epsilon: float) -> untold.Plan:
    declared: dict[str, Any] = {}
    for place, (kind, size) in enumerate(PLANS[number]):
        ordinal = {"kind": "ordinal", "low": 0, "high": size - 1}
        listed = {"kind": "categorical", "values": [f"v{i:04}" for i in range(size)]}
        declared[f"a{place}"] = ordinal if kind == "ordinal" else listed
    services = {"t": {"attributes": declared}}
    return untold.Plan.from_dict({"name": "exact", "user_key": "uid", "epsilon": epsilon, "services": services})


def in_order(plan: untold.Plan) -> untold.Plan:
    """The same plan as it was frozen before cells had an order of their own."""

    def without(each: Any) -> Any:
        if isinstance(each, dict):
            return {name: without(value) for name, value in each.items() if name != "scrambled"}
        return [without(value) for value in each] if isinstance(each, list) else each

    return untold.Plan.from_json(json.dumps(without(json.loads(plan.to_json()))))


def questions(number: int) -> Iterator[Asked]:
    """Of every attribute."""
    for place, (kind, size) in enumerate(PLANS[number]):
        if kind == "ordinal":
            yield Asked(f"half of a{place}", f"SELECT COUNT(*) AS x FROM t WHERE a{place} < {size // 2}", 1)
            yield Asked(f"SUM(a{place})", f"SELECT SUM(a{place}) AS x FROM t", 1)
        yield Asked(f"by a{place}", f"SELECT a{place}, COUNT(*) AS x FROM t GROUP BY a{place}", size)


def weights_of(size: int, spread: str) -> Any:
    """Shares of people."""
    if spread == "even":
        return np.full(size, 1 / size)
    if spread == "one cell":
        return np.eye(size)[size // 3]
    found = 1 / np.arange(1, size + 1)
    return found / found.sum()


def codes_of(weights: list[Any], people: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.choice(len(each), people, p=each) for each in weights]


def named(kind: str, codes: Any) -> Any:
    """Codes as the values that a record has."""
    return codes if kind == "ordinal" else np.array([f"v{code:04}" for code in codes])


def _step(groups: int) -> int:
    return -(-groups // MOST_GROUPS)


def _plain(ratio: Any) -> float | None:
    return None if ratio is None else round(float(ratio), 3)


def errors(plan: untold.Plan, asked: Asked, codes: list[Any]) -> Any:
    """Exact, by group."""
    compiled = compile_question(question(asked.sql, plan), plan, blue)
    chosen = compiled.groups[:: _step(asked.groups)]
    return np.array([exact(plan.design("t"), compiled.scan, numbers[0], codes)[1] for _, numbers in chosen])
