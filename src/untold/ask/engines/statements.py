"""SQL of untold's own making for a scan. Analysts' text never gets here: only checked public expressions and quoted names do."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlglot import exp

from untold.ask.engines.base import Kind, pairs_of
from untold.ask.question.model import PublicNumber
from untold.ask.scores.scan import Piece, Scan, SharedProduct
from untold.tables.quoting import quoted


def own(letter: str, number: int) -> str:
    """A column of untold's own: c score, k key, z total. No name of a plan can contain a #, so none can clash."""
    return quoted(f"#{letter}{number}")


def public_columns(expressions: Sequence[PublicNumber], service: str) -> list[str]:
    """Names of a service's public columns that occur in expressions."""
    found = set[str]()
    for each in expressions:
        found.update(column.name for column in each.tree.find_all(exp.Column) if column.table == service)
    return sorted(found)


def everything_public(scan: Scan) -> list[PublicNumber]:
    """All public expressions of a scan."""
    used = [*scan.keys, *([scan.filter] if scan.filter else [])]
    for total in scan.totals:
        for piece in total:
            used += piece.publics
    return used


def scan_statement(
    scan: Scan, user: str, sources: Sequence[str], several_epochs: bool, once: Collection[str] = ()
) -> str:
    """One row per group of public keys: users, sums of totals, sums of products of totals.

    `sources[s]` is a relation with the user key, epoch, the public columns, and a column `own('c', number)` for each
    score column of service s, one row per user and epoch (and value of the column that parts a user's reports). Reports of
    the services in `once` belong to no epoch.
    """
    key = quoted(user)
    tables, dated = _tables(scan, key, sources, several_epochs, once)
    people = [key, *(["epoch"] if dated else [])]
    where = where_sql(scan.filter)
    groups = [f"{each.sql} AS {own('k', i)}" for i, each in enumerate(scan.keys)]
    totals = [f"{total_sql(scan, total)} AS {own('z', t)}" for t, total in enumerate(scan.totals)]
    named = people if scan.parted or scan.pooling else []
    inner = f"SELECT {', '.join([*groups, *totals, *named])} FROM {tables}{where}"
    names = [own("k", i) for i in range(len(scan.keys))]
    sums = [f"sum({own('z', t)}) AS {own('z', t)}" for t in range(len(scan.totals))]
    if scan.parted:
        inner = f"SELECT {', '.join([*names, *sums, *people])} FROM ({inner}) GROUP BY {', '.join([*people, *names])}"
    users, second = "count(*)", [f"{own('z', i)} * {own('z', j)}" for i, j in scan.pairs]
    if scan.pooling:
        users, second, inner = _pooled(scan, key, names, sums, second, inner)
    first = [f"coalesce(sum({own('z', t)}), 0)" for t in range(len(scan.totals))]
    products = [f"coalesce(sum({each}), 0)" for each in second]
    by = f" GROUP BY {', '.join(names)}" if names else ""
    return f"SELECT {', '.join([*names, users, *first, *products])} FROM ({inner}){by}"


def _tables(
    scan: Scan, key: str, sources: Sequence[str], several_epochs: bool, once: Collection[str]
) -> tuple[str, bool]:
    """The joined services, and whether their rows have an epoch."""
    tables, dated = "", False  # whether the tables so far have an epoch
    for service, source in zip(scan.services, sources, strict=True):
        of_epoch = several_epochs and service not in once  # one column joins much faster than two
        source = f"(SELECT * EXCLUDE (epoch) FROM {source})" if several_epochs and service in once else source
        join, on = (
            (" JOIN ", f" USING ({key}, epoch)" if of_epoch and dated else f" USING ({key})") if tables else ("", "")
        )
        tables += f"{join}{source} AS {quoted(service)}{on}"
        dated = dated or of_epoch
    return tables, dated


def shared_statement(
    scan: Scan, user: str, sources: Sequence[str], several_epochs: bool, once: Collection[str] = ()
) -> str:
    """One row per group of public keys: what reports that serve several epochs add to each sum of products of totals."""
    assert scan.shared is not None
    key, rows = quoted(user), scan.shared.rows
    tables, _ = _tables(scan, key, sources, several_epochs, once)
    every = [each for products in scan.shared.products for each in products]
    used = sorted({c for each in every for _, columns in each.scores for c in columns})
    pairs = sorted({(each.left, each.right) for each in every})
    groups = [f"{each.sql} AS {own('k', i)}" for i, each in enumerate(scan.keys)]
    names = [own("k", i) for i in range(len(scan.keys))]
    scores = [f"{quoted(scan.services[scan.columns[c].service])}.{own('c', c)} AS {own('c', c)}" for c in used]
    parts = [f"{piece_sql(scan, row)} AS {own('t', p)}" for p, row in enumerate(rows)]
    inner = f"SELECT {', '.join([*groups, key, *scores, *parts])} FROM {tables}{where_sql(scan.filter)}"
    wanted = [*names, *(f"any_value({own('c', c)}) AS {own('c', c)}" for c in used)]
    wanted += [f"sum({own('t', p)}) AS {own('t', p)}" for p in range(len(rows))]
    wanted += [f"sum({own('t', p)} * {own('t', q)}) AS {own(f's{p}_', q)}" for p, q in pairs]
    each_user = f"SELECT {', '.join(wanted)} FROM ({inner}) GROUP BY {', '.join([*names, key])}"
    added = [" + ".join(map(_shared_sql, products)) or "0" for products in scan.shared.products]
    sums = [f"coalesce(sum({each}), 0)" for each in added]
    by = f" GROUP BY {', '.join(names)}" if names else ""
    return f"SELECT {', '.join([*names, *sums])} FROM ({each_user}){by}"


def _shared_sql(product: SharedProduct) -> str:
    scores = (" * ".join([f"CAST({k!r} AS DOUBLE)", *(own("c", c) for c in columns)]) for k, columns in product.scores)
    p, q = product.left, product.right
    return f"({' + '.join(scores)}) * ({own('t', p)} * {own('t', q)} - {own(f's{p}_', q)})"


def _pooled(
    scan: Scan, key: str, names: Sequence[str], sums: Sequence[str], products: Sequence[str], rows: str
) -> tuple[str, list[str], str]:
    """How users are counted, the products to add up, and the rows to add them over, one for each person and stretch of epochs."""
    assert scan.pooling is not None
    weight, epochs = scan.pooling.weight, scan.pooling.epochs
    by = [*names, key, *([f"epoch // {epochs}"] if epochs else [])]
    squares = [f"sum({each}) AS {own('p', n)}" for n, each in enumerate(products)]
    grouped = (
        f"SELECT {', '.join([*names, 'count(*) AS rows', *sums, *squares])} FROM ({rows}) GROUP BY {', '.join(by)}"
    )
    if weight == 1:
        return "count(*)", list(products), grouped
    pooled = [f"{1 - weight!r} * {own('p', n)} + {weight!r} * {each}" for n, each in enumerate(products)]
    return "coalesce(sum(rows), 0)", pooled, grouped


def where_sql(condition: PublicNumber | None) -> str:
    """The rows that a condition keeps: its 0/1 number is not 0."""
    return f" WHERE ({condition.sql}) <> 0" if condition else ""


def total_sql(scan: Scan, pieces: Sequence[Piece]) -> str:
    """A user's score as an expression."""
    return " + ".join(piece_sql(scan, piece) for piece in pieces)


def piece_sql(scan: Scan, piece: Piece) -> str:
    """One piece: a coefficient, public numbers, scores."""
    factors = [f"{quoted(scan.services[scan.columns[c].service])}.{own('c', c)}" for c in piece.columns]
    if piece.coefficient != 1 or not (factors or piece.publics):
        factors.insert(0, f"CAST({piece.coefficient!r} AS DOUBLE)")
    if piece.publics:
        factors.insert(0, product_sql(piece.publics))
    return "coalesce(" + " * ".join(factors) + ", 0)"


def product_sql(publics: Sequence[PublicNumber]) -> str:
    """A product of public numbers; zero if one of them is, whatever the others are: a condition shields a division by 0."""
    numbers = [f"CAST({public.sql} AS DOUBLE)" for public in publics]
    if len(numbers) < 2:
        return numbers[0] if numbers else "CAST(1 AS DOUBLE)"
    return f"CASE WHEN {' OR '.join(f'{n} = 0' for n in numbers)} THEN 0 ELSE {' * '.join(numbers)} END"


def score_source(
    reports: str,
    scores: str | None,
    columns: Sequence[int],
    publics: Sequence[str],
    user: str,
    by_user: bool,
    part: str | None = None,
) -> str:
    """A service's reports with their scores, one row per user and epoch (and value of the column `part`); without a table
    of scores the reports carry them."""
    key, at = quoted(user), "s" if scores else "r"
    join = f" JOIN {scores} AS s ON r.message = s.message" if scores else ""
    if not by_user:
        names = [f"r.{key}", "r.epoch", *(f"r.{quoted(p)}" for p in publics), *(f"{at}.{own('c', c)}" for c in columns)]
        return f"(SELECT {', '.join(names)} FROM {reports} AS r{join})"
    by = [f"r.{key}", "r.epoch", *([f"r.{quoted(part)}"] if part else [])]
    names = [*by, *(f"any_value(r.{quoted(p)}) AS {quoted(p)}" for p in publics if p != part)]
    names += [f"sum({at}.{own('c', c)}) AS {own('c', c)}" for c in columns]
    return f"(SELECT {', '.join(names)} FROM {reports} AS r{join} GROUP BY {', '.join(by)})"


def counts_statement(kind: Kind, reports: str) -> str:
    """One row per group of public keys and message: reports, sums of weights, sums of products of weights."""
    groups = [f"{each.sql} AS {own('k', i)}" for i, each in enumerate(kind.keys)]
    weights = [product_sql(publics) for publics in kind.weights]
    sums = [f"coalesce(sum({w}), 0)" for w in weights]
    sums += [f"coalesce(sum(({weights[i]}) * ({weights[j]})), 0)" for i, j in pairs_of(len(weights))]
    where = where_sql(kind.filter)
    wanted = ", ".join([*groups, "message", "count(*)", *sums])
    return f"SELECT {wanted} FROM {reports} AS {quoted(kind.service)}{where} GROUP BY ALL"


def messages_statement(kind: Kind, reports: str) -> str:
    """The message of every report that a kind of query speaks of."""
    where = where_sql(kind.filter)
    return f"SELECT message FROM {reports} AS {quoted(kind.service)}{where}"
