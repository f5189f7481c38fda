"""The pair of counts, written out term by term: what the accountant is held against."""

from __future__ import annotations

from functools import lru_cache
from math import comb, exp, expm1, tanh

import numpy as np
from mpmath import mp, mpf
from scipy.special import gammaln
from scipy.stats import binom

mp.dps = 40


def exact_parameters(local: float, share: float) -> tuple[mpf, mpf, mpf, mpf]:
    """r, c, u and v from their definitions, with 40 digits, at this share of the largest total variation."""
    p = mp.exp(mpf(local))
    r = mpf(share) / (p + 1)
    return r, (1 - (p + 1) * r) / p, p * r, r


@lru_cache(maxsize=2)
def probabilities(n: int, r: mpf, c: mpf, u: mpf, v: mpf) -> list[tuple[mpf, mpf]]:
    """(P, Q) of every (a, b, m): the person's sort added to the counts of the n - 1 others."""
    rest, w = 1 - 2 * r - c, 1 - u - v
    many = range(n) if w > 1e-30 else range(1)
    others = {
        (a, b, m): comb(n - 1, a)
        * comb(n - 1 - a, b)
        * comb(n - 1 - a - b, m)
        * r ** (a + b)
        * c**m
        * rest ** (n - 1 - a - b - m)
        for a in range(n)
        for b in range(n - a)
        for m in many
        if a + b + m < n
    }
    none, sums = (
        mpf(0),
        {at for a, b, m in others for at in ((a + 1, b, m), (a, b + 1, m), (a, b, m + (len(many) > 1)))},
    )
    found = []
    for a, b, m in sums:
        plus, minus, common = (others.get(at, none) for at in ((a - 1, b, m), (a, b - 1, m), (a, b, m - 1)))
        found.append((u * plus + v * minus + w * common, v * plus + u * minus + w * common))
    return found


def exact_delta(n: int, parameters: tuple[mpf, mpf, mpf, mpf], epsilon: float) -> mpf:
    e = mp.exp(mpf(epsilon))
    return sum((max(p - e * q, mpf(0)) for p, q in probabilities(n, *parameters)), start=mpf(0))


def listed_delta(n: int, local: float, share: float, epsilon: float) -> float:
    """The same in doubles: P = F (p a + b + p m)/n with F the multinomial of n."""
    p, e = exp(local), exp(epsilon)
    r = share * tanh(local / 2) / expm1(local)
    c = (1 - (p + 1) * r) / p
    a, b, m = (x.astype(float) for x in np.indices((n + 1,) * 3).reshape(3, -1))
    keep = a + b + m <= n
    a, b, m = a[keep], b[keep], m[keep]
    left = n - a - b - m
    logs = gammaln(n + 1) - gammaln(a + 1) - gammaln(b + 1) - gammaln(m + 1) - gammaln(left + 1)
    logs += (a + b) * np.log(r) + m * np.log(c) + left * np.log1p(-2 * r - c)
    return float(np.exp(logs) @ np.maximum(p * a + b + p * m - e * (a + p * b + p * m), 0)) / n


def summed_delta(n: int, r: float, u: float, v: float, epsilon: float) -> float:
    """For many people and nothing in common: over every number k of marked bundles, by scipy's tails of binomials."""
    e = np.exp(epsilon)
    k = np.arange(*binom.interval(1 - 1e-15, n, 2 * r) + np.array([-1, 2]))
    k = k[(k >= 1) & (k <= n)]
    t = k * (e * u - v) / ((u - v) * (1 + e))
    j = np.floor(t) + 1
    excess = k / 2 * binom.sf(j - 2, k - 1, 0.5) - t * binom.sf(j - 1, k, 0.5)
    return float((u - v) * (1 + e) / (n * r) * (binom.pmf(k, n, 2 * r) @ excess))


def diluted_delta(n: int, local: float, share: float, epsilon: float) -> float:
    """For many people and something in common: over every k, and every eighth number in common, which can only lower it a
    little: what is summed is convex in it, and this takes the middle of eight."""
    p, e = exp(local), exp(epsilon)
    r = share * tanh(local / 2) / expm1(local)
    c = (1 - (p + 1) * r) / p
    low, high = binom.interval(1 - 1e-13, n, 2 * r)
    k = np.arange(max(low, 1), high + 1)
    chance, total = binom.pmf(k, n, 2 * r), 0.0
    first, last = binom.interval(1 - 1e-13, n - low, c / (1 - 2 * r))
    for start in np.arange(first, last + 1, 8.0):
        m = start + 3.5
        weight = binom.cdf(start + 7, n - k, c / (1 - 2 * r)) - binom.cdf(start - 1, n - k, c / (1 - 2 * r))
        t = k / 2 + (e - 1) / ((p - 1) * (1 + e)) * (k * (p + 1) / 2 + m * p)
        j = np.floor(t) + 1
        total += float((chance * weight) @ (k / 2 * binom.sf(j - 2, k - 1, 0.5) - t * binom.sf(j - 1, k, 0.5)))
    return (p - 1) * (1 + e) / n * total
