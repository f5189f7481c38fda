"""The contract of frequency oracles: how one cell becomes one message, and how messages become counts.

An oracle turns one cell out of k into a message. All oracles here are *pure*: a message supports a set of cells; it
supports the true cell with probability p and any other cell with probability q. Hence, for any cell c,

    phi_c(message) = (1[message supports c] - q) / (p - q)        has expectation 1[true cell is c].

p and q are exact fractions, derived once, from the very integers that `encode` draws with.

Nobody outside this package asks which oracle it has before it: what differs between oracles is a method or a declared
attribute of `Oracle`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from untold.exact import to_nano
from untold.kernels.arrays import Cells as Cells
from untold.kernels.arrays import Floats as Floats
from untold.randomness import BulkRandomness, Randomness

MOST_LISTED_CELLS = 1 << 22  # of a view whose messages are listed: its transform must fit into memory


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
    most_cells: ClassVar[int] = MOST_LISTED_CELLS  # of one view
    extra_columns: ClassVar[tuple[str, ...]] = ()  # what a stored message carries beside its index
    travels: ClassVar[bool] = True  # over HTTP: the message is an index, with two seeds beside it or nothing
    in_javascript: ClassVar[bool] = False  # whether the JavaScript client can report by it
    automatic: ClassVar[bool] = False  # whether oracle = "auto" may pick it
    tells_cells: ClassVar[bool] = True  # whether counts of messages tell how many people are in each cell, as SQL needs
    pure: ClassVar[bool] = True  # whether every cell but the true one is supported with the same probability
    echoes: ClassVar[bool] = False  # whether the message is a cell: the only one that it supports

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

    @abstractmethod
    def support_sums(self, messages: Messages, coefficients: Floats) -> Floats:
        """For every message, the sum of the coefficients of the cells that it supports."""

    @property
    def listed(self) -> FiniteOracle | None:
        """This oracle, if its messages can be listed: then scores make a table, and counts of messages say all."""
        return None

    @property
    def seed_bits(self) -> int:
        """Bits of each of the two public seeds beside an index on the wire; 0 if there are none."""
        return 0

    @property
    def spent(self) -> int:
        """What a report costs, in billionths of epsilon."""
        return self.nano

    @classmethod
    def restored(cls, epsilon: float, domain_size: int, parameters: Mapping[str, int]) -> Self:
        """The oracle of a frozen plan. Choices that do not touch privacy are taken from its `parameters`."""
        return cls(epsilon, domain_size)

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
    def pairs(self) -> tuple[Fraction, Fraction]:
        """Probabilities that a message supports the true cell and a given other one, and that it supports two given
        other cells.

        (p q, q^2) where cells are supported independently, as with one bit for each cell and, very nearly, with hashing.
        """
        return self.p * self.q, self.q**2

    @cached_property
    def second_moment(self) -> tuple[float, float]:
        """A and B: for coefficients b with sum zero and the true cell t, a squared score has the mean
        A sum_c b_c^2 + B b_t^2. Exact as far as `pairs` is."""
        p, q, (with_true, without) = self.p, self.q, self.pairs
        if self.domain_size == 1:
            return 0.0, 0.0
        true, other = with_true - p * q, without - q**2
        near = (q * (1 - q) - other) / (p - q) ** 2
        return float(near), float(1 + (p * (1 - p) - q * (1 - q) - 2 * true + 2 * other) / (p - q) ** 2)

    @cached_property
    def squared_support(self) -> Fraction:
        """E[N^2], N the number of cells that a message supports, when users are spread evenly over all k cells."""
        return self.squared_support_by_pairs()

    def squared_support_by_pairs(self) -> Fraction:
        """The same, as far as `pairs` is exact."""
        others, (with_true, without) = self.domain_size - 1, self.pairs
        return self.p + others * self.q + 2 * others * with_true + others * (others - 1) * without

    @cached_property
    def noise(self) -> float:
        """v, the mean of (sum_c g_c phi_c)^2 per unit of |g|^2, over all coefficients g with sum zero and evenly spread
        users.

            v = (E[N] - E[N^2] / k) / ((k - 1) (p - q)^2)        E[N] = p + (k - 1) q

        The matrix of that quadratic form has the trace E[N] / (p-q)^2, of which g = 1 takes the share E[N^2] / k.
        """
        k, p, q = self.domain_size, self.p, self.q
        return float((p + (k - 1) * q - self.squared_support / k) / ((k - 1) * (p - q) ** 2)) if k > 1 else 1.0

    def score_many(self, messages: Messages, coefficients: Floats) -> Floats:
        """For every message, sum_c beta_c phi_c(message) for coefficients beta over cells."""
        if self.domain_size == 1:
            return np.full(len(messages), coefficients[0])
        return self._score(self.support_sums(messages, coefficients), coefficients)

    def _score(self, sums: Floats, coefficients: Floats) -> Floats:
        p, q = self.floats
        return np.asarray((sums - q * coefficients.sum()) / (p - q), dtype=np.float64)

    def mean_product(self, a: Floats, b: Floats, share: Floats) -> float:
        """Mean of (sum_c a_c phi_c)(sum_c b_c phi_c) when users are spread over cells by `share`."""
        if self.domain_size == 1:
            return float(a[0] * b[0])
        p, q = self.floats
        with_true, without = float(self.pairs[0] - self.p * self.q), float(self.pairs[1] - self.q**2)
        rest_a, rest_b = a.sum() - a, b.sum() - b  # coefficients of all cells but the true one
        own = p * (1 - p) * a * b + q * (1 - q) * (a @ b - a * b)
        crossed = with_true * (a * rest_b + b * rest_a) + without * (rest_a * rest_b - (a @ b - a * b))
        return float((a * b + (own + crossed) / (p - q) ** 2) @ share)

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

    @property
    def listed(self) -> FiniteOracle:
        return self

    @property
    def bytes_per_report(self) -> int:
        return max(1, -(-(self.indexes - 1).bit_length() // 8))

    @abstractmethod
    def supports_from_counts(self, counts: Floats) -> Floats:
        """Support counts of all cells from the number of messages of each index (any real weights will do)."""

    @abstractmethod
    def gather(self, coefficients: Floats) -> Floats:
        """For every message, the sum of the coefficients of the cells that it supports: the transpose of the above."""

    def gather_many(self, rows: Floats) -> Floats:
        """`gather` for each row of coefficients."""
        return np.array([self.gather(np.ascontiguousarray(row)) for row in rows]).reshape(len(rows), self.indexes)

    def support_counts(self, messages: Messages) -> npt.NDArray[np.int64]:
        counts = np.bincount(messages.index, minlength=self.indexes).astype(np.float64)
        return np.rint(self.supports_from_counts(counts)).astype(np.int64)

    def support_sums(self, messages: Messages, coefficients: Floats) -> Floats:
        return np.asarray(self.gather(coefficients)[messages.index])

    @cached_property
    def likelihoods(self) -> tuple[float, float]:
        """Probability of a message that supports the true cell, and of one that does not: every cell is supported by
        equally many."""
        if self.domain_size == 1:
            return 1 / self.indexes, 1 / self.indexes
        supporters = float(self.supports_from_counts(np.ones(self.indexes))[0])
        p = self.floats[0]
        return p / supporters, (1 - p) / (self.indexes - supporters)

    def chances(self, share: Floats) -> Floats:
        """Probability of each message when users are spread over cells by `share`."""
        if self.domain_size == 1:
            return np.full(self.indexes, 1 / self.indexes)
        inside, outside = self.likelihoods
        return np.asarray(outside + (inside - outside) * self.gather(share))

    @cached_property
    def squared_support(self) -> Fraction:
        supported = self.gather(np.ones(self.domain_size))
        return Fraction(float(supported**2 @ self.chances(np.full(self.domain_size, 1 / self.domain_size))))

    def mean_product(self, a: Floats, b: Floats, share: Floats) -> float:
        return float((self.scores(a) * self.scores(b)) @ self.chances(share))

    def scores(self, coefficients: Floats) -> Floats:
        """The score of every possible message, sum_c beta_c phi_c(message), for coefficients beta over cells."""
        if self.domain_size == 1:
            return np.full(self.indexes, coefficients[0])
        return self._score(self.gather(coefficients), coefficients)
