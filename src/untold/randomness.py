"""All randomness comes from here: secure for devices, seeded for tests, exhaustive for proofs.

`Secure()` asks the operating system, `Seeded(7)` repeats itself (experiments only), `Exhaustive` walks a function down
every branch of its draws and returns the exact distribution of its output.

Code that needs chance takes a `Randomness` and calls one of five draws. All weights are integers, so a probability is
exactly what it says:

    word()                              64 uniform bits
    below(n)                            each of 0..n-1, exactly uniform
    chance(weight)                      True with probability weight / 2^64
    choose(cumulative)                  i with probability (cumulative[i] - cumulative[i-1]) / 2^64
    tilted(heavy, light, sides, copies) copy * sides + offset: the copy uniform; offset 0 with weight `heavy`,
                                        each other offset with weight `light`

Every draw consumes one 64-bit word, whatever its outcome; a word in the last, incomplete stretch of the range is drawn
again, which happens less than once in 2^40 draws and depends on nothing but the word itself.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from hashlib import sha256
from math import prod
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

WORD = 1 << 64
SEEDED = "Some reports were made with a seed, for an experiment: they protect nobody."  # beside every answer of such
MANY = 4096  # words from which a keyed stream is faster than asking the operating system for all of them
Words = npt.NDArray[np.uint64]
Output = TypeVar("Output", bound=Hashable)


class Randomness(ABC):
    """Five draws that mechanisms are made of; see the module's docstring."""

    insecure = True  # unless a source is known to be secure

    @abstractmethod
    def word(self) -> int:
        """64 uniform bits."""

    def below(self, n: int) -> int:
        """Uniform among 0..n-1: w // floor((2^64 - 1) / n), words beyond the last full stretch drawn again."""
        stretch = (WORD - 1) // n
        while (w := self.word()) >= n * stretch:
            pass
        return w // stretch

    def chance(self, weight: int) -> bool:
        """True with probability weight / 2^64."""
        return self.word() < weight

    def choose(self, cumulative: Sequence[int]) -> int:
        """The first index whose cumulative weight exceeds a uniform word; the last weight must be 2^64."""
        return bisect_right(cumulative, self.word())

    def tilted(self, heavy: int, light: int, sides: int, copies: int = 1) -> int:
        """copy * sides + offset, of `copies` such dice: offset 0 has weight `heavy`, each other one weight `light`."""
        stretch = heavy + light * (sides - 1)
        while (w := self.word()) >= copies * stretch:
            pass
        copy, rest = divmod(w, stretch)
        return copy * sides + (rest >= heavy) * (1 + (rest - heavy) // light)  # no branch: truth and lie take one path


class BulkRandomness(Protocol):
    """What array encoders ask for: many words at once."""

    insecure: bool

    def words(self, shape: tuple[int, ...]) -> Words: ...

    def spawn(self) -> BulkRandomness: ...


class Pooled:
    """Hands out the words of large draws piece by piece: many small arrays for the price of a few large ones.

    For the length of one call only: nothing is kept that could be handed out twice.
    """

    def __init__(self, rng: BulkRandomness, block: int = 1 << 16) -> None:
        self.insecure = rng.insecure
        self._rng, self._block = rng, block
        self._left = np.empty(0, dtype=np.uint64)

    def words(self, shape: tuple[int, ...]) -> Words:
        """Uniform 64-bit words in an array of this shape."""
        count = prod(shape)
        if count > len(self._left):
            fresh = self._rng.words((max(self._block, count - len(self._left)),))
            self._left = np.concatenate([self._left, fresh])
        given, self._left = self._left[:count], self._left[count:]
        return given.reshape(shape)

    def spawn(self) -> BulkRandomness:
        """A source for another thread."""
        return self._rng.spawn()


class Secure(Randomness):
    """The operating system's generator. Nothing is kept between two calls: nothing to fork, leak or replay.

    Many words at once are the stream of AES-256 in counter mode (OpenSSL), under a key that the operating system gives
    for this call alone: a fifth of the time of asking it for every byte.
    """

    insecure = False

    def word(self) -> int:
        return int.from_bytes(os.urandom(8), "little")

    def words(self, shape: tuple[int, ...]) -> Words:
        """Uniform 64-bit words in an array of this shape."""
        count = prod(shape)
        if count < MANY:
            return np.frombuffer(os.urandom(8 * count), dtype="<u8").reshape(shape)
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        stream = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(bytes(16))).encryptor()
        return np.frombuffer(stream.update(bytes(8 * count)), dtype="<u8").reshape(shape)

    def spawn(self) -> Secure:
        """A source for another thread."""
        return self


class Recorded(Randomness):
    """Another source, which remembers what it drew, to compare clients."""

    def __init__(self, source: Randomness) -> None:
        self.drawn: list[int] = []
        self._source = source

    def word(self) -> int:
        self.drawn.append(self._source.word())
        return self.drawn[-1]


class Seeded(Randomness):
    """Repeatable draws for experiments and tests. Reports made with it are stamped insecure; collectors refuse them.

    >>> Seeded(7).below(100) == Seeded(7).below(100)
    True
    """

    insecure = True

    @classmethod
    def named(cls, seed: int, *names: object) -> Seeded:
        """The draws of a seed for one purpose. Those of two purposes are independent.

        Two services perturbed by the very same words would be correlated, and every join of them wrong.

        >>> Seeded.named(7, "users").word() == Seeded.named(7, "orders").word()
        False
        """
        digest = sha256("\0".join(map(str, names)).encode()).digest()
        words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, len(digest), 4)]
        return cls(np.random.SeedSequence([seed, *words]))

    def __init__(self, seed: int | np.random.SeedSequence) -> None:
        self._sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self._generator = np.random.Generator(np.random.PCG64DXSM(self._sequence))

    def word(self) -> int:
        return int(self._generator.integers(0, WORD, dtype=np.uint64))

    def words(self, shape: tuple[int, ...]) -> Words:
        """Uniform 64-bit words in an array of this shape."""
        return self._generator.integers(0, WORD, size=shape, dtype=np.uint64)

    def spawn(self) -> Seeded:
        """An independent stream, the same one on every run."""
        return Seeded(self._sequence.spawn(1)[0])


class Replayed(Randomness):
    """Hands out given words in order: the scalar twin of an array encoder reads the very same draws."""

    insecure = True

    def __init__(self, words: Sequence[int] | Words) -> None:
        self._left = [int(w) for w in reversed(list(words))]

    def word(self) -> int:
        return self._left.pop()


class Exhaustive(Randomness):
    """Walks a function down every branch of its draws.

    >>> from untold.randomness import Exhaustive
    >>> def two_coins(rng):
    ...     return rng.below(2) + rng.below(2)
    >>> {heads: str(p) for heads, p in Exhaustive().distribution(two_coins).items()}
    {0: '1/4', 1: '1/2', 2: '1/4'}

    A full word has too many outcomes to enumerate. It stands for public salt (a hash seed, which an output repeats), so
    `word()` branches over a few representatives instead: the distribution is exact given that salt.
    """

    insecure = True

    def __init__(self, words: Sequence[int] = (0x9E3779B97F4A7C15, 0x123456789ABCDEF)) -> None:
        self._words = tuple(words)
        self._path: list[int] = []  # the outcome to take at each draw of this walk
        self._sizes: list[int] = []  # how many outcomes each draw had
        self._probability = Fraction(1)

    def distribution(self, function: Callable[[Randomness], Output]) -> dict[Output, Fraction]:
        """Exact probability of every output of `function`."""
        found: dict[Output, Fraction] = {}
        self._path = []
        while True:
            self._sizes, self._probability = [], Fraction(1)
            output = function(self)
            if self._probability:
                found[output] = found.get(output, Fraction(0)) + self._probability
            taken = (self._path + [0] * len(self._sizes))[: len(self._sizes)]
            while taken and taken[-1] + 1 == self._sizes[len(taken) - 1]:
                taken.pop()
            if not taken:
                return found
            taken[-1] += 1
            self._path = taken

    def _branch(self, size: int) -> int:
        depth = len(self._sizes)
        self._sizes.append(size)
        return self._path[depth] if depth < len(self._path) else 0

    def word(self) -> int:
        self._probability /= len(self._words)
        return self._words[self._branch(len(self._words))]

    def below(self, n: int) -> int:
        self._probability /= n
        return self._branch(n)

    def chance(self, weight: int) -> bool:
        outcome = bool(self._branch(2))
        self._probability *= Fraction(weight if outcome else WORD - weight, WORD)
        return outcome

    def choose(self, cumulative: Sequence[int]) -> int:
        index = self._branch(len(cumulative))
        self._probability *= Fraction(cumulative[index] - (cumulative[index - 1] if index else 0), WORD)
        return index

    def tilted(self, heavy: int, light: int, sides: int, copies: int = 1) -> int:
        outcome = self._branch(copies * sides)
        weight = light if outcome % sides else heavy
        self._probability *= Fraction(weight, copies * (heavy + light * (sides - 1)))
        return outcome
