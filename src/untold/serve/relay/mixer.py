"""What a relay does when an epoch closes: mixes its bundles once, and hands the one batch over until it is taken."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event, Thread

import pyarrow.parquet as pq

from untold.device.transport import Transport, Unreachable
from untold.randomness import Secure
from untold.serve.collector import Collector
from untold.serve.events import failure, note
from untold.serve.ledger.steps import reached
from untold.serve.relay.batch import BATCH_TYPE, permuted, write_batch
from untold.store import Folder, files
from untold.wire.bundle import COLUMN, SERVICE, Bundles

BATCH, TAKEN, FEW = ".batch", ".taken", ".few"  # how files end: mixed; the collector has it; too few people, for good
PAUSE = 2.0  # seconds between two looks
SILENCE, WHOLE = 120.0, 3600.0  # seconds that a hand-over may take


class Mixer:
    """Beside a relay's collector, on a thread of its own. All it knows is in files: it may die at any time."""

    def __init__(self, collector: Collector, bundles: Bundles, home: Path, to: str, token: str) -> None:
        mix = bundles.plan.schema.mix
        assert mix is not None
        self.collector, self.bundles, self.people = collector, bundles, mix.people
        self.folder = home / "batches"
        self._transport, self._token = Transport(to, SILENCE, WHOLE), token
        self._stop = Event()
        self._thread = Thread(target=self._work, name="mix", daemon=True)

    def __enter__(self) -> Mixer:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(SILENCE)

    def _work(self) -> None:
        while not self._stop.wait(PAUSE):
            try:
                self.step()
            except BaseException as error:  # told, and tried again: nothing is lost by waiting
                note("mixing-failed", **failure(error))

    def step(self) -> None:
        """Mix every closed epoch that is not mixed, and hand over every batch that was not taken."""
        for epoch in self.collector.settings.closed:
            if not any(self._file(epoch, ending).exists() for ending in (BATCH, FEW)):
                self.collector.flush().result()
                self.mix(epoch)
            if self._file(epoch, BATCH).exists() and not self._file(epoch, TAKEN).exists():
                self.hand_over(epoch)

    def mix(self, epoch: int) -> None:
        """Draw the order of an epoch's bundles, and keep the batch: from now on it is this one, whatever happens."""
        found = [self.bundles.from_columns(row) for row in self._rows(epoch)]
        good = [each for each in found if each is not None]
        if len(good) < self.people:
            files.replace_durably(self._file(epoch, FEW), str(len(good)).encode(), mode=0o600)
            note("too-few", epoch=epoch, bundles=len(good), people=self.people)
            return
        batch = write_batch(self.bundles.plan.id, epoch, permuted(good, Secure()))
        reached("mixed")
        files.replace_durably(self._file(epoch, BATCH), batch, mode=0o600)
        reached("batch written")
        note("mixed", epoch=epoch, bundles=len(good), damaged=len(found) - len(good))

    def hand_over(self, epoch: int) -> bool:
        """Send the batch; whether the collector has it. It may be sent any number of times: it is always the same bytes."""
        headers = {"Content-Type": BATCH_TYPE, "Authorization": f"Bearer {self._token}"}
        try:
            reply = self._transport.ask("POST", "/batches", self._file(epoch, BATCH).read_bytes(), headers)
            said = json.loads(reply.body)
        except (Unreachable, ValueError):
            note("hand-over-waits", epoch=epoch)
            return False
        if reply.status != 200 or not isinstance(said, dict) or {said.get("counted"), said.get("repeated")} != {0, 1}:
            note("hand-over-refused", epoch=epoch, status=reply.status)
            return False
        reached("handed over")
        files.replace_durably(self._file(epoch, TAKEN), b"", mode=0o600)
        note("handed-over", epoch=epoch)
        return True

    def _rows(self, epoch: int) -> list[tuple[str | None, ...]]:
        folder = Folder.open(self.collector.path)
        names = [name for name in _public(folder) if name.startswith(f"{COLUMN}_")]
        rows: list[tuple[str | None, ...]] = []
        for path in folder.paths(SERVICE, (epoch,)):
            table = pq.read_table(path, columns=names)
            rows += zip(*(table[name].to_pylist() for name in names), strict=True)
        return rows

    def _file(self, epoch: int, ending: str) -> Path:
        return self.folder / f"{epoch}{ending}"


def _public(folder: Folder) -> list[str]:
    """The public columns of the relay's plan, in order."""
    return [attribute.name for attribute in folder.plan.service(SERVICE).public]
