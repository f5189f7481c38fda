"""Exact variances: all probabilities of a design are known, so no sampling is needed to compare mechanisms.

Records are spread evenly over their domains. A COUNT over n users has variance n (E[z^2] - f), z the score of a user's
report, f the share of users that are counted: w^2 = w for a count, and users are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.combined import designed
from untold.ask.decoded.lattice import lattice
from untold.ask.forecast.expected_moments import column_product
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.scan import ScoreColumn
from untold.plan.designs import Design
from untold.plan.hierarchy import energies, extend

Floats = npt.NDArray[np.float64]
Factors = Sequence[Floats | None]  # an indicator over the codes of each attribute; None: not touched


def count_variance(design: Design, estimator: str, factors: Factors) -> float:
    """Variance per user of the count of records with all these indicators, from the very coefficients that answer it."""
    column = ScoreColumn(0, design, ESTIMATORS[estimator](design, padded(design, factors)))  # type: ignore[index]  # a text
    return column_product(column, column) - share(factors)


def blue_variance(design: Design, factors: Factors) -> float:
    """The same for `blue` in closed form, sum over bands j != 0 of |P_j w|^2 / Lambda_j - (f - f^2); exact without padding."""
    precision = band_precision(design)
    leaves = prod(float(tree.padded) for tree in design.space.trees)
    by_level = [_energies(design, i, factor) for i, factor in enumerate(padded(design, factors))]
    energy = np.ones(())
    for each in by_level:
        energy = np.multiply.outer(energy, each)
    energy[(0,) * energy.ndim] = 0.0
    reached = energy > 1e-15
    f = share(factors)
    return leaves * float((energy[reached] / precision[reached]).sum()) - (f - f * f)


def band_precision(design: Design) -> Floats:
    """Lambda_j for every band of a design, one axis per attribute, leaves counted: sum over l >= j of pi_l s_l / v_l."""
    leaves = prod(tree.padded for tree in design.space.trees)
    bands = designed(design).bands(tuple(range(len(design.space.trees)))).copy()
    bands[(0,) * bands.ndim] = float(sum(lattice(design).chance * lattice(design).gain))
    return bands * leaves


def padded(design: Design, factors: Factors) -> list[Floats]:
    """Factors over codes, continued over the padding of each tree; None stands for 1."""
    return [
        np.ones(tree.padded) if factor is None else extend(tree, factor)
        for tree, factor in zip(design.space.trees, factors, strict=True)
    ]


def _energies(design: Design, i: int, factor: Floats) -> Floats:
    tree = design.space.trees[i]
    return energies(tree, factor) / tree.padded


def share(factors: Factors) -> float:
    """f for evenly spread records."""
    return prod(float(factor.mean()) for factor in factors if factor is not None)


def random_range(size: int, rng: np.random.Generator, volume: float | None = None) -> Floats:
    """The indicator of a range: any of all ranges, or one of a given volume at any place."""
    if volume is None:
        low, high = _all_ranges(size)[rng.integers(size * (size + 1) // 2)]
    else:
        length = max(1, round(volume * size))
        low = int(rng.integers(size - length + 1))
        high = low + length
    inside = np.zeros(size)
    inside[low:high] = 1.0
    return inside


@lru_cache(maxsize=16)
def _all_ranges(size: int) -> list[tuple[int, int]]:
    return [(low, high) for low in range(size) for high in range(low + 1, size + 1)]


def point(size: int, rng: np.random.Generator) -> Floats:
    """The indicator of one value."""
    inside = np.zeros(size)
    inside[rng.integers(size)] = 1.0
    return inside
