"""CCS'18, Figure 7: what l, m and epsilon do to the error."""

from __future__ import annotations

import numpy as np

from benchmarks.evidence.ccs18.collected import USES, People, calm, queries, sse, with_sets
from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results, mean_of
from benchmarks.evidence.line import above, at_most
from untold.plan.designs.covering import spread_sets

TABLES, LENGTHS, COUNTS = ("pizzas", "pets"), (1, 2, 3, 4, 5, 6, 7, 8), (2, 4, 8, 16, 32)
EPSILONS = (0.2, 0.6, 1.0, 1.4, 2.0)
D, K, N, MIDDLE, FIXED = 8, 3, 1 << 16, 0.6, 16


def cells() -> list[Cell]:
    by_m: list[Cell] = [
        {"part": "m", "table": t, "l": l, "m": m, "epsilon": MIDDLE} for t in TABLES for l in LENGTHS for m in COUNTS
    ]
    by_epsilon: list[Cell] = [
        {"part": "epsilon", "table": t, "l": l, "m": FIXED, "epsilon": e}
        for t in TABLES
        for l in LENGTHS
        for e in EPSILONS
    ]
    return [*by_m, *by_epsilon]


def run(cell: Cell, seed: int) -> Numbers:
    people, length = People(str(cell["table"]), D, N), int(cell["l"])
    sets = spread_sets(
        D, length, max(int(cell["m"]), -(-D // length))
    )  # as many as hold all attributes; as many as there are
    ask = calm(people, with_sets(people.sizes, float(cell["epsilon"]), sets), np.random.default_rng([7, seed]))
    return {"SSE": sse(people, ask, queries(D, K, 30, seed))}


def draw(results: Results) -> object:
    panels = []
    for t in TABLES:
        for part, across in (("m", "m, views"), ("epsilon", "epsilon")):
            points = [
                Point(float(o.cell[part]), o.mean["SSE"], f"l = {o.cell['l']}", o.error["SSE"])
                for o in results.where(part=part, table=t)
            ]
            panels.append(
                Panel(f"{t}: {'epsilon 0.6' if part == 'm' else 'm = 16'}", across, "SSE", points, log_x=part == "m")
            )
    return lines(panels, ours=(), columns=2)


def best(results: Results, table: str, epsilon: float) -> int:
    own = results.where(part="epsilon", table=table, epsilon=epsilon)
    return int(min(own, key=lambda o: o.mean["SSE"]).cell["l"])


def more_views(results: Results, table: str) -> Estimate:
    """The error with two views (or as few as hold everything) over that with 32, l of 2 to 4, geometric mean."""
    ratios = [
        results.ratio("SSE", {"part": "m", "table": table, "l": l, "m": 2}, {"part": "m", "table": table, "l": l, "m": 32})
        for l in (2, 3, 4)
    ]  # fmt: skip
    return mean_of(ratios, geometric=True)


FIG7 = Exhibit(
    id="ccs18_fig7",
    title="Figure 7: size and number of views, and epsilon",
    what="CALM with every size l and number m of views at epsilon 0.6, and with every l and epsilon at m = 16.",
    parameters={"d": D, "k": K, "n": "2^16", "marginals of a run": 30, "tables": "pizzas (for POS), pets (for Kosarak)"},
    cells=cells,
    run=run,
    runs=20,
    claims=(
        *(Claim(f"more views lower the error, l of 2 to 4 ({t}: 2 views or as few as hold everything, over 32)",
                "gradually decreases: above 1", "stated in the text",
                lambda r, t=t: more_views(r, t), above(1),  # type: ignore[misc]  # a default of a lambda
                why="On pizzas, where single items tell most, pairs add little: fewer views have less noise.") for t in TABLES),
        Claim("small l at small epsilon (best l at 0.2, the larger of both tables)", "1 or 2", "told in words",
              lambda r: Estimate(max(best(r, t, 0.2) for t in TABLES)), at_most(2)),
        *(Claim(f"larger l at large epsilon ({t}: best l at 2, less that at 0.2)", "above 0", "told in words",
                lambda r, t=t: Estimate(best(r, t, 2.0) - best(r, t, 0.2)), above(0),  # type: ignore[misc]  # a default of a lambda
                why="On pizzas single items tell most at every epsilon.") for t in TABLES),
    ),
    draw=draw,
    findings=lambda r: (
        "Best l at epsilon 0.2 and 2: " + "; ".join(f"{t} {best(r, t, 0.2)} and {best(r, t, 2.0)}" for t in TABLES) + ".",
    ),
    uses=USES,
)  # fmt: skip
