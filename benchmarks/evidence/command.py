"""scripts/bench evidence [id...] [--runs N] [--minutes M] [--jobs J] [--book] [--list]."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core for each cell

import argparse
import sys
import time

from benchmarks.evidence import book
from benchmarks.evidence.all import EXHIBITS
from benchmarks.evidence.fingerprint import fingerprint
from benchmarks.evidence.running import run
from benchmarks.evidence.store import load


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench evidence", description="The papers' figures; see docs/evidence."
    )
    parser.add_argument("ids", nargs="*", help="exhibits, or papers such as sigmod19; all without any")
    parser.add_argument("--runs", type=int, help="runs of each cell, instead of the exhibit's own number")
    parser.add_argument("--minutes", type=float, help="begin no further run after so many minutes")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--book", action="store_true", help="build docs/evidence from what is stored")
    parser.add_argument("--list", action="store_true", help="what exists, and what of it is stored")
    options = parser.parse_args(argv)
    unknown = [name for name in options.ids if not any(name in (e.id, e.paper) for e in EXHIBITS)]
    if unknown:
        print(f"No exhibit named {', '.join(unknown)}. There are: {' '.join(e.id for e in EXHIBITS)}", file=sys.stderr)
        return 2
    chosen = [e for e in EXHIBITS if not options.ids or e.id in options.ids or e.paper in options.ids]
    if options.list:
        for exhibit in chosen:
            stored, mark = load(exhibit), fingerprint(exhibit)
            ready = sum(s.fingerprint == mark and s.outcome.runs >= exhibit.runs for s in stored.values())
            print(f"{exhibit.id:24} {ready:4} of {len(exhibit.cells()):4} cells up to date   {exhibit.title}")
        return 0
    if not options.book:
        deadline = None if options.minutes is None else time.monotonic() + 60 * options.minutes
        for exhibit, outcome in run(chosen, options.runs, deadline, options.jobs):
            place = ", ".join(f"{name} {value}" for name, value in outcome.cell.items())
            print(f"{exhibit.id}: {place}: {outcome.runs} runs, {outcome.seconds:.1f} s", flush=True)
    for path in book.write():
        print(f"written: {path}")
    return 0
