"""A scan as DataFrames: reports joined with small tables of scores, users joined with users, moments added up.

Nothing here runs anything. The statements of DuckDB (`engines.statements`) are the same in SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add, mul, or_
from typing import Any

from pyspark.sql import functions as F

from untold.ask.engines.base import Kind, pairs_of
from untold.ask.engines.spark_dialect import spark_sql
from untold.ask.question.model import PublicNumber
from untold.ask.scores.scan import Piece, Scan, SharedProduct

Frame = Any  # pyspark.sql.DataFrame, classic or of Spark Connect
Column = Any  # pyspark.sql.Column
PIECE_BITS = 20
USER, EPOCH, MESSAGE, PIECE = (
    "#user",
    "#epoch",
    "#message",
    "#piece",
)  # no name of a plan can contain a #, so none can clash


def named(name: str) -> Column:
    """The column of this very name, dots and all."""
    return F.col("`" + name.replace("`", "``") + "`")


def public_name(services: Sequence[str], service: str, column: str) -> str:
    """What a public column is called once services are joined."""
    return f"#p{services.index(service)} {column}"


def number(public: PublicNumber, services: Sequence[str]) -> Column:
    """A public expression."""
    return F.expr(spark_sql(public.tree, lambda service, column: public_name(services, service, column)))


def kept(frame: Frame, condition: PublicNumber | None, services: Sequence[str]) -> Frame:
    """The rows that a condition keeps: its 0/1 number is not 0."""
    return frame.where(number(condition, services) != 0) if condition else frame


def looked_up(reports: Frame, pieces: Frame) -> Frame:
    """Scores by their place in arrays: each row of `pieces` holds those of 2^PIECE_BITS messages, and goes to every executor.

    It takes a fifth of the time of a join with one row for each message, and of its memory. A piece that is missing scores 0.
    """
    kept = [named(name) for name in reports.columns if name != MESSAGE]
    place = named(MESSAGE).bitwiseAND((1 << PIECE_BITS) - 1).cast("int")
    scores = [F.get(named(name), place).alias(name) for name in pieces.columns if name != PIECE]
    wanted = F.shiftright(named(MESSAGE), PIECE_BITS) == named(PIECE)
    return reports.join(F.broadcast(pieces), wanted, "left").select(*kept, *scores)


def joined_up(reports: Frame, scores: Frame) -> Frame:
    """The same from a row for each message. Beyond 100 columns Spark compiles no code, and would copy arrays for each report."""
    return reports.join(F.broadcast(scores), MESSAGE, "left").drop(MESSAGE)


def one_row_each(reports: Frame, keys: Sequence[str], scores: Sequence[str]) -> Frame:
    """Add up the scores of a person's reports; public columns are the same in all of them."""
    publics = [name for name in reports.columns if name not in (*keys, *scores, EPOCH, MESSAGE)]
    columns = [
        *(F.any_value(named(name)).alias(name) for name in publics),
        *(F.sum(named(name)).alias(name) for name in scores),
    ]
    return reports.groupBy(*keys).agg(*columns) if columns else reports.select(*keys).distinct()


def moments_frame(scan: Scan, sources: Sequence[Frame], several_epochs: bool) -> Frame:
    """One row per group of public keys: users, sums of totals, sums of products of totals.

    `sources[s]` has the user key, the public columns and a column `#c<number>` for each score column of service s, one
    row per user (and epoch, if there are several, and value of the column that parts a user's reports).
    """
    joined = kept(reduce(_join, sources), scan.filter, scan.services)
    people = [USER, *([EPOCH] if several_epochs and EPOCH in joined.columns else [])]
    keys = [f"#k{i}" for i in range(len(scan.keys))]
    totals = [f"#z{t}" for t in range(len(scan.totals))]
    scored = joined.select(
        *(number(each, scan.services).alias(key) for key, each in zip(keys, scan.keys, strict=True)),
        *(_total(scan, pieces).alias(name) for name, pieces in zip(totals, scan.totals, strict=True)),
        *map(named, people if scan.parted or scan.pooling else []),
    )
    if scan.parted:
        scored = scored.groupBy(*people, *keys).agg(*(F.sum(named(name)).alias(name) for name in totals))
    users, second = F.count(F.lit(1)), [named(totals[i]) * named(totals[j]) for i, j in scan.pairs]
    if scan.pooling:
        users, second, scored = _pooled(scan, keys, totals, second, scored)
    first = [_sum(named(name)) for name in totals]
    return _aggregated(scored.groupBy(*keys), [users, *first, *map(_sum, second)])


def _pooled(
    scan: Scan, keys: Sequence[str], totals: Sequence[str], products: Sequence[Column], rows: Frame
) -> tuple[Column, list[Column], Frame]:
    """How users are counted, the products to add up, and the rows to add them over, one for each person and stretch of epochs."""
    assert scan.pooling is not None
    weight, epochs = scan.pooling.weight, scan.pooling.epochs
    stretch = [F.floor(named(EPOCH) / F.lit(epochs)).alias("#stretch")] if epochs else []
    grouped = rows.groupBy(*map(named, keys), named(USER), *stretch).agg(
        F.count(F.lit(1)).alias("#rows"),
        *(F.sum(named(name)).alias(name) for name in totals),
        *(F.sum(each).alias(f"#p{n}") for n, each in enumerate(products)),
    )
    if weight == 1:
        return F.count(F.lit(1)), list(products), grouped
    pooled = [F.lit(1 - weight) * named(f"#p{n}") + F.lit(weight) * each for n, each in enumerate(products)]
    return F.coalesce(F.sum("#rows"), F.lit(0)), pooled, grouped


def shared_frame(scan: Scan, sources: Sequence[Frame]) -> Frame:
    """One row per group of public keys: what reports that serve several epochs add to each sum of products of totals."""
    assert scan.shared is not None
    joined = kept(reduce(_join, sources), scan.filter, scan.services)
    keys, rows = [f"#k{i}" for i in range(len(scan.keys))], scan.shared.rows
    every = [each for products in scan.shared.products for each in products]
    used = sorted({f"#c{c}" for each in every for _, columns in each.scores for c in columns})
    pairs = sorted({(each.left, each.right) for each in every})
    scored = joined.select(
        *(number(each, scan.services).alias(key) for key, each in zip(keys, scan.keys, strict=True)),
        *map(named, [USER, *used]),
        *(F.coalesce(_piece(scan, row), F.lit(0.0)).alias(f"#t{p}") for p, row in enumerate(rows)),
    )
    users = scored.groupBy(*keys, USER).agg(
        *(F.any_value(named(name)).alias(name) for name in used),
        *(F.sum(named(f"#t{p}")).alias(f"#t{p}") for p in range(len(rows))),
        *(F.sum(named(f"#t{p}") * named(f"#t{q}")).alias(f"#s{p}_{q}") for p, q in pairs),
    )
    sums = [reduce(add, map(_shared, products), F.lit(0.0)) for products in scan.shared.products]
    return _aggregated(users.groupBy(*keys), [_sum(each) for each in sums])


def _shared(product: SharedProduct) -> Column:
    p, q = product.left, product.right
    scores = (reduce(mul, (named(f"#c{c}") for c in columns), F.lit(float(k))) for k, columns in product.scores)
    return reduce(add, scores) * (named(f"#t{p}") * named(f"#t{q}") - named(f"#s{p}_{q}"))


def _join(left: Frame, right: Frame) -> Frame:
    """By person, and by epoch where both have one."""
    return left.join(right, [USER, *([EPOCH] if EPOCH in left.columns and EPOCH in right.columns else [])])


def counts_frame(kind: Kind, reports: Frame) -> Frame:
    """One row per group of public keys and message: reports, sums of weights, sums of products of weights."""
    services = (kind.service,)
    keys = [number(each, services).alias(f"#k{i}") for i, each in enumerate(kind.keys)]
    weights = [_product(publics, services) for publics in kind.weights]
    rows = kept(reports, kind.filter, services)
    rows = rows.select(*keys, MESSAGE, *(weight.alias(f"#w{i}") for i, weight in enumerate(weights)))
    names = [named(f"#w{i}") for i in range(len(weights))]
    sums = [_sum(name) for name in names] + [_sum(names[i] * names[j]) for i, j in pairs_of(len(names))]
    groups = rows.groupBy(*(f"#k{i}" for i in range(len(keys))), MESSAGE)
    return _aggregated(groups, [F.count(F.lit(1)), *sums])


def _aggregated(groups: Any, columns: Sequence[Column]) -> Frame:
    """Numbered names: Spark's own would spell out every expression."""
    return groups.agg(*(column.alias(f"#{i}") for i, column in enumerate(columns)))


def _sum(column: Column) -> Column:
    return F.coalesce(F.sum(column), F.lit(0.0))


def _total(scan: Scan, pieces: Sequence[Piece]) -> Column:
    """A user's score."""
    return reduce(add, (F.coalesce(_piece(scan, piece), F.lit(0.0)) for piece in pieces))


def _piece(scan: Scan, piece: Piece) -> Column:
    """A coefficient, public numbers, scores."""
    return reduce(
        mul,
        (
            _product(piece.publics, scan.services),
            F.lit(float(piece.coefficient)),
            *(named(f"#c{c}") for c in piece.columns),
        ),
    )


def _product(publics: Sequence[PublicNumber], services: Sequence[str]) -> Column:
    """A product of public numbers; zero if one of them is, whatever the others are."""
    numbers = [number(public, services).cast("double") for public in publics]
    if len(numbers) < 2:
        return numbers[0] if numbers else F.lit(1.0)
    return F.when(reduce(or_, (each == 0 for each in numbers)), F.lit(0.0)).otherwise(reduce(mul, numbers))
