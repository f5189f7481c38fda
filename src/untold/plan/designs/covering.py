"""Covering designs: few sets of l attributes that between them hold every set of t attributes [CALM, section 4.3].

The size of the smallest one is known for few parameters only. Here it is the best of a short table of known ones,
planes of a space over F_2 (every three points lie in one: 14 sets for 8 attributes, 140 for 16), all sets of size t
where l = t, and a greedy search.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

Sets = tuple[tuple[int, ...], ...]

DIGITS = "0123456789abcdefghijklmnopqrstuv"
STARTS = 48  # missing subsets to start a set from, about: the least used of them is taken
MOST_WORK = 20_000  # subsets to cover, beyond which no design is searched for
KNOWN = {  # (d, t, l): each word is a set, each letter an attribute
    (8, 3, 5): "01237 01246 01356 02457 03467 12345 14567 23567",
    (8, 3, 6): "012347 012356 024567 134567",
    (8, 4, 5): "01236 01246 01257 01345 01347 01567 02346 02356 02367 02456 "
    "02467 03457 12345 12347 12567 13467 13567 14567 23457 34567",
}


def covers(sets: Sets, attributes: int, size: int) -> bool:
    """Whether every `size` of the attributes lie together in one of the sets.

    >>> covers(((0, 1), (1, 2)), 3, 2), covers(((0, 1), (1, 2), (0, 2)), 3, 2)
    (False, True)
    """
    held = {subset for each in sets for subset in combinations(sorted(each), size)}
    return len(held) == comb(attributes, size)


def least_cover(attributes: int, size: int, length: int) -> int:
    """Schoenheim's bound: no covering design has fewer sets.

        L(d, t, l) = ceil(d/l ceil((d-1)/(l-1) ... ceil((d-t+1)/(l-t+1))))

    >>> least_cover(8, 3, 4), least_cover(16, 3, 4)
    (14, 140)
    """
    bound = 1
    for i in reversed(range(size)):
        bound = -(-(attributes - i) * bound // (length - i))
    return bound


@lru_cache(maxsize=256)
def covering(attributes: int, size: int, length: int, most: int | None = None) -> Sets | None:
    """Sets of `length` attributes that hold every `size` of them; None if more than `most` would be needed, or if the
    search would take too long to try."""
    if length >= attributes:
        return (tuple(range(attributes)),)
    if most is not None and least_cover(attributes, size, length) > most:
        return None
    if length == size:
        return tuple(combinations(range(attributes), size))
    if comb(attributes, size) > MOST_WORK:
        return None
    if (attributes, size, length) in KNOWN:
        best: Sets | None = tuple(tuple(map(DIGITS.index, word)) for word in KNOWN[attributes, size, length].split())
    elif size == 3 and length == 4 and attributes & (attributes - 1) == 0:
        best = planes(attributes)
    else:
        best = greedy_cover(attributes, size, length, most)
    return best if best is None or most is None or len(best) <= most else None


def greedy_cover(attributes: int, size: int, length: int, most: int | None) -> Sets | None:
    """A greedy design that is complete; None if `most` sets do not suffice."""
    search = _Greedy(attributes, size)
    sets: list[tuple[int, ...]] = []
    while search.missing:
        if most is not None and len(sets) + least_left(len(search.missing), size, length) > most:
            return None
        sets.append(search.grow(length))
    return tuple(sorted(sets))


def least_left(missing: int, size: int, length: int) -> int:
    """How many sets at least are needed for so many missing subsets: one holds C(l, t) of them."""
    return -(-missing // comb(length, size))


def planes(attributes: int) -> Sets:
    """All {a, b, c, a xor b xor c}: any three points of F_2^r lie in exactly one plane."""
    found = {tuple(sorted((a, b, c, a ^ b ^ c))) for a, b, c in combinations(range(attributes), 3)}
    return tuple(sorted(found))


def spread_sets(attributes: int, length: int, views: int) -> Sets:
    """`views` different sets of `length` attributes, spread evenly over attributes, pairs and triples.

    As the greedy search, which starts anew once all triples are held. Every attribute is in one of them if there can
    be enough (views >= ceil(d / l)): once the sets left only just suffice for the attributes not used so far, they
    are made of those.

    >>> spread_sets(4, 2, 3)
    ((0, 1), (0, 2), (2, 3))
    """
    size = min(length, 3)
    search, sets = _Greedy(attributes, size), dict[tuple[int, ...], None]()
    others = combinations(range(attributes), length)
    views = min(views, comb(attributes, length))
    while len(sets) < views:
        if not search.missing:
            search.restart()
        unused = [i for i, times in enumerate(search.used) if not times]
        urgent = -(-len(unused) // length) >= views - len(sets)
        found = search.grow(length, unused[:length] if urgent else [])
        sets[found if found not in sets else next(each for each in others if each not in sets)] = None
    return tuple(sorted(sets))


class _Greedy:
    """Sets grown one attribute at a time, each to hold as many subsets not held before as it can, by bit mask.

    Ties go to the pairs not held before, then to the attribute used least.
    """

    def __init__(self, attributes: int, size: int) -> None:
        self.attributes, self.size = attributes, size
        self.used = [0] * attributes
        self.restart()

    def restart(self) -> None:
        """Nothing is held; how often attributes were used stays known."""
        self.order = [_mask(subset) for subset in combinations(range(self.attributes), self.size)]
        self.missing = set(self.order)
        self.pairs: set[int] = set()

    def grow(self, length: int, start: Sequence[int] = ()) -> tuple[int, ...]:
        """Start from these attributes, or else from the least used subset that is missing; add attributes, and mark
        what the set holds."""
        chosen = list(start) or self._least_used()
        while len(chosen) < length:
            left = [i for i in range(self.attributes) if i not in chosen]
            chosen.append(max(left, key=lambda i: self._gain(chosen, i)))
        for i in chosen:
            self.used[i] += 1
        self.pairs |= {_mask(pair) for pair in combinations(chosen, 2)}
        self.missing -= {_mask(subset) for subset in combinations(chosen, self.size)}
        return tuple(sorted(chosen))

    def _least_used(self) -> list[int]:
        self.order = [mask for mask in self.order if mask in self.missing]
        start = min(self.order[:: max(1, len(self.order) // STARTS)], key=self._usage)
        return [i for i in range(self.attributes) if start >> i & 1]

    def _usage(self, mask: int) -> tuple[int, int, int, int]:
        inside = [i for i in range(self.attributes) if mask >> i & 1]
        pairs = sum(_mask(pair) in self.pairs for pair in combinations(inside, 2))
        return max(self.used[i] for i in inside), sum(self.used[i] for i in inside), pairs, mask

    def _gain(self, chosen: list[int], new: int) -> tuple[int, int, int, int]:
        held = sum(_mask(rest) | 1 << new in self.missing for rest in combinations(chosen, self.size - 1))
        pairs = sum((1 << i | 1 << new) not in self.pairs for i in chosen)
        return held, pairs, -self.used[new], -new


def _mask(subset: tuple[int, ...]) -> int:
    return sum(1 << i for i in subset)
