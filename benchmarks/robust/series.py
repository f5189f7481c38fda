"""Reading a person's history from what a collector stores: shipped clients, over HTTP, for 30 epochs. Lines to hold:

`sick` on a fifth of the days, epsilon 0.1, lifetime 0.2, the default design with two constant attributes beside it. Whoever
guesses "sick whenever the report is not the usual one" is right about no more whole series than the lifetime allows where
reports are `fresh`, with or without a panel, or sent `once`. With `changes` the guess is right about nearly everybody.

    right <= people * e^lifetime * best,   best = 0.2 * 0.8^29 / P(sick on one day at least and on fewer than half)

`best` is the chance of the most probable series, which is what somebody guesses who has seen nothing. For each pair of
histories a report is at most e^lifetime times as probable under one as under the other; so is being right.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from math import comb, exp
from pathlib import Path

import pyarrow.parquet as pq
from benchmarks.collector.server import Server
from benchmarks.table import Value, show

import untold
from untold.errors import BudgetExceeded
from untold.randomness import Seeded
from untold.store import Folder

EPSILON, LIFETIME = 0.1, 0.2
EPOCHS = 30
WAYS: dict[str, tuple[str, bool]] = {
    "changes": ("changes", False),
    "fresh": ("fresh", False),
    "fresh, panel of 2 in 30": ("fresh", True),
    "once": ("once", False),
}
COLUMNS = ("repeat", "people", "reports", "whole series right", "lifetime allows", "days right", "held")
FALSE_ALARM = 1e-5  # of the line `held` for a client that keeps its promise
Series = list[bool]


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench robust series")
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--seed", type=int, default=5, help="of the histories; devices draw as they always do")
    options = parser.parse_args(argv)
    rows = []
    for name in WAYS:
        with tempfile.TemporaryDirectory(prefix="untold-bench-") as scratch:
            rows.append(attack(name, histories(options.people, options.seed), Path(scratch)))
            print(rows[-1], flush=True)
    show("robust_series", "Whole histories of 30 epochs, read off the reports of a collector", COLUMNS, rows)


def attack(name: str, people: list[Series], scratch: Path) -> list[Value]:
    repeat, panel = WAYS[name]
    seen = collected(plan_of(repeat, panel), people, scratch)
    guesses = [guess(seen[str(person)]) for person in range(len(people))]
    right = sum(guessed == true for guessed, true in zip(guesses, people, strict=True))
    days = sum(
        g == t for guessed, true in zip(guesses, people, strict=True) for g, t in zip(guessed, true, strict=True)
    )
    allowed = best_guess() * exp(LIFETIME)
    held = (
        right > 0.9 * len(people) if repeat == "changes" else more_than(right - 1, len(people), allowed) > FALSE_ALARM
    )
    reports = sum(map(len, seen.values()))
    share = days / (EPOCHS * len(people))
    return [name, len(people), reports, right, len(people) * allowed, share, "yes" if held else "NO"]


def histories(people: int, seed: int) -> list[Series]:
    """Sick on one day at least and on fewer than half, so that the usual report is `well`."""
    coin, found = Seeded(seed), list[Series]()
    while len(found) < people:
        days = [coin.below(5) == 0 for _ in range(EPOCHS)]
        if 0 < sum(days) < EPOCHS // 2:
            found.append(days)
    return found


def plan_of(repeat: str, panel: bool) -> untold.Plan:
    """`sick` beside two attributes that stay as they are."""
    sick = {"kind": "categorical", "values": [False, True]}
    constant = {name: {"kind": "ordinal", "low": 0, "high": 63} for name in "ab"}
    service = {"repeat": repeat, "attributes": {"sick": sick, **constant}}
    top = {"panel": {"epochs": EPOCHS, "report": 2}} if panel else {}
    declared = {"name": "health", "user_key": "uid", "epsilon": EPSILON, "lifetime": LIFETIME, **top}
    return untold.Plan.from_dict({**declared, "services": {"people": service}})


def collected(plan: untold.Plan, people: list[Series], scratch: Path) -> dict[str, dict[int, tuple[Value, ...]]]:
    """What the collector has of each person at the end: by epoch, the report."""
    server = Server(scratch / "r", plan=plan)
    server.start()
    try:
        token = server.tokens.device
        url = f"http://127.0.0.1:{server.port}"
        devices = [untold.HttpClient(url, str(i), token("text", str(i)), scratch / f"d{i}") for i in range(len(people))]
        for epoch in range(EPOCHS):
            if epoch:
                server.operate(f"/epochs/{epoch}/open")
            for device, days in zip(devices, people, strict=True):
                take_part(device, {"sick": days[epoch], "a": 3, "b": 60}, epoch)
        assert server.stop() == 0
    finally:
        server.kill()
    return stored(scratch / "r")


def take_part(device: untold.HttpClient, row: dict[str, object], epoch: int) -> None:
    """Report and send, as an app does every day; a device whose lifetime is spent is silent."""
    try:
        device.report("people", row, epoch)
    except BudgetExceeded:
        return
    sent = device.send()
    assert sent.waiting == 0, sent
    assert not sent.refused, sent


def stored(path: Path) -> dict[str, dict[int, tuple[Value, ...]]]:
    found: dict[str, dict[int, tuple[Value, ...]]] = defaultdict(dict)
    for part in Folder.open(path).paths("people"):
        for row in pq.read_table(part).to_pylist():
            user, epoch = str(row.pop("uid")), int(row.pop("epoch"))
            found[user][epoch] = tuple(row[name] for name in sorted(row))
    return found


def guess(reports: dict[int, tuple[Value, ...]]) -> Series:
    """Sick whenever the report is not the usual one."""
    told = list(reports.values())
    usual = max(told, key=told.count)
    return [epoch in reports and reports[epoch] != usual for epoch in range(EPOCHS)]


def best_guess() -> float:
    """The chance of the most probable series: sick on one day."""
    possible = sum(comb(EPOCHS, days) * 0.2**days * 0.8 ** (EPOCHS - days) for days in range(1, EPOCHS // 2))
    return float(0.2 * 0.8 ** (EPOCHS - 1) / possible)


def more_than(count: int, people: int, chance: float) -> float:
    """The probability that more than `count` guesses are right."""
    few = (comb(people, k) * chance**k * (1 - chance) ** (people - k) for k in range(count + 1))
    return float(1 - sum(few))
