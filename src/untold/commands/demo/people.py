"""Made-up people and what they buy: always the same ones, with the dependencies that one would expect.

Older people earn more up to their fifties, incomes differ by state, iPhones go with income, purchases with income and age.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.randomness import Seeded

Numbers = npt.NDArray[np.float64]

STATES = ("NY", "WA", "CA")
STATE_SHARES = (0.30, 0.12, 0.58)
STATE_PAY = (1.10, 1.12, 1.00)
AGES = (18, 25, 35, 45, 55, 65, 75, 91)  # limits of the groups whose shares follow
AGE_SHARES = (0.12, 0.19, 0.18, 0.17, 0.16, 0.11, 0.07)
CATEGORIES = ("sports", "food", "other")
MOST_ROWS = 10
KNOT = 2000  # people know their income to the nearest 2,000


def people(n: int, seed: int = 2019) -> tuple[pa.Table, pa.Table]:
    """(users, transactions) of n people."""
    rng = Seeded(seed)
    ages = np.floor(np.interp(_uniform(rng, n), np.cumsum((0.0, *AGE_SHARES)), AGES))
    states = np.searchsorted(np.cumsum(STATE_SHARES)[:-1], _uniform(rng, n), side="right")
    pay = np.interp(ages, (18, 25, 35, 50, 62, 70, 90), (14e3, 38e3, 62e3, 78e3, 70e3, 42e3, 30e3))
    incomes = np.clip(pay * np.array(STATE_PAY)[states] * np.exp(0.55 * _normal(rng, n)), 0, 250_000)
    incomes = np.round(incomes / KNOT) * KNOT
    apple = _uniform(rng, n) < 0.30 + 0.40 * incomes / (incomes + 60_000)
    keys = np.array([f"u-{i:07d}" for i in range(n)])
    users = pa.table(
        {
            "uid": keys,
            "age": ages.astype(np.int64),
            "income": incomes,
            "state": np.array(STATES)[states],
            "os": np.where(apple, "ios", "android"),
        }
    )
    return users, _purchases(rng, keys, ages, incomes)


def _purchases(rng: Seeded, keys: npt.NDArray[np.str_], ages: Numbers, incomes: Numbers) -> pa.Table:
    eager = 0.15 + 0.45 * incomes / (incomes + 80_000)  # the chance of each of ten possible purchases
    rows = sum((_uniform(rng, len(keys)) < eager).astype(np.int64) for _ in range(MOST_ROWS))
    owner = np.repeat(np.arange(len(keys)), rows)
    sports = np.interp(ages, (18, 35, 60, 90), (0.45, 0.35, 0.15, 0.05))[owner]
    draw = _uniform(rng, len(owner))
    category = np.where(draw < sports, 0, np.where(draw < sports + 0.45, 1, 2))
    typical = np.array((95.0, 55.0, 75.0))[category] * (0.6 + incomes[owner] / 120_000)
    amounts = np.clip(np.round(typical * np.exp(0.6 * _normal(rng, len(owner))), 2), 1, 500)
    return pa.table({"uid": keys[owner], "amount": amounts, "category": np.array(CATEGORIES)[category]})


def _uniform(rng: Seeded, n: int) -> Numbers:
    """Numbers in [0, 1)."""
    return np.asarray((rng.words((n,)) >> np.uint64(11)) * 2.0**-53)


def _normal(rng: Seeded, n: int) -> Numbers:
    """Standard normal numbers, by Box and Muller: sqrt(-2 ln u) cos(2 pi v)."""
    return np.asarray(np.sqrt(-2 * np.log(1 - _uniform(rng, n))) * np.cos(2 * np.pi * _uniform(rng, n)))
