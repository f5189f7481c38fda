"""VLDB'25, Figure 8: collecting once more against fusing what is there (a, b), and people at some of the services (c, d)."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results, Table, Value
from benchmarks.evidence.line import above, at_least, exactly
from benchmarks.evidence.vldb25 import judged
from benchmarks.evidence.vldb25.counts import FOUR, THREE, USES, divergences, named
from benchmarks.evidence.vldb25.means import MANY, MEAN_USES, exact, gain, mse, user_weighted
from benchmarks.evidence.vldb25.people import density

EPSILON, GROUP_EPSILON, GROUP = 0.1, 0.5, 9_000
GROUPS = {f"G{i}": g for i, g in enumerate((g for size in (2, 3, 4) for g in combinations(FOUR, size)), 1)}
SINGLE, ALONE = [kind.name for kind in FOUR], [kind.name for kind in THREE]


def cells() -> list[Cell]:
    found: list[Cell] = [{"part": "a"}, {"part": "b"}]
    return found + [{"part": part, "group": g} for part in ("c", "d") for g in GROUPS]


def run(cell: Cell, seed: int) -> Numbers:
    part, rng = cell["part"], np.random.default_rng([8, seed])
    if part in ("a", "b"):
        data, kinds = density("Beta+Sin"), FOUR if part == "a" else THREE
        services = named(kinds, (EPSILON,) * len(kinds))
        if part == "b":
            return divergences(services, data, MANY, rng)
        return exact(services, data) | user_weighted(services, data, seed)
    kinds, data = GROUPS[str(cell["group"])], density("Beta(2,5)")
    services = named(kinds, (GROUP_EPSILON,) * len(kinds))
    if part == "d":
        return divergences(services, data, GROUP, rng)
    return exact(services, data) | user_weighted(services, data, seed)


def members(group: str) -> list[str]:
    return [kind.name for kind in GROUPS[group]]


def draw(results: Results) -> object:
    (a,), (b,) = results.where(part="a"), results.where(part="b")
    direct = [Point(0.5, mse(a, x).value, x) for x in SINGLE]
    fused = [Point(0.4, m.value, x, m.error) for x in ("UWA", "UA") for m in [mse(a, x)]]
    own = [Point(0.4, b.mean[x], x, b.error[x]) for x in ALONE] + [Point(0.3, b.mean["ULE"], "ULE", b.error["ULE"])]
    c, d = [], []
    for g in GROUPS:
        (o,), (j,) = results.where(part="c", group=g), results.where(part="d", group=g)
        c += [Point(g, m.value, x, m.error) for x in ("UWA", "UA") for m in [mse(o, x, GROUP)]]
        c.append(Point(g, min(mse(o, x, GROUP).value for x in members(g)), "single best"))
        name = judged.best(j, members(g))
        d += [Point(g, j.mean["ULE"], "ULE", j.error["ULE"]), Point(g, j.mean[name], "single best", j.error[name])]
    return lines([
        Panel("(a) mean, once more or fused", "epsilon spent in all", "MSE", [*fused, *direct]),
        Panel("(b) distribution, once more or fused", "epsilon spent in all", "JS divergence", own),
        Panel("(c) groups: mean", "group", "MSE", c),
        Panel("(d) groups: distribution", "group", "JS divergence", d),
    ], ours=("UWA", "ULE"), columns=2)  # fmt: skip


def group_rows(results: Results) -> list[list[Value | Estimate]]:
    found: list[list[Value | Estimate]] = []
    for g in GROUPS:
        (o,), (j,) = results.where(part="c", group=g), results.where(part="d", group=g)
        own = members(g)
        found.append(
            [g, " + ".join(own), *(gain(o, m, own, GROUP).percent() for m in ("UWA", "UA")), judged.gain(j, own)]
        )
    return found


def group_gains(results: Results, method: str) -> list[Estimate]:
    return [gain(results.where(part="c", group=g)[0], method, members(g), GROUP) for g in GROUPS]


def better(results: Results) -> Estimate:
    """Groups in which ULE is not above the best service."""
    found = [judged.change(results.where(part="d", group=g)[0], members(g)).value <= 0 for g in GROUPS]
    return Estimate(sum(found), unit=f" of {len(found)}")


FIG8 = Exhibit(
    id="vldb25_fig8",
    title="Figure 8: strategies of a collector",
    what="A new collection at epsilon 0.1 against fusing what services hold, and eleven groups of people at two to four services.",
    parameters={"a, b": f"Beta+Sin, n = {MANY:,}, epsilon {EPSILON} each",
                "c, d": f"Beta(2,5), {GROUP:,} people in a group, epsilon {GROUP_EPSILON} each (the paper does not say it)"},
    cells=cells,
    run=run,
    runs=10,
    claims=(
        Claim("(a) UWA is below direct collection by any mechanism: by", "above 0", "stated in the text",
              lambda r: gain(r.where(part="a")[0], "UWA", SINGLE).percent(), above(0)),
        Claim("(a) UA likewise", "above 0", "stated in the text",
              lambda r: gain(r.where(part="a")[0], "UA", SINGLE).percent(), above(0)),
        Claim("(b) ULE is below direct collection by any mechanism: by", "above 0", "stated in the text",
              lambda r: judged.gain(r.where(part="b")[0], ALONE), above(0), why="A tie with SW at this epsilon."),
        Claim("(c) UWA is below the best single service in all groups: by at least", "above 0", "stated in the text",
              lambda r: judged.lowest(group_gains(r, "UWA")).percent(), above(0)),
        Claim("(c) UA follows: groups in which UWA is below by no less than UA, within 1%", "all", "stated in the text",
              lambda r: Estimate(sum(u.value >= a.value - 0.01 for u, a in
                                     zip(group_gains(r, "UWA"), group_gains(r, "UA"), strict=True)), unit=" of 11"), exactly(11)),
        Claim("(d) ULE is below the best service: groups", "most", "stated in the text", better, at_least(6)),
    ),
    draw=draw,
    tables=(Table(("group", "services", "UWA below the best service by", "UA below it by", "ULE below it by"), group_rows),),
    uses=(*USES, *MEAN_USES),
)  # fmt: skip
