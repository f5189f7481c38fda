"""CCS'18, Figure 5: tables of three classes each, with CALM on binary-encoded attributes (BE) beside it."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.evidence.ccs18 import fig4
from benchmarks.evidence.ccs18.binary import binary_encoded
from benchmarks.evidence.ccs18.collected import USES, People, queries, sse
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results, mean_of
from benchmarks.evidence.line import above, at_least

TABLES = ("parties3", "work3")
SHAPES = ((8, 3), (16, 3), (16, 6))


def cells() -> list[Cell]:
    return [
        {"table": t, "d": d, "k": k, "log n": n, "epsilon": e}
        for d, k in SHAPES for t in TABLES for n in (16, 18) for e in fig4.EPSILONS
    ]  # fmt: skip


def run(cell: Cell, seed: int) -> Numbers:
    people, k = People(str(cell["table"]), int(cell["d"]), 1 << int(cell["log n"])), int(cell["k"])
    found = fig4.errors(people, k, cell, seed)
    be = binary_encoded(people, k, float(cell["epsilon"]), np.random.default_rng([5, seed])) if k == 3 else None
    return found | {"BE": math.nan if be is None else sse(people, be, queries(people.d, k, 50, seed)[:10])}


def ratio(results: Results, upper: str, lower: str, **wanted: int) -> Estimate:
    """The geometric mean over settings."""
    own = [[Estimate(o.mean[name], o.error[name]) for name in (upper, lower)] for o in results.where(**wanted)]
    return mean_of([a / b for a, b in own if not math.isnan(a.value + b.value)], geometric=True)


FIG5 = Exhibit(
    id="ccs18_fig5",
    title="Figure 5: CALM and its rivals on tables of categories",
    what="As Figure 4, with attributes of up to three classes; FT and BE (CALM on binary encodings) write each with two bits.",
    parameters={"tables": "parties3, work3 (for Adult and US)", "marginals of a run": "50 for k = 3, else 10; BE 10, EM 1"},
    cells=cells,
    run=run,
    runs=20,
    claims=(
        Claim("CALM is one to two orders of magnitude below its rivals: settings in which it is 10 times or more",
              "one to two orders", "stated in the text",
              lambda r: fig4.share(r, fig4.CALM, 10), at_least(90),
              why="At d = 8 and where the marginals are nearly even, cleaned tables cannot be that much better."),
        Claim("FT is worse than AM on such tables (d = 8)", "FT / AM above 1", "stated in the text",
              lambda r: ratio(r, "FT", "AM", d=8, k=3), above(1)),
        Claim("CALM is better than BE", "BE / CALM above 1", "stated in the text",
              lambda r: ratio(r, "BE", fig4.CALM, k=3), above(1)),
    ),
    draw=lambda r: fig4.draw(r, TABLES),
    tables=(fig4.LEADS,),
    uses=(*USES, "benchmarks.evidence.ccs18.fig4:errors", "benchmarks.evidence.ccs18.binary", "untold.plan.designs.balance",
          "untold.plan.designs.choose"),
)  # fmt: skip
