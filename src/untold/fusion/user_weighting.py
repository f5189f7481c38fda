"""UWA as published: every person's services weighted by that person's own posterior [sections 4.2 and 4.3].

    f(k) ~ prod_j P_j(y_j | k) over 100 buckets        w_j ~ 1 / sum_k f(k) var_j(k)
    z = sum_j w_j u_j / sum_j w_j

The weights see the same noise that they weight, so the mean is *biased*, towards the middle at large epsilon: see
docs/papers_fusion.md. Use `population` instead; this stays for comparison. The paper normalises weights by a sum over
buckets, a misprint for services, and gives Laplace a window of its own making; here Laplace has its exact bucket
probabilities.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from untold.fusion.averaging import BUCKETS, population
from untold.fusion.binning import Edges, Floats, in_chunks, tuple_codes, usual_bins
from untold.fusion.reports import Reports
from untold.fusion.results import FusedMean
from untold.fusion.tensor import midpoints

BINS = 64


def user_weighted_averaging(reports: Reports) -> FusedMean:
    """UWA. The error bar has the spread of z about the people's own numbers; it does not know of the bias."""
    if not reports.linked:
        raise ValueError(
            "UWA needs to know which reports belong to one person: use method='population' for pooled reports"
        )
    n, numbers = reports.people, weighted_numbers(reports)
    sums: list[tuple[float, float]] = []

    def work(part: slice) -> None:
        z = numbers(part)
        sums.append((float(z.sum()), float(z @ z)))

    in_chunks(work, n)
    one, two = np.sum(sums, axis=0) / n
    density, u = population(reports), (np.arange(BUCKETS) + 0.5) / BUCKETS
    own = float(density @ u**2 - (density @ u) ** 2)  # the spread of people's numbers is no error
    error = float(np.sqrt(max(two - one**2 - own, 0.05 * (two - one**2)) / n))
    scale = reports.high - reports.low
    return FusedMean(reports.low + scale * float(one), scale * error, "uwa", n)


def weighted_numbers(reports: Reports) -> Callable[[slice], Floats]:
    """z of some people, for inputs scaled to [0, 1]."""
    edges = [usual_bins(m, BINS) for m in reports.mechanisms]
    middles = [midpoints(m, BUCKETS) for m in reports.mechanisms]
    pairs = list(zip(reports.mechanisms, middles, strict=True))
    likelihood = np.concatenate([m.bin_probabilities(x, cuts) for (m, x), cuts in zip(pairs, edges, strict=True)])
    variance = np.array([m.variance(x) / m.span**2 for m, x in pairs])
    first = np.cumsum([0, *(len(cuts) - 1 for cuts in edges)])
    from untold.kernels.fusion import add_by_person

    def numbers(part: slice) -> Floats:
        columns = [column[part] for column in reports.values]
        weights = _weights(reports, columns, edges, likelihood, first, variance)
        top, bottom = np.zeros((2, part.stop - part.start))
        for mechanism, column, weight in zip(reports.mechanisms, columns, weights, strict=True):
            add_by_person(column, *mechanism.unit_line(), weight, top, bottom)
        return np.asarray(top / bottom)

    return numbers


def _weights(
    reports: Reports,
    columns: list[Floats],
    edges: list[Edges],
    likelihood: Floats,
    first: npt.NDArray[np.int64],
    variance: Floats,
) -> Floats:
    from untold.kernels.fusion import posterior_weights

    bins = np.empty((len(columns), len(columns[0])), dtype=np.uint16)
    for j, column in enumerate(columns):
        bins[j] = tuple_codes(reports.mechanisms[j : j + 1], [column], edges[j : j + 1], [len(edges[j])])
    out = np.empty(bins.shape)
    posterior_weights(bins, likelihood, first, variance, out)
    return out
