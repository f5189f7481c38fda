"""The sum of squared errors of random k-way marginals, for every method that can be run [CALM, sections 5.2 and 5.3]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.marginals.methods import METHODS, RIVALS, clean
from benchmarks.marginals.tables import CATEGORICAL, people, truth

SHAPES = ((8, 3), (16, 3), (16, 6), (32, 3), (32, 6), (32, 8))
NARROW = ((8, 3), (16, 3), (16, 6))  # of the tables of categories, which have 16 columns
USERS = (1 << 16, 1 << 18)
EPSILONS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.4, 2.0)
EM_QUERIES = 10  # EM takes seconds for each


@dataclass(frozen=True)
class Setting:
    """One panel and place on its x axis."""

    data: str
    d: int
    k: int
    users: int
    epsilon: float


@dataclass(frozen=True)
class Row:
    """One method there: the mean over marginals and runs, its spread over runs, and the mean once cleaned."""

    setting: Setting
    method: str
    error: float
    spread: float
    cleaned: float


def settings(data: Sequence[str], users: Sequence[int], epsilons: Sequence[float]) -> list[Setting]:
    """Every combination."""
    return [
        Setting(name, d, k, n, epsilon)
        for name in data
        for d, k in (NARROW if name in CATEGORICAL else SHAPES)
        for n in users
        for epsilon in epsilons
    ]


def measure(setting: Setting, runs: int, queries: int) -> Iterator[Row]:
    """All methods on the same marginals."""
    codes, sizes = people(setting.data, setting.d, setting.users)
    rng = np.random.default_rng(setting.d * 100 + setting.k)
    asked = [tuple(sorted(map(int, rng.choice(setting.d, setting.k, replace=False)))) for _ in range(queries)]
    true = {query: truth(codes, sizes, query) for query in asked}
    for name, method in METHODS.items():
        own = asked[:EM_QUERIES] if name == "EM" else asked
        errors, cleaned = [], []
        for run in range(1 if name == "Uni" else runs):
            ask = method(codes, sizes, setting.k, setting.epsilon, own, 7919 * run + 1)
            if ask is None:
                break
            tables = {query: ask(query) for query in own}
            errors.append(np.mean([((tables[q] - true[q]) ** 2).sum() for q in own]))
            if name in RIVALS:
                tidy = clean(tables.__getitem__)
                assert tidy is not None
                cleaned.append(np.mean([((tidy(q) - true[q]) ** 2).sum() for q in own]))
        if errors:
            clear = float(np.mean(cleaned or errors))
            yield Row(setting, name, float(np.mean(errors)), float(np.std(errors)), clear)
