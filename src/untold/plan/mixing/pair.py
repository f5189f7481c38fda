"""The pairs of counts that dominate n mixed reports (docs/mixing.md, sections 1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, tanh

MOST_PEOPLE = 10**9
MOST_LOCAL = 30.0
FIRST = 0.01  # how much smaller variations may be that a pair stands for, at least
COVER = (0.3, 0.5)  # share of the cover of "common" that a pair gives up, for smaller variations: few and many people


@dataclass(frozen=True)
class Counts:
    """What the reader is left with: how many bundles were of the sorts "plus", "minus" and "common".

        P = (A, B, C) + (1,0,0) with chance u, (0,1,0) with chance v, (0,0,1) with chance w = 1 - u - v
        Q: u and v exchanged      (A, B, C) ~ Multinomial(n - 1; r, r, c, rest)

    Exchanging the first two counts exchanges P and Q: one direction says both.
    """

    people: int  # n
    each: float  # r
    shared: float  # c; 0: the reader is told whether the person's bundle is of the sort "common"
    own: float  # u
    other: float  # v
    local: float  # epsilon of one bundle: u = e^local v

    def __post_init__(self) -> None:
        if not 2 <= self.people <= MOST_PEOPLE:
            raise ValueError(f"people: {self.people} is not in 2..{MOST_PEOPLE}")
        if not 0 < self.local <= MOST_LOCAL:
            raise ValueError(f"local epsilon: {self.local} is not above 0 and at most {MOST_LOCAL:g}")


Pairs = tuple[Counts, ...]  # the promise is the worst of them


def pairs_of(local: float, people: int, variation: float | None = None) -> Pairs:
    """For a randomiser of this local epsilon, of whose outputs for any two people's rows the total variation is at most
    `variation`; without it, for any randomiser at all.

        p = e^local   beta <= (p - 1)/(p + 1)   r = beta/(p - 1)   u = p r   v = r   c = w/p

    Each pair stands for a stretch of total variations, from the largest one down to 0.
    """
    gap, p = expm1(local), exp(local)
    most = tanh(local / 2)  # (p - 1)/(p + 1)
    beta = most if variation is None else min(max(variation, 0.0), most)
    found, cover = [], COVER[people > 2000 * p]
    while beta > 0:
        r = beta / gap
        w = max(1 - (p + 1) * r, 0.0)
        below = max(1 - max(cover * w / (r * gap), FIRST * (1 - w)), 0.0)  # smaller variations, as a share of this one
        shared = (w - (1 - below) * r * gap) / p
        fits = (
            shared >= 0
        )  # else the reader is told, which stands for smaller variations with fewer others in the sorts
        found.append(Counts(people, r if fits else r * below, max(shared, 0.0), p * r, r, local))
        beta *= below
    return tuple(found) or (Counts(people, 0.0, 0.0, 0.0, 0.0, local),)


def fmt21_pair(local: float, people: int) -> Pairs:
    """The same, as Feldman, McMillan and Talwar have it (FOCS 2021, Theorem 3.2): for comparison.

    2 r = e^-local    u = p/(p + 1)    v = 1/(p + 1)
    """
    light = 1 / (exp(local) + 1)
    return (Counts(people, exp(-local) / 2, 0.0, 1 - light, light, local),)
