"""Synthetic rows, drawn from released marginals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.contrasts import Floats
from untold.marginals.releases import Releases
from untold.randomness import BulkRandomness

MOST_JOINT_CELLS = 1 << 16  # up to here all attributes are drawn from one table

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Values of every attribute, and which pairs of attributes were drawn together: of the others rows only know what follows."""

    codes: dict[int, Codes]
    together: frozenset[tuple[int, int]]


def draw(releaser: Releases, attributes: tuple[int, ...], rows: int, rng: BulkRandomness) -> Drawn:
    """`rows` values of every attribute: from their joint marginal, or along a tree of pairs where that is too large."""
    shape = tuple(releaser.sizes[a] for a in attributes)
    if prod(shape) <= MOST_JOINT_CELLS and releaser.holds(attributes):
        cells = _pick(releaser.guess(attributes).reshape(1, -1), np.zeros(rows, dtype=np.int64), rng)
        codes = dict(zip(attributes, map(np.asarray, np.unravel_index(cells, shape)), strict=True))
        return Drawn(codes, frozenset(combinations(attributes, 2)))
    return _along_a_tree(releaser, attributes, rows, rng)


def _along_a_tree(releaser: Releases, attributes: tuple[int, ...], rows: int, rng: BulkRandomness) -> Drawn:
    """Chow and Liu's tree: pairs with the most mutual information, without a circle; each attribute is drawn given the
    one before it. Among all trees it is nearest to the joint distribution."""
    tables = {pair: releaser.guess(pair) for pair in combinations(attributes, 2)}
    worth = {pair: mutual_information(table) for pair, table in tables.items()}
    first = attributes[0]
    found = {first: _pick(releaser.guess((first,))[None], np.zeros(rows, dtype=np.int64), rng)}
    together: set[tuple[int, int]] = set()
    while len(found) < len(attributes):
        options = ((a, b) for a in found for b in attributes if b not in found)
        known, new = max(options, key=lambda pair: (worth[min(pair), max(pair)], -pair[1]))
        table = tables[min(known, new), max(known, new)]
        found[new] = _pick(table if known < new else table.T, found[known], rng)
        together.add((min(known, new), max(known, new)))
    return Drawn(found, frozenset(together))


def mutual_information(table: Floats) -> float:
    """In nats.

    >>> mutual_information(np.array([[0.25, 0.25], [0.25, 0.25]]))
    0.0
    """
    apart = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    held = table > 0
    return float((table[held] * np.log(table[held] / apart[held])).sum())


def _pick(weights: Floats, given: Codes, rng: BulkRandomness) -> Codes:
    """For each entry of `given` a column, by the weights in that row."""
    sums = np.cumsum(weights, axis=1)
    ends = sums / np.maximum(sums[:, -1:], 1e-300)
    uniform = (rng.words(given.shape) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    flat = (ends + np.arange(len(ends))[:, None]).reshape(-1)
    place = np.searchsorted(flat, uniform + given, side="right") - given * weights.shape[1]
    return np.asarray(np.minimum(place, weights.shape[1] - 1), dtype=np.int64)
