"""Likelihood steps on intervals: every window of a person is two events on the line of buckets."""

from __future__ import annotations

import numpy as np
from numba import njit

TABLE = "Array(f8, 2, 'C', readonly=True)"
RATIOS = "Array(f8, 1, 'C', readonly=True)"


@njit("void(u2[:, ::1], u1[:, ::1])", nogil=True, cache=True)
def sort_events(place, event):  # type: ignore[no-untyped-def]
    """Order each person's events by place; insertion, since there are few."""
    people, events = place.shape
    for i in range(people):
        for a in range(1, events):
            p, e = place[i, a], event[i, a]
            b = a
            while b > 0 and place[i, b - 1] > p:
                place[i, b], event[i, b] = place[i, b - 1], event[i, b - 1]
                b -= 1
            place[i, b], event[i, b] = p, e


@njit(
    f"f8(u2[:, ::1], u1[:, ::1], Array(u4, 1, 'C', readonly=True), {RATIOS}, {RATIOS}, {TABLE}, f8[:, ::1])",
    nogil=True,
    cache=True,
)
def interval_step(place, event, group, weight, ratio, prefix, change):  # type: ignore[no-untyped-def]
    """Log-likelihood of these people; `change` gains the steps of sum_i P_i(k) / E_i along the buckets, by group."""
    people, events = place.shape
    end = prefix.shape[1] - 1
    total = 0.0
    for i in range(people):
        below = prefix[group[i]]
        height, reached, expected = 1.0, 0.0, 0.0
        for a in range(events):
            here = below[place[i, a]]
            expected += height * (here - reached)
            height *= ratio[event[i, a]]
            reached = here
        expected += height * (below[end] - reached)
        total += weight[i] * np.log(expected)
        share = weight[i] / expected
        row = change[group[i]]
        row[0] += share
        height = share
        for a in range(events):
            higher = height * ratio[event[i, a]]
            row[place[i, a]] += higher - height
            height = higher
    return total
