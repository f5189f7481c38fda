"""What was measured for every group of a question: one array for all of them; one group by itself when somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from untold.ask.estimates.estimate import Estimated
from untold.ask.estimates.totals import Totals, stacked
from untold.ask.question.model import Floats, Formula

Adjust = Callable[
    [Formula, Estimated, float], Estimated
]  # what is done to an estimate of a confidence before it is used
Between = Callable[[Floats], Floats | None]  # weights, (groups, totals) -> what is said of groups; None: unknown


def unknown_between(weights: Floats) -> None:
    """Of groups that were scored one by one, or of which there are many."""


@dataclass(frozen=True, eq=False)
class Measured:
    """The totals of one combination of public keys and sensitive labels."""

    key: tuple[object, ...]  # public
    number: int  # among the combinations of sensitive labels
    labels: tuple[object, ...]  # sensitive
    totals: Totals
    adjust: Adjust | None = None


@dataclass(frozen=True, eq=False)
class Block:
    """All combinations of sensitive labels among the rows of one combination of public keys, numbered as they come.

    between   sums of products of scores of two groups each; a score is that of the totals, each times its weight in the group
    leaning   by how much the variance of a group grows with its number
    """

    key: tuple[object, ...]
    labels: Sequence[tuple[object, ...]]
    totals: Totals  # along a first axis
    between: Between = unknown_between
    leaning: Between = unknown_between

    def at(self, number: int) -> Measured:
        """One of them."""
        return Measured(self.key, number, self.labels[number], self.totals.at(number))


class Blocks(Sequence[Measured]):
    """The groups of several blocks, one after the other."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.blocks = tuple(blocks)
        self._ends = np.cumsum([len(block.labels) for block in self.blocks], dtype=np.int64)

    def __len__(self) -> int:
        return int(self._ends[-1]) if self.blocks else 0

    @overload
    def __getitem__(self, place: int) -> Measured: ...
    @overload
    def __getitem__(self, place: slice) -> list[Measured]: ...
    def __getitem__(self, place: int | slice) -> Measured | list[Measured]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        block = int(np.searchsorted(self._ends, place, side="right"))
        return self.blocks[block].at(place - (int(self._ends[block - 1]) if block else 0))

    @cached_property
    def totals(self) -> Totals:
        """Of all groups."""
        if len(self.blocks) == 1:
            return self.blocks[0].totals
        return _joined([block.totals for block in self.blocks])


def totals_of(groups: Sequence[Measured]) -> Totals:
    """Of all groups, along a first axis."""
    return groups.totals if isinstance(groups, Blocks) else stacked([group.totals for group in groups])


def names_of(groups: Sequence[Measured]) -> list[tuple[tuple[object, ...], tuple[object, ...]]]:
    """Public key and sensitive labels of every group."""
    if isinstance(groups, Blocks):
        return [(block.key, labels) for block in groups.blocks for labels in block.labels]
    return [(group.key, group.labels) for group in groups]


def numbers_of(groups: Sequence[Measured]) -> list[int]:
    """Of every group, its place among the combinations of sensitive labels."""
    if isinstance(groups, Blocks):
        return [number for block in groups.blocks for number in range(len(block.labels))]
    return [group.number for group in groups]


def _joined(totals: Sequence[Totals]) -> Totals:
    names = ("values", "covariance", "floor", "alone")
    parts = {name: [getattr(each, name) for each in totals] for name in names}
    arrays = {name: None if any(p is None for p in part) else np.concatenate(part) for name, part in parts.items()}
    values, covariance = arrays.pop("values"), arrays.pop("covariance")
    assert values is not None
    assert covariance is not None
    return Totals(values, covariance, **arrays, known=all(each.known for each in totals))
