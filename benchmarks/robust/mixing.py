"""kill -9 at every step of relay and collector, one after the other, over one epoch of many devices: nothing is lost or
counted twice, and there is one batch."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
from benchmarks.collector.mixing_parties import plan_of

from untold.device.encoder import Encoder
from untold.randomness import Secure
from untold.serve.ledger.steps import MIX_STEPS, STEPS
from untold.store import Folder
from untold.store.logs import HOME
from untold.wire.bundle import Bundles
from untold.wire.sealing import bundle_id, seal

ROOT = Path(__file__).resolve().parents[2]
KINDS = 500  # different contents; every bundle is sealed by itself


def prepare(folder: Path, people: int) -> list[str]:
    """Seal everybody's bundle; returns their ids."""
    (folder / "people").write_text(str(people))
    plan = plan_of(folder)
    bundles, rng = Bundles.of(plan), Secure()
    users, orders = (Encoder.of(plan, name) for name in plan.services)
    plain = [
        bundles.packed(
            {"users": users.encode([{"age": i % 100}], rng), "orders": orders.encode([{"amount": i % 100}], rng)}
        )
        for i in range(KINDS)
    ]
    assert plan.schema.mix is not None
    assert plan.schema.mix.key is not None
    sealed = [seal(plain[i % KINDS], plan.schema.mix.key, plan.id, 0) for i in range(people)]
    (folder / "sealed").write_bytes(b"".join(sealed))
    return [bundle_id(each) for each in sealed]


def run(folder: Path, step: str) -> str:
    """One life of both parties: what became of it."""
    command = [sys.executable, "-m", "benchmarks.collector.mixing_child", str(folder), step]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode not in (0, -9):
        raise RuntimeError(done.stderr.decode()[-2000:])
    return "killed" if done.returncode else "finished"


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench robust mixing")
    parser.add_argument("--people", type=lambda text: int(float(text)), default=100_000)
    given = parser.parse_args(argv)
    with TemporaryDirectory() as place:
        folder = Path(place)
        ids = prepare(folder, given.people)
        killed, hashes = [], set()
        for step in (*STEPS, *MIX_STEPS, ""):
            if run(folder, step) == "killed":
                killed.append(step)
            batch = folder / "relay" / HOME / "batches" / "0.batch"
            if batch.exists():
                hashes.add(sha256(batch.read_bytes()).hexdigest())
        report(folder, ids, killed, hashes)


def report(folder: Path, ids: list[str], killed: list[str], hashes: set[str]) -> None:
    found = Folder.open(folder / "reports")
    expected = Counter(ids)
    print(f"{len(ids):,} devices, {len(killed)} kills: {', '.join(killed)}")
    for service in found.plan.services:
        names = [
            uid for path in found.paths(service) for uid in pq.read_table(path, columns=["uid"])["uid"].to_pylist()
        ]
        there = Counter(names)
        lost, doubled = sum((expected - there).values()), sum((there - expected).values())
        print(f"{service}: stored {len(names):,}, lost {lost}, doubled {doubled}")
    print(f"different batches: {len(hashes)}")
