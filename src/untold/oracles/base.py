"""The contract of frequency oracles: how one cell becomes one message, and how messages become counts.

An oracle turns one cell out of k into a message. All oracles here are *pure*: a message supports a set of cells; it
supports the true cell with probability p and any other cell with probability q. Hence, for any cell c,

    phi_c(message) = (1[message supports c] - q) / (p - q)        has expectation 1[true cell is c].

p and q are exact fractions, derived once, from the very integers that `encode` draws with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from untold.exact import to_nano
from untold.randomness import BulkRandomness, Randomness

Cells = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Message:
    """One report about one cell: an index, and for some oracles public salt or a set of bits beside it."""

    index: int
    extra: tuple[int, ...] = ()  # in the order of the oracle's `extra_columns`


@dataclass(frozen=True)
class Messages:
    """Many reports: the same fields as `Message`, as columns."""

    index: npt.NDArray[np.uint32]
    extra: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.index)

    def row(self, i: int) -> Message:
        """Report i in scalar form."""
        return Message(int(self.index[i]), tuple(_as_integer(column[i]) for column in self.extra.values()))


def _as_integer(value: Any) -> int:
    return int.from_bytes(value.tobytes(), "little") if isinstance(value, np.ndarray) else int(value)


@dataclass(frozen=True)
class Oracle(ABC):
    """One cell in, one message out, at `epsilon`. Subclasses are listed in `untold.oracles.ORACLES`."""

    epsilon: float
    domain_size: int  # k, the number of cells

    name: ClassVar[str]
    extra_columns: ClassVar[tuple[str, ...]] = ()  # what a message carries beside its index

    def __post_init__(self) -> None:
        if self.domain_size < 1:
            raise ValueError(f"domain_size must be 1 or more, not {self.domain_size}")
        if not to_nano(self.epsilon) > 0:
            raise ValueError(f"epsilon must be at least 1e-9, not {self.epsilon}")

    @property
    def nano(self) -> int:
        """Epsilon in billionths."""
        return to_nano(self.epsilon)

    @property
    @abstractmethod
    def p(self) -> Fraction:
        """Probability that a message supports the true cell."""

    @property
    @abstractmethod
    def q(self) -> Fraction:
        """Probability that a message supports one given other cell."""

    @property
    @abstractmethod
    def indexes(self) -> int:
        """How many values the index of a message can take."""

    @property
    @abstractmethod
    def bytes_per_report(self) -> int:
        """Size of a message on the wire."""

    @abstractmethod
    def encode(self, cell: int, rng: Randomness) -> Message:
        """Perturb one cell."""

    @abstractmethod
    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        """Perturb an array of cells; the same arithmetic as `encode`, on the same number of words for each."""

    @abstractmethod
    def supports(self, message: Message, cell: int) -> bool:
        """Whether this message speaks for this cell."""

    @abstractmethod
    def support_counts(self, messages: Messages) -> npt.NDArray[np.int64]:
        """For every cell, how many messages support it."""

    def parameters(self) -> dict[str, int]:
        """The integers that a client in another language needs, beside name, domain size and epsilon."""
        return {}

    def variance(self, frequency: float = 0.0) -> float:
        """Variance of phi_c of one report, averaged over users of whom a share `frequency` hold c.

        q(1-q)/(p-q)^2 + f (1-p-q)/(p-q)
        """
        p, q = self.floats
        return q * (1 - q) / (p - q) ** 2 + frequency * (1 - p - q) / (p - q)

    @cached_property
    def floats(self) -> tuple[float, float]:
        """p and q as floats."""
        return float(self.p), float(self.q)

    @cached_property
    def noise(self) -> float:
        """v, the mean of (sum_c g_c phi_c)^2 per unit of |g|^2, for coefficients g with sum zero and evenly spread users.

        q(1-q)/(p-q)^2 + (1/k)(1 + (1-p-q)/(p-q)) where two cells are supported independently, as with local hashing.
        """
        return self.variance(1 / self.domain_size) + 1 / self.domain_size

    def estimate(self, messages: Messages) -> Floats:
        """Unbiased number of users in every cell."""
        if self.domain_size == 1:
            return np.array([float(len(messages))])
        return self.unbias(self.support_counts(messages), len(messages))

    def unbias(self, supports: npt.NDArray[Any], reports: int) -> Floats:
        """(N_c - n q) / (p - q) for support counts N_c among n reports."""
        p, q = self.floats
        return np.asarray((supports - reports * q) / (p - q), dtype=np.float64)


class FiniteOracle(Oracle):
    """An oracle whose message is nothing but its index: counts of indexes say all, and a score is a lookup."""

    @abstractmethod
    def supports_from_counts(self, counts: Floats) -> Floats:
        """Support counts of all cells from the number of messages of each index (any real weights will do)."""

    @abstractmethod
    def gather(self, coefficients: Floats) -> Floats:
        """For every message, the sum of the coefficients of the cells that it supports: the transpose of the above."""

    def support_counts(self, messages: Messages) -> npt.NDArray[np.int64]:
        counts = np.bincount(messages.index, minlength=self.indexes).astype(np.float64)
        return np.rint(self.supports_from_counts(counts)).astype(np.int64)

    def chances(self, share: Floats) -> Floats:
        """Probability of each message when users are spread over cells by `share`: each message supports equally many
        cells in turn."""
        if self.domain_size == 1:
            return np.full(self.indexes, 1 / self.indexes)
        supporters = self.supports_from_counts(np.ones(self.indexes))[0]
        p = self.floats[0]
        inside, outside = p / supporters, (1 - p) / (self.indexes - supporters)
        return np.asarray(outside + (inside - outside) * self.gather(share))

    def scores(self, coefficients: Floats) -> Floats:
        """The score of every possible message, sum_c beta_c phi_c(message), for coefficients beta over cells."""
        if self.domain_size == 1:
            return np.full(self.indexes, coefficients[0])
        p, q = self.floats
        return np.asarray((self.gather(coefficients) - q * coefficients.sum()) / (p - q), dtype=np.float64)
