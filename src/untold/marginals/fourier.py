"""FT: marginals from noisy signs of Fourier coefficients [CALM, section 3.5 and appendix A.1]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.contrasts import Floats
from untold.errors import UnsupportedQuery
from untold.marginals.releases import Attributes, Released, Unbiased
from untold.oracles import Fourier
from untold.plan.designs import Design


@dataclass(frozen=True)
class Bits:
    """How attributes are written in bits: one after the other, each with its highest bit first, as cells are numbered."""

    counts: tuple[int, ...]  # bits of each attribute

    def own(self, attributes: Sequence[int]) -> list[int]:
        """The bits of some attributes, as powers of two of a cell's number."""
        ends = np.cumsum(self.counts[::-1])[::-1]  # what is left from each attribute on
        return [int(ends[a]) - 1 - place for a in attributes for place in range(self.counts[a])]

    def masks(self, attributes: Sequence[int]) -> npt.NDArray[np.int64]:
        """Every coefficient that a marginal needs; the constant one first."""
        own = self.own(attributes)
        return np.array(
            [sum(1 << b for b, on in zip(own, each, strict=True) if on) for each in product((0, 1), repeat=len(own))]
        )


def table_of(thetas: Floats) -> Floats:
    """The shares of all 2^b combinations of bits from their coefficients, in the order of `Bits.masks`.

    T(v) = 2^-b sum over a of theta_a (-1)^<a, v>

    >>> table_of(np.array([1.0, 0.5])).tolist()
    [0.75, 0.25]
    """
    table = thetas.reshape((2,) * (len(thetas).bit_length() - 1))
    for axis in range(table.ndim):
        even, odd = np.take(table, 0, axis), np.take(table, 1, axis)
        table = np.stack([even + odd, even - odd], axis) / 2
    return table.reshape(-1)


@dataclass(eq=False)
class FromSigns:
    """Marginals of at most k attributes, each by itself: two that overlap agree before they are made plausible only."""

    design: Design
    counts: Floats  # of every message
    users: int
    nonnegative: Callable[[Floats], Floats]
    mixed: float = 0.0

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Values of each attribute."""
        return tuple(tree.size for tree in self.design.space.trees)

    @cached_property
    def bits(self) -> Bits:
        """How they are written."""
        return Bits(tuple(tree.padded.bit_length() - 1 for tree in self.design.space.trees))

    @property
    def oracle(self) -> Fourier:
        """How signs were perturbed."""
        oracle = self.design.views[0].oracle
        assert isinstance(oracle, Fourier)
        return oracle

    def tells_of(self, attribute: int) -> bool:
        """Every attribute has coefficients."""
        return self.users > 0

    def holds(self, attributes: Attributes) -> bool:
        """Whether the coefficients of all their bits were collected."""
        return sum(self.bits.counts[a] for a in attributes) <= self.oracle.order

    def unbiased(self, attributes: Attributes) -> Unbiased:
        """Var = 4^-b sum over a of (c^2 - theta_a^2) / n_a  -  f (1 - f) / n        c = (e^eps + 1) / (e^eps - 1)

        The last term, as in spread.py: the people of a coefficient are drawn from those whose shares are estimated.
        """
        if not self.holds(attributes):
            raise UnsupportedQuery(
                f"no report tells the coefficients of {len(attributes)} attributes together: those of this service "
                f'(design "ft") have at most {self.oracle.order} bits.\n'
                "Hint: ask for fewer attributes, or collect with a larger k."
            )
        wanted = self.bits.masks(attributes)[1:]
        places = np.searchsorted(self.oracle.masks, wanted)
        positive, negative = self.counts[2 * places], self.counts[2 * places + 1]
        thetas = self.oracle.thetas(positive, negative)
        scale = float(1 / (self.oracle.p - self.oracle.q))
        reports = positive + negative
        spread = np.where(reports > 0, (scale**2 - np.minimum(thetas**2, 1.0)) / np.maximum(reports, 1), 1.0)
        table = self._inside(attributes, table_of(np.append(1.0, thetas)))
        share = np.clip(table, 0.0, 1.0)
        variance = spread.sum() / 4.0 ** ((len(wanted) + 1).bit_length() - 1) - share * (1 - share) / self.users
        return Unbiased(table, np.sqrt(np.maximum(variance, 0.0)))

    def _inside(self, attributes: Attributes, table: Floats) -> Floats:
        """Without the codes that nobody can hold."""
        wide = table.reshape([1 << self.bits.counts[a] for a in attributes])
        return wide[tuple(slice(0, self.sizes[a]) for a in attributes)]

    def table(self, attributes: Attributes) -> tuple[Floats, float]:
        """Made plausible by itself: what codes that nobody can hold took of the total is spread evenly."""
        found = self.unbiased(attributes).table
        whole = found + (1 - found.sum()) / prod(found.shape)
        return self.nonnegative(whole[None])[0], 0.0

    def guess(self, attributes: tuple[int, ...]) -> Floats:
        """The plausible marginal."""
        return self.table(attributes)[0]

    def release(self, attributes: Attributes) -> Released:
        """The plausible marginal with its errors."""
        known = self.unbiased(attributes)
        return Released(self.table(attributes)[0], known.errors, known.table, True, 0.0)
