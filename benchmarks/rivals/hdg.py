"""HDG (Yang, Wang, Li, Cheng, Su: Answering multi-dimensional range queries under local differential privacy, VLDB 2021).

One group of people for each attribute (a grid of g1 cells) and for each pair (g2 x g2). Grids are made consistent with each other,
and the table of a pair is the one to which multiplicative updates by its three grids lead.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from benchmarks.rivals.unary import groups_of, oue_shares, without_negatives

Floats = np.ndarray
Pair = tuple[int, int]
A1, A2 = 0.7, 0.03
ROUNDS = 3
STEPS = 100


def granularities(people: float, attributes: int, size: int, epsilon: float) -> tuple[int, int]:
    """g1 and g2, each the nearest power of two, g1 >= g2.

    g1 = (n (e^eps - 1)^2 a1^2 / (2 k e^eps))^(1/3)        g2 = sqrt(2 a2 (e^eps - 1) sqrt(n / (k e^eps)))

    >>> granularities(1e5, 4, 64, 1.0)
    (16, 4)
    """
    k, e = attributes + attributes * (attributes - 1) / 2, np.exp(epsilon)
    g1 = (people * (e - 1) ** 2 * A1**2 / (2 * k * e)) ** (1 / 3)
    g2 = np.sqrt(2 * A2 * (e - 1) * np.sqrt(people / (k * e)))
    two = min(max(_power_of_two(g2), 2), size)
    return min(max(_power_of_two(g1), two), size), two


def _power_of_two(number: float) -> int:
    low = 2 ** int(np.floor(np.log2(max(number, 1.0))))
    return low if number - low < 2 * low - number else 2 * low


def tables(codes: Floats, size: int, epsilon: float, rng: np.random.Generator) -> dict[Pair, Floats]:
    """Shares of all values of every pair of attributes."""
    people, attributes = codes.shape
    pairs = list(combinations(range(attributes), 2))
    g1, g2 = granularities(people, attributes, size, epsilon)
    groups = groups_of(people, attributes + len(pairs), rng)
    ones = [oue_shares(codes[groups[a], a] * g1 // size, g1, epsilon, rng) for a in range(attributes)]
    twos = {}
    for group, (a, b) in zip(groups[attributes:], pairs, strict=True):
        cells = codes[group, a] * g2 // size * g2 + codes[group, b] * g2 // size
        twos[a, b] = oue_shares(cells, g2 * g2, epsilon, rng).reshape(g2, g2)
    _make_consistent(ones, twos, g1, g2)
    return {pair: _matrix(ones[pair[0]], ones[pair[1]], grid, size) for pair, grid in twos.items()}


def _make_consistent(ones: list[Floats], twos: dict[Pair, Floats], g1: int, g2: int) -> None:
    """In place: block sums of all grids that hold an attribute become their weighted mean."""
    for number in range(ROUNDS + 1):
        for a in range(len(ones)):
            ones[a] = without_negatives(ones[a])
        for pair in twos:
            twos[pair] = without_negatives(twos[pair])
        if number == ROUNDS:
            return
        for a in range(len(ones)):
            added = {(): ones[a].reshape(g2, -1).sum(axis=1)}
            added |= {pair: grid.sum(axis=1 - pair.index(a)) for pair, grid in twos.items() if a in pair}
            weight = {name: 1 / g2 if name else g2 / g1 for name in added}
            mean = sum(weight[name] * each for name, each in added.items()) / sum(weight.values())
            ones[a] = ones[a] + np.repeat((mean - added[()]) / (g1 // g2), g1 // g2)
            for pair in (each for each in added if each):
                off = (mean - added[pair]) / g2
                twos[pair] = twos[pair] + (off[:, None] if pair.index(a) == 0 else off[None, :])


def _matrix(first: Floats, second: Floats, grid: Floats, size: int) -> Floats:
    """The table of a pair: even at first, then multiplied by the ratios of the three grids in turn."""
    table = np.full((size, size), 1 / size**2)
    one, two = len(first), len(grid)
    for _ in range(STEPS):
        before = table.copy()
        table *= np.repeat(_ratio(first, table.reshape(one, -1).sum(axis=1)), size // one)[:, None]
        table *= np.repeat(_ratio(second, table.reshape(size, one, -1).sum(axis=(0, 2))), size // one)[None, :]
        blocks = table.reshape(two, size // two, two, size // two).sum(axis=(1, 3))
        table *= np.kron(_ratio(grid, blocks), np.ones((size // two, size // two)))
        if np.abs(table - before).sum() < 1e-6:
            break
    return table


def _ratio(wanted: Floats, found: Floats) -> Floats:
    return np.divide(wanted, found, out=np.ones_like(found), where=found > 0)
