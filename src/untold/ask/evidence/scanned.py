"""Evidence of a scan that scores reports one by one: what is left where messages cannot be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.estimates.measured import Block, Blocks
from untold.ask.estimates.totals import MeanSize, totals
from untold.ask.question.model import Floats
from untold.ask.scores.compile import Compiled
from untold.ask.scores.scan import Moments, Scan, ScoreColumn

Numbers = npt.NDArray[np.int64]  # of a total in the scan, for each group
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class ScannedQuestion:
    """A question by the numbers of its totals in a scan: `TotalsAsked`."""

    numbers: Numbers  # (groups, totals)
    pairs: tuple[Pair, ...]
    squares: Mapping[Pair, Numbers]
    several: Mapping[int, Numbers]

    @property
    def count(self) -> int:
        """Of groups."""
        return len(self.numbers)

    @property
    def totals(self) -> list[Numbers]:
        """One array for each total."""
        return list(self.numbers.T)


def scanned_question(compiled: Compiled, numbers: Numbers | None = None) -> ScannedQuestion:
    """All totals of a scan, or those with these numbers: one row for each group."""
    spelled = compiled.spelled
    if numbers is None:
        numbers = np.array([own for _, own in spelled.groups], dtype=np.int64).reshape(len(spelled.groups), -1)
    pairs, squares, several = [], {}, {}
    for i, j in combinations_with_replacement(range(numbers.shape[1]), 2):
        named = pairs_in(numbers[:, i], numbers[:, j])
        if named[0] in spelled.places:
            pairs.append((i, j))
        if named[0] in spelled.squares:
            squares[i, j] = np.array([spelled.squares[pair] for pair in named])
        if i == j and numbers[0, i] in spelled.several:
            several[i] = np.array([spelled.several[number] for number, _ in named])
    return ScannedQuestion(numbers, tuple(pairs), squares, several)


def pairs_in(left: Numbers, right: Numbers) -> list[Pair]:
    """The numbers of two totals, group by group."""
    return list(zip(left.tolist(), right.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class ScannedEvidence:
    """The moments of one group of public keys."""

    compiled: Compiled
    moments: Moments

    @property
    def users(self) -> int:
        """Those of several epochs counted in each."""
        return self.moments.users

    def first(self, total: Numbers) -> Floats:
        """As the scan has added them up."""
        return self.moments.first[total]

    def second(self, left: Numbers, right: Numbers) -> Floats:
        """The same of products."""
        places = self.compiled.spelled.places
        return self.moments.second[[places[pair] for pair in pairs_in(left, right)]]

    def noise(self, left: Numbers, right: Numbers) -> Floats:
        """Of every report that is multiplied; see scores/noise_floor.py."""
        return np.array([self.compiled.spelled.noise(pair, self.moments) for pair in pairs_in(left, right)])

    def between(self, totals: Sequence[Numbers], weights: Floats) -> Floats | None:
        """A scan multiplies scores of one group with each other alone."""
        return None

    def leaning(self, totals: Sequence[Numbers], weights: Floats) -> Floats | None:
        """Nor does it add up third powers."""
        return None

    def score_size(self, total: Numbers) -> Floats:
        """Of every report that is multiplied; public numbers count as 1."""
        return score_sizes(self.compiled.scan)[total]


def scanned_groups(compiled: Compiled, moments: Sequence[Moments]) -> Blocks:
    """What a scan has found out, for every combination of public keys that occurs."""
    asked, sampling = scanned_question(compiled), compiled.over_time.sampling
    return Blocks(
        Block(group.key, compiled.labels, totals(asked, ScannedEvidence(compiled, group), sampling))
        for group in moments
    )


def score_sizes(scan: Scan) -> Floats:
    """The size of the scores of single users that carry each total; public numbers count as 1."""
    sizes = [_score_size(column) * (scan.slots[column.service] if scan.slots else 1) for column in scan.columns]
    out = np.zeros(len(scan.totals))
    for t, total in enumerate(scan.totals):
        for piece in total:
            out[t] += abs(piece.coefficient) * prod([sizes[c] for c in piece.columns])
    return out


def _score_size(column: ScoreColumn) -> float:
    """Where messages cannot be listed, the largest."""
    if column.finite:
        found = MeanSize()
        for number in range(len(column.design.views)):
            found.add(np.atleast_1d(column.of_view(number)), float(column.design.probability(number)))
        return float(found.mean)
    sizes = [0.0]
    for view, cells, constant in zip(
        column.design.views, column.coefficients.cells, column.coefficients.constants, strict=True
    ):
        p, q = view.oracle.floats
        own = 0.0 if cells is None else float(np.abs(cells).max(initial=0.0)) / (p - q if len(cells) > 1 else 1.0)
        sizes.append(abs(float(constant)) + own)
    return max(sizes)
