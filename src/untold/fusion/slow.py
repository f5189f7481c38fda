"""Slow twins of fusion's fast code, to test it against: one likelihood row for each person, nothing binned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from untold.fusion.reports import Floats, Reports
from untold.fusion.resample import poisson
from untold.fusion.tensor import midpoints
from untold.randomness import BulkRandomness


@dataclass(frozen=True)
class Rows:
    """The n x l matrix of P_i(k) of section 5, as it is."""

    matrix: Floats
    weights: Floats

    @property
    def people(self) -> float:
        return float(self.weights.sum())

    @property
    def buckets(self) -> int:
        return int(self.matrix.shape[1])

    def step(self, density: Floats) -> tuple[float, Floats]:
        expected = self.matrix @ density
        return float(self.weights @ np.log(expected)), np.asarray((self.weights / expected) @ self.matrix)

    def information(self, density: Floats, basis: Floats) -> Floats:
        centred = basis - density @ basis
        scores = (self.matrix @ (centred * density[:, None])) / (self.matrix @ density)[:, None]
        return np.asarray(scores.T @ (scores * self.weights[:, None]))

    def resampled(self, rng: BulkRandomness) -> Rows:
        return Rows(self.matrix, poisson(self.weights, rng))


def rows(reports: Reports, buckets: int) -> Rows:
    """P_i(k): the product over the services that person i is at, as a sum of logs less the largest of the row."""
    total = np.zeros((reports.people, buckets))
    for mechanism, column in zip(reports.mechanisms, reports.values, strict=True):
        here = np.flatnonzero(~np.isnan(column))
        answers = np.clip(mechanism.index_of(column[here]), 0, mechanism.indexes - 1)
        with np.errstate(divide="ignore"):
            total[here] += np.log(mechanism.mass(answers[:, None], midpoints(mechanism, buckets)[None, :]))
    total -= total.max(axis=1, keepdims=True)
    return Rows(np.exp(total), np.ones(reports.people))


def user_weighted(reports: Reports, buckets: int = 100) -> Floats:
    """UWA's number for every person, by Algorithms 1 and 2 as printed (weights summed over services)."""
    posterior = rows(reports, buckets).matrix
    posterior = posterior / posterior.sum(axis=1, keepdims=True)
    top, bottom = np.zeros(reports.people), np.zeros(reports.people)
    for mechanism, column in zip(reports.mechanisms, reports.values, strict=True):
        weight = 1 / (posterior @ (mechanism.variance(midpoints(mechanism, buckets)) / mechanism.span**2))
        a, b = mechanism.unit_line()
        here = ~np.isnan(column)
        top[here] += weight[here] * (a + b * column[here])
        bottom[here] += weight[here]
    return np.asarray(reports.low + (reports.high - reports.low) * top / bottom)
