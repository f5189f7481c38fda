"""Exact draws, one at a time, from discrete Laplace and discrete Gaussian distributions of any rational scale, and Cauchy's.

The method is that of Canonne, Kamath and Steinke (2020): coins with probability e^-x from coins with rational
probability, by von Neumann's alternating series; a Laplace number from e^-x coins; a Gaussian one by rejection from a
Laplace one. Only `Randomness.choose` is called, with integer weights; there is no floating point anywhere.
"""

from __future__ import annotations

from fractions import Fraction

from untold.randomness import WORD, Randomness


def bernoulli(probability: Fraction, rng: Randomness) -> bool:
    """True with exactly this probability, whatever its denominator: compared with a uniform one, 64 bits at a time."""
    while True:
        whole, rest = divmod(probability.numerator * WORD, probability.denominator)
        outcome = rng.choose((whole, whole + 1, WORD)) if whole < WORD else 0
        if outcome != 1:
            return outcome == 0
        probability = Fraction(rest, probability.denominator)
        if not rest:
            return False


def bernoulli_exp(x: Fraction, rng: Randomness) -> bool:
    """True with probability e^-x, x >= 0.

    For x <= 1: flip coins of probability x/1, x/2, x/3, ... until one fails; the number of flips is odd with
    probability 1 - x + x^2/2 - ... = e^-x. A larger x needs a success for each of its whole parts first.
    """
    while x > 1:
        if not _exp_up_to_one(Fraction(1), rng):
            return False
        x -= 1
    return _exp_up_to_one(x, rng)


def _exp_up_to_one(x: Fraction, rng: Randomness) -> bool:
    flips = 1
    while bernoulli(x / flips, rng):
        flips += 1
    return flips % 2 == 1


def uniform_below(n: int, rng: Randomness) -> int:
    """Uniform among 0..n-1 for n of any size: digits of 32 bits, drawn again when beyond the end."""
    digits = -(-(n - 1).bit_length() // 32)
    if digits < 2:
        return rng.below(n)
    top = ((n - 1) >> 32 * (digits - 1)) + 1
    while True:
        value = rng.below(top)
        for _ in range(digits - 1):
            value = value << 32 | rng.below(1 << 32)
        if value < n:
            return value


def try_laplace(scale: int, rng: Randomness) -> int | None:
    """One attempt at `discrete_laplace`; None means "again". Attempts that succeed have its distribution."""
    low = uniform_below(scale, rng)
    if not bernoulli_exp(Fraction(low, scale), rng):
        return None
    high = 0
    while bernoulli_exp(Fraction(1), rng):
        high += 1
    size, negative = low + scale * high, rng.below(2) == 1
    if negative:
        return -size if size else None  # zero has one sign only
    return size


def try_gaussian(scale: int, rng: Randomness) -> int | None:
    """One attempt at `discrete_gaussian`: a Laplace number z, kept with probability e^(-(|z| - s)^2 / (2 s^2))."""
    value = try_laplace(scale, rng)
    if value is None or not bernoulli_exp(Fraction((abs(value) - scale) ** 2, 2 * scale**2), rng):
        return None
    return value


def discrete_laplace(scale: int, rng: Randomness) -> int:
    """P(z) = (1 - q)/(1 + q) q^|z|, q = e^(-1/scale)."""
    while (value := try_laplace(scale, rng)) is None:
        pass
    return value


def discrete_gaussian(scale: int, rng: Randomness) -> int:
    """P(z) ~ e^(-z^2 / (2 scale^2))."""
    while (value := try_gaussian(scale, rng)) is None:
        pass
    return value


def cauchy(rng: Randomness, bits: int = 256) -> Fraction:
    """A standard Cauchy number: the slope v/u of a point that is uniform in the half disc u > 0, u^2 + v^2 <= 1.

    Slopes of such points have angles that are uniform, which is what makes tan of them Cauchy's. Points are those of a
    grid with 2^bits steps; the chance of a sector of angle t is wrong by a factor within 1 +- 2^(4 - bits) / t.
    """
    radius = 1 << bits
    while True:
        across, up = uniform_below(radius, rng) + 1, uniform_below(2 * radius + 1, rng) - radius
        if across * across + up * up <= radius * radius:
            return Fraction(up, across)
