"""Beyond VLDB'25: how biased UWA is, and the log-spline against smoothed EM."""

from __future__ import annotations

import numpy as np

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Outcome, Results, Table, Value
from benchmarks.evidence.line import above, below, between
from benchmarks.evidence.vldb25.counts import BUCKETS, FOUR, THREE, USES, crowd, estimated, named
from benchmarks.evidence.vldb25.means import MEAN_USES, exact, mse, user_weighted
from benchmarks.evidence.vldb25.people import FINE, MIDDLES, Floats, density
from untold.fusion.maximise import maximise

EPSILONS, PEOPLE, CROWD = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), 10_000, 100_000
BIASES = {
    "all hold 0.9, epsilon 0.5": (0.5,) * 4,
    "all hold 0.9, epsilon 2": (2.0,) * 4,
    "all hold 0.9, epsilon 4": (4.0,) * 4,
    "Beta(2,5), epsilon 0.1 to 0.4": (0.1, 0.2, 0.3, 0.4),
    "Beta(2,5), epsilon 2, 1, 3, 2": (2.0, 1.0, 3.0, 2.0),
}
SHAPES = ("Beta(2,5)", "peaks of 0.02", "peaks of 0.05")


def shape(name: str) -> Floats:
    """Two equal normal peaks at 0.3 and 0.7, or a density of the figures."""
    if not name.startswith("peaks"):
        return density(name)
    spread = float(name.split()[-1])
    found = sum(np.exp(-((MIDDLES - middle) ** 2) / (2 * spread**2)) for middle in (0.3, 0.7))
    return np.asarray(found / np.sum(found))


def cells() -> list[Cell]:
    found: list[Cell] = [{"part": "bias", "case": c} for c in BIASES]
    return found + [{"part": "smoothing", "data": d, "epsilon": e} for d in SHAPES for e in EPSILONS]


def run(cell: Cell, seed: int) -> Numbers:
    if cell["part"] == "bias":
        case = str(cell["case"])
        data = density("Beta(2,5)") if case.startswith("Beta") else np.eye(1, FINE, round(0.95 * FINE))[0]
        services = named(FOUR, BIASES[case])
        return exact(services, data) | user_weighted(services, data, seed)
    epsilon, data = float(cell["epsilon"]), shape(str(cell["data"]))
    made = crowd(named(THREE, (epsilon,) * 3))
    counts, truth = made.drawn(data, CROWD, np.random.default_rng([10, seed])), data.reshape(BUCKETS, -1).sum(axis=1)
    likelihood = made.together(counts)
    found = {"spline": estimated(likelihood), "EMS": maximise(likelihood, True).density}
    return {name: float(np.abs(np.cumsum(p - truth)).mean()) for name, p in found.items()}


def draw(results: Results) -> object:
    panels = [
        Panel(d, "epsilon", "Wasserstein distance",
              [Point(float(o.cell["epsilon"]), o.mean[n], n, o.error[n]) for n in ("spline", "EMS") for o in results.where(data=d)])
        for d in SHAPES
    ]  # fmt: skip
    return lines(panels, ours=("spline",), columns=3)


def rows(results: Results) -> list[list[Value | Estimate]]:
    return [
        [str(o.cell["case"]), Estimate(o.mean["UWA bias"], o.error["UWA bias"]), weighed(o)]
        for o in results.where(part="bias")
    ]


def weighed(o: Outcome) -> Estimate:
    """The error of population weights over UWA's, 10,000 people."""
    return mse(o, "population", PEOPLE) / mse(o, "UWA", PEOPLE)


def closer(results: Results, name: str) -> Estimate:
    """EMS's distance over the spline's, the least over epsilons."""
    ratios = [Estimate(o.mean["EMS"], o.error["EMS"]) / Estimate(o.mean["spline"], o.error["spline"])
              for o in results.where(data=name)]  # fmt: skip
    return min(ratios, key=lambda e: e.value)


BEYOND = Exhibit(
    id="vldb25_beyond",
    title="Beyond the paper: UWA's bias, and the log-spline",
    what="The bias of weights that see their own noise, and two ways to smooth a distribution, from the same counts.",
    parameters={"bias": f"four services; errors for {PEOPLE:,} people", "smoothing": f"three services, {CROWD:,} people"},
    cells=cells,
    run=run,
    runs=12,
    claims=(
        Claim("(ours) UWA is biased at epsilon 2 where all hold 0.9: bias in standard errors", "beyond 4", "our own claim",
              lambda r: Estimate(abs(r.at("UWA bias", case="all hold 0.9, epsilon 2").value)
                                 / r.at("UWA bias", case="all hold 0.9, epsilon 2").error), above(4)),
        Claim("(ours) population weights then have a smaller error: ratio", "below 1", "our own claim",
              lambda r: weighed(r.where(case="all hold 0.9, epsilon 2")[0]), below(1)),
        Claim("(ours) at small epsilon it is a tie: ratio", "about 1", "our own claim",
              lambda r: weighed(r.where(case="Beta(2,5), epsilon 0.1 to 0.4")[0]), between(0.95, 1.05)),
        Claim("(ours) the log-spline is closer than smoothed EM on Beta(2,5): least ratio", "above 1", "our own claim",
              lambda r: closer(r, "Beta(2,5)"), above(1)),
        Claim("(ours) and on narrow peaks: least ratio", "above 1", "our own claim",
              lambda r: closer(r, "peaks of 0.02"), above(1)),
    ),
    draw=draw,
    tables=(Table(("case", "UWA's bias", "error of population weights / UWA's"), rows),),
    uses=(*USES, *MEAN_USES, "untold.fusion.maximise"),
)  # fmt: skip
