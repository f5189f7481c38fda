"""pure-ldp, as its README uses it: Client.privatise(item) for every person, Server.aggregate(report) for every report.

Items count from 1, as its default index_mapper wants.
"""

from __future__ import annotations

from math import exp

from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from timing import ENCODED, EPSILON, REPORTS, best_ns, cells, finish, must_be_near


def encode_ns(client: LHClient | DEClient, size: int) -> float:
    items = cells(ENCODED, size) + 1
    return best_ns(lambda: [client.privatise(item) for item in items], ENCODED)


def check(name: str, client: LHClient | DEClient, server: LHServer | DEServer, size: int, p: float, q: float) -> None:
    items = cells(4000, size) + 1
    server.aggregate_all([client.privatise(item) for item in items])
    deviation = (len(items) * 0.25) ** 0.5 / (p - q)  # a support count is a sum of coins
    must_be_near(name, server.estimate(1, suppress_warnings=True), (items == 1).sum(), deviation)


def count_ns(size: int, reports: int) -> float:
    client = LHClient(epsilon=EPSILON, d=size, use_olh=True)
    server = LHServer(epsilon=EPSILON, d=size, use_olh=True)
    messages = [client.privatise(item) for item in cells(reports, size) + 1]
    return best_ns(lambda: server.aggregate_all(messages), reports * size)


def main() -> None:
    size = 20
    olh, grr = LHClient(epsilon=EPSILON, d=size, use_olh=True), DEClient(epsilon=EPSILON, d=size)
    g = olh.g
    check(
        "OLH", olh, LHServer(epsilon=EPSILON, d=size, use_olh=True), size, exp(EPSILON) / (exp(EPSILON) + g - 1), 1 / g
    )
    check("GRR", grr, DEServer(epsilon=EPSILON, d=size), size, grr.p, grr.q)
    measured = {
        "olh_encode_ns": {k: encode_ns(LHClient(epsilon=EPSILON, d=k, use_olh=True), k) for k in REPORTS},
        "grr_encode_ns": {k: encode_ns(DEClient(epsilon=EPSILON, d=k), k) for k in REPORTS},
        "olh_count_ns_per_cell": {k: count_ns(k, n) for k, n in REPORTS.items()},
    }
    finish("pure-ldp", measured)


if __name__ == "__main__":
    main()
