"""How many people would tell where an interval rules out nothing of what is possible."""

from __future__ import annotations

from math import isfinite

from untold.ask.estimates.possible import Ends

TELLING = 0.5  # of all that is possible: an interval that is as short begins to tell


def people_for(users: int, width: float, se: float, z: float, ends: Ends) -> float | None:
    """How many people an interval needs that spans half of all that is possible: errors shrink with the root of their number, so
    (width / half of the span)^2 times as many. By the width that there is, and the one that is forecast. None: unknown."""
    span = TELLING * (ends[1] - ends[0])
    known = [each for each in (width, 2 * z * se) if isfinite(each)]
    if not isfinite(span) or span <= 0 or not known:
        return None
    return users * max(max(known) / span, 1.0) ** 2
