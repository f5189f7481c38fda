"""VLDB'25, Figure 5: unequal budgets A1 to A4 (means) and C1 to C4 (distributions)."""

from __future__ import annotations

import numpy as np

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import (
    Cell,
    Claim,
    Estimate,
    Exhibit,
    Numbers,
    Results,
    Table,
    Value,
    largest,
    mean_of,
)
from benchmarks.evidence.line import above, below, between, exactly
from benchmarks.evidence.vldb25 import judged
from benchmarks.evidence.vldb25.counts import FOUR, THREE, USES, divergences, named
from benchmarks.evidence.vldb25.means import MANY, MEAN_USES, exact, gain, mse, user_weighted
from benchmarks.evidence.vldb25.people import DATA, WHAT, density

A = {"A1": (0.1, 0.2, 0.3, 0.4), "A2": (0.2, 0.4, 0.1, 0.3), "A3": (0.3, 0.1, 0.4, 0.2), "A4": (0.4, 0.3, 0.2, 0.1)}
C = {"C1": (0.1, 0.2, 0.3), "C2": (0.2, 0.3, 0.1), "C3": (0.3, 0.1, 0.2), "C4": (0.2, 0.1, 0.3)}
SINGLE, ALONE = [kind.name for kind in FOUR], [kind.name for kind in THREE]


def cells() -> list[Cell]:
    return [
        {"part": part, "data": d, "set": s} for part, sets in (("mean", A), ("distribution", C)) for d in DATA for s in sets
    ]  # fmt: skip


def run(cell: Cell, seed: int) -> Numbers:
    data, chosen = density(str(cell["data"])), str(cell["set"])
    if cell["part"] == "mean":
        services = named(FOUR, A[chosen])
        return exact(services, data) | user_weighted(services, data, seed)
    return divergences(named(THREE, C[chosen]), data, MANY, np.random.default_rng([5, seed]))


def gains(results: Results, method: str) -> list[Estimate]:
    return [gain(o, method, SINGLE) for o in results.where(part="mean")]


def mean_gain(results: Results) -> Estimate:
    return mean_of(gains(results, "UWA")).percent()


def draw(results: Results) -> object:
    panels = []
    for d in DATA:
        points = [
            Point(str(o.cell["set"]), m.value, name, m.error)
            for name in ("UWA", "UA", *SINGLE) for o in results.where(part="mean", data=d) for m in [mse(o, name)]
        ]  # fmt: skip
        panels.append(Panel(f"{d}: mean", "budgets", "MSE", points))
    for d in DATA:
        points = [
            Point(str(o.cell["set"]), o.mean[name], name, o.error[name])
            for name in ("ULE", *ALONE) for o in results.where(part="distribution", data=d)
        ]  # fmt: skip
        panels.append(Panel(f"{d}: distribution", "budgets", "JS divergence", points))
    return lines(panels, ours=("UWA", "ULE"), columns=4)


def rows(results: Results) -> list[list[Value | Estimate]]:
    own = results.where(part="distribution")
    return [[str(o.cell["data"]), str(o.cell["set"]), *judged.row(o, ALONE)] for o in own]


def mean_rows(results: Results) -> list[list[Value | Estimate]]:
    found: list[list[Value | Estimate]] = []
    for o in results.where(part="mean"):
        own = [gain(o, m, SINGLE).percent() for m in ("UWA", "UA", "population")]
        found.append([str(o.cell["data"]), str(o.cell["set"]), *own])
    return found


def findings(results: Results) -> list[str]:
    own = results.where(part="distribution")
    ranges = "; ".join(f"{n} {judged.over(own, n)[0]:.1%} to {judged.over(own, n)[-1]:.1%}" for n in ALONE)
    less, more = judged.below(own, ALONE), int(judged.above(own, ALONE).value)
    worse = sum(e.value < 0 for e in gains(results, "UA"))
    close = [(mse(o, "population") / mse(o, "UWA")).value for o in results.where(part="mean")]
    orders = "; ".join(f"{name} {', '.join(f'{e:g}' for e in own)}" for name, own in (A | C).items())
    return [
        f"Budgets: A1 to A4 are the epsilons of SR, Laplace, PM and SW, C1 to C4 those of SR, PM and SW: {orders}.",
        f"UA is worse than the best single service in {worse} of {len(close)} cases, as the paper says of its plain average. "
        f"Weights of the whole population, our default, have {min(close):.3f} to {max(close):.3f} times UWA's error.",
        f"ULE against the best single service, {own[0].runs} paired rounds: below by more than two standard errors in {less} of "
        f"{len(own)} rows, above by as much in {more}. Lower than a service alone by: {ranges} (the paper: SR 23.65% to 92.56%, PM "
        "0.15% to 73.42%, SW 0.02% to 73.32%).",
    ]


FIG5 = Exhibit(
    id="vldb25_fig5",
    title="Figure 5: unequal budgets",
    what="Means from services with epsilons of 0.1 to 0.4 in four orders, and distributions with 0.1 to 0.3 in four orders.",
    parameters={"data": WHAT, "n": MANY, "A1 to A4": "SR, Laplace, PM, SW as published", "C1 to C4": "SR, PM, SW as published"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        Claim("UWA is below the best single service by at least", "11.51%", "stated in the text",
              lambda r: judged.lowest(gains(r, "UWA")).percent(), between(11.51, 72.41)),
        Claim("UWA is below it by at most", "72.41%", "stated in the text",
              lambda r: largest(gains(r, "UWA")).percent(), between(11.51, 72.41)),
        Claim("UWA is below it by, on average", "more than 40%", "stated in the text", mean_gain, above(40)),
        Claim("UA is worse than some single service: where it does worst it is below the best by", "below 0", "stated in the text",
              lambda r: judged.lowest(gains(r, "UA")).percent(), below(0)),
        Claim("ULE is below every single service: rows above the best one by two standard errors", "none", "stated in the text",
              lambda r: judged.above(r.where(part="distribution"), ALONE), exactly(0),
              why="Where one service has most of the budget, the others add little, and a tie can fall on the wrong side."),
    ),
    draw=draw,
    tables=(
        Table(("data", "budgets", "UWA", "UA", "population"), mean_rows,
              "Means: by how much each is below the best service (below 0: it is above)."),
        Table(("data", "budgets", *judged.HEAD), rows, "Distributions, JS divergence:"),
    ),
    findings=findings,
    uses=(*USES, *MEAN_USES),
)  # fmt: skip
