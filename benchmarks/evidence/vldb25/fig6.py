"""VLDB'25, Figure 6: one mechanism at several budgets (a, b), and many dimensions (c, d)."""

from __future__ import annotations

import numpy as np

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Outcome, Results, largest
from benchmarks.evidence.line import above, below
from benchmarks.evidence.vldb25 import judged
from benchmarks.evidence.vldb25.counts import FOUR, THREE, USES, divergences, named
from benchmarks.evidence.vldb25.means import MANY, MEAN_USES, exact, gain, mse, user_weighted
from benchmarks.evidence.vldb25.people import FINE, Floats, density

BUDGETS, DIMENSIONS, EPSILON, PEOPLE = (0.1, 0.2, 0.3, 0.4), (10, 20, 40, 60), 0.6, 1_172_556
KINDS = {kind.name: kind for kind in FOUR}
FITTED = 3  # dimensions of a run whose distribution is estimated
SINGLE, ALONE = [kind.name for kind in FOUR], [kind.name for kind in THREE]


def cells() -> list[Cell]:
    found: list[Cell] = [{"part": "a", "mechanism": k.name} for k in FOUR]
    found += [{"part": "b", "mechanism": k.name} for k in THREE]
    return found + [{"part": part, "dimensions": d} for part in ("c", "d") for d in DIMENSIONS]


def moved(place: int, dimensions: int) -> Floats:
    """Beta(2,5) in half of the range, moved up with the number of the dimension."""
    half = density("Beta(2,5)").reshape(FINE // 2, 2).sum(axis=1)
    start = round(place / dimensions * FINE / 2)
    return np.concatenate([np.zeros(start), half, np.zeros(FINE - FINE // 2 - start)])


def run(cell: Cell, seed: int) -> Numbers:
    part, rng = str(cell["part"]), np.random.default_rng([6, seed])
    if part in "ab":
        kind, data = KINDS[str(cell["mechanism"])], density("Beta+Sin")
        services = named([kind] * (4 if part == "a" else 3), BUDGETS[: 4 if part == "a" else 3])
        services = {f"epsilon {m.epsilon}": m for m in services.values()}
        if part == "a":
            return exact(services, data) | user_weighted(services, data, seed)
        return divergences(services, data, MANY, rng)
    dimensions = int(cell["dimensions"])
    if part == "c":
        services, places = named(FOUR, (EPSILON,) * 4), range(dimensions)
        found = [exact(services, moved(p, dimensions)) for p in places]
        p = int(rng.integers(dimensions))  # UWA in one dimension a run: people do not see each other
        uwa = user_weighted(services, moved(p, dimensions), seed)
        return {name: float(np.mean([f[name] for f in found])) for name in found[0]} | uwa
    services = named(THREE, (EPSILON,) * 3)
    chosen = rng.choice(dimensions, FITTED, replace=False)
    each = [divergences(services, moved(int(p), dimensions), PEOPLE // dimensions, rng) for p in chosen]
    return {name: float(np.mean([f[name] for f in each])) for name in each[0]}


def budgets(o: Outcome) -> list[str]:
    return [f"epsilon {e}" for e in BUDGETS[: 4 if o.cell["part"] == "a" else 3]]


def draw(results: Results) -> object:
    def named_points(part: str, fused: tuple[str, ...]) -> list[Point]:
        found = []
        for o in results.where(part=part):
            for name in (*fused, *budgets(o)):
                value = mse(o, name) if part == "a" else Estimate(o.mean[name], o.error[name])
                found.append(Point(str(o.cell["mechanism"]), value.value, name, value.error))
        return found

    c, d = [], []
    for o in results.where(part="c"):
        n, place = PEOPLE // int(o.cell["dimensions"]), int(o.cell["dimensions"])
        c += [Point(place, m.value, name, m.error) for name in ("UWA", "UA") for m in [mse(o, name, n)]]
        c.append(Point(place, min(mse(o, name, n).value for name in SINGLE), "best service"))
    for o in results.where(part="d"):
        place, name = int(o.cell["dimensions"]), judged.best(o, ALONE)
        d += [
            Point(place, o.mean["ULE"], "ULE", o.error["ULE"]),
            Point(place, o.mean[name], "best service", o.error[name]),
        ]
    return lines([
        Panel("(a) one mechanism: mean", "mechanism", "MSE", named_points("a", ("UWA", "UA"))),
        Panel("(b) one mechanism: distribution", "mechanism", "JS divergence", named_points("b", ("ULE",))),
        Panel("(c) dimensions: mean", "dimensions", "MSE", c),
        Panel("(d) dimensions: distribution", "dimensions", "JS divergence", d),
    ], ours=("UWA", "ULE"), columns=2)  # fmt: skip


def gain_a(results: Results, method: str) -> list[Estimate]:
    return [gain(o, method, budgets(o)) for o in results.where(part="a")]


def gain_c(results: Results) -> Estimate:
    return judged.lowest(
        [gain(o, "UWA", SINGLE, PEOPLE // int(o.cell["dimensions"])) for o in results.where(part="c")]
    ).percent()


def worst_b(results: Results) -> Estimate:
    return judged.lowest([judged.gain(o, budgets(o)) for o in results.where(part="b")])


FIG6 = Exhibit(
    id="vldb25_fig6",
    title="Figure 6: one mechanism, and many dimensions",
    what="Four (three) services with the same mechanism at different epsilons, and people sampled over 10 to 60 dimensions.",
    parameters={"a, b": f"Beta+Sin, n = {MANY:,}, epsilon 0.1 to 0.4 (0.3)", "c, d": f"made-up dimensions in place of Taobao: "
                f"Beta(2,5) at another place in each, {PEOPLE:,} people, epsilon {EPSILON} (the paper does not say it)",
                "d": f"{FITTED} dimensions of each run"},
    cells=cells,
    run=run,
    runs=10,
    claims=(
        Claim("(a) UWA is below every service, whatever the mechanism: by at least", "above 0", "stated in the text",
              lambda r: judged.lowest(gain_a(r, "UWA")).percent(), above(0)),
        Claim("(a) UA is worse than the service with epsilon 0.4: it is below it by at most", "below 0", "stated in the text",
              lambda r: largest(gain_a(r, "UA")).percent(), below(0)),
        Claim("(b) ULE is below every service: by at least", "above 0", "stated in the text",
              worst_b, above(0), why="A tie: the service with epsilon 0.3 tells nearly all."),
        Claim("(c) UWA is below every service with 10 to 60 dimensions: by at least", "above 0", "stated in the text",
              gain_c, above(0)),
        Claim("(c) the error grows with dimensions (60 over 10, UA)", "above 1", "stated in the text",
              lambda r: Estimate(mse(r.where(part="c", dimensions=60)[0], "UA", PEOPLE // 60).value
                                 / mse(r.where(part="c", dimensions=10)[0], "UA", PEOPLE // 10).value), above(1)),
        Claim("(d) ULE is below every single service: by at least", "above 0", "stated in the text",
              lambda r: judged.least_gain(r.where(part="d"), ALONE), above(0),
              why="With 20,000 to 120,000 people in a dimension the best single service and ULE are a tie."),
    ),
    draw=draw,
    uses=(*USES, *MEAN_USES),
)  # fmt: skip
