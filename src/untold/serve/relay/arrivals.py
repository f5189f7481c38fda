"""Batches at the collector: each is kept as a whole, once, and then becomes reports whose person is the bundle's id."""

from __future__ import annotations

import struct
from itertools import islice
from pathlib import Path
from threading import Event, Lock, Thread

from untold.errors import PlanError
from untold.serve.collector import Collector
from untold.serve.events import failure, note
from untold.serve.relay.batch import BadBatch, Batch, hash_of
from untold.serve.reports.jobs import Job
from untold.serve.reports.steps import reached
from untold.store import files
from untold.wire.bundle import Bundles
from untold.wire.contract import MOST_REPORTS
from untold.wire.groups import Group, batch_name, group_bytes
from untold.wire.records import HEADER, MAGIC, VERSION, encode_value
from untold.wire.sealing import Opener, bundle_id

BATCH, DONE = ".batch", ".done"
PAUSE = 1.0


class Conflict(Exception):
    """The epoch has another batch, or takes none; the text says which."""


def opener_of(collector: Collector) -> Opener:
    """The private key that the plan names, of those of a collector; the newest if it names none of them."""
    mix, known = collector.plan.schema.mix, [Opener(each) for each in collector.storage.secrets.mixing]
    return next((each for each in known if mix is not None and each.key == mix.key), known[-1])


def is_pending(folder: Path, epoch: int) -> bool:
    """Whether a batch of an epoch was taken that is not all reports yet: the epoch must stay open."""
    taken = [*folder.glob(f"{epoch}{BATCH}"), *folder.glob(f"{epoch}-*{BATCH}")]
    return any(not path.with_suffix(DONE).exists() for path in taken)


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
        for layout in collector.layouts:
            if wrong := [name for name, kind in layout.public if name in mix.by and kind != "text"]:
                raise PlanError(
                    [f"mix.by: public column '{wrong[0]}' goes by text here. Leave out --public {wrong[0]}=..."]
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
        batch = self._read(arrived)
        place = self.folder / f"{batch_name(batch.epoch, batch.group)}{BATCH}"
        with self._lock:
            if not place.exists() and batch.epoch not in self.collector.settings.open:
                raise Conflict(f"epoch {batch.epoch} is not open here.")
            reached("batch arrived")
            # Another collector may share this folder: whose file has the name first is the one that counts.
            if not files.claim(arrived, place):
                if hash_of(place) != hash_of(arrived):
                    raise Conflict(f"epoch {batch.epoch} has another batch: there is one for each epoch (and group).")
                files.remove(arrived)
                return False
            files.sync_folder(self.folder)
            reached("batch taken")
        note("batch", epoch=batch.epoch, bundles=batch.count)
        return True

    def pending(self, epoch: int) -> bool:
        """Whether a batch was taken that is not all reports yet: its epoch must stay open."""
        return is_pending(self.folder, epoch)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                for path in sorted(self.folder.glob(f"*{BATCH}")):
                    if not path.with_suffix(DONE).exists():
                        self.open(path)
            except BaseException as error:  # told, and tried again
                note("batch failed", **failure(error))
            self._stop.wait(PAUSE)

    def open(self, path: Path) -> None:
        """Make reports of a batch. What was counted before comes as repeated, so this may begin anew at any time."""
        batch = self._read(path)
        strange = 0
        bundles = batch.bundles()
        while some := tuple(islice(bundles, MOST_REPORTS // 5)):
            if self._stop.is_set():
                return
            strange += self._count(some, batch.epoch, batch.group)
        self.collector.flush().result()
        files.replace_durably(path.with_suffix(DONE), str(strange).encode(), mode=0o600)
        note("batch counted", epoch=batch.epoch, bundles=batch.count, strange=strange)

    def _read(self, path: Path) -> Batch:
        bundles = self.bundles
        return Batch.read(path, bundles.plan.id, bundles.sealed_size, self.people, len(bundles.by))

    def _count(self, sealed: tuple[bytes, ...], epoch: int, group: Group) -> int:
        """Count some bundles; how many were not what they should be: sealed to another key, or with messages that the plan
        does not have. Nobody knows who sent them."""
        plan, named = self.collector.plan, group_bytes(group)
        values = dict(zip(self.bundles.by, group, strict=True))
        opened = [(bundle_id(each), self.opener.open(each, plan.id, epoch, named)) for each in sealed]
        good = [(name.encode(), self.bundles.parted(data)) for name, data in opened if data is not None]
        refused: set[int] = set()
        jobs = []
        for layout in self.collector.layouts:
            public = b"".join(encode_value(name, kind, values[name]) for name, kind in layout.public)
            bodies = [parts[layout.number] + bytes([len(name)]) + name + public for name, parts in good]
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
        faults = [fault for job in jobs for fault in job.done.result().refused]
        if others := {code for _, code in faults} - {"conflict"}:
            raise BadBatch(f"reports of epoch {epoch} are refused: {', '.join(sorted(others))}")
        refused |= {place for place, _ in faults}  # sealed with a key that another batch had before
        return len(sealed) - len(good) + len(refused)
