"""SIGMOD'19, Figure 6: two ordinal attributes of 256 values each; error by epsilon and by number of people."""

from __future__ import annotations

from math import sqrt

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results
from benchmarks.evidence.line import above
from benchmarks.evidence.sigmod19.boxes import NAMES, box_error

SIZES, VOLUME, USERS = (256, 256), 0.25, 1_000_000
EPSILONS, MILLIONS = (0.5, 1.0, 2.0, 5.0), (0.1, 0.2, 0.5, 1.0, 2.0, 3.0)
MECHANISMS = ("mg", "hi", "hio", "default")


def cells() -> list[Cell]:
    return [{"mechanism": NAMES[name], "epsilon": e} for name in MECHANISMS for e in EPSILONS]


def run(cell: Cell, seed: int) -> Numbers:
    mechanism = next(short for short, long in NAMES.items() if long == cell["mechanism"])
    return {"error": box_error(mechanism, SIZES, float(cell["epsilon"]), VOLUME, USERS, seed)}


def draw(results: Results) -> object:
    by_epsilon = [
        Point(float(o.cell["epsilon"]), 100 * o.mean["error"], str(o.cell["mechanism"]), 100 * o.error["error"])
        for o in results.outcomes
    ]
    by_size = [
        Point(n, 100 * o.mean["error"] / sqrt(n), str(o.cell["mechanism"]))
        for o in results.where(epsilon=2.0)
        for n in MILLIONS
    ]
    return lines([
        Panel("(a) 1,000,000 people", "epsilon", "mean error, % of all", by_epsilon, log_x=True),
        Panel("(b) epsilon 2", "people, millions", "mean error, % of all", by_size, log_x=True),
    ])  # fmt: skip


def lead(results: Results, other: str) -> Estimate:
    """The least ratio of another's error to HIO's, over all epsilons."""
    ratios = [
        results.ratio("error", {"mechanism": other, "epsilon": e}, {"mechanism": "HIO", "epsilon": e}) for e in EPSILONS
    ]
    return min(ratios, key=lambda ratio: ratio.value)


FIG6 = Exhibit(
    id="sigmod19_fig6",
    title="Figure 6: two ordinal attributes, by epsilon and by number of people",
    what="A box over two sensitive attributes of 256 values, a quarter of the domain, is counted by each mechanism.",
    parameters={"m": "256 x 256", "volume": VOLUME, "people": USERS, "oracle": "OLH", "data": "evenly spread"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        Claim("MG is much worse than HIO at a volume of 0.25, for every epsilon and size", "well above 1", "stated in the text",
              lambda r: lead(r, "MG"), above(1.5)),
        Claim("HI is much worse than HIO", "well above 1", "stated in the text", lambda r: lead(r, "HI"), above(2)),
    ),
    draw=draw,
    findings=lambda r: [
        "Errors fall with the square root of the number of people, exactly: panel (b) is scaled from panel (a). So what holds at "
        "one size holds at every size.",
    ],
    uses=("benchmarks.evidence.sigmod19.boxes", "benchmarks.queries.variances"),
)  # fmt: skip
