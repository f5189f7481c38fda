"""The likelihood from counts of bin tuples: the number of people drops out.

    L(d) = sum over tuples t of N_t log sum_k d_k prod_j P_j(t_j | k)

Services are divided into a left and a right group. With one row for each tuple of a group, all products are (Left *
d) Right^T: a step of EM is two small matrix products. A service that a person is not at has a bin of its own, with
likelihood 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from untold.fusion.binning import Edges, Floats, bin_counts, tuple_codes, usual_bins
from untold.fusion.reports import Reports
from untold.fusion.resample import poisson
from untold.numeric import Numeric
from untold.randomness import BulkRandomness

MOST_TUPLES = 1 << 16
BLOCK = 1 << 22  # numbers in an intermediate array
LEAST_BINS = 20  # with fewer, intervals (one person at a time) lose less


@dataclass(frozen=True)
class Tensor:
    """Counts of tuples, and the likelihood of every bucket for the tuples of each group."""

    counts: Floats  # left tuples x right tuples
    left: Floats  # left tuples x buckets
    right: Floats  # right tuples x buckets

    @property
    def people(self) -> float:
        return float(self.counts.sum())

    @property
    def buckets(self) -> int:
        return int(self.left.shape[1])

    def step(self, density: Floats) -> tuple[float, Floats]:
        """The log-likelihood, and sum over people of P_i(k) / sum_k' d_k' P_i(k') for every bucket k."""
        expected = (self.left * density) @ self.right.T
        np.maximum(expected, 1e-300, out=expected)
        log_likelihood = float(np.sum(self.counts * np.log(expected)))
        back = np.einsum("lk,lk->k", self.left, (self.counts / expected) @ self.right)
        return log_likelihood, np.asarray(back)

    def information(self, density: Floats, basis: Floats) -> Floats:
        """Sum over people of s s^T, s = E[basis | reports] - E[basis]:

        the information about coefficients of log density.
        """
        expected = np.maximum((self.left * density) @ self.right.T, 1e-300)
        weights = ((basis - density @ basis) * density[:, None]).T
        root, total = np.sqrt(self.counts) / expected, np.zeros((basis.shape[1], basis.shape[1]))
        some = max(1, BLOCK // (len(weights) * self.right.shape[0]))
        for start in range(0, len(self.left), some):
            rows = self.left[start : start + some]
            scores = (weights[:, None, :] * rows).reshape(-1, self.buckets) @ self.right.T
            flat = scores.reshape(len(weights), -1) * root[start : start + some].reshape(-1)
            total += flat @ flat.T
        return total

    def resampled(self, rng: BulkRandomness) -> Tensor:
        """A Poisson bootstrap of the people."""
        return Tensor(poisson(self.counts, rng), self.left, self.right)


def midpoints(mechanism: Numeric, buckets: int) -> Floats:
    """Middles of equal buckets, on the input axis of a mechanism."""
    return np.asarray(mechanism.low + mechanism.span * (np.arange(buckets) + 0.5) / buckets)


def fitting_bins(mechanisms: tuple[Numeric, ...], bins: int) -> list[Edges] | None:
    """Edges for every service such that all tuples fit; None if that takes fewer than LEAST_BINS bins."""
    while bins >= LEAST_BINS:
        edges = [usual_bins(mechanism, bins) for mechanism in mechanisms]
        if prod(len(cuts) for cuts in edges) <= MOST_TUPLES:
            return edges
        bins = int(bins * 0.85)
    return None


def tensor(reports: Reports, buckets: int, bins: int = 64) -> Tensor | None:
    """Count tuples of linked reports; None where there are too many services for that."""
    mechanisms = reports.mechanisms
    edges = fitting_bins(mechanisms, bins)
    if edges is None:
        return None
    absent = [bool(np.isnan(column).any()) for column in reports.values]
    rows = [len(cuts) - 1 + gone for cuts, gone in zip(edges, absent, strict=True)]
    first = _halves(rows)
    order = [*first, *(j for j in range(len(rows)) if j not in first)]
    codes = tuple_codes(
        [mechanisms[j] for j in order],
        [reports.values[j] for j in order],
        [edges[j] for j in order],
        [rows[j] for j in order],
    )
    tables = [_likelihood(mechanisms[j], edges[j], buckets, absent[j]) for j in range(len(rows))]
    left, right = _product(tables, first, buckets), _product(tables, order[len(first) :], buckets)
    counts = np.bincount(codes, minlength=len(left) * len(right)).reshape(len(left), len(right)).astype(np.float64)
    return Tensor(counts, left, right)


def pooled_tensor(reports: Reports, buckets: int, bins: int = 64) -> Tensor:
    """One histogram for each service: needs no user keys, and for epsilon up to about 0.6 loses little."""
    edges = [usual_bins(mechanism, bins) for mechanism in reports.mechanisms]
    triples = list(zip(reports.mechanisms, reports.values, edges, strict=True))
    counts = np.concatenate([bin_counts(*triple) for triple in triples])
    left = np.concatenate([_likelihood(mechanism, cuts, buckets, False) for mechanism, _, cuts in triples])
    return Tensor(counts[:, None], left, np.ones((1, buckets)))


def _likelihood(mechanism: Numeric, edges: Edges, buckets: int, absent: bool) -> Floats:
    table = mechanism.bin_probabilities(midpoints(mechanism, buckets), edges)
    return np.concatenate([table, np.ones((1, buckets))]) if absent else table


def _halves(rows: list[int]) -> list[int]:
    """The services of the left group: the division whose larger group has the fewest tuples."""
    everyone = range(len(rows))
    groups = [list(g) for size in range(1, len(rows) // 2 + 1) for g in combinations(everyone, size)] or [[0]]
    return min(groups, key=lambda g: max(prod(rows[j] for j in g), prod(rows[j] for j in everyone if j not in g)))


def _product(tables: list[Floats], chosen: list[int], buckets: int) -> Floats:
    """All products of one row from each of the chosen tables, in mixed radix order."""
    out = np.ones((1, buckets))
    for j in chosen:
        out = (out[:, None, :] * tables[j][None, :, :]).reshape(-1, buckets)
    return out
