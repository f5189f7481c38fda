"""VLDB'20, Figure 7: range consistency (RDC) by number of ranges and of decompositions, summing a sensitive or a public number."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results, least
from benchmarks.evidence.line import above
from benchmarks.evidence.vldb20.sensitive import Table, ahio, errors, public, random_ranges

EPSILON, USERS, M, D, ROWS = 2.0, 1_000_000, 125, 4, 4_000
TOPS, RANGES = (0, 2, 4, 8, 16), (1, 2, 3, 4)
PAIRED = (0, 2)  # the k whose errors are divided by those of a cell, predicate by predicate
SENSITIVE, PUBLIC = "sensitive", "public"


def cells() -> list[Cell]:
    return [{"summed": s, "ranges": d, "k": k} for s in (SENSITIVE, PUBLIC) for d in RANGES for k in TOPS]


@lru_cache(maxsize=1)
def syn1() -> Table:
    """A normal attribute, the three others that one plus normal noise of deviation 10: correlated, so people are drawn."""
    rng = np.random.default_rng(1)
    first = rng.normal(M / 2, M / 4, 200_000)
    columns = [first, *(first + rng.normal(0, 10, len(first)) for _ in range(D - 1))]
    codes = [np.clip(np.rint(column), 0, M - 1).astype(np.int64) for column in columns]
    shares = tuple(np.bincount(column, minlength=M) / len(first) for column in codes)
    return Table((M,) * D, shares, tuple(column[:ROWS] for column in codes))


def run(cell: Cell, seed: int) -> Numbers:
    """One predicate; the attributes b, c, d come first, then the summed one."""
    data, rng = syn1(), np.random.default_rng([7, seed])
    chosen = [1, 2, 3, 0][: int(cell["ranges"])]
    asked = {i: random_ranges(data.sizes, [i], float(rng.uniform(0.2, 0.8)), rng)[i] for i in chosen}
    form, k, mean = (
        ahio if cell["summed"] == SENSITIVE else public,
        int(cell["k"]),
        float(data.shares[0] @ np.arange(M)),
    )
    found = {k: errors(form(data, asked, EPSILON, k or None), USERS, mean) for k in {k, *(PAIRED if k else ())}}
    gains = {gain_name(what, other): found[other][what] / x for other in PAIRED if k for what, x in found[k].items()}
    return {**found[k], **gains}


def gain_name(what: str, k: int) -> str:
    """The error with k decompositions (0: the shortest one alone) over that of the cell, on the same predicate."""
    return f"{what}, k = {k} over it"


def named(k: int, summed: str) -> str:
    base = "AHIO" if summed == SENSITIVE else "HIO"
    return f"{base}-RDC, k = {k}" if k else base


def draw(results: Results) -> object:
    def panel(what: str, summed: str) -> Panel:
        points = [
            Point(
                int(o.cell["ranges"]),
                o.mean[what],
                f"RDC, k = {o.cell['k']}" if o.cell["k"] else "AHIO, HIO",
                o.error[what],
            )
            for o in results.where(summed=summed)
        ]
        up = "relative error" if what == "AVG" else "NMSE"
        return Panel(f"{what}, {summed} number", "ranges in the predicate", up, points)

    return lines([panel(what, s) for what in ("COUNT", "SUM", "AVG") for s in (SENSITIVE, PUBLIC)], ours=(), columns=2)


def gain(results: Results, what: str, summed: str, ranges: int, k: int = 4, over: int = 0) -> Estimate:
    """Error without RDC (or with `over` decompositions) over that with k, mean over predicates."""
    return results.at(gain_name(what, over), summed=summed, ranges=ranges, k=k)


def smallest(results: Results, what: str, summed: str) -> Estimate:
    """The least gain of k = 4 over all numbers of ranges."""
    return least(gain(results, what, summed, d) for d in RANGES)


def further(results: Results, ranges: int) -> Estimate:
    """What k = 16 gains over k = 2, in the squared error of COUNT."""
    return gain(results, "COUNT", SENSITIVE, ranges, 16, over=2)


def best_k(results: Results, ranges: int) -> Estimate:
    """The k with the least error of COUNT over a sensitive attribute."""
    found = {k: results.at("COUNT", summed=SENSITIVE, ranges=ranges, k=k).value for k in TOPS[1:]}
    return Estimate(float(min(found, key=found.__getitem__)))


def findings(results: Results) -> list[str]:
    gains = ", ".join(
        f"{gain(results, 'COUNT', SENSITIVE, d, int(best_k(results, d).value)).value:.1f}" for d in RANGES
    )
    best = ", ".join(f"{best_k(results, d).value:.0f}" for d in RANGES)
    return [
        f"With the best k of the four ({best} for 1 to 4 ranges) RDC divides the squared error of COUNT by {gains}. k counts "
        "decompositions of the whole predicate, as in section 6 of the paper.",
    ]


FIG7 = Exhibit(
    id="vldb20_fig7",
    title="Figure 7: range consistency optimisation",
    what="RDC averages the k shortest decompositions of a predicate instead of taking the shortest alone.",
    parameters={"data": "SYN-1, four correlated ordinals of 125 values", "epsilon": EPSILON, "people": USERS, "oracle": "OLH",
                "ranges": "each of 20 to 80% of its domain, drawn at random"},
    cells=cells,
    run=run,
    runs=30,
    claims=(
        *(Claim(f"AHIO-RDC improves {what} of a sensitive attribute", "above 1 (error without / with k = 4)", "stated in the text",
                lambda r, what=what: smallest(r, what, SENSITIVE), above(1)) for what in ("COUNT", "SUM")),  # type: ignore[misc]  # a default of a lambda
        *(Claim(f"HIO-RDC improves {what} of a public number", "above 1 (error without / with k = 4)", "stated in the text",
                lambda r, what=what: smallest(r, what, PUBLIC), above(1)) for what in ("COUNT", "SUM", "AVG")),  # type: ignore[misc]  # a default of a lambda
        Claim("more ranges, more gain (COUNT, k = 4, four ranges against one)", "above 1", "stated in the text",
              lambda r: gain(r, "COUNT", SENSITIVE, 4) / gain(r, "COUNT", SENSITIVE, 1), above(1)),
        Claim("larger k is better with more ranges (gain of k = 16 over k = 2, four ranges against one)", "above 1",
              "stated in the text", lambda r: further(r, 4) / further(r, 1), above(1)),
    ),
    draw=draw,
    findings=findings,
    uses=("benchmarks.evidence.hierarchies", "benchmarks.evidence.vldb20.sensitive"),
)  # fmt: skip
