"""The slow twin of every engine, to test them against: one report after the other, one user after the other.

Public expressions are evaluated by the caller: `publics(service)` gives, for every row of a service's reports, the value of each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from untold.ask.scores.scan import Moments, Piece, Scan, ScoreColumn
from untold.oracles import Message, Oracle
from untold.plan.designs import View

Row = Mapping[str, Any]


def slow_moments(
    scan: Scan, reports: Sequence[Sequence[Row]], user: str, value_of: Any, once: Collection[str] = ()
) -> list[Moments]:
    """`reports[s]` are the rows of service s; `value_of(public, rows)` evaluates a public expression on one joined row.
    Reports of the services in `once` serve every epoch."""
    dated = [s for s, service in enumerate(scan.services) if service not in once] or [0]
    epochs = sorted({row["epoch"] for row in reports[dated[0]]})
    people: list[dict[tuple[Any, int], list[Row]]] = []
    for s, rows in enumerate(reports):
        grouped: dict[tuple[Any, int], list[Row]] = defaultdict(list)
        for row in rows:
            for epoch in [row["epoch"]] if s in dated else epochs:
                grouped[row[user], epoch].append(row)
        people.append(grouped)
    shared: dict[tuple[Any, ...], list[tuple[list[float], dict[int, float]]]] = defaultdict(list)
    scores: dict[tuple[Any, ...], np.ndarray[Any, Any]] = {}
    for person in people[dated[0]]:
        if not all(person in grouped for grouped in people):
            continue
        parts = [
            _parts(grouped[person], scan.parted_by[s] if scan.parted else None) for s, grouped in enumerate(people)
        ]
        for mine in product(*parts):
            joined = {service: rows[0] for service, rows in zip(scan.services, mine, strict=True)}
            if scan.filter is not None and not value_of(scan.filter, joined):
                continue
            key = tuple(value_of(each, joined) for each in scan.keys)
            place = (key, *person)
            if scan.shared is not None:
                in_epoch = [_piece(scan, row, mine, joined, value_of) for row in scan.shared.rows]
                shared[key, person[0]].append((in_epoch, _once_scores(scan, mine)))
            scores[place] = scores.get(place, np.zeros(len(scan.totals))) + _totals(scan, mine, joined, value_of)
    groups: dict[tuple[Any, ...], dict[Any, list[np.ndarray[Any, Any]]]] = defaultdict(lambda: defaultdict(list))
    for (key, who, epoch), totals in scores.items():
        groups[key][_together(scan, who, epoch)].append(totals)
    if not scan.keys and not groups:
        groups[()] = {}
    found = [_sum(scan, key, list(each.values())) for key, each in groups.items()]
    if scan.shared is None:
        return found
    return [
        replace(
            each, second=each.second + sum(_added(scan, rows) for (key, _), rows in shared.items() if key == each.key)
        )
        for each in found
    ]


def _added(scan: Scan, rows: Sequence[tuple[list[float], dict[int, float]]]) -> np.ndarray[Any, Any]:
    """What one person's report that serves several epochs adds to the products: pair of epochs by pair of epochs."""
    assert scan.shared is not None
    out = np.zeros(len(scan.pairs))
    for n, products in enumerate(scan.shared.products):
        for each in products:
            score = sum(k * float(np.prod([rows[0][1][c] for c in columns])) for k, columns in each.scores)
            for a, (mine, _) in enumerate(rows):
                out[n] += sum(
                    score * mine[each.left] * other[each.right] for b, (other, _) in enumerate(rows) if a != b
                )
    return out


def _once_scores(scan: Scan, mine: Sequence[list[Row]]) -> dict[int, float]:
    assert scan.shared is not None
    used = {c for products in scan.shared.products for each in products for _, columns in each.scores for c in columns}
    return {c: sum(slow_score(scan.columns[c], row) for row in mine[scan.columns[c].service]) for c in used}


def _together(scan: Scan, who: Any, epoch: int) -> Any:
    """Rows of one person that are not independent have the same name here."""
    if scan.pooling is None:
        return who, epoch
    return who if scan.pooling.epochs is None else (who, epoch // scan.pooling.epochs)


def _parts(rows: list[Row], column: str | None) -> list[list[Row]]:
    """A user's reports, kept apart by a column."""
    if column is None:
        return [rows]
    values = dict.fromkeys(row[column] for row in rows)
    return [[row for row in rows if row[column] == value] for value in values]


def _totals(scan: Scan, mine: Sequence[list[Row]], joined: Mapping[str, Row], value_of: Any) -> np.ndarray[Any, Any]:
    """The score of one joined row of a user, for every total."""
    totals = np.zeros(len(scan.totals))
    for t, total in enumerate(scan.totals):
        totals[t] = sum(_piece(scan, piece, mine, joined, value_of) for piece in total)
    return totals


def _piece(scan: Scan, piece: Piece, mine: Sequence[list[Row]], joined: Mapping[str, Row], value_of: Any) -> float:
    value = piece.coefficient
    for public in piece.publics:
        value *= value_of(public, joined) or 0.0
    for c in piece.columns:
        column = scan.columns[c]
        value *= sum(slow_score(column, row) for row in mine[column.service])
    return value


def _sum(scan: Scan, key: tuple[Any, ...], people: Sequence[Sequence[np.ndarray[Any, Any]]]) -> Moments:
    weight = 1.0 if scan.pooling is None else scan.pooling.weight
    first, second, users = np.zeros(len(scan.totals)), np.zeros(len(scan.pairs)), 0
    for rows in people:
        whole = np.sum(rows, axis=0)
        alone = np.array([sum(z[i] * z[j] for z in rows) for i, j in scan.pairs]).reshape(-1)
        first, users = first + whole, users + (1 if weight == 1 else len(rows))
        second += (1 - weight) * alone + weight * np.array([whole[i] * whole[j] for i, j in scan.pairs]).reshape(-1)
    return Moments(key, users, first, second)


def slow_score(column: ScoreColumn, row: Row) -> float:
    """alpha_l + sum_c beta_c phi_c(message), cell by cell."""
    view_number = column.design.view_of(row["message"])
    view = column.design.views[view_number]
    cells, score = column.coefficients.cells[view_number], float(column.coefficients.constants[view_number])
    if cells is None:
        return score
    message = message_of(view, row)
    return score + sum(float(cells[c]) * phi(view.oracle, message, int(c)) for c in np.flatnonzero(cells))


def message_of(view: View, row: Row) -> Message:
    """What an oracle of a view sent, from a stored row."""
    found = [row[name] for name in view.oracle.extra_columns]
    extra = tuple(int.from_bytes(x, "little") if isinstance(x, bytes) else int(x) for x in found)
    return Message(row["message"] - view.offset, extra)


def phi(oracle: Oracle, message: Message, cell: int) -> float:
    """(1[supports] - q) / (p - q); the only cell of a view needs no correction."""
    if oracle.domain_size == 1:
        return 1.0
    p, q = oracle.floats
    return (oracle.supports(message, cell) - q) / (p - q)
