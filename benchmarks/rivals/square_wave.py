"""SW+EMS (Li, Wang, Lopuhaa-Zwakenberg, Li, Skoric: Estimating numerical distributions under local differential privacy, 2020).

A device reports a number near its own, within b, with a higher density than any other. Expectation maximisation, with smoothing by
binomial weights in every step, finds the distribution.
"""

from __future__ import annotations

import numpy as np

Floats = np.ndarray
STEPS = 10_000
STILL = 1e-3  # change of the log-likelihood


def table(codes: Floats, size: int, epsilon: float, rng: np.random.Generator) -> Floats:
    """Shares of all values, from one code of each person."""
    e = np.exp(epsilon)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    p, q = e / (2 * b * e + 1), 1 / (2 * b * e + 1)
    value = (codes + rng.random(len(codes))) / size
    near = rng.random(len(codes)) < 2 * b * p
    far = rng.random(len(codes))  # over [-b, 1 + b] without the piece around the value, whose length is 1
    said = np.where(near, value + b * (2 * rng.random(len(codes)) - 1), np.where(far < value, far - b, far + b))
    edges = np.linspace(-b, 1 + b, size + 1)
    counts = np.histogram(said, edges)[0]
    centres = (np.arange(size) + 0.5) / size
    inside = np.clip(np.minimum(edges[1:, None], centres + b) - np.maximum(edges[:-1, None], centres - b), 0, None)
    chance = q * (edges[1] - edges[0]) + (p - q) * inside
    x, before = np.full(size, 1 / size), -np.inf
    for _ in range(STEPS):
        told = chance @ x
        x = x * (chance.T @ (counts / told))
        x = np.convolve(np.pad(x / x.sum(), 1, mode="edge"), [0.25, 0.5, 0.25], mode="valid")
        x /= x.sum()
        likely = float(counts @ np.log(chance @ x))
        if abs(likely - before) < STILL:
            break
        before = likely
    return x
