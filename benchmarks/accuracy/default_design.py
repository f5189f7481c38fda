"""Does the default fit how people ask? Its variance by number of attributes, against designs made for that number alone.

    scripts/bench accuracy default_design

All of it is computed exactly from the compiled designs, for records spread evenly; it takes seconds. A design for one size
alone is the same plan with a workload of all sets of that size. A number is the mean over these sets of the ratio of variances.

Then every question of `scripts/bench accuracy queries` that a forecast can answer: its variance, divided by what it was under
the former default (benchmarks/queries/former_default.json has its standard errors). Questions about a standard deviation are
asked for the variance instead: how the error of a root is told has changed since.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.queries import questions
from benchmarks.queries.tables import fertility, syn1
from benchmarks.table import Value, show

from untold.plan import Plan
from untold.plan.designs.variances import set_variance
from untold.plan.designs.workload import attribute_energies

LIMIT = 3.0
FORMER = Path(questions.__file__).with_name("former_default.json")
Sets = dict[tuple[int, ...], float]


@dataclass(frozen=True)
class Case:
    """Attributes by their sizes, ordinals first."""

    name: str
    ordinals: tuple[int, ...]
    categoricals: tuple[int, ...]
    epsilon: float = 1.0
    rows: int | None = None  # per person

    def plan(self, **service: Any) -> Plan:
        """The plan, for one service."""
        ordinals: list[dict[str, Any]] = [{"kind": "ordinal", "low": 0, "high": size - 1} for size in self.ordinals]
        lists: list[dict[str, Any]] = [
            {"kind": "categorical", "values": list(range(size))} for size in self.categoricals
        ]
        entry = {"attributes": {f"a{i}": each for i, each in enumerate(ordinals + lists)}, **service}
        if self.rows is not None:
            entry["rows_per_user"] = {"max": self.rows}
        declared = {"name": "p", "user_key": "uid", "epsilon": self.epsilon, "services": {"s": entry}}
        return Plan.from_dict(declared)

    def alone(self, size: int, most: int) -> Plan:
        """A plan that is asked for sets of one size alone."""
        names = [f"a{i}" for i in range(len(self.ordinals + self.categoricals))]
        return self.plan(max_active=most, workload=[{"attributes": list(each)} for each in combinations(names, size)])


CASES = (
    Case("64, 32 ordered; 20, 2, 6", (64, 32), (20, 2, 6)),
    # a census: age and weeks worked; class of worker, education, marital status, occupation, race, sex
    Case("census: 91, 53 ordered; 9, 17, 7, 15, 5, 2", (91, 53), (9, 17, 7, 15, 5, 2)),
    Case("three ordinals of 64", (64, 64, 64), ()),
    Case("ten yes/no questions, epsilon 2", (), (2,) * 10, 2.0),
    Case("orders: 100, 50 ordered; 8, 3; up to 10 rows, epsilon 4", (100, 50), (8, 3), 4.0, rows=10),
)


def variances(plan: Plan, size: int) -> Sets:
    """V of every set of `size` attributes."""
    service, design = plan.service("s"), plan.design("s")
    energies = attribute_energies(service, design.space)
    every = combinations(range(len(service.sensitive)), size)
    return {each: set_variance(design, energies, each) for each in every}


def main(argv: list[str]) -> None:
    ArgumentParser(prog="scripts/bench accuracy default_design").parse_args(argv)
    rows: list[list[Value]] = []
    for case in CASES:
        plan = case.plan()
        most = plan.service("s").max_active
        for size in range(1, most + 1):
            default, own = variances(plan, size), variances(case.alone(size, most), size)
            ratios = [default[each] / own[each] for each in own]
            mean, worst = float(np.mean(ratios)), float(np.max(ratios))
            error = 100 * float(np.sqrt(np.mean(list(default.values())) / 100_000))
            rows.append([case.name, size, mean, worst, error, "met" if mean <= LIMIT else "MISSED"])
    columns = ["plan", "attributes asked", "variance ratio", "worst set", "error at 100,000, %", ""]
    show("accuracy-default-design", "The default against designs made for one size of query alone", columns, rows)
    lines()


def lines() -> None:
    """Question by question, against the former default."""
    former, rows = json.loads(FORMER.read_text()), list[list[Value]]()
    for table, most, asked in ((fertility(), 3, questions.CENSUS), (syn1(), 2, questions.SYNTHETIC)):
        plan, shares = table.plan(max_active=most), table.shares()
        for each in asked:
            if not each.public:
                name = each.short.replace("STDDEV", "VARIANCE")
                forecast = plan.forecast(each.sql.replace("STDDEV", "VARIANCE"), users=table.users, shares=shares)
                now, before = forecast.columns[0].se, former[table.name][name]
                rows.append([table.name, name, before, now, (now / before) ** 2])
    columns = ["table", "query", "standard error before", "now", "variance now / before"]
    show("accuracy-default-lines", "Every question, before and now; people spread as in the table", columns, rows)
