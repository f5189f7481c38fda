"""A family of tables over overlapping sets of attributes, made to agree, to add up to one, and to have no negative
cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.contrasts import Floats, forward, inverse
from untold.plan.hierarchy import Tree

ROUNDS = 60  # of non-negativity and consistency by turns
NEGLIGIBLE = 1e-7  # a negative cell of this size ends them early

Sets = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class PlausibleFamily:
    """Consistent tables without negative cells, stacked by group, and how much of the uniform table is in them."""

    tables: list[Floats]
    mixed: float


@dataclass(frozen=True, eq=False)
class Family:
    """Sets of attributes, the sizes of all attributes, and the weight of each set's table in what they share."""

    sets: Sets
    sizes: tuple[int, ...]
    weights: Floats

    @cached_property
    def groups(self) -> list[tuple[tuple[int, ...], npt.NDArray[np.int64]]]:
        """Sets by the shape of their tables: tables of one shape are worked on at once."""
        found: dict[tuple[int, ...], list[int]] = {}
        for number, each in enumerate(self.sets):
            found.setdefault(tuple(self.sizes[a] for a in each), []).append(number)
        return [(shape, np.array(numbers)) for shape, numbers in found.items()]

    @cached_property
    def identities(self) -> tuple[list[npt.NDArray[np.int64]], int]:
        """For every group, the number of each coefficient among the different ones of all tables; and how many there
        are. Number 0 is the total."""
        first: dict[tuple[int, ...], int] = {(): 0}
        used, out = 1, []
        for shape, numbers in self.groups:
            pattern, rank = _patterns(shape)
            ids = np.empty((len(numbers), prod(shape)), dtype=np.int64)
            for row, number in enumerate(numbers):
                starts = []
                for active in product((False, True), repeat=len(shape)):
                    subset = tuple(a for a, on in zip(self.sets[number], active, strict=True) if on)
                    if subset not in first:
                        first[subset] = used
                        used += prod(self.sizes[a] - 1 for a in subset)
                    starts.append(first[subset])
                ids[row] = np.array(starts)[pattern] + rank
            out.append(ids)
        return out, used

    @cached_property
    def shared(self) -> Floats:
        """The sum of the weights of every coefficient."""
        ids, used = self.identities
        return np.asarray(self._sums([np.ones(own.shape) for own in ids], used))

    def _sums(self, coefficients: Sequence[Floats], used: int) -> Floats:
        total = np.zeros(used)
        for (_, numbers), own, values in zip(self.groups, self.identities[0], coefficients, strict=True):
            weighted = values.reshape(own.shape) * self.weights[numbers][:, None]
            total += np.bincount(own.ravel(), weighted.ravel(), minlength=used)
        return total

    def consistent(self, tables: Sequence[Floats]) -> list[Floats]:
        """The weighted mean of every coefficient that tables share, put back into all of them: section 4.4 for all
        sets at once. The total becomes one. Tables come and go by group, stacked."""
        ids, used = self.identities
        trees = [[Tree(c, (c,)) for c in shape] for shape, _ in self.groups]
        ones = [[1] * len(shape) for shape, _ in self.groups]
        coefficients = [forward(*each) for each in zip(tables, trees, ones, strict=True)]
        mean = self._sums(coefficients, used) / self.shared
        mean[0] = 1.0
        return [
            inverse(mean[own].reshape(table.shape), t, o)
            for own, table, t, o in zip(ids, tables, trees, ones, strict=True)
        ]

    def plausible(self, tables: Sequence[Floats], nonnegative: Callable[[Floats], Floats]) -> PlausibleFamily:
        """Consistent tables without negative cells.

        Non-negativity and consistency by turns, as published, for some rounds. What is left below zero then, -x, is
        taken away by mixing in the uniform table, k x / (1 + k x) of it at the most: a mixture of two consistent
        families is consistent.
        """
        tables = self.consistent(tables)
        for _ in range(ROUNDS):
            if min(table.min() for table in tables) > -NEGLIGIBLE:
                break
            tables = self.consistent([nonnegative(table) for table in tables])
        cells = [prod(shape) for shape, _ in self.groups]
        deep = max((max(-table.min(), 0.0) * k for table, k in zip(tables, cells, strict=True)), default=0.0)
        part = deep / (1 + deep)
        return PlausibleFamily(
            [np.maximum((1 - part) * table + part / k, 0.0) for table, k in zip(tables, cells, strict=True)], part
        )

    def stacked(self, tables: Sequence[Floats]) -> list[Floats]:
        """Tables in the order of `sets`, stacked by group."""
        return [np.array([tables[i] for i in numbers]) for _, numbers in self.groups]

    def unstacked(self, tables: Sequence[Floats]) -> list[Floats]:
        """The reverse."""
        out: dict[int, Floats] = {}
        for (_, numbers), stack in zip(self.groups, tables, strict=True):
            out |= {int(i): table for i, table in zip(numbers, stack, strict=True)}
        return [out[i] for i in range(len(self.sets))]


def _patterns(shape: tuple[int, ...]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For every cell of a coefficient table: which axes are not 0 (as a number), and its place among those cells."""
    place = np.indices(shape).reshape(len(shape), -1)
    pattern, rank = np.zeros(place.shape[1], dtype=np.int64), np.zeros(place.shape[1], dtype=np.int64)
    for axis, size in zip(place, shape, strict=True):
        pattern = 2 * pattern + (axis > 0)
        rank = np.where(axis > 0, rank * (size - 1) + axis - 1, rank)
    return pattern, rank
