"""Turns the rows that an engine returns into moments (sums of scores and of their products) and counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from untold.ask.engines.base import Counts, pairs_of
from untold.ask.question.model import Floats
from untold.ask.scores.scan import Moments


def moments_of(
    rows: Iterable[Sequence[Any]], keys: int, totals: int, shared: Iterable[Sequence[Any]] = ()
) -> list[Moments]:
    """Rows of public keys, users, sums of totals, sums of products. Those in `shared`, of public keys and numbers, add to the
    products."""
    found, added = [], dict[tuple[object, ...], Floats]()
    for row in shared:
        added[tuple(row[:keys])] = np.array(row[keys:], dtype=np.float64)
    for row in rows:
        key, numbers = tuple(row[:keys]), np.array(row[keys + 1 :], dtype=np.float64)
        found.append(Moments(key, int(row[keys]), numbers[:totals], numbers[totals:] + added.get(key, 0.0)))
    return found


def counts_of(found: pa.Table, keys: int, weights: int) -> list[Counts]:
    """Rows of public keys, message, reports and sums, split by their keys."""
    columns = [found.column(i) for i in range(found.num_columns)]
    message = columns[keys].to_numpy().astype(np.uint32)
    numbers = [column.to_numpy().astype(np.float64) for column in columns[keys + 1 :]]
    if keys:
        rows = list(zip(*(column.to_pylist() for column in columns[:keys]), strict=True))
        groups: dict[tuple[object, ...], list[int]] = {}
        for i, row in enumerate(rows):
            groups.setdefault(row, []).append(i)
        chosen = [(key, np.array(places)) for key, places in groups.items()]
    else:
        chosen = [((), np.arange(len(message)))]
    out = []
    for key, places in chosen:
        inside = [column[places] for column in numbers]
        sums = np.array(inside[1 : 1 + weights]).reshape(weights, -1)
        products = np.array(inside[1 + weights :]).reshape(len(pairs_of(weights)), -1)
        out.append(Counts(key, message[places], inside[0].astype(np.int64), sums, products))
    return out
