"""SIGMOD'19, Figure 5: one ordinal attribute of 1024 values; error by epsilon."""

from __future__ import annotations

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results
from benchmarks.evidence.line import above
from benchmarks.evidence.sigmod19.boxes import NAMES, box_error

M, VOLUME, USERS = 1024, 0.25, 1_000_000
EPSILONS = (0.5, 1.0, 2.0, 5.0)
MECHANISMS = ("mg", "hi", "hio", "default")


def cells() -> list[Cell]:
    return [{"mechanism": NAMES[name], "epsilon": e} for name in MECHANISMS for e in EPSILONS]


def run(cell: Cell, seed: int) -> Numbers:
    mechanism = next(short for short, long in NAMES.items() if long == cell["mechanism"])
    return {"error": box_error(mechanism, [M], float(cell["epsilon"]), VOLUME, USERS, seed)}


def draw(results: Results) -> object:
    points = [
        Point(float(o.cell["epsilon"]), 100 * o.mean["error"], str(o.cell["mechanism"]), 100 * o.error["error"])
        for o in results.outcomes
    ]
    return lines([Panel("m = 1024, volume 0.25", "epsilon", "mean error, % of all", points, log_x=True)])


def lead(results: Results, other: str) -> Estimate:
    """The least ratio of another's error to HIO's, over all epsilons."""
    ratios = [
        results.ratio("error", {"mechanism": other, "epsilon": e}, {"mechanism": "HIO", "epsilon": e}) for e in EPSILONS
    ]
    return min(ratios, key=lambda ratio: ratio.value)


def gain(results: Results) -> Estimate:
    """The least factor by which an error falls from epsilon 0.5 to 5."""
    names = [NAMES[m] for m in MECHANISMS[:3]]
    ratios = [results.ratio("error", {"mechanism": n, "epsilon": 0.5}, {"mechanism": n, "epsilon": 5.0}) for n in names]
    return min(ratios, key=lambda ratio: ratio.value)


FIG5 = Exhibit(
    id="sigmod19_fig5",
    title="Figure 5: one ordinal attribute, by epsilon",
    what="The same range as in figure 4, of volume 0.25, under smaller and larger epsilon.",
    parameters={"m": M, "volume": VOLUME, "people": USERS, "oracle": "OLH", "data": "evenly spread"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        Claim("all methods gain from a larger epsilon", "error at 0.5 / error at 5 above 1", "stated in the text", gain,
              above(1)),
        Claim("HIO is best: against HI", "above 1 at every epsilon", "stated in the text",
              lambda r: lead(r, "HI"), above(1)),
        Claim("HIO is best: against MG", "above 1 at every epsilon", "stated in the text",
              lambda r: lead(r, "MG"), above(1)),
    ),
    draw=draw,
    uses=("benchmarks.evidence.sigmod19.boxes", "benchmarks.queries.variances"),
)  # fmt: skip
