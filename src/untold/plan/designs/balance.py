"""How many views to collect, and over how many attributes each, from the noise of pairs: `views = "auto"` of CALM.

Algorithm 1 (choose.py) counts the noise of single attributes, which does not depend on m, and needs a target theta. But
the noise of a *pair* grows with m: more views mean fewer reports about each. So a pair is worth a view of its own only
if what it tells is more than its noise. What it tells is not known before anything is collected; here it is the mean
over all tables, each taken as likely.
"""

from __future__ import annotations

from itertools import islice
from math import comb

import numpy as np
import numpy.typing as npt

from untold.exact import to_nano
from untold.oracles import AUTO
from untold.plan.designs.base import oracle_for
from untold.plan.designs.choose import Choice, Setting, mean_cells
from untold.plan.designs.covering import Sets, covering, spread_sets

MOST_CELLS = 1 << 12  # of a view
MOST_SIZES = 12  # attributes of a view
STEPS = 400  # numbers of views that are tried for each size

Floats = npt.NDArray[np.float64]


def worth_of_a_pair(a: float, b: float) -> float:
    """How far a pair's table is from the product of its margins: the mean sum of squares over all tables of a x b cells,
    each as likely (Dirichlet with all parameters 1).

        E sum (p_ij - p_i. p_.j)^2 = (a - 1)(b - 1) / ((a b + 1)(a b + 3))

    A cell, the rest of its row and column, and all else are Dirichlet again, with the parameters 1, b - 1, a - 1 and
    (a - 1)(b - 1); the fourth moments follow.

    >>> round(worth_of_a_pair(2, 2), 5)
    0.02857
    """
    return (a - 1) * (b - 1) / ((a * b + 1) * (a * b + 3))


def expected_error(setting: Setting, length: int, views: Floats) -> Floats:
    """The sum of squared errors of a k-way marginal that m views of l attributes lead to expect.

    Over all sets S of s of its k attributes, c values each, with v the noise of one report about L cells (exact, as
    `Oracle.noise` says) and t = m C(l, s) / C(d, s) views that hold S:

        noise       c^-(k-s)  (v m / n)  (L / c^s) (c - 1)^s / t        where S is held (a share f = min(1, t) of sets)
        left out    c^-(k-s)  worth^(s-1)                               where it is not, from s = 2 on

    Every further attribute is taken to tell as much less again as a pair does. All attributes count as of the mean size.
    """
    d, k = len(setting.sizes), min(setting.ways, len(setting.sizes))
    c, cells = sum(setting.sizes) / d, mean_cells(setting.sizes, length)
    variance = oracle_for(AUTO, to_nano(setting.epsilon), round(cells)).noise
    total = np.zeros(len(views))
    for s in range(1, k + 1):
        held_by = views * comb(length, s) / comb(d, s)
        held = np.minimum(1.0, held_by if s != 2 else views / pair_cover(d, length))
        many = comb(k, s) * c ** -(k - s)
        noise = variance * views / setting.users * cells / c**s * (c - 1) ** s
        total += many * held * noise / np.maximum(held_by, 1.0)
        if s > 1:
            total += many * (1 - held) * worth_of_a_pair(c, c) ** (s - 1)
    return total


def pair_cover(attributes: int, length: int) -> int:
    """How many sets of this length hold every pair."""
    found = covering(attributes, min(2, attributes), length)
    return comb(attributes, 2) if found is None else len(found)


def views_for_pairs(choice: Choice, attributes: int) -> Sets:
    """The attribute sets: a design that holds every pair where m suffices for one, filled up with sets spread evenly.

    >>> len(views_for_pairs(Choice(3, 16), 8))
    16
    """
    found = covering(attributes, min(2, attributes), choice.length, choice.views)
    spread = spread_sets(attributes, choice.length, max(choice.views, -(-attributes // choice.length)))
    if found is None:
        return spread
    others = (each for each in spread if each not in set(found))
    return tuple(sorted((*found, *islice(others, choice.views - len(found)))))


def balance(setting: Setting, length: int | None = None, views: int | None = None) -> Choice:
    """The l and m with the least expected error; either may be given.

    >>> balance(Setting(2**18, 0.2, (2,) * 16, 3))
    Choice(length=2, views=50)
    """
    d = len(setting.sizes)
    lengths = [length] if length is not None else range(min(2, d), min(d, MOST_SIZES) + 1)
    best, least = None, np.inf
    for each in lengths:
        if best is not None and mean_cells(setting.sizes, each) > MOST_CELLS:
            break
        fewest, most = -(-d // each), min(comb(d, each), setting.users)
        tried = (
            np.array([views]) if views is not None else np.unique(np.geomspace(fewest, max(fewest, most), STEPS) // 1)
        )
        errors = expected_error(setting, each, tried.astype(np.float64))
        place = int(errors.argmin())
        if errors[place] < least:
            best, least = Choice(each, int(tried[place])), float(errors[place])
    assert best is not None
    return best
