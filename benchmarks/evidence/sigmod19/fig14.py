"""SIGMOD'19, Figure 14 (Appendix G): HIO and SC on four attributes by type of query."""

from __future__ import annotations

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results
from benchmarks.evidence.hierarchies import tree_of
from benchmarks.evidence.line import above, between
from benchmarks.evidence.sigmod19.predicates import Kind, hio_moment, sc_moment, sum_error

M, EPSILON, SELECTIVITY, USERS = 25, 5.0, 0.1, 1_000_000
OWN = "SC, the query's columns"
KINDS = ("1+0", "1+1", "2+0", "2+2")


def cells() -> list[Cell]:
    return [{"mechanism": name, "type": k} for name in ("HIO", "SC", OWN) for k in KINDS]


def run(cell: Cell, seed: int) -> Numbers:
    kind = Kind.read(str(cell["type"]))
    if cell["mechanism"] == "HIO":
        moment = hio_moment(kind, M, 2, 2, EPSILON, SELECTIVITY, seed)
    else:
        ranges, points = (2, 2) if cell["mechanism"] == "SC" else (kind.ranges, kind.points)
        moment = sc_moment(kind, M, ranges * tree_of(M).height + points, EPSILON, SELECTIVITY, seed)
    return {"error": sum_error(moment, SELECTIVITY, USERS)}


def draw(results: Results) -> object:
    points = [
        Point(str(o.cell["type"]), 100 * o.mean["error"], str(o.cell["mechanism"]), 100 * o.error["error"])
        for o in results.outcomes
    ]
    return lines([Panel("2 + 2 attributes, m = 25", "type of query", "mean relative error, %", points)], ours=())


def ratio(results: Results, kind: str, name: str = "SC") -> Estimate:
    return results.ratio("error", {"mechanism": name, "type": kind}, {"mechanism": "HIO", "type": kind})


FIG14 = Exhibit(
    id="sigmod19_fig14",
    title="Figure 14: HIO and SC on four attributes, by type of query",
    what="The comparison of figure 12 with half as many attributes, where SC has less to gain.",
    parameters={"attributes": "2 ordinal of 25 values, 2 categorical", "epsilon": EPSILON, "selectivity": SELECTIVITY,
                "people": USERS, "oracle": "OLH"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        Claim("comparable for 1+0", "SC / HIO about 1", "stated in the text", lambda r: ratio(r, "1+0"), between(0.5, 2)),
        Claim("comparable for 1+1", "SC / HIO about 1", "stated in the text", lambda r: ratio(r, "1+1"), between(0.5, 2),
              why="All four columns are collected here. Where SC collects the query's columns alone (third row of the "
              "table) the two are comparable."),
        Claim("the same where SC collects the query's columns alone", "SC / HIO about 1", "stated in the text",
              lambda r: ratio(r, "1+1", OWN), between(0.5, 2)),
        Claim("HIO is much better for 2+0", "SC / HIO well above 1", "stated in the text", lambda r: ratio(r, "2+0"), above(1.5)),
        Claim("HIO is much better for 2+2", "SC / HIO well above 1", "stated in the text", lambda r: ratio(r, "2+2"), above(1.5)),
    ),
    draw=draw,
    uses=("benchmarks.evidence.hierarchies", "benchmarks.evidence.sigmod19.predicates", "benchmarks.queries.variances"),
)  # fmt: skip
