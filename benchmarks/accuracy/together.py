"""Questions about four attributes where reports speak of two at a time: best guesses put together from pairs, by SQL.

Real reports of real tables, collected with `max_active = 2`. A question is a count of people within two ranges and with a value of
each of two lists; ranges go from one person's value to another's. In shares of people:

  rms          root mean square of errors of the best guess; of what independence says (products of true shares) beside it
  typical      root mean square of typical errors: the noise of the pairs
  cannot say   root mean square of what is wrong without any noise: the table put together from the true pairs
  bounds hold  share of questions whose interval holds the truth, and the mean length of intervals
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks.plausible.tables import coded_with_two_lists
from benchmarks.table import show

import untold
from untold.marginals.maximum_entropy import Margin, maximum_entropy

NAMES = "ablm"


def true_pairs(meets: np.ndarray) -> float:
    """The share of people who meet all conditions, put together from true shares of pairs of conditions; (people, conditions)."""
    count = meets.shape[1]
    margins = []
    for pair in combinations(range(count), 2):
        both = np.zeros((2, 2))
        np.add.at(both, tuple(meets[:, i].astype(int) for i in pair), 1 / len(meets))
        margins.append(Margin(pair, both))
    return float(maximum_entropy((2,) * count, margins).table[(1,) * count])


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="accuracy together", description=__doc__)
    parser.add_argument("--tables", nargs="*", default=["wages", "hotels", "patients", "crashes"])
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[1.0, 4.0])
    parser.add_argument("--queries", type=int, default=20)
    given = parser.parse_args(argv)
    rows: list[list[Any]] = []
    for name in given.tables:
        columns, declared = coded_with_two_lists(name)
        drawn = np.random.default_rng(1).integers(0, len(columns["a"]), given.people)
        people = {c: columns[c][drawn] for c in NAMES}
        for epsilon in given.epsilons:
            rng, off = np.random.default_rng(7), []
            services = {"t": {"max_active": 2, "attributes": {c: declared[c] for c in NAMES}}}
            plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": epsilon, "services": services})
            table = pa.table({"uid": np.arange(given.people), **people})
            with tempfile.TemporaryDirectory() as folder:
                untold.perturb(plan, "t", table, out=Path(folder) / "r", seed=1, progress=False)
                with untold.connect(Path(folder) / "r") as con:
                    for _ in range(given.queries):
                        ends = {c: sorted(int(each) for each in rng.choice(people[c], 2)) for c in "ab"}
                        values = {c: str(rng.choice(people[c])) for c in "lm"}
                        where = [f"{c} BETWEEN {low} AND {high}" for c, (low, high) in ends.items()]
                        where += [f"{c} = '{value}'" for c, value in values.items()]
                        meets = [(people[c] >= low) & (people[c] <= high) for c, (low, high) in ends.items()]
                        held = np.stack([*meets, *(people[c] == value for c, value in values.items())], axis=1)
                        sql = f"SELECT COUNT(*) AS n FROM t WHERE {' AND '.join(where)}"
                        row = con.sql(sql, plausible=True).df().iloc[0] / given.people
                        truth, alone = float(held.all(axis=1).mean()), float(held.mean(axis=0).prod())
                        holds = row.n_low <= truth <= row.n_high
                        wrong = (row.n_best - truth, alone - truth, row.n_typical, true_pairs(held) - truth)
                        off.append([*wrong, holds, row.n_high - row.n_low, truth])
            each = np.array(off, dtype=float)
            rms = np.sqrt((each[:, :4] ** 2).mean(axis=0))
            rows.append(
                [name, epsilon, float(each[:, 6].mean()), *map(float, rms), *map(float, each[:, 4:6].mean(axis=0))]
            )
            print(*(f"{one:.4g}" if isinstance(one, float) else one for one in rows[-1]), sep="\t", flush=True)
    header = ["table", "epsilon", "mean share", "rms", "independence", "typical", "cannot say", "bounds hold", "length"]
    show("together", f"Four attributes, {given.people:,} people, pairs reported", header, rows)
    return 0
