"""How many views to collect, and over how many attributes each: Algorithm 1 of CALM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp

from untold.plan.designs.covering import Sets, covering, spread_sets
from untold.plan.schema import DEFAULT_THETA


@dataclass(frozen=True)
class Setting:
    """Who is asked for what: n users, epsilon, the sizes c_i of the d attributes, and the k of the k-way marginals."""

    users: int
    epsilon: float
    sizes: tuple[int, ...]
    ways: int
    theta: float = DEFAULT_THETA

    @property
    def most_views(self) -> int:
        """m_u, the most views for which the sampling error m/n is at most theta; one at the least."""
        return max(1, int(self.theta * self.users))

    def noise_error(self, length: int) -> float:
        """NE, the total variance of a one-way marginal from views of `length` attributes [equation 7].

            NE = min(4 e^eps, L - 2 + e^eps) / (e^eps - 1)^2 * (L / l) * (d / n)

        L is the mean number of cells of a view, over all sets of l attributes. It does not depend on m.
        """
        cells, grown = mean_cells(self.sizes, length), exp(self.epsilon)
        oracle = min(4 * grown, cells - 2 + grown) / (grown - 1) ** 2
        return oracle * cells / length * len(self.sizes) / self.users

    def sampling_error(self, views: int) -> float:
        """SE, how far the users of one view differ from all [equation 8]: m / n."""
        return views / self.users


@dataclass(frozen=True)
class Choice:
    """l attributes in each of m views."""

    length: int
    views: int


def choose(setting: Setting) -> Choice:
    """Algorithm 1: the largest l whose noise stays below theta; if that covers all k-way marginals, the l that
    balances noise against sampling.

    Where no l between l_b and l_u is smaller than l_u, the paper prints m = min(m_u, C(d, l_u)); only the size of the
    covering design in place of C(d, l_u) gives its own Table 2 (d = 16, k = 3, n = 2^18).

    >>> choose(Setting(2**16, 2.0, (2,) * 8, 3))
    Choice(length=4, views=14)
    """
    d, k, most = len(setting.sizes), min(setting.ways, len(setting.sizes)), setting.most_views
    upper = min(2, d)
    while upper < d and setting.ways * setting.noise_error(upper + 1) <= setting.theta:
        upper += 1
    if upper < k:
        return Choice(upper, min(most, comb(d, upper)))
    lower = upper
    while lower > k and covering(d, k, lower - 1, most) is not None:
        lower -= 1
    if lower == upper:
        found = covering(d, k, upper, most)
        return Choice(upper, most if found is None else len(found))
    options = [(length, covering(d, k, length, most)) for length in range(lower, upper + 1)]
    sized = [Choice(length, len(sets)) for length, sets in options if sets is not None]

    def worst(choice: Choice) -> float:
        return max(setting.sampling_error(choice.views), setting.ways * setting.noise_error(choice.length))

    return min(sized, key=worst)


def choose_with(setting: Setting, length: int | None = None, views: int | None = None) -> Choice:
    """Algorithm 1, with l or m or both given: m then is the size of a covering design, or as large as theta allows."""
    d, k, most = len(setting.sizes), min(setting.ways, len(setting.sizes)), setting.most_views
    if length is None:
        chosen = choose(setting)
        return chosen if views is None else Choice(chosen.length, views)
    if views is None:
        found = covering(d, k, length, most) if length >= k else None
        views = min(most, comb(d, length)) if found is None else len(found)
    return Choice(length, views)


def views_of(choice: Choice, attributes: int, ways: int) -> Sets:
    """The attribute sets: a covering design where m is its size, else m sets spread as evenly as can be.

    Every attribute must be in some view, or nothing would be known of it: where m is too small for that (few users),
    there are ceil(d / l) views, which the paper does not say.
    """
    size, length = min(ways, attributes), choice.length
    if length >= size:
        found = covering(attributes, size, length, choice.views)
        if found is not None:
            return found
    views = max(choice.views, -(-attributes // length))
    sets = spread_sets(attributes, length, views)
    assert {i for each in sets for i in each} == set(range(attributes)), "an attribute is in no view"
    return sets


def mean_cells(sizes: Sequence[int], length: int) -> float:
    """The mean of c_(i1) ... c_(il) over all sets of l attributes: an elementary symmetric polynomial over C(d, l).

    >>> mean_cells((2, 3, 4), 2)
    8.666666666666666
    """
    sums = [1] + [0] * length
    for size in sizes:
        for l in range(length, 0, -1):
            sums[l] += sums[l - 1] * size
    return sums[length] / comb(len(sizes), length)
