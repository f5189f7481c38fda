"""Batches at the collector: each is kept as a whole, once, and then becomes reports whose person is the bundle's id."""

from __future__ import annotations

import struct
from itertools import islice
from pathlib import Path
from threading import Event, Lock, Thread

from untold.errors import PlanError
from untold.serve.collector import Collector
from untold.serve.events import failure, note
from untold.serve.ledger.jobs import Job
from untold.serve.ledger.steps import reached
from untold.serve.relay.batch import BadBatch, Batch, hash_of
from untold.store import files
from untold.wire.bundle import Bundles
from untold.wire.contract import MOST_REPORTS
from untold.wire.records import HEADER, MAGIC, VERSION
from untold.wire.sealing import Opener, bundle_id

BATCH, DONE = ".batch", ".done"
PAUSE = 1.0


class Conflict(Exception):
    """The epoch has another batch, or takes none; the text says which."""


def opener_of(collector: Collector) -> Opener:
    """The private key of a collector: made of its one secret, so that nothing more must be kept."""
    return Opener(bytes.fromhex(collector.tokens.role("mixing")))


class Batches:
    """Of one collector. A batch is taken when its file is there; a thread turns it into reports, as often as it takes."""

    def __init__(self, collector: Collector, home: Path) -> None:
        self.collector, self.bundles, self.opener = collector, Bundles.of(collector.plan), opener_of(collector)
        mix = collector.plan.schema.mix
        assert mix is not None
        if mix.key != self.opener.key:
            raise PlanError(
                [f'mix.key: devices would seal to another key than this collector\'s. Write key = "{self.opener.key}"']
            )
        self.people, self.folder = mix.people, home / "batches"
        self._stop, self._lock = Event(), Lock()
        self._thread = Thread(target=self._work, name="batches", daemon=True)

    def __enter__(self) -> Batches:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        for left in self.folder.glob(".incoming-*"):
            files.remove(left)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def take(self, arrived: Path) -> bool:
        """Take a file that has arrived whole; whether it is new. It is durable when this returns."""
        batch = Batch.read(arrived, self.collector.plan.id, self.bundles.sealed_size, self.people)
        place = self.folder / f"{batch.epoch}{BATCH}"
        with self._lock:
            if place.exists():
                if hash_of(place) != hash_of(arrived):
                    raise Conflict(f"epoch {batch.epoch} has another batch: there is one for each epoch.")
                files.remove(arrived)
                return False
            if batch.epoch not in self.collector.settings.open:
                raise Conflict(f"epoch {batch.epoch} is not open here.")
            reached("batch arrived")
            files.rename(arrived, place)
            files.sync_folder(self.folder)
            reached("batch taken")
        note("batch", epoch=batch.epoch, bundles=batch.count)
        return True

    def pending(self, epoch: int) -> bool:
        """Whether a batch was taken that is not all reports yet: its epoch must stay open."""
        return (self.folder / f"{epoch}{BATCH}").exists() and not (self.folder / f"{epoch}{DONE}").exists()

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                for path in sorted(self.folder.glob(f"*{BATCH}")):
                    if not path.with_suffix(DONE).exists():
                        self.open(path)
            except BaseException as error:  # told, and tried again
                note("batch-failed", **failure(error))
            self._stop.wait(PAUSE)

    def open(self, path: Path) -> None:
        """Make reports of a batch. What was counted before comes as repeated, so this may begin anew at any time."""
        batch = Batch.read(path, self.collector.plan.id, self.bundles.sealed_size, self.people)
        strange = 0
        bundles = batch.bundles()
        while some := tuple(islice(bundles, MOST_REPORTS // 5)):
            if self._stop.is_set():
                return
            strange += self._count(some, batch.epoch)
        self.collector.flush().result()
        files.replace_durably(path.with_suffix(DONE), str(strange).encode(), mode=0o600)
        note("batch-counted", epoch=batch.epoch, bundles=batch.count, strange=strange)

    def _count(self, sealed: tuple[bytes, ...], epoch: int) -> int:
        """Count some bundles; how many were not what they should be: sealed to another key, or with messages that the plan
        does not have. Nobody knows who sent them."""
        plan = self.collector.plan
        opened = [(bundle_id(each), self.opener.open(each, plan.id, epoch)) for each in sealed]
        good = [(name.encode(), self.bundles.parted(data)) for name, data in opened if data is not None]
        refused: set[int] = set()
        jobs = []
        for layout in self.collector.layouts:
            bodies = [parts[layout.number] + bytes([len(name)]) + name for name, parts in good]
            records = b"".join(struct.pack("<I", len(each)) + each for each in bodies)
            if not bodies:
                continue
            head = HEADER.pack(MAGIC, VERSION, 0, layout.number, epoch, len(bodies), bytes.fromhex(plan.id))
            body = self.collector.reader.read_binary(head + records)
            refused |= {place for place, _ in body.refused}
            if body.blocks:
                jobs.append(Job(body.blocks))
        for job in jobs:
            self.collector.committer.submit(job)
        outcomes = [job.done.result() for job in jobs]
        if any(outcome.refused for outcome in outcomes):
            raise BadBatch(f"reports of epoch {epoch} are refused: {outcomes[0].refused[:1]}")
        return len(sealed) - len(good) + len(refused)
