"""multi-freq-ldpy, as its README uses it: [X_Client(value, ...) for every person], then X_Aggregator_MI(reports, ...).

Its estimates are clipped at 0 and scaled to sum to 1; the aggregator counts supports, then does that once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
from timing import ENCODED, EPSILON, REPORTS, best_ns, cells, finish, must_be_near


def encode_ns(client: Callable[..., Any], size: int) -> float:
    values = cells(ENCODED, size)
    return best_ns(lambda: [client(value, size, EPSILON) for value in values], ENCODED)


def check(name: str, client: Callable[..., Any], aggregator: Callable[..., Any]) -> None:
    """With 2 cells scaling to 1 changes little: the share of cell 0 must come back."""
    values = cells(20_000, 2)
    estimate = aggregator([client(value, 2, EPSILON) for value in values], 2, EPSILON)
    difference = 0.22  # p - q at epsilon = 1: 0.225 for OLH, 0.462 for GRR
    must_be_near(name, estimate[0], (values == 0).mean(), 0.5 / difference / len(values) ** 0.5)


def count_ns(size: int, reports: int) -> float:
    messages = [LH_Client(value, size, EPSILON) for value in cells(reports, size)]
    return best_ns(lambda: LH_Aggregator_MI(messages, size, EPSILON), reports * size)


def main() -> None:
    check("OLH", LH_Client, LH_Aggregator_MI)
    check("GRR", GRR_Client, GRR_Aggregator_MI)
    measured = {
        "olh_encode_ns": {k: encode_ns(LH_Client, k) for k in REPORTS},
        "grr_encode_ns": {k: encode_ns(GRR_Client, k) for k in REPORTS},
        "olh_count_ns_per_cell": {k: count_ns(k, n) for k, n in REPORTS.items()},
    }
    finish("multi-freq-ldpy", measured)


if __name__ == "__main__":
    main()
