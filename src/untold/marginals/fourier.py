"""FT: noisy Fourier coefficients of binary data, one bit from each user [CALM, section 3.5 and appendix A.1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb

import numpy as np
import numpy.typing as npt

from untold.decoded.contrasts import Floats
from untold.errors import UntoldError
from untold.exact import tilt, to_nano
from untold.randomness import WORD, BulkRandomness, Randomness

MOST_COEFFICIENTS = 1 << 21

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Fourier:
    """A coefficient is a set a of bits; a user picks one of at most K bits and sends its sign, perturbed.

        theta_a = E[(-1)^<a, x>]        T_A(v) = 2^-|A| sum over a within A of theta_a (-1)^<a, v>

    p = e^eps / (e^eps + 1) for the true sign. Attributes that are not binary are written with ceil(log2 c) bits each,
    and K is the most bits that k of them have. The picked coefficient does not depend on the data.
    """

    epsilon: float
    sizes: tuple[int, ...]  # of the attributes
    ways: int  # k

    @cached_property
    def bits(self) -> tuple[tuple[int, ...], ...]:
        """The bits of every attribute, the highest first; bit 0 is the first one of the first attribute."""
        first, out = 0, []
        for size in self.sizes:
            count = max(1, (size - 1).bit_length())
            out.append(tuple(range(first, first + count)))
            first += count
        return tuple(out)

    @cached_property
    def masks(self) -> Ints:
        """Every coefficient that a k-way marginal may need, the constant left out, in rising order."""
        count = sum(map(len, self.bits))
        most = sum(sorted(map(len, self.bits), reverse=True)[: self.ways])
        total = sum(comb(count, size) for size in range(1, most + 1))
        if total > MOST_COEFFICIENTS or count > 62:
            raise UntoldError(
                f"FT needs {total:,} coefficients of {count} bits for {self.ways}-way marginals, at most "
                f"{MOST_COEFFICIENTS:,} are allowed.\nHint: use CALM, or fewer attributes."
            )
        chosen = (sum(1 << b for b in each) for size in range(1, most + 1) for each in combinations(range(count), size))
        return np.sort(np.fromiter(chosen, dtype=np.int64, count=total))

    @cached_property
    def weights(self) -> tuple[int, int]:
        """(heavy, light) of the true and the false sign, for each coefficient."""
        return tilt(to_nano(self.epsilon), 2, (WORD - 1) // len(self.masks))

    def encode(self, codes: Sequence[int], rng: Randomness) -> tuple[int, int]:
        """One user's report: the number of a coefficient, and 1 for a negative sign."""
        number, lie = divmod(rng.tilted(*self.weights, 2, len(self.masks)), 2)
        return number, (self.packed(codes) & int(self.masks[number])).bit_count() & 1 ^ lie

    def encode_many(self, codes: Sequence[npt.NDArray[np.unsignedinteger]], rng: BulkRandomness) -> tuple[Ints, Ints]:
        """The same for columns of codes."""
        heavy, light = (np.uint64(weight) for weight in self.weights)
        words = rng.words((len(codes[0]),)).copy()
        end = np.uint64(len(self.masks)) * (heavy + light)
        while (beyond := words >= end).any():
            words[beyond] = rng.words((int(beyond.sum()),))
        number, rest = np.divmod(words, heavy + light)
        packed = np.zeros(len(words), dtype=np.int64)
        for column, own in zip(codes, self.bits, strict=True):
            for place, bit in enumerate(reversed(own)):
                packed |= (column.astype(np.int64) >> place & 1) << bit
        parity = np.bitwise_count(packed & self.masks[number.astype(np.int64)]).astype(np.int64) & 1
        return number.astype(np.int64), parity ^ (rest >= heavy)

    def packed(self, codes: Sequence[int]) -> int:
        """A record as one number."""
        return sum(
            (code >> place & 1) << bit
            for code, own in zip(codes, self.bits, strict=True)
            for place, bit in enumerate(reversed(own))
        )

    def coefficients(self, reports: tuple[Ints, Ints]) -> Floats:
        """Unbiased theta for every mask; 0 where nobody reported."""
        heavy, light = self.weights
        number, sign = reports
        count = np.bincount(number, minlength=len(self.masks))
        total = np.bincount(number, 1.0 - 2.0 * sign, minlength=len(self.masks))
        return np.asarray(total / np.maximum(count, 1) * ((heavy + light) / (heavy - light)))

    def marginal(self, coefficients: Floats, attributes: Sequence[int]) -> Floats:
        """The unbiased marginal over attributes by number; codes that nobody can hold are left out."""
        own = [bit for a in attributes for bit in self.bits[a]]
        subsets = np.array(
            [sum(1 << b for b, on in zip(own, each, strict=True) if on) for each in product((0, 1), repeat=len(own))]
        )
        places = np.minimum(np.searchsorted(self.masks, subsets[1:]), len(self.masks) - 1)
        if (self.masks[places] != subsets[1:]).any():
            raise UntoldError(
                f"no user reports the coefficients of {len(attributes)} attributes together ({len(own)} bits): these are "
                f"reports for {self.ways}-way marginals.\nHint: ask for at most {self.ways} attributes."
            )
        theta = np.ones(len(subsets))
        theta[1:] = coefficients[places]
        table = theta.reshape((2,) * len(own)) if own else theta
        for axis in range(len(own)):
            even, odd = np.take(table, 0, axis), np.take(table, 1, axis)
            table = np.stack([even + odd, even - odd], axis) / 2
        wide = table.reshape([1 << len(self.bits[a]) for a in attributes])
        return wide[tuple(slice(0, self.sizes[a]) for a in attributes)]
