"""A small service with skewed, related attributes, collected and counted in memory."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from untold.ask.decoded.views import views_of
from untold.collect.bulk import encode_codes
from untold.marginals import plan_for
from untold.marginals.asked import marginals_from
from untold.randomness import Seeded

SIZES = (2, 3, 2, 4, 2)


@lru_cache
def people(n: int, sizes=SIZES, seed: int = 1) -> list:
    """One column of codes for each attribute; neighbours are related, and small values frequent."""
    rng = np.random.default_rng(seed)
    base = rng.random(n)
    mix = [0.6 * base + 0.4 * rng.random(n) for _ in sizes]
    return [(x**2 * size).astype(np.uint32) for x, size in zip(mix, sizes, strict=True)]


def attributes(sizes=SIZES) -> dict:
    return {f"a{i}": {"kind": "categorical", "values": list(range(size))} for i, size in enumerate(sizes)}


def truth(codes: list, names: tuple[int, ...], sizes=SIZES):
    out = np.zeros([sizes[a] for a in names])
    np.add.at(out, tuple(codes[a] for a in names), 1 / len(codes[0]))
    return out


def collected(codes, plan, seed: int, **options):
    """Marginals from real reports, without a folder."""
    design, service = plan.design("people"), plan.service("people")
    _, messages = encode_codes(design, codes, Seeded(seed))
    counts = np.bincount(messages.index, minlength=design.messages).astype(np.float64)
    every = np.arange(design.messages, dtype=np.uint32)
    return marginals_from(service, design, views_of(design, every, counts), len(codes[0]), **options)


def plan(epsilon=1.0, sizes=SIZES, users=20_000, k=2, **options):
    return plan_for(attributes(sizes), epsilon, users, k, **options)
