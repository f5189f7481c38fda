"""The likelihood one person at a time, for many services: O(m) work for each, no n x l matrix.

A report of PM or SW takes two values along the buckets: high on an interval, low elsewhere. A person's row is
therefore piecewise constant, with two places of change for each such service; sums against the density are
differences of prefix sums, and the sum of rows over people is gathered as differences. Services of other mechanisms
are binned, and people with the same bins share a *group*, whose likelihood multiplies the density before the prefix
sums.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from threading import Lock

import numpy as np
import numpy.typing as npt

from untold.fusion.binning import Floats, in_chunks, tuple_codes, usual_bins
from untold.fusion.reports import Reports
from untold.fusion.resample import poisson
from untold.fusion.slow import Rows, rows
from untold.fusion.tensor import midpoints
from untold.numeric import Numeric
from untold.numeric.window import Window
from untold.randomness import BulkRandomness

MOST_GROUPS = 4096
SAMPLE = 4000  # people from whom the information is estimated


@dataclass(frozen=True)
class Intervals:
    """Sorted events of every person, and the groups of people."""

    place: npt.NDArray[np.uint16]  # people x events: the bucket where the height changes
    event: npt.NDArray[np.uint8]  # people x events: by which of the ratios
    ratio: Floats
    group: npt.NDArray[np.uint32]
    likelihood: Floats  # groups x buckets
    weight: Floats
    sample: Reports

    @property
    def people(self) -> float:
        return float(self.weight.sum())

    @property
    def buckets(self) -> int:
        return int(self.likelihood.shape[1])

    def step(self, density: Floats) -> tuple[float, Floats]:
        from untold.kernels.intervals import interval_step

        product = self.likelihood * density
        prefix = np.concatenate([np.zeros((len(product), 1)), np.cumsum(product, axis=1)], axis=1)
        change, lock, values = np.zeros_like(prefix), Lock(), []

        def work(part: slice) -> None:
            own = np.zeros_like(prefix)
            values.append(
                interval_step(
                    self.place[part], self.event[part], self.group[part], self.weight[part], self.ratio, prefix, own
                )
            )
            with lock:
                np.add(change, own, out=change)

        in_chunks(work, len(self.weight))
        back = np.cumsum(change[:, :-1], axis=1)
        return float(sum(values)), np.asarray(np.einsum("gk,gk->k", self.likelihood, back))

    @cached_property
    def sampled_rows(self) -> Rows:
        return rows(self.sample, self.buckets)

    def information(self, density: Floats, basis: Floats) -> Floats:
        return self.sampled_rows.information(density, basis) * (self.people / self.sample.people)

    def resampled(self, rng: BulkRandomness) -> Intervals:
        return replace(self, weight=poisson(self.weight, rng))


def intervals(reports: Reports, buckets: int) -> Intervals:
    """Events of linked reports."""
    from untold.kernels.intervals import sort_events

    pairs = list(zip(reports.mechanisms, reports.values, strict=True))
    windows = [(m, column) for m, column in pairs if isinstance(m, Window)]
    others = [(m, column) for m, column in pairs if not isinstance(m, Window)]
    n = reports.people
    place = np.empty((n, 2 * len(windows)), dtype=np.uint16)
    event = np.empty((n, 2 * len(windows)), dtype=np.uint8)
    ratio = np.empty(2 * len(windows))
    for j, (mechanism, _) in enumerate(windows):
        lift = float(mechanism.inside / mechanism.outside)
        ratio[2 * j : 2 * j + 2] = lift, 1 / lift

    def work(part: slice) -> None:
        for j, (mechanism, column) in enumerate(windows):
            place[part, 2 * j], place[part, 2 * j + 1] = _interval(mechanism, column[part], buckets)
            event[part, 2 * j], event[part, 2 * j + 1] = 2 * j, 2 * j + 1
        sort_events(place[part], event[part])

    in_chunks(work, n)
    group, likelihood = _groups(others, buckets, n)
    chosen = np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.int64)
    sample = replace(reports, values=tuple(column[chosen] for column in reports.values))
    return Intervals(place, event, ratio, group, likelihood, np.ones(n), sample)


def _interval(mechanism: Window, values: Floats, buckets: int) -> tuple[Floats, Floats]:
    """The buckets, from..to, whose middles have this answer in their window; an empty interval if there is none."""
    missing = np.isnan(values)
    answer = mechanism.index_of(np.where(missing, float(mechanism.value(0)), values))
    scale, tie = buckets / mechanism.knots, np.where(answer % 2 == 0, -0.5 - 1e-6, -0.5 + 1e-6)  # ties either way
    start = np.clip(np.ceil((answer - mechanism.width + 0.5) * scale + tie), 0, buckets)
    stop = np.clip(np.ceil((answer + 0.5) * scale + tie), 0, buckets)
    return np.where(missing, 0, start), np.where(missing, 0, stop)


def _groups(others: list[tuple[Numeric, Floats]], buckets: int, n: int) -> tuple[npt.NDArray[np.uint32], Floats]:
    if not others:
        return np.zeros(n, dtype=np.uint32), np.ones((1, buckets))
    mechanisms, columns = zip(*others, strict=True)
    for bins in (32, 16, 8, 4):
        edges = [usual_bins(mechanism, bins) for mechanism in mechanisms]
        absent = [bool(np.isnan(column).any()) for column in columns]
        counts = [len(cuts) - 1 + gone for cuts, gone in zip(edges, absent, strict=True)]
        if prod(counts) <= MOST_GROUPS:
            break
    else:
        raise ValueError(
            f"{len(others)} services with sr, laplace or hm make too many combinations: "
            "fuse fewer of them, or use linked=False"
        )
    likelihood = np.ones((1, buckets))
    for mechanism, cuts, gone in zip(mechanisms, edges, absent, strict=True):
        table = mechanism.bin_probabilities(midpoints(mechanism, buckets), cuts)
        table = np.concatenate([table, np.ones((1, buckets))]) if gone else table
        likelihood = (likelihood[:, None, :] * table[None, :, :]).reshape(-1, buckets)
    return tuple_codes(mechanisms, columns, edges, counts), likelihood
