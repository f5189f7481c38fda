"""How fast the peer libraries encode and count, on this machine, by their documented calls."""

from __future__ import annotations

from benchmarks.peers.run import SCRIPTS, run
from benchmarks.table import show

WHAT = {
    "olh_encode_ns": "OLH encode, per report",
    "grr_encode_ns": "GRR encode, per report",
    "olh_count_ns_per_cell": "OLH support counting, per report and cell",
}


def main(argv: list[str]) -> None:
    if argv:
        raise SystemExit(f"peers takes no options, not {' '.join(argv)}")
    rows: list[list[str | int | float]] = []
    for name in SCRIPTS:
        measured = run(name)
        library = f"{measured['library']} {measured['version']}"
        rows += [[library, what, int(k), ns] for key, what in WHAT.items() for k, ns in measured[key].items()]
    show("speed-peers", "Peer libraries, one thread, epsilon = 1", ["library", "work", "cells", "ns"], rows)
