"""Distributions from counts: how often each tuple of answers comes from n people, and what is estimated from that.

A person's answers fall into one bin for each service. How often each tuple of bins comes is multinomial with the exact
probabilities sum over k of d_k prod_j P_j(bin_j | k) of the shipped mechanisms, so tuples are drawn and not people. One
service alone is a sum of the same counts: all estimates of a round are made from the same reports, and are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.evidence.vldb25.people import FINE, Floats
from untold.fusion.log_spline import SPLINES, fit_log_spline
from untold.fusion.tensor import Tensor, fitting_bins, midpoints
from untold.numeric import PM, SR, SW, Laplace, Numeric

FOUR: tuple[type[Numeric], ...] = (SR, Laplace, PM, SW)
THREE: tuple[type[Numeric], ...] = (SR, PM, SW)
BUCKETS = 256  # of an estimate, as in the product; divergences are scored on them
BINS = 32  # of each service's answers, at most
USES = ("benchmarks.evidence.vldb25.people", "benchmarks.evidence.vldb25.counts", "untold.fusion.log_spline")


def named(kinds: Sequence[type[Numeric]], epsilons: Sequence[float]) -> dict[str, Numeric]:
    """Services called by mechanism, numbered where one is used twice."""
    names = [k.name if list(kinds).count(k) == 1 else f"{k.name} {i + 1}" for i, k in enumerate(kinds)]
    return {name: k(e) for name, k, e in zip(names, kinds, epsilons, strict=True)}


@dataclass(frozen=True, eq=False)
class Crowd:
    """What services count: the probabilities of bins for fine buckets, and those for the buckets of an estimate."""

    services: Mapping[str, Numeric]
    fine: tuple[Floats, ...]
    coarse: tuple[Floats, ...]

    def drawn(self, density: Floats, n: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Counts of all tuples, one axis for each service."""
        left, right = rows(self.fine)
        chances = np.maximum((left * density) @ right.T, 0.0).reshape(-1)
        counts = rng.multinomial(n, chances / chances.sum())
        return counts.reshape([len(table) for table in self.fine]).astype(np.float64)

    def together(self, counts: Floats) -> Tensor:
        """The likelihood of all answers of a person."""
        left, right = rows(self.coarse)
        return Tensor(counts.reshape(len(left), len(right)), left, right)

    def alone(self, counts: Floats, service: int) -> Tensor:
        """The likelihood of one service's answers."""
        own = counts.sum(axis=tuple(i for i in range(counts.ndim) if i != service))
        return Tensor(own[:, None], self.coarse[service], np.ones((1, BUCKETS)))


def rows(tables: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The first tables' products and the others', in the order of the services."""
    half = len(tables) // 2
    return product(tables[:half]), product(tables[half:])


def product(tables: Sequence[Floats]) -> Floats:
    """All products of one row from each table, the last the fastest."""
    out = np.ones((1, tables[0].shape[1] if tables else 1))
    for table in tables:
        out = (out[:, None, :] * table[None, :, :]).reshape(-1, table.shape[1])
    return out


def crowd(services: Mapping[str, Numeric]) -> Crowd:
    """Half as many bins as the product takes at most, for time: 30 paired rounds of every row are asked for."""
    mechanisms = tuple(services.values())
    edges = fitting_bins(mechanisms, BINS)
    assert edges is not None, "too many services for a table of tuples"
    made = [
        tuple(m.bin_probabilities(midpoints(m, size), cuts) for m, cuts in zip(mechanisms, edges, strict=True))
        for size in (FINE, BUCKETS)
    ]
    return Crowd(services, made[0], made[1])


def estimated(likelihood: Tensor) -> Floats:
    """ULE as the product does it by default: a penalised log-spline."""
    return fit_log_spline(likelihood, SPLINES).density(BUCKETS)[0]


def js(p: Floats, q: Floats) -> float:
    """Jensen-Shannon divergence as in section 6.1.3: the root of the mean of two Kullback-Leibler divergences."""
    middle = (p + q) / 2
    halves = [np.sum(x[x > 0] * np.log(x[x > 0] / middle[x > 0])) / 2 for x in (p, q)]
    return float(np.sqrt(max(0.0, sum(halves))))


def divergences(services: Mapping[str, Numeric], density: Floats, n: int, rng: np.random.Generator) -> dict[str, float]:
    """One round: the divergence of ULE and of every service alone, and how much ULE is above each of them."""
    made = crowd(services)
    counts, truth = made.drawn(density, n, rng), density.reshape(BUCKETS, -1).sum(axis=1)
    found = {"ULE": js(estimated(made.together(counts)), truth)}
    for place, name in enumerate(services):
        found[name] = js(estimated(made.alone(counts, place)), truth)
        found[f"ULE - {name}"] = found["ULE"] - found[name]
    return found
