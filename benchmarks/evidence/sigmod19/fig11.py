"""SIGMOD'19, Figure 11: relative error of HIO by size of the domain and type of query, two ordinal and two "
"categorical attributes."""

from __future__ import annotations

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results
from benchmarks.evidence.line import above
from benchmarks.evidence.sigmod19.predicates import Kind, hio_moment, sum_error

SELECTIVITY, USERS = 0.1, 1_000_000
KINDS, EPSILONS, SIZES = ("1+0", "1+1", "2+0", "2+2"), (2.0, 5.0), (25, 125, 625)


def cells() -> list[Cell]:
    return [{"epsilon": e, "type": k, "m": m} for e in EPSILONS for k in KINDS for m in SIZES]


def run(cell: Cell, seed: int) -> Numbers:
    moment = hio_moment(Kind.read(str(cell["type"])), int(cell["m"]), 2, 2, float(cell["epsilon"]), SELECTIVITY, seed)
    return {"error": sum_error(moment, SELECTIVITY, USERS)}


def draw(results: Results) -> object:
    def panel(letter: str, epsilon: float) -> Panel:
        points = [
            Point(int(o.cell["m"]), 100 * o.mean["error"], str(o.cell["type"]), 100 * o.error["error"])
            for o in results.where(epsilon=epsilon)
        ]
        return Panel(
            f"({letter}) epsilon {epsilon:g}",
            "values of an ordinal attribute",
            "mean relative error, %",
            points,
            log_x=True,
        )

    return lines([panel(letter, e) for letter, e in zip("ab", EPSILONS, strict=True)], ours=())


def growth(results: Results) -> Estimate:
    """The least factor from 25 to 625 values, over types and epsilons."""
    ratios = [
        results.ratio("error", {"epsilon": e, "type": k, "m": 625}, {"epsilon": e, "type": k, "m": 25})
        for e in EPSILONS
        for k in KINDS
    ]
    return min(ratios, key=lambda ratio: ratio.value)


def two_ranges(results: Results) -> Estimate:
    """The least ratio of 2+0 or 2+2 to 1+0 or 1+1."""
    ratios = [
        results.ratio("error", {"epsilon": e, "type": a, "m": m}, {"epsilon": e, "type": b, "m": m})
        for e in EPSILONS
        for m in SIZES
        for a in ("2+0", "2+2")
        for b in ("1+0", "1+1")
    ]
    return min(ratios, key=lambda ratio: ratio.value)


FIG11 = Exhibit(
    id="sigmod19_fig11",
    title="Figure 11: relative error of HIO, by size of the domain and type of query",
    what="SUM queries with selectivity 0.1 over finer and coarser domains; 2+1 means two ranges and one categorical condition.",
    parameters={"attributes": "2 ordinal, 2 categorical", "selectivity": SELECTIVITY, "people": USERS, "oracle": "OLH"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        Claim("larger domains have larger errors", "above 1 from 25 to 625 values", "stated in the text", growth, above(1)),
        Claim("types 1+0 and 1+1 are more accurate than 2+0 and 2+2", "above 1", "stated in the text", two_ranges, above(1)),
    ),
    draw=draw,
    uses=("benchmarks.evidence.hierarchies", "benchmarks.evidence.sigmod19.predicates", "benchmarks.queries.variances"),
)  # fmt: skip
