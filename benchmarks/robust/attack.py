"""A second attack: calls of the system that fail, sockets that hardly speak at every port, folders, buckets, rows of a database,
answers and arguments of strangers. Lines to hold:

no acknowledged report lost or doubled; nothing outside a folder touched; no error that is not in words of ours; an honest
gateway is served beside all of it; a device gives no report up for an answer that acknowledges nothing.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path

from benchmarks.attack import agents, answers, buckets, faults, folders, ports, rows, sockets
from benchmarks.collector.postgres import available
from benchmarks.table import Value, show

BAD = ("lost", "doubled", "raw errors", "outside touched", "given up", "turned away", "died", "exit code")  # must be 0


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench robust attack")
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--folders", type=int, default=2000)
    parser.add_argument("--answers", type=int, default=500)
    parser.add_argument("--sockets", type=int, default=500)
    parser.add_argument("--ports", type=int, default=400)
    parser.add_argument("--buckets", type=int, default=150)
    parser.add_argument("--rows", type=int, default=54)
    parser.add_argument("--agents", type=int, default=120)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args(argv)
    attacks: dict[str, Callable[[Path, int, int], dict[str, int]]] = {
        "folders": folders.attack,
        "answers": answers.attack,
        "faults": faults.attack,
        "sockets": sockets.attack,
        "ports": ports.attack,
        "buckets": buckets.attack,
        "agents": agents.attack,
        **({"rows": rows.attack} if available() else {}),
    }
    table: list[list[Value]] = []
    for name, attack in attacks.items():
        if options.only and name not in options.only:
            continue
        with (
            tempfile.TemporaryDirectory(prefix="untold-attack-") as scratch,
            open(os.devnull, "w") as quiet,
            redirect_stderr(quiet),
        ):
            found = attack(Path(scratch), getattr(options, name), options.seed)
        held = not any(found.get(each, 0) for each in BAD)
        table.append([name, ", ".join(f"{key} {value:,}" for key, value in found.items()), "yes" if held else "NO"])
        print(table[-1], flush=True)
    show("robust_attack", "A second attack", ("attack", "found", "held"), table)
