"""VLDB'20, Figures 11 and 12: COUNT and SUM by a sensitive attribute with large and small groups, over a join."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from benchmarks.evidence.drawing import Panel, Point, lines
from benchmarks.evidence.exhibit import Cell, Claim, Estimate, Exhibit, Numbers, Results, Table, Value
from benchmarks.evidence.line import above, below
from benchmarks.evidence.vldb20.households import RACES, households, services
from benchmarks.evidence.vldb20.report_counts import Collection, Floats, collection
from benchmarks.joins.exact import HIO_JOIN, TUNED, plan_for
from benchmarks.joins.real import on_raw

STATE, EPSILON = "Illinois", 5.0
MECHANISMS = {HIO_JOIN.name: HIO_JOIN, "default": TUNED}
SQL = (
    "SELECT race, COUNT(*) AS n, SUM(income) AS s FROM homes JOIN people USING (uid) "
    "WHERE city = 'large' GROUP BY race ORDER BY race"
)
WHATS = ("COUNT", "SUM")
ANSWERS = [f"{what} {race}" for race in RACES for what in WHATS]
NAMES = "W white; A African American; N American Indian or Alaska Native; C Chinese; J Japanese; O other Asian or Pacific Islander"


def cells() -> list[Cell]:
    return [{"mechanism": m} for m in MECHANISMS]


@lru_cache(maxsize=1)
def truths() -> dict[str, tuple[float, float]]:
    """COUNT and SUM of every group; under "all", of all people."""
    data = households(STATE)
    tables = {"homes": data.homes, "people": data.people}
    found = {row[0]: (float(row[1]), float(row[2])) for row in on_raw(tables, SQL)}
    whole = on_raw(tables, "SELECT COUNT(*), SUM(income) FROM people")[0]
    return found | {"all": (float(whole[0]), float(whole[1]))}


@lru_cache(maxsize=2)
def collected(name: str) -> tuple[Collection, Floats, Floats]:
    """What can come in, with the exact mean and the exact covariances of the answers."""
    mechanism = MECHANISMS[name]
    plan = plan_for(replace(mechanism, oracle=mechanism.oracle and "agr"), EPSILON, services("race", "income"))
    made = collection(plan, SQL, mechanism.coefficients(), households(STATE))
    assert made.groups == tuple(RACES)
    return made, made.expected(), made.covariance()


def run(cell: Cell, seed: int) -> Numbers:
    """One collection, its counts drawn."""
    true, (made, mean, covariance) = truths(), collected(str(cell["mechanism"]))
    numbers = {"people": true["all"][0]}
    deviation = np.sqrt(np.diag(covariance))
    for place, (name, got) in enumerate(zip(ANSWERS, made.drawn(np.random.default_rng([12, seed])), strict=True)):
        what = WHATS.index(name.split()[0])
        truth, scale = true[name.split()[1]][what], true["all"][what]
        numbers[name] = float(got)
        numbers[f"NMSE {name}"] = ((float(got) - truth) / scale) ** 2
        numbers[f"true {name}"] = truth
        numbers[f"off {name}"] = abs(float(mean[place]) / truth - 1)
        numbers[f"deviation {name}"] = float(deviation[place])
    return numbers | correlations(covariance / np.outer(deviation, deviation))


def correlations(found: Floats) -> dict[str, float]:
    """The largest between the same answer of two groups, and that of COUNT and SUM of one group, on average."""
    numbers = {"COUNT with SUM": float(np.mean([found[i, i + 1] for i in range(0, len(found), 2)]))}
    for first, what in enumerate(WHATS):
        own = found[first::2, first::2][np.triu_indices(len(RACES), 1)]
        numbers[f"{what} of two groups"] = float(own[np.argmax(np.abs(own))])
    return numbers


def rows(results: Results) -> list[list[Value | Estimate]]:
    found: list[list[Value | Estimate]] = []
    for name in ANSWERS:
        own = [
            x
            for m in MECHANISMS
            for x in (
                results.at(name, mechanism=m),
                distance(results, m, name),
                results.at(f"NMSE {name}", mechanism=m),
            )
        ]
        found.append([*name.split()[::-1], results.at(f"true {name}", mechanism="default").value, *own])
    return found


def distance(results: Results, mechanism: str, name: str) -> float:
    """How far the mean of all runs is from the truth, in exact standard errors of that mean."""
    (own,) = results.where(mechanism=mechanism)
    return float((own.mean[name] - own.mean[f"true {name}"]) / own.mean[f"deviation {name}"] * own.runs**0.5)


def farthest(results: Results) -> Estimate:
    """Of all means."""
    return Estimate(max(abs(distance(results, m, name)) for m in MECHANISMS for name in ANSWERS))


def bias(results: Results) -> Estimate:
    """The largest difference between an exact expectation and its truth, as a share of the truth."""
    return Estimate(max(o.mean[f"off {name}"] for o in results.outcomes for name in ANSWERS))


def findings(results: Results) -> list[str]:
    told = []
    for m in MECHANISMS:
        count, total, own = (
            results.at(x, mechanism=m).value for x in ("COUNT of two groups", "SUM of two groups", "COUNT with SUM")
        )
        told.append(
            f"{m}: between the COUNTs of two groups {count:.2f} at most, between their SUMs {total:.2f}, and between COUNT "
            f"and SUM of one group {own:.2f} on average"
        )
    runs = results.outcomes[0].runs
    return [
        f"Groups: {NAMES}.",
        "Both mechanisms are unbiased: every exact expectation is the truth. With 15 runs, as published, one or two of the 24 "
        f"means below would be more than two standard errors off by chance. So there are {runs} runs, and the table says how far "
        "every mean is from the truth, in exact standard errors of that mean.",
        f"Groups come from the same reports, so their errors move together. Exact correlations: {'; '.join(told)}.",
        "Counts of reports are drawn here, with the exact chances of the product's reports and the product's own scores. "
        "Figure 9 has real collections of the same households.",
    ]


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
    runs=400,
    claims=(
        Claim("every group's estimate is unbiased: exact expectation / truth - 1, largest", "0", "proven",
              bias, below(1e-9)),
        Claim("the same from draws: the farthest of 24 means from its truth, in standard errors",
              "by chance above 3.5 in 1% of cases", "follows from it", farthest, below(3.5)),
        Claim("the NMSE of all groups is alike (COUNT, largest over smallest)", "a small factor", "stated in the text; 15 runs",
              lambda r: evenness(r, "COUNT"), below(6)),
        Claim("the NMSE of all groups is alike (SUM, largest over smallest)", "a small factor", "stated in the text; 15 runs",
              lambda r: evenness(r, "SUM"), below(6)),
        Claim("the largest group comes out well (relative error of W)", "small", "told in words", lambda r: relative(r, "W"),
              below(0.1)),
        Claim("small groups do not (relative error of J)", "large", "in the text", lambda r: relative(r, "J"), above(1)),
    ),
    draw=draw,
    tables=(
        Table(["group", "what", "true", "HIO-JOIN, mean", "off by (se)", "its NMSE", "default, mean", "off by (se)", "its NMSE"],
              rows),
    ),
    findings=findings,
    uses=("benchmarks.evidence.vldb20.households", "benchmarks.evidence.vldb20.report_counts", "benchmarks.joins.exact",
          "benchmarks.joins.real:on_raw"),
)  # fmt: skip
