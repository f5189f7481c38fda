"""SIGMOD'19, Figure 4: one ordinal attribute of 1024 values; error by volume of the range and by number of people."""

from __future__ import annotations

from math import sqrt

import numpy as np

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Exhibit, Numbers, Results
from benchmarks.evidence.line import above, below, between
from benchmarks.evidence.sigmod19.boxes import NAMES, box_error, fives_error

M, EPSILON, USERS, ADULT = 1024, 2.0, 1_000_000, 45_222
VOLUMES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.4, 0.6, 0.8)
MILLIONS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0)
FIVES = "HIO, tree of fives and a root"


def cells() -> list[Cell]:
    return [{"mechanism": name, "volume": v} for name in ("MG", "HI", "HIO", FIVES, "default") for v in VOLUMES]


def run(cell: Cell, seed: int) -> Numbers:
    """The expected error of one random range, for a million people."""
    name, volume = str(cell["mechanism"]), float(cell["volume"])
    if name == FIVES:
        length = round(volume * M)
        low = int(np.random.default_rng([5, seed]).integers(M - length + 1))
        return {"error": fives_error(M, EPSILON, low, low + length - 1, USERS, root=True)}
    mechanism = next(short for short, long in NAMES.items() if long == name)
    return {"error": box_error(mechanism, [M], EPSILON, volume, USERS, seed)}


def draw(results: Results) -> object:
    def panel(title: str, users: float) -> Panel:
        scale = 100 * sqrt(USERS / users)
        points = [
            Point(float(o.cell["volume"]), scale * o.mean["error"], str(o.cell["mechanism"]), scale * o.error["error"])
            for o in results.outcomes
        ]
        return Panel(title, "volume of the range", "mean error, % of all", points, log_x=True)

    by_size = [
        Point(n, 100 * o.mean["error"] / sqrt(n), str(o.cell["mechanism"]))
        for o in results.where(volume=0.25)
        for n in MILLIONS
    ]
    third = Panel("(c) volume 0.25", "people, millions", "mean error, % of all", by_size, log_x=True)
    return lines([panel(f"(a) {ADULT:,} people (Adult)", ADULT), panel("(b) 1,000,000 people", USERS), third])


def findings(results: Results) -> list[str | list[str]]:
    even = results.ratio("error", {"mechanism": "MG", "volume": 0.1}, {"mechanism": FIVES, "volume": 0.1}).value
    twos = results.ratio("error", {"mechanism": "MG", "volume": 0.05}, {"mechanism": "HIO", "volume": 0.05}).value
    return [
        "Where MG and HIO break even. MG adds up volume x m cells. HIO adds up the p nodes that cover the range, and "
        "multiplies by its number of levels h. Both cost the same where volume x m = p h.",
        [
            f"Our tree has fan-out 4 for 1024 values and no root: MG / HIO is {twos:.2f} at a volume of 0.05.",
            f"With the paper's fan-out of 5 and a level for the root it is {even:.2f} at 0.1. A range that lies worst "
            "(p = 19 of at most 20 nodes, h = 5) breaks even at 0.1: that is the bound of section 5.4.",
        ],
        "Errors fall with the square root of the number of people, exactly, for every mechanism: panels (a) and (c) "
        "are panel (b) scaled. A COUNT stands for the paper's SUM: a public measure M multiplies every error by the "
        "same factor, sqrt(mean of M^2) / mean of M.",
    ]


def at(mechanism: str, volume: float) -> Cell:
    return {"mechanism": mechanism, "volume": volume}


FIG4 = Exhibit(
    id="sigmod19_fig4",
    title="Figure 4: one ordinal attribute, by volume and by number of people",
    what="A range over one sensitive attribute of 1024 values is counted by each mechanism; the error is a share of all people.",
    parameters={"m": M, "epsilon": EPSILON, "people": f"{ADULT:,} and {USERS:,}", "oracle": "OLH", "data": "evenly spread"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        Claim("HIO is better than HI", "above 1", "told in words", lambda r: r.ratio("error", at("HI", 0.2), at("HIO", 0.2)),
              above(1.5)),
        Claim("MG is better at a volume of 0.01", "MG / HIO below 1", "stated in the text",
              lambda r: r.ratio("error", at("MG", 0.01), at("HIO", 0.01)), below(1)),
        Claim("MG and HIO break even at 0.1", "MG / HIO about 1", "stated in the text",
              lambda r: r.ratio("error", at("MG", 0.1), at("HIO", 0.1)), between(0.8, 1.2),
              why="Our tree (fan-out 4, no root) breaks even at a smaller volume; with the paper's tree it is nearer."),
        Claim("MG has three times HIO's error at 0.8", "about 3", "stated in the text",
              lambda r: r.ratio("error", at("MG", 0.8), at("HIO", 0.8)), between(2.4, 3.6)),
    ),
    draw=draw,
    findings=findings,
    uses=("benchmarks.evidence.sigmod19.boxes", "benchmarks.queries.variances"),
)  # fmt: skip
