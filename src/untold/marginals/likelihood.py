"""EM: every attribute was reported by itself; the most likely marginal is found [CALM, section 3.6 and A.2]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.norm_sub import norm_sub
from untold.marginals.releases import Attributes, Released, Unbiased
from untold.oracles import GRR

DELTA = 1e-6  # no cell moves more: the end
STEPS = 500


def mixed(table: Floats, oracles: Sequence[GRR]) -> Floats:
    """The shares of reported combinations for given shares of people: every attribute's matrix applied, q everywhere
    and p on the diagonal. It is symmetric."""
    for axis, oracle in enumerate(oracles):
        p, q = oracle.floats
        table = (p - q) * table + q * table.sum(axis=axis, keepdims=True)
    return table


def unmixed(counts: Floats, oracles: Sequence[GRR]) -> Floats:
    """The reverse: the unbiased estimate of A.2."""
    for axis, oracle in enumerate(oracles):
        p, q = oracle.floats
        counts = (counts - q * counts.sum(axis=axis, keepdims=True)) / (p - q)
    return counts


def most_likely(unbiased: Floats, oracles: Sequence[GRR]) -> Floats:
    """Expectation and maximisation, from the unbiased estimate made non-negative, until nothing moves.

        Pr[v] <- (1/n) sum over y of C(y) Pr[v] Pr[y|v] / sum over u of Pr[u] Pr[y|u]

    C(y), the share of people who reported y, follows from the unbiased estimate.
    """
    counts = np.maximum(mixed(unbiased, oracles), 0.0)
    table = norm_sub(unbiased[None])[0] + 1e-4 / unbiased.size
    table /= table.sum()
    for _ in range(STEPS):
        before = table
        likely = counts / np.maximum(mixed(table, oracles), 1e-300)
        table = before * mixed(likely, oracles)
        table /= table.sum()
        if np.abs(table - before).max() <= DELTA:
            break
    return np.asarray(table)


@dataclass(eq=False)
class ByLikelihood:
    """Marginals of any attributes, each fitted by itself."""

    sizes: tuple[int, ...]
    users: int
    oracles: tuple[GRR, ...]
    ask: Callable[[Attributes], Unbiased]  # products of a person's scores, averaged over all people
    mixed: float = 0.0
    _asked: dict[Attributes, Unbiased] = field(default_factory=dict)

    def tells_of(self, attribute: int) -> bool:
        """Everybody reports every attribute."""
        return self.users > 0

    def holds(self, attributes: Attributes) -> bool:
        """Anything can be fitted."""
        return True

    def unbiased(self, attributes: Attributes) -> Unbiased:
        """By A.2; asked once."""
        if attributes not in self._asked:
            self._asked[attributes] = self.ask(attributes)
        return self._asked[attributes]

    def table(self, attributes: Attributes) -> tuple[Floats, float]:
        """The most likely marginal."""
        return most_likely(self.unbiased(attributes).table, [self.oracles[a] for a in attributes]), 0.0

    def guess(self, attributes: tuple[int, ...]) -> Floats:
        """The plausible marginal."""
        return self.table(attributes)[0]

    def release(self, attributes: Attributes) -> Released:
        """The same with the errors of the unbiased estimate."""
        known = self.unbiased(attributes)
        return Released(self.table(attributes)[0], known.errors, known.table, True, 0.0)
