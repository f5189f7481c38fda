"""VLDB'20, Figures 11 and 12: COUNT and SUM by a sensitive attribute with large and small groups, over a join."""

from __future__ import annotations

from functools import lru_cache

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results, Table
from benchmarks.evidence.vldb20.households import RACES, collected, households
from benchmarks.joins.exact import HIO_JOIN, TUNED
from benchmarks.joins.real import on_raw

STATE, EPSILON = "Illinois", 5.0
MECHANISMS = {HIO_JOIN.name: HIO_JOIN, "default": TUNED}
SQL = (
    "SELECT race, COUNT(*) AS n, SUM(income) AS s FROM homes JOIN people USING (uid) "
    "WHERE city = 'large' GROUP BY race ORDER BY race"
)


def cells() -> list[Cell]:
    return [{"mechanism": m} for m in MECHANISMS]


@lru_cache(maxsize=1)
def truths() -> dict[str, tuple[float, float]]:
    """COUNT and SUM of every group; under "all", of all people."""
    data = households(STATE)
    tables = {"homes": data.homes, "people": data.people}
    found = {row[0]: (float(row[1]), float(row[2])) for row in on_raw(tables, SQL)}
    rows = on_raw(tables, "SELECT COUNT(*), SUM(income) FROM people")[0]
    return found | {"all": (float(rows[0]), float(rows[1]))}


def run(cell: Cell, seed: int) -> Numbers:
    true = truths()
    rows = collected(STATE, ["race", "income"], EPSILON, [MECHANISMS[str(cell["mechanism"])]], [SQL], seed)[0][
        0
    ].to_pylist()
    numbers = {"people": true["all"][0]}
    for row in rows:
        for what, got, truth, scale in zip(
            ("COUNT", "SUM"), (row["n"], row["s"]), true[row["race"]], true["all"], strict=True
        ):
            numbers[f"{what} {row['race']}"] = float(got)
            numbers[f"NMSE {what} {row['race']}"] = ((float(got) - truth) / scale) ** 2
            numbers[f"true {what} {row['race']}"] = truth
    return numbers


def rows(results: Results) -> list[list[str | float | Estimate]]:
    found = []
    for race in RACES:
        for what in ("COUNT", "SUM"):
            own = [
                x
                for m in MECHANISMS
                for x in (results.at(f"{what} {race}", mechanism=m), results.at(f"NMSE {what} {race}", mechanism=m))
            ]
            found.append([race, what, results.at(f"true {what} {race}", mechanism="default").value, *own])
    return found


def draw(results: Results) -> object:
    def panel(what: str) -> Panel:
        points = [
            Point(race, o.mean[f"NMSE {what} {race}"], str(o.cell["mechanism"]), o.error[f"NMSE {what} {race}"])
            for o in results.outcomes
            for race in RACES
        ]
        return Panel(f"Figure 12: {what}", "group", "NMSE", points)

    def values(what: str) -> Panel:
        points = [
            Point(race, abs(o.mean[f"{what} {race}"]), str(o.cell["mechanism"]), o.error[f"{what} {race}"])
            for o in results.outcomes
            for race in RACES
        ]
        points += [Point(race, results.at(f"true {what} {race}", mechanism="default").value, "true") for race in RACES]
        return Panel(f"Figure 11: {what}", "group", f"mean {what}", points)

    return lines([values("COUNT"), values("SUM"), panel("COUNT"), panel("SUM")], columns=2)


def evenness(results: Results, what: str) -> Estimate:
    """Largest over smallest NMSE of the six groups, HIO-JOIN."""
    (own,) = results.where(mechanism="HIO-JOIN")
    found = [own.mean[f"NMSE {what} {race}"] for race in RACES]
    return Estimate(max(found) / min(found))


def relative(results: Results, race: str) -> Estimate:
    """Root of the mean squared error of COUNT over the group's true size."""
    scale = (
        results.at("people", mechanism="HIO-JOIN").value / results.at(f"true COUNT {race}", mechanism="HIO-JOIN").value
    )
    square = results.at(f"NMSE COUNT {race}", mechanism="HIO-JOIN")
    return Estimate(square.value**0.5 * scale, square.root().error * scale)


FIG12 = Exhibit(
    id="vldb20_fig12",
    title="Figures 11 and 12: groups of a sensitive attribute over a join",
    what="COUNT and SUM(income) of people in the large city by a sensitive attribute with two large and four small groups.",
    parameters={"data": "made-up households like Illinois: 2,100,000", "epsilon": EPSILON, "tau": 1,
                "oracle": "AGR, within 2.4% of OLH"},
    cells=cells,
    run=run,
    runs=15,
    claims=(
        Claim("the NMSE of all groups is alike (COUNT, largest over smallest)", "a small factor", "stated in the text; 15 runs",
              lambda r: evenness(r, "COUNT"), lambda x: x < 6),
        Claim("the NMSE of all groups is alike (SUM, largest over smallest)", "a small factor", "stated in the text; 15 runs",
              lambda r: evenness(r, "SUM"), lambda x: x < 6),
        Claim("the largest group comes out well (relative error of W)", "small", "told in words", lambda r: relative(r, "W"),
              lambda x: x < 0.1),
        Claim("small groups do not (relative error of J)", "large", "in the text", lambda r: relative(r, "J"), lambda x: x > 1),
    ),
    draw=draw,
    tables=(
        Table(["group", "what", "true", "HIO-JOIN, mean", "its NMSE", "default, mean", "its NMSE"], rows),
    ),
    uses=("benchmarks.evidence.vldb20.households", "benchmarks.joins.exact", "benchmarks.joins.real"),
)  # fmt: skip
