"""Rows from strangers: somebody has changed tables of the database below the collectors."""

from __future__ import annotations

import random
import shutil
from contextlib import closing
from pathlib import Path

import numpy as np

from benchmarks.attack.buckets import tried
from benchmarks.collector.bodies import body
from benchmarks.collector.postgres import FAST, Postgres
from benchmarks.collector.postgres import scratch as scratch_of
from benchmarks.collector.server import PLAN
from untold.serve.collector import Collector, collector_over
from untold.serve.postgres.connection import connect
from untold.serve.postgres.schema import schema_of
from untold.serve.reports.jobs import Job, LogLimits

TEXTS = (
    "",
    "{}",
    "[]",
    "[" * 50_000,
    "null",
    '{"sha256": "' + "0" * 64 + '"}',
    "\x01",
    '{"open":[1e999]}',
    "x" * 100_000,
)
CHANGES = (
    "UPDATE facts SET value = %(text)s WHERE name = 'settings'",
    "UPDATE facts SET value = %(text)s WHERE name = 'secrets'",
    "INSERT INTO facts VALUES ('analysts', %(text)s)",
    "DELETE FROM facts",
    "UPDATE batches SET body = %(bytes)s",
    "UPDATE batches SET body = substr(body, 1, %(small)s)",
    "UPDATE batches SET body = %(bytes)s, sum = %(number)s",
    "UPDATE batches SET reports = %(number)s",
    "UPDATE batches SET epoch = %(small)s",
    "UPDATE batches SET drain = %(small)s",
    "DELETE FROM drains",
    "UPDATE drains SET given = %(number)s",
    "UPDATE drains SET listed = %(small)s",
    "INSERT INTO drains VALUES (%(small)s, %(number)s)",
    "DROP TABLE closed",
    "DROP TABLE reports",
    "ALTER TABLE reports RENAME COLUMN mark TO other",
    "CREATE RULE nothing AS ON INSERT TO batches DO INSTEAD NOTHING",
)


def attack(scratch: Path, rounds: int, seed: int) -> dict[str, int]:
    """Returns how often a collector over such rows, or its operator, saw an error that was not one of ours."""
    rng, home = random.Random(seed), scratch_of()
    server = Postgres(home / "data", FAST).create()
    found = {"rounds": 0, "refused": 0, "raw errors": 0}
    try:
        server.start()
        fill(scratch / "good", server.url.replace("/postgres", "/template1"))
        for number in range(rounds):
            server.ask(f"CREATE DATABASE r{number}")  # a copy of template1
            url = server.url.replace("/postgres", f"/r{number}")
            given = {
                "text": rng.choice(TEXTS),
                "bytes": rng.randbytes(rng.choice((0, 10, 200))),
                "number": rng.choice((0, 1, 99, 2**31 - 1)),
                "small": rng.randrange(1, 60),
            }
            change = CHANGES[number % len(CHANGES)]
            with closing(connect(url, schema_of(PLAN))) as connection:
                connection.execute(change, given if "%" in change else None)
            shutil.copytree(scratch / "good", scratch / "bad")
            tried(lambda url=url: work(scratch / "bad", url), number, seed, found)  # type: ignore[misc]
            shutil.rmtree(scratch / "bad")
    finally:
        server.kill()
        shutil.rmtree(home)
    return found


def fill(path: Path, url: str) -> None:
    """Reports in segments, and some that wait."""
    with collector_over(PLAN, path, url, limits=LogLimits(log_seconds=1e9)) as collector:
        for first in (0, 50):
            send(collector, first)
            if not first:
                collector.flush().result(60)


def send(collector: Collector, first: int) -> None:
    """Fifty reports."""
    job = Job(collector.reader.read_binary(body(np.arange(first, first + 50))).blocks)
    collector.committer.submit(job)
    job.done.result(120)


def work(path: Path, url: str) -> None:
    """As collectors and operators do."""
    with collector_over(PLAN, path, url, limits=LogLimits(log_seconds=1e9)) as collector:
        collector.flush().result(120)
        send(collector, 100)
        collector.close_epoch(0).result(120)
