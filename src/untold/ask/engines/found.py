"""Turns the rows that an engine returns into moments (sums of scores and of their products) and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from untold.ask.engines.base import Counts, pairs_of
from untold.ask.scores.scan import Moments


def moments_of(row: Sequence[Any], keys: int, totals: int) -> Moments:
    """A row of public keys, users, sums of totals, sums of products."""
    first = np.array(row[keys + 1 : keys + 1 + totals], dtype=np.float64)
    return Moments(tuple(row[:keys]), int(row[keys]), first, np.array(row[keys + 1 + totals :], dtype=np.float64))


def with_shared(moments: list[Moments], rows: Sequence[Sequence[Any]], keys: int) -> list[Moments]:
    """The moments with what rows of public keys and numbers add to their products."""
    added = {tuple(row[:keys]): np.array(row[keys:], dtype=np.float64) for row in rows}
    return [replace(each, second=each.second + added[each.key]) if each.key in added else each for each in moments]


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
