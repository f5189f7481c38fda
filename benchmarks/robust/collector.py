"""A collector that is killed, flooded with nonsense, and whose disk decays. Lines to hold:

kill -9 at every named step and 200 times at random under load: nothing acknowledged is lost, nothing counts twice, every
restart within 5 s; 10,000 changed bits, all noticed; a million reports sent three times each, shuffled, over restarts:
exactly a million; 100,000 fuzzed bodies: no 500, no crash.
"""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from benchmarks.collector.bodies import body, records
from benchmarks.collector.flips import flip, make_folder
from benchmarks.collector.fuzz import mutations
from benchmarks.collector.kills import Toll, kill_at, kill_at_random
from benchmarks.collector.server import PLAN, Server
from benchmarks.table import Value, show

from untold.serve.reports.steps import STEPS
from untold.store import Folder
from untold.wire.strict_json import write_json

COLUMNS = ("test", "times", "lost", "doubled", "other faults", "stored", "slowest restart s", "its CPU s", "held")
RESTART = 5.0  # seconds
BINARY = "application/vnd.untold.reports"
Row = list[Value]


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench robust collector")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--reports", type=float, default=1e6)
    parser.add_argument("--bodies", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", nargs="*", help="steps kills flips thrice fuzz")
    options = parser.parse_args(argv)
    tests: dict[str, Callable[[Path], list[Row]]] = {
        "steps": lambda folder: [kill_row(f"kill at '{s}'", kill_at(s, folder / s.replace(" ", "-"))) for s in STEPS],
        "kills": lambda folder: [
            kill_row("kill at random", kill_at_random(folder / "k", options.kills, 3_000_000, options.seed, 0.6))
        ],
        "flips": lambda folder: [flips(folder, options.flips, options.seed)],
        "thrice": lambda folder: [thrice(folder, int(options.reports), options.seed)],
        "fuzz": lambda folder: [fuzz(folder, options.bodies, options.seed)],
    }
    rows: list[Row] = []
    for name in options.only or tests:
        with tempfile.TemporaryDirectory(prefix="untold-bench-") as scratch:
            rows += tests[name](Path(scratch))
            print(rows[-1], flush=True)
    show("robust_collector", "What a collector survives", COLUMNS, rows)


def kill_row(name: str, toll: Toll) -> Row:
    found = toll.found
    faults = found["changed"] + found["wrong answers"]
    held = found["lost"] == found["doubled"] == faults == 0 and max(toll.restarts) < RESTART
    times = [max(toll.restarts), max(toll.effort)]
    return [name, toll.kills, found["lost"], found["doubled"], faults, found["stored"], *times, said(held)]


def said(held: bool) -> str:
    return "yes" if held else "NO"


def flips(folder: Path, count: int, seed: int) -> Row:
    """Changed bits in every kind of stored file."""
    missed, _ = flip(make_folder(folder / "r"), count, seed)
    return ["changed bits", count, 0, 0, missed, None, None, None, said(missed == 0)]


def thrice(folder: Path, reports: int, seed: int) -> Row:
    """Every report three times, shuffled, over graceful and sudden ends."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.tile(np.arange(reports, dtype=np.int32), 3))
    bodies = np.array_split(order, max(1, len(order) // 1000))
    server = Server(folder / "r", ("--segment-seconds", "5"))
    restarts, answered = [server.start()], Counter[str]()
    try:
        for number, some in enumerate(bodies):
            if number and number % (len(bodies) // 10 + 1) == 0:
                if number % 2:
                    server.kill()
                else:
                    server.stop()
                restarts.append(server.start())
            head = {"Content_Type": BINARY, "Authorization": f"Bearer {server.tokens.role('gateway')}"}
            status, answer = server.request("POST", "/reports", body(some.astype(np.int64)), **head)
            assert status == 200, answer
            found = json.loads(answer)
            answered.update(counted=found["counted"], repeated=found["repeated"], refused=len(found["refused"]))
        server.stop()
    finally:
        server.kill()
    return thrice_row(folder / "r", reports, answered, restarts)


def thrice_row(path: Path, reports: int, answered: Counter[str], restarts: list[float]) -> Row:
    parts = [pq.read_table(each, columns=["uid", "message"]) for each in Folder.open(path).paths("people")]
    users = np.concatenate([np.array(part["uid"].to_pylist(), dtype="U10").astype(np.int64) for part in parts])
    messages = np.concatenate([part["message"].to_numpy() for part in parts])
    times = np.bincount(users, minlength=reports)
    changed = int((records(np.arange(reports))["message"][users] != messages).sum())
    faults = changed + answered["refused"] + (answered["counted"] != reports) + (answered["repeated"] != 2 * reports)
    lost, doubled = int((times == 0).sum()), int((times > 1).sum())
    held = len(users) == reports and lost == doubled == faults == 0
    return ["each report three times", 3 * reports, lost, doubled, faults, len(users), max(restarts), None, said(held)]


def fuzz(folder: Path, count: int, seed: int) -> Row:
    """Bodies that nobody would send, over real connections."""
    server = Server(folder / "r")
    server.start()
    try:
        users = [body(np.arange(i, i + 3)) for i in range(4)]
        reports = [{"service": "people", "user": f"j{i}", "epoch": 0, "slots": [[i]]} for i in range(3)]
        good = [(BINARY, each) for each in users] + [("application/json", write_json(PLAN.id, reports))]
        token = f"Bearer {server.tokens.role('gateway')}"
        statuses, before = Counter[int](), server.memory()["anonymous"]
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        for data, headers in mutations(good, count, seed):
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("POST", "/reports", data, {**sent, "Authorization": token})
            response = connection.getresponse()
            response.read()
            statuses[response.status] += 1
        connection.close()
        print(f"fuzz: {dict(statuses)}; memory {before:.0f} -> {server.memory()['anonymous']:.0f} MB", flush=True)
        alive = server.get("/health")[0] == 200
        assert server.stop() == 0
    finally:
        server.kill()
    wrong = sum(times for status, times in statuses.items() if status >= 500)
    return ["fuzzed bodies", count, 0, 0, wrong, None, None, None, said(wrong == 0 and alive)]
