"""A star join: people's rows of each product, and products that are only reported about, too.

Many trials are collected into one folder; a trial has its own people and its own reports about the products. Every total is
compiled once. A pass over the messages of a trial adds up scores as a scan does, and the product's code makes the answer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import untold
from benchmarks.coverage.collect import collect
from benchmarks.coverage.worlds import PRODUCTS, WORLDS, categorical, ordinal
from untold.ask.connection import Connection
from untold.ask.estimates.estimate import Estimated, estimate
from untold.ask.question.model import EstimateOutput, Floats
from untold.ask.scores.coefficients import blue
from untold.ask.scores.scan import Moments, Scan
from untold.ask.star import combined, laws_of, scores_of
from untold.plan import Plan

ASKED = {
    "star": "SELECT COUNT(*) AS x FROM sales JOIN products USING (pid) WHERE country = 'c' AND amount >= 1",
    "star, SUM": "SELECT SUM(amount) AS x FROM sales JOIN products USING (pid) WHERE country = 'c'",
}
THINGS = pa.table({"pid": PRODUCTS, "country": list("cciici"), "price": [1, 2, 0, 3, 1, 2]})
AT_ONCE = 200_000  # people in a folder
Messages = npt.NDArray[np.uint32]


def star_errors(
    epsilon: float, people: int, times: int, seed: int
) -> Iterator[tuple[str, list[tuple[Estimated, float]]]]:
    """For every class: all estimates with the truth."""
    import duckdb

    shop = next(world for world in WORLDS if world.name == "shop")
    plan, tables = shop.plan(epsilon), shop.tables(people)
    with duckdb.connect() as db:
        db.register("sales", tables["sales"])
        db.register("products", THINGS)
        truth = {name: float(db.sql(sql).fetchall()[0][0]) for name, sql in ASKED.items()}
    found: dict[str, list[tuple[Estimated, float]]] = {name: [] for name in ASKED}
    chunk = max(1, AT_ONCE // people)
    for first in range(0, times, chunk):
        trials = min(chunk, times - first)
        with tempfile.TemporaryDirectory() as folder:
            a, b = Path(folder) / "people", Path(folder) / "things"
            collect(plan, tables, people, trials, a, seed + first)
            untold.perturb(catalogue(epsilon), "products", _things(trials), out=b, seed=seed + first, progress=False)
            with untold.connect(a, threads=1) as con, untold.connect(b, threads=1) as things:
                con.register("products", things, key="pid")
                for name, sql in ASKED.items():
                    found[name] += [(each, truth[name]) for each in answers(con, sql, people, trials)]
    yield from found.items()


def catalogue(epsilon: float) -> Plan:
    """What the shop asks about each product."""
    products = {"attributes": {"country": categorical("ci"), "price": ordinal(4)}}
    return Plan.from_dict(
        {"name": "catalogue", "user_key": "pid", "epsilon": epsilon, "services": {"products": products}}
    )


def _things(trials: int) -> pa.Table:
    """The products of every trial: those of trial t are called t:tea, t:ball and so on."""
    names = [f"{trial}:{product}" for trial in range(trials) for product in PRODUCTS]
    return pa.concat_tables([THINGS] * trials).set_column(0, "pid", pa.array(names))


def answers(con: Connection, sql: str, people: int, trials: int) -> list[Estimated]:
    """The only number of the answer, for each trial."""
    asked = con._question(sql)
    starred = con._starred(asked)
    assert starred is not None
    star, each, inner = starred.star, starred.compile_people(blue), starred.compile_things(blue)
    scores = scores_of(inner, starred.things.moments(inner.scan)[0])
    laws = laws_of(inner, len(star.functions), len(PRODUCTS))
    whole = starred.people.compile(star.about_people(dict.fromkeys(PRODUCTS, next(iter(scores.values())))), blue)
    (formula,) = (output.formula for output in asked.outputs if isinstance(output, EstimateOutput))
    messages, out = _messages(con, people, trials), []
    for trial in range(trials):
        own: dict[object, Floats] = {product: scores[f"{trial}:{product}"] for product in PRODUCTS}
        weights = np.array([own[product][0] for product in PRODUCTS])  # one function of the products is asked for
        scored = Scored(messages[trial])
        single = [scored.moments(each.scan, np.eye(len(PRODUCTS))[i], (p,)) for i, p in enumerate(PRODUCTS)]
        (group,) = combined(star, own, (whole, [scored.moments(whole.scan, weights, ())]), (each, single), laws)
        out.append(estimate(formula, group.totals, 0.95))
    return out


@dataclass(frozen=True)
class Scored:
    """The messages of one trial, (people, products)."""

    messages: Messages

    def moments(self, scan: Scan, weights: Floats, key: tuple[object, ...]) -> Moments:
        """What a scan finds: scores of a person's reports, each times its product's weight for each public number of a piece (at
        least once), added up."""
        totals = []
        for pieces in scan.totals:
            own = np.zeros(len(self.messages))
            for piece in pieces:
                score = np.ones(self.messages.shape)
                for column in piece.columns:
                    score = score * scan.columns[column].vector[self.messages]
                own += piece.coefficient * (score @ weights ** max(len(piece.publics), 1))
            totals.append(own)
        second = [float(totals[a] @ totals[b]) for a, b in scan.pairs]
        return Moments(key, len(self.messages), np.array([each.sum() for each in totals]), np.array(second))


def _messages(con: Connection, people: int, trials: int) -> Messages:
    """Of every trial, person and product."""
    import pyarrow.parquet as pq

    stored = pa.concat_tables(pq.read_table(path) for path in con.folder.paths("sales"))
    out = np.zeros((people * trials, len(PRODUCTS)), dtype=np.uint32)
    out[stored["uid"].to_numpy(), stored["slot"].to_numpy()] = stored["message"].to_numpy()
    return out.reshape(trials, people, len(PRODUCTS))
