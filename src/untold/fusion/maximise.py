"""Expectation maximisation over buckets: plain (EM), smoothed (EMS), both accelerated (SQUAREM)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from untold.randomness import BulkRandomness

Floats = npt.NDArray[np.float64]


class Likelihood(Protocol):
    """What is known of people's reports: tensors of counts, intervals, or the plain matrix."""

    @property
    def people(self) -> float: ...

    @property
    def buckets(self) -> int: ...

    def step(self, density: Floats) -> tuple[float, Floats]: ...

    def information(self, density: Floats, basis: Floats) -> Floats: ...

    def resampled(self, rng: BulkRandomness) -> Likelihood: ...


@dataclass(frozen=True)
class Fit:
    """A density over buckets, and what it took."""

    density: Floats
    log_likelihood: float
    steps: int
    converged: bool


def smooth(density: Floats) -> Floats:
    """Binomial weights 1, 2, 1 over neighbours, the mass of the ends kept."""
    padded = np.concatenate([density[:1], density, density[-1:]])
    return np.asarray((padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4)


def maximise(
    likelihood: Likelihood,
    smoothing: bool,
    tolerance: float = 1e-5,
    most_steps: int = 3000,
    start: Floats | None = None,
    accelerate: bool = True,
) -> Fit:
    """Repeat d_k <- d_k * mean_i P_i(k) / sum_k' d_k' P_i(k'), smoothed or not, until the log-likelihood rests.

    SQUAREM [Varadhan & Roland 2008] takes two steps d0, d1, d2 and jumps to d0 - 2 a r + a^2 v with r = d1 - d0, v =
    d2 - d1 - r and a = -|r|/|v|; a jump that loses likelihood (or leaves the simplex) is not taken. It stops where a
    whole round of it moves the log-likelihood by less than `tolerance`.
    """
    people, steps = likelihood.people, 0
    density = np.full(likelihood.buckets, 1 / likelihood.buckets) if start is None else start

    def advance(d: Floats) -> tuple[float, Floats]:
        nonlocal steps
        steps += 1
        value, back = likelihood.step(d)
        moved = d * back / people
        moved = smooth(moved) if smoothing else moved
        return value, moved / moved.sum()

    value, first = advance(density)
    while steps < most_steps:
        before = value
        if accelerate:
            _, second = advance(first)
            r, v = first - density, second - 2 * first + density
            a = min(-float(np.linalg.norm(r)) / max(float(np.linalg.norm(v)), 1e-300), -1.0)
            jump = np.maximum(density - 2 * a * r + a * a * v, 1e-15)
            jump /= jump.sum()
            value, stepped = advance(jump)
            if value < before - abs(tolerance):
                jump = second
                value, stepped = advance(jump)
            density, first = jump, stepped
        else:
            density = first
            value, first = advance(density)
        if abs(value - before) < tolerance:
            return Fit(first, value, steps, True)
    return Fit(first, value, steps, False)
