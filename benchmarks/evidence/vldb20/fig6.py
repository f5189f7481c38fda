"""VLDB'20, Figure 6: COUNT, SUM and AVG of a sensitive attribute by volume, size of the domain and number of attributes."""

from __future__ import annotations

import numpy as np

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results
from benchmarks.evidence.line import above, below, between
from benchmarks.evidence.vldb20.sensitive import Table, ahio, amg, ehio, errors, hio, public, random_ranges
from benchmarks.joins.exact import TUNED, expected, ordinal, plan_for, relative_error
from benchmarks.joins.tables import normal

EPSILON, USERS, M, VOLUME = 2.0, 1_000_000, 125, 0.15
SETTINGS: dict[str, tuple[float, ...]] = {
    "volume": (0.04, 0.08, 0.15, 0.22, 0.30),
    "m": (5, 25, 125, 250),
    "d": (2, 3, 4, 5),
}
MECHANISMS = ("HIO", "AHIO", "EHIO", "AMG", "HIO-PUB", "default")
FORMS = {"HIO": hio, "AHIO": ahio, "EHIO": ehio, "AMG": amg, "HIO-PUB": public}


def cells() -> list[Cell]:
    return [{"by": by, "x": x, "mechanism": name} for by, xs in SETTINGS.items() for x in xs for name in MECHANISMS]


def table(first: int, attributes: int) -> Table:
    """SYN-1: one normal attribute, the others with normal noise of deviation 10 on top; spreads taken as independent."""
    sizes = (first, *[M] * (attributes - 1))
    own = [normal(first), *(normal(M, 10.0) for _ in sizes[1:])]
    return Table(sizes, tuple(np.array(share) for share in own))


def run(cell: Cell, seed: int) -> Numbers:
    """One random range on the second attribute."""
    by, x = str(cell["by"]), float(cell["x"])
    volume = x if by == "volume" else VOLUME
    data = table(int(x) if by == "m" else M, int(x) if by == "d" else 2)
    asked = random_ranges(data.sizes, [1], volume, np.random.default_rng([6, seed]))
    name, largest = str(cell["mechanism"]), float(data.shares[0] @ np.arange(data.sizes[0]))
    if name == "default":
        return by_default(data, asked[1], largest)
    found = errors(FORMS[name](data, asked, EPSILON), USERS, largest)
    return found | ({"COUNT": np.nan} if name == "HIO-PUB" else {})


def by_default(data: Table, inside: np.ndarray, largest: float) -> Numbers:
    """The product's own design, told that queries touch at most two attributes."""
    names = "abcde"[: len(data.sizes)]
    attributes = {name: ordinal(size) for name, size in zip(names, data.sizes, strict=True)}
    plan = plan_for(TUNED, EPSILON, {"people": {"attributes": attributes, "max_active": 2}})
    spread = {name: share.tolist() for name, share in zip(names, data.shares, strict=True)}
    kept = np.flatnonzero(inside)
    numbers = {}
    for what, total in (("COUNT(*)", 1.0), ("SUM(a)", largest), ("AVG(a)", 0.0)):
        sql = f"SELECT {what} FROM people WHERE b BETWEEN {kept[0]} AND {kept[-1]}"
        found = expected(TUNED, plan, sql, USERS, spread)
        numbers[what.split("(")[0]] = (found.se / USERS / total) ** 2 if total else relative_error(found)
    return numbers


def draw(results: Results) -> object:
    def panel(what: str, by: str, across: str) -> Panel:
        points = [
            Point(float(o.cell["x"]), o.mean[what], str(o.cell["mechanism"]), o.error[what])
            for o in results.where(by=by)
            if o.mean[what] == o.mean[what]
        ]
        return Panel(
            f"{what}, by {across}", across, "relative error" if what == "AVG" else "NMSE", points, log_x=by == "m"
        )

    across = {"volume": "volume of the range", "m": "values of the summed attribute", "d": "number of attributes"}
    return lines([panel(what, by, words) for by, words in across.items() for what in ("COUNT", "SUM", "AVG")])


def least(results: Results, what: str, above: str, below: str, by: str | None = None) -> Estimate:
    """The least ratio over the x of some settings."""
    ratios = [
        results.ratio(what, {"by": b, "x": x, "mechanism": above}, {"by": b, "x": x, "mechanism": below})
        for b, xs in SETTINGS.items() if by in (None, b) for x in xs
    ]  # fmt: skip
    return min(ratios, key=lambda ratio: ratio.value)


def growth(results: Results, name: str, what: str, by: str) -> Estimate:
    """The last x of a setting against the first."""
    xs = SETTINGS[by]
    return results.ratio(what, {"by": by, "x": xs[-1], "mechanism": name}, {"by": by, "x": xs[0], "mechanism": name})


def rising(results: Results) -> Estimate:
    """The least growth of SUM's error from two to five attributes."""
    found = [growth(results, name, "SUM", "d") for name in ("HIO", "AHIO", "EHIO", "HIO-PUB")]
    return min(found, key=lambda ratio: ratio.value)


FIG6 = Exhibit(
    id="vldb20_fig6",
    title="Figure 6: sums of a sensitive attribute",
    what="A range on one attribute, COUNT, SUM and AVG of another one; both are sensitive.",
    parameters={"data": "SYN-1 (normal spreads, attributes taken as independent)", "epsilon": EPSILON, "people": USERS,
                "m": M, "volume": VOLUME, "d": 2, "oracle": "OLH"},
    cells=cells,
    run=run,
    runs=10,
    claims=(
        Claim("COUNT: HIO is better than AHIO", "above 1", "stated in the text", lambda r: least(r, "COUNT", "AHIO", "HIO"),
              above(1)),
        Claim("COUNT: HIO is better than EHIO", "above 1", "stated in the text", lambda r: least(r, "COUNT", "EHIO", "HIO"),
              above(1)),
        Claim("SUM by volume: AHIO is better than HIO", "above 1", "stated in the text",
              lambda r: least(r, "SUM", "HIO", "AHIO", "volume"), above(1)),
        Claim("SUM by volume: EHIO is better than HIO", "above 1", "stated in the text",
              lambda r: least(r, "SUM", "HIO", "EHIO", "volume"), above(1)),
        Claim("AVG by volume: AHIO is better than HIO", "above 1", "stated in the text",
              lambda r: least(r, "AVG", "HIO", "AHIO", "volume"), above(1)),
        Claim("AVG falls as the volume grows (AHIO, 0.30 against 0.04)", "below 1", "stated in the text",
              lambda r: growth(r, "AHIO", "AVG", "volume"), below(1)),
        Claim("HIO-PUB is better than AHIO and EHIO on SUM", "above 1 everywhere", "stated in the text",
              lambda r: least(r, "SUM", "AHIO", "HIO-PUB"), above(1)),
        Claim("SUM by m: HIO's error grows fast", "far above 1 (250 against 5 values)", "stated in the text",
              lambda r: growth(r, "HIO", "SUM", "m"), above(5)),
        Claim("SUM by m: AHIO's error changes little", "a small factor (250 against 5 values)", "stated in the text",
              lambda r: growth(r, "AHIO", "SUM", "m"), between(0.2, 5)),
        Claim("by d: all errors grow up to five attributes (SUM, five against two, the mechanism that grows least)", "above 1",
              "stated in the text", rising, above(1)),
        Claim("AMG grows fastest with the volume (SUM, AMG's growth over AHIO's)", "above 1", "stated in the text",
              lambda r: growth(r, "AMG", "SUM", "volume") / growth(r, "AHIO", "SUM", "volume"), above(1)),
        Claim("AMG is comparable to AHIO up to a volume of 0.15 (SUM)", "a small factor", "stated in the text",
              lambda r: r.ratio("SUM", {"by": "volume", "x": 0.15, "mechanism": "AMG"},
                                {"by": "volume", "x": 0.15, "mechanism": "AHIO"}),
              below(10), why="AMG's error grows fast with the volume: it is comparable to AHIO's at the smallest volumes "
              "only."),
    ),
    draw=draw,
    uses=("benchmarks.evidence.hierarchies", "benchmarks.evidence.vldb20.sensitive", "benchmarks.joins.exact",
          "benchmarks.joins.tables"),
)  # fmt: skip
