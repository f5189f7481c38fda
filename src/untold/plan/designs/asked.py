"""What declared questions ask of a design: for each number that a question shows, its energy in every band."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from untold.plan.hierarchy import Space

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Asked:
    """One number of one question: the attributes that it touches, its energy at every level of each (one axis for each
    attribute), and its share among all questions."""

    attributes: tuple[int, ...]
    energy: Floats
    share: float

    @property
    def finest(self) -> tuple[int, ...]:
        """The level of each attribute below which nothing is asked."""
        some = self.energy > 0
        return tuple(int(np.flatnonzero(some.any(axis=_others(some.ndim, i)))[-1]) for i in range(some.ndim))


AskedOf = Callable[[Space], Sequence[Asked]]  # what is asked, once the trees are known


def _others(axes: int, own: int) -> tuple[int, ...]:
    return tuple(i for i in range(axes) if i != own)
