"""An interval tree over the coded values of one attribute, all blocks of a level of equal size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

PRIMES = (2, 3, 5)


@dataclass(frozen=True)
class Tree:
    """Level 0 is the whole domain, level h the single values; `fan_outs[j]` children hang below each block of level j.

    The last `padded - size` leaves stand for values that nobody can hold.

    >>> tree = Tree(size=125, fan_outs=(5, 5, 5))
    >>> [tree.blocks(level) for level in range(tree.height + 1)]
    [1, 5, 25, 125]
    """

    size: int  # m, the values that occur
    fan_outs: tuple[int, ...]

    @cached_property
    def height(self) -> int:
        """h, the level of single values."""
        return len(self.fan_outs)

    @cached_property
    def padded(self) -> int:
        """Number of leaves."""
        return prod(self.fan_outs)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Leaves below one block, of each level."""
        return tuple(prod(self.fan_outs[level:]) for level in range(self.height + 1))

    def blocks(self, level: int) -> int:
        """Number of blocks at a level."""
        return prod(self.fan_outs[:level])

    def block_size(self, level: int) -> int:
        """Leaves below one block of a level."""
        return self.widths[level]


def factor(size: int, base: int) -> tuple[int, ...]:
    """Fan-outs for a tree over `size` values: products of primes that stay within `base`, the largest at the top.

    The number of leaves is the least one at or above `size` with prime factors of at most `base`; where that pads by more than a
    tenth, factors of 3, then of 5, are allowed as well.

    >>> factor(125, 5), factor(126, 2), factor(100, 2), factor(3, 4)
    ((5, 5, 5), (2, 2, 2, 2, 2, 2, 2), (3, 3, 3, 2, 2), (3,))
    """
    if size <= base:
        return (size,)
    limits = (base, *(limit for limit in (3, 5) if limit > base))
    smooth = (_next_smooth(size, tuple(p for p in PRIMES if p <= limit)) for limit in limits)
    leaves = next((n for n in smooth if 10 * n <= 11 * size), None) or _next_smooth(size, PRIMES)
    return tuple(sorted(_merged(_prime_factors(leaves, PRIMES), base), reverse=True))


def _next_smooth(n: int, primes: tuple[int, ...]) -> int:
    while prod(_prime_factors(n, primes)) != n:
        n += 1
    return n


def _prime_factors(n: int, primes: tuple[int, ...]) -> list[int]:
    found = []
    for p in primes:
        while n % p == 0:
            found.append(p)
            n //= p
    return found


def _merged(primes: list[int], base: int) -> list[int]:
    """Pack prime factors greedily into products of at most `base`."""
    packed: list[int] = []
    left = sorted(primes, reverse=True)
    while left:
        group = left.pop(0)
        for p in list(left):
            if group * p <= base:
                group *= p
                left.remove(p)
        packed.append(group)
    return packed
