"""Views that are alike for a question are added up before they are decoded.

Of a question about age, the view of age and state and the view of age and city tell the same where state and city have equally
many values: decoding is linear, and nothing but the sum over states or cities is used. A table of 32 attributes has five times
fewer different views than views.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from untold.decoded.contrasts import Floats
from untold.decoded.lattice import Integers
from untold.decoded.views import Views, ViewTable, precision

Set = tuple[int, ...]


def alike(views: Views, gain: Floats, numbers: Integers, attributes: Set) -> dict[int, ViewTable]:
    """The views of these numbers, those put together that differ in nothing but other attributes; by the first of each.

    gain   of every view: its weight, which has to be the same for views that are put together
    """
    found: dict[object, list[int]] = {}
    for number in numbers.tolist():
        found.setdefault(_name(views, number, attributes, float(gain[number])), []).append(number)
    return {same[0]: views.view(same[0]) if len(same) == 1 else _together(views, same) for same in found.values()}


def _name(views: Views, number: int, attributes: Set, gain: float) -> object:
    """What views have in common that can be put together: equal cells in equal order, and the same axes for what is asked."""
    view = views.view(number)
    if view.occurring is None:
        return number
    axes = tuple(a if a in attributes else -1 for a in view.active)
    return view.shape, axes, gain, view.oracle


def _together(views: Views, numbers: Sequence[int]) -> ViewTable:
    tables = [views.view(number) for number in numbers]
    first, parts = tables[0], [table.occurring for table in tables if table.occurring is not None]
    counts = np.zeros(first.oracle.indexes, dtype=precision(np.concatenate([weights for _, weights in parts])))
    for places, weights in parts:
        counts[places] += weights.astype(counts.dtype)
    return first.with_counts(sum(table.reports for table in tables), counts)
