"""VLDB'25, Figure 4: equal budgets, by epsilon: means (a)-(d) and distributions (e)-(h)."""

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
    least,
    mean_of,
)
from benchmarks.evidence.line import above, between, exactly
from benchmarks.evidence.telling import told
from benchmarks.evidence.vldb25 import judged
from benchmarks.evidence.vldb25.counts import FOUR, THREE, USES, divergences, named
from benchmarks.evidence.vldb25.means import MANY, MEAN_USES, exact, gain, mse, user_weighted
from benchmarks.evidence.vldb25.people import DATA, WHAT, density

EPSILONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
SINGLE, ALONE = [kind.name for kind in FOUR], [kind.name for kind in THREE]


def cells() -> list[Cell]:
    return [{"part": p, "data": d, "epsilon": e} for p in ("mean", "distribution") for d in DATA for e in EPSILONS]


def run(cell: Cell, seed: int) -> Numbers:
    epsilon, data = float(cell["epsilon"]), density(str(cell["data"]))
    if cell["part"] == "mean":
        services = named(FOUR, (epsilon,) * 4)
        return exact(services, data) | user_weighted(services, data, seed)
    return divergences(named(THREE, (epsilon,) * 3), data, MANY, np.random.default_rng([4, seed]))


def gains(results: Results, method: str) -> list[Estimate]:
    return [gain(o, method, SINGLE) for o in results.where(part="mean")]


def over_ua(results: Results) -> Estimate:
    """UA's error over UWA's, less one: mean over settings, in per cent."""
    found = mean_of([mse(o, "UA") / mse(o, "UWA") for o in results.where(part="mean")])
    return Estimate(found.value - 1, found.error).percent()


def draw(results: Results) -> object:
    panels = []
    for d in DATA:
        points = [
            Point(float(o.cell["epsilon"]), m.value, name, m.error)
            for name in ("UWA", "UA", *SINGLE) for o in results.where(part="mean", data=d) for m in [mse(o, name)]
        ]  # fmt: skip
        panels.append(Panel(f"{d}: mean", "epsilon", "MSE", points))
    for d in DATA:
        points = [
            Point(float(o.cell["epsilon"]), o.mean[name], name, o.error[name])
            for name in ("ULE", *ALONE) for o in results.where(part="distribution", data=d)
        ]  # fmt: skip
        panels.append(Panel(f"{d}: distribution", "epsilon", "JS divergence", points))
    return lines(panels, ours=("UWA", "ULE"), columns=4)


def rows(results: Results) -> list[list[Value | Estimate]]:
    own = results.where(part="distribution")
    return [[str(o.cell["data"]), float(o.cell["epsilon"]), *judged.row(o, ALONE)] for o in own]


def findings(results: Results) -> list[str]:
    own = results.where(part="distribution")
    ranges = "; ".join(f"{n} {judged.over(own, n)[0]:.1%} to {judged.over(own, n)[-1]:.1%}" for n in ALONE)
    less, more = judged.below(own, ALONE), int(judged.above(own, ALONE).value)
    worst = judged.least_gain(own, ALONE)
    return [
        f"ULE against the best single service, {own[0].runs} paired rounds: it is below by more than two standard errors in "
        f"{less} of {len(own)} rows, above by as much in {more}, and within two in {len(own) - less - more}. Where it does worst "
        f"it is {told(worst)} below. Its divergence is lower than that of a service alone by: {ranges} "
        "(the paper: SR 21.1% to 81.0%, PM 3.3% to 36.9%, SW 4.8% to 36.1%). Every service alone is estimated by the same "
        "log-spline here, which is why SW and PM leave less to gain than with bare EM.",
    ]


FIG4 = Exhibit(
    id="vldb25_fig4",
    title="Figure 4: equal budgets, by epsilon",
    what="Means from four services and distributions from three, all with one epsilon, against each service alone.",
    parameters={"data": WHAT, "n": MANY, "services": "SR, Laplace, PM, SW; without Laplace for distributions"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        Claim("UWA is below the best single service by at least", "53.3%", "stated in the text",
              lambda r: judged.lowest(gains(r, "UWA")).percent(), between(53.3, 85)),
        Claim("UA is below the best single service by at least", "53.3%", "stated in the text",
              lambda r: judged.lowest(gains(r, "UA")).percent(), between(53.3, 85)),
        Claim("UWA is below it by at most", "85.0%", "stated in the text",
              lambda r: largest(gains(r, "UWA")).percent(), between(53.3, 85)),
        Claim("UWA is better than UA by", "1% to 15% typically", "stated in the text", over_ua, between(1, 15),
              why="With equal epsilons weights hardly differ."),
        Claim("ULE is below every single service: rows above the best one by two standard errors", "none", "stated in the text",
              lambda r: judged.above(r.where(part="distribution"), ALONE), exactly(0),
              why="Where SW alone is nearly as good, a tie can fall on the wrong side; see below."),
        Claim("even where ULE does worst it is below the best single service by", "above 0", "stated in the text",
              lambda r: judged.least_gain(r.where(part="distribution"), ALONE), above(0),
              why="The smoothness is chosen by evidence for each estimate; the choice has an error of its own."),
        Claim("SR is the worst (its divergence over PM's, least)", "above 1", "stated in the text",
              lambda r: least(Estimate(o.mean["sr"], o.error["sr"]) / Estimate(o.mean["pm"], o.error["pm"])
                              for o in r.where(part="distribution")), above(1)),
    ),
    draw=draw,
    tables=(Table(("data", "epsilon", *judged.HEAD), rows, "Distributions, JS divergence:"),),
    findings=findings,
    uses=(*USES, *MEAN_USES),
)  # fmt: skip
