"""The ways to choose coefficients, by the names that users write."""

from __future__ import annotations

from typing import Literal

EstimatorName = Literal["blue", "greedy", "rdc"]

IN_WORDS: dict[EstimatorName, str] = {
    "blue": "least-variance combination of all views",
    "greedy": "fewest interval nodes, each from the view of its levels",
    "rdc": "several decompositions with few nodes, averaged",
}
