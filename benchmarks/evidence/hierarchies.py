"""Exact errors of HIO and its kin in closed form, for any number and size of attributes: no table of cells is needed.

A report picks one of V products of levels and spends all of epsilon there. A query is a sum over k of w_k times a product over
attributes i of block coefficients d_ki(level). For a report with noise v (of a cell that is not the true one) and second moment
v + c of the true cell, and all-root view without noise, the scores z of two queries have

    E[z z'] = V ( v N + c D + (1 - v - c) R ),
        N = sum over k, k' of w_k w'_k' prod_i sum_levels <d_ki, d'_k'i>
        D = the same with every block weighed by the share of people in it
        R = product of both queries' coefficients at the root of everything

`greedy` has one k; RDC has `top` of them [SIGMOD'19, sections 4 and 5; VLDB'20, section 6]. Attributes are independent unless rows
of people are given. `tests/test_evidence_closed_forms.py` holds these formulas to the product's own coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.scores.decompose import Decomposition, Way, greedy, of_predicate, shortest
from untold.oracles import OLH
from untold.plan.hierarchy import Tree, factor

Floats = npt.NDArray[np.float64]
People = Sequence[npt.NDArray[np.int64]]  # codes of each attribute, for correlated attributes


@lru_cache(maxsize=256)
def tree_of(size: int, ordered: bool = True) -> Tree:
    """The papers' tree: fan-out 5, as the product makes it; categories have no levels between."""
    return Tree(size, factor(size, 5) if ordered else (size,))


@lru_cache(maxsize=256)
def noises(epsilon: float) -> tuple[float, float]:
    """(v, c) of OLH: variance of a cell that is not the true one; what a true cell has more, its square mean of 1 included."""
    oracle = OLH(epsilon, 1 << 20)
    p, q = float(oracle.p), float(oracle.q)
    v = q * (1 - q) / (p - q) ** 2
    return v, p * (1 - p) / (p - q) ** 2 + 1 - v


@dataclass(frozen=True, eq=False)
class Query:
    """A total: per attribute its tree and how people are spread over its leaves, and the decompositions with their weights."""

    trees: tuple[Tree, ...]
    shares: tuple[Floats, ...]
    decompositions: Sequence[tuple[float, tuple[Decomposition, ...]]]


def query(
    trees: Sequence[Tree], factors: Sequence[Floats], top: int | None = None, shares: Sequence[Floats] | None = None
) -> Query:
    """What each code of each attribute weighs, by greedy covers, or by RDC over the `top` shortest decompositions of the
    predicate. People are spread evenly unless `shares` says how."""
    long = [padded(t, f) for t, f in zip(trees, factors, strict=True)]
    if top is None:
        ways = [[Way(1, greedy(t, f))] for t, f in zip(trees, long, strict=True)]
    else:
        ways = [shortest(t, f, top) for t, f in zip(trees, long, strict=True)]
    spread = tuple(padded(t, s) for t, s in zip(trees, shares or [even(t) for t in trees], strict=True))
    return Query(tuple(trees), spread, of_predicate(ways, top or 1))


def everyone(tree: Tree) -> Floats:
    """No condition."""
    return np.ones(tree.padded)


def inside(size: int, low: int, high: int) -> Floats:
    """A range, both ends in it."""
    out = np.zeros(size)
    out[low : high + 1] = 1.0
    return out


def cross_moment(a: Query, b: Query, epsilon: float, views: int, people: People | None = None) -> float:
    """E[z z'] of one report; `views` is V. Attributes are independent, unless `people` has the codes of some."""
    v, c = noises(epsilon)
    total = 0.0
    for w, first in a.decompositions:
        for u, second in b.decompositions:
            noise = prod(_inner(t, x, y, None) for t, x, y in zip(a.trees, first, second, strict=True))
            if people is None:
                data = prod(_inner(t, x, y, s) for t, x, y, s in zip(a.trees, first, second, a.shares, strict=True))
            else:
                leaves = [_by_leaf(t, x, y) for t, x, y in zip(a.trees, first, second, strict=True)]
                data = float(
                    np.mean(np.prod([leaf[codes] for leaf, codes in zip(leaves, people, strict=True)], axis=0))
                )
            root = prod(_root(d) for d in (*first, *second))
            total += w * u * (v * noise + c * data + (1 - v - c) * root)
    return views * total


def even(tree: Tree) -> Floats:
    """Every value as likely."""
    return np.full(tree.size, 1.0 / tree.size)


def padded(tree: Tree, share: Floats) -> Floats:
    """Nothing at the leaves that nobody can hold."""
    return np.concatenate([share, np.zeros(tree.padded - len(share))])


def _inner(tree: Tree, a: Decomposition, b: Decomposition, share: Floats | None) -> float:
    total = 0.0
    for level in a.keys() & b.keys():
        weight = 1.0 if share is None else share.reshape(tree.blocks(level), -1).sum(axis=1)
        total += float((a[level] * b[level] * weight).sum())
    return total


def _by_leaf(tree: Tree, a: Decomposition, b: Decomposition) -> Floats:
    found = np.zeros(tree.padded)
    for level in a.keys() & b.keys():
        found += np.repeat(a[level] * b[level], tree.block_size(level))
    return found


def _root(d: Decomposition) -> float:
    return float(d[0][0]) if 0 in d else 0.0


@dataclass(frozen=True)
class Truth:
    """Means over people of what each adds to COUNT (0 or 1), to SUM, and of the square of the latter."""

    count: float
    sum: float
    square: float


@dataclass(frozen=True)
class Moments:
    """Variances and covariance, per person, of the noise of COUNT and SUM from the same reports."""

    truth: Truth
    count: float
    sum: float
    covariance: float

    def average_error(self, users: float) -> float:
        """Standard error of SUM / COUNT, by the delta method."""
        r = self.truth.sum / self.truth.count
        variance = self.sum - 2 * r * self.covariance + r * r * self.count
        return float((variance / users) ** 0.5 / self.truth.count)


def moments(
    counts: Sequence[Query], total: Query, truth: Truth, epsilon: float, views: int, people: People | None = None
) -> Moments:
    """COUNT and SUM from the same reports, of `views` views. `counts` has the COUNT of each group of people, that group
    first which tells of this SUM; without groups there is one."""

    def squared(a: Query, b: Query) -> float:
        return cross_moment(a, b, epsilon, views, people)

    return Moments(
        truth,
        sum(squared(each, each) for each in counts) / len(counts) - truth.count,
        len(counts) * squared(total, total) - truth.square,
        squared(counts[0], total) - truth.sum,
    )
