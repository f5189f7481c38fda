"""kill -9 at every step of relay and collector, which are two processes: nothing is lost or counted twice, an epoch has one batch,
and none of fewer people than were promised. Batches and answers go missing on the way, or come twice."""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
from benchmarks.collector.mixing_parties import PATIENCE, Devices, Network, Party, plan_of

from untold.device.encoder import Encoder
from untold.plan import Plan
from untold.randomness import Secure
from untold.serve.reports.steps import STEPS
from untold.serve.settings import Secrets
from untold.store import Folder
from untold.store.logs import HOME
from untold.wire.bundle import Bundles
from untold.wire.sealing import bundle_id, seal

KINDS = 500  # different contents; every bundle is sealed by itself
RELAY = (*STEPS, "mixed", "batch written", "handed over")
COLLECTOR = ("batch arrived", "batch taken", *STEPS, "at any time")
FAULTS = ("request lost", "answer lost", "twice", "works")
PAUSE = 0.05  # seconds between two looks


def sealed_for(plan: Plan, epoch: int, people: int) -> list[bytes]:
    """Everybody's bundle."""
    bundles, rng, mix = Bundles.of(plan), Secure(), plan.schema.mix
    assert mix is not None
    assert mix.key is not None
    users, orders = (Encoder.of(plan, name) for name in plan.services)
    plain = [
        bundles.packed(
            {"users": users.encode([{"age": i % 100}], rng), "orders": orders.encode([{"amount": i % 100}], rng)}
        )
        for i in range(KINDS)
    ]
    return [seal(plain[i % KINDS], mix.key, plan.id, epoch) for i in range(people)]


class Trial:
    """An epoch for every step: relay and collector die there, and are started again in either order until all is counted."""

    def __init__(self, folder: Path, people: int, seed: int) -> None:
        self.folder, self.people, self.chance = folder, people, random.Random(seed)
        self.plan = plan_of(folder, people)
        (folder / "plan.json").write_text(self.plan.to_json())
        serve = ("serve", str(folder / "plan.json"), "--segment-seconds", "1")
        self.collector = Party(serve, folder / "reports")
        self.network = Network(self.collector)
        to = f"http://127.0.0.1:{self.network.server_port}"
        token = Secrets.load(folder / "reports" / HOME).tokens.role("relay")
        relay = ("relay", str(folder / "plan.json"), "--to", to)
        self.relay = Party(relay, folder / "relay", {"UNTOLD_RELAY_TOKEN": token})
        self.expected: Counter[str] = Counter()
        self.deaths: Counter[str] = Counter()
        self.batches: dict[int, set[str]] = {}

    def epoch(self, number: int, relay_step: str, collector_step: str) -> None:
        """All of an epoch, from the first device to the collector's closing of it."""
        sealed = sealed_for(self.plan, number, self.people)
        self.expected.update(map(bundle_id, sealed))
        self.network.faults.append(FAULTS[number % len(FAULTS)])
        devices = Devices(Bundles.of(self.plan), sealed)
        steps = {self.relay: relay_step, self.collector: "" if collector_step == "at any time" else collector_step}
        for party in self.either_order():
            party.kill()
            party.start(steps[party])
        if collector_step == "at any time":
            self.deaths["collector: at any time"] += 1
            self.collector.kill()
        for act, done in self.stages(number, devices):
            end = time.monotonic() + PATIENCE
            while not done():
                assert time.monotonic() < end, "it does not come to an end"
                act()
                self.look(number)
                self.revive(steps)
                time.sleep(PAUSE)
        self.revive(steps)

    def stages(self, epoch: int, devices: Devices) -> Iterator[tuple[Callable[[], object], Callable[[], bool]]]:
        """What is tried until it has worked, one after the other."""
        relay, collector = self.relay, self.collector
        if epoch:
            yield lambda: relay.ask("POST", f"/epochs/{epoch}/open"), lambda: epoch in relay.epochs("open")
            yield lambda: collector.ask("POST", f"/epochs/{epoch}/open"), lambda: epoch in collector.epochs("open")
        yield lambda: devices.send(relay, epoch), lambda: devices.done == len(devices.sealed)
        yield lambda: relay.ask("POST", f"/epochs/{epoch}/close"), lambda: epoch in relay.epochs("closed")
        yield lambda: None, self.file(relay, epoch, ".taken").exists
        yield lambda: None, self.file(collector, epoch, ".done").exists
        yield lambda: collector.ask("POST", f"/epochs/{epoch}/close"), lambda: epoch in collector.epochs("closed")

    def revive(self, steps: dict[Party, str]) -> None:
        """Start whoever has died, in either order."""
        for party in self.either_order():
            if not party.alive:
                if party.killed and steps[party]:
                    self.deaths[f"{party.words[0]}: {steps[party]}"] += 1
                party.start()

    def either_order(self) -> list[Party]:
        parties = [self.relay, self.collector]
        return parties if self.chance.random() < 0.5 else parties[::-1]

    def look(self, epoch: int) -> None:
        """Remember the batch that is there: it must never be another one."""
        for path in (self.file(self.relay, epoch, ".batch"), self.file(self.collector, epoch, ".batch")):
            if path.exists():
                self.batches.setdefault(epoch, set()).add(sha256(path.read_bytes()).hexdigest())

    def file(self, party: Party, epoch: int, ending: str) -> Path:
        return party.data / HOME / "batches" / f"{epoch}{ending}"

    def again(self) -> None:
        """A relay that has forgotten that its batches were taken hands them over again."""
        self.relay.kill()
        taken = sorted((self.relay.data / HOME / "batches").glob("*.taken"))
        for path in taken:
            path.unlink()
        self.relay.start()
        self.wait(lambda: all(path.exists() for path in taken))

    def too_few(self, epoch: int) -> bool:
        """One person less than promised: whether nothing leaves the relay."""
        fewer = Devices(Bundles.of(self.plan), sealed_for(self.plan, epoch, self.people - 1))
        for party in (self.relay, self.collector):
            assert party.ask("POST", f"/epochs/{epoch}/open")[0] == 200
        fewer.send(self.relay, epoch)
        assert fewer.done == self.people - 1
        assert self.relay.ask("POST", f"/epochs/{epoch}/close")[0] == 200
        self.wait(self.file(self.relay, epoch, ".mixed").exists)
        return not list(self.folder.rglob(f"{epoch}*.batch"))

    def wait(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < end, "it does not come to an end"
            time.sleep(PAUSE)


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench robust mixing")
    parser.add_argument("--people", type=lambda text: int(float(text)), default=105_000, help="over all epochs")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    with TemporaryDirectory() as place:
        trial = Trial(Path(place), given.people // len(RELAY), given.seed)
        try:
            for number, steps in enumerate(zip(RELAY, COLLECTOR, strict=True)):
                trial.epoch(number, *steps)
                print(f"epoch {number}: {', '.join(steps)}", flush=True)
            trial.again()
            nothing_left = trial.too_few(len(RELAY))
        finally:
            trial.relay.kill()
            trial.collector.kill()
        report(trial, nothing_left)


def report(trial: Trial, nothing_left: bool) -> None:
    """What became of everybody; an error if anything is not as promised."""
    found = Folder.open(trial.folder / "reports")
    print(
        f"{sum(trial.expected.values()):,} devices in {len(RELAY)} epochs, killed {sum(trial.deaths.values())} times:"
    )
    print("\n".join(f"  {death}" for death in trial.deaths))
    print(f"hand-overs: {dict(Counter(trial.network.seen))}")
    for service in found.plan.services:
        paths = found.paths(service)
        there = Counter(uid for path in paths for uid in pq.read_table(path, columns=["uid"])["uid"].to_pylist())
        lost, doubled = sum((trial.expected - there).values()), sum((there - trial.expected).values())
        print(f"{service}: stored {sum(there.values()):,}, lost {lost}, doubled {doubled}")
        assert lost == doubled == 0
    most = max(map(len, trial.batches.values()))
    print(f"batches of an epoch: {most}; people in the smallest: {trial.network.smallest:,}, promised {trial.people:,}")
    print(f"an epoch of {trial.people - 1:,} people left the relay: {'no' if nothing_left else 'YES'}")
    assert most == 1
    assert trial.network.smallest >= trial.people
    assert nothing_left
