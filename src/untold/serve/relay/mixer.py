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
from untold.serve.relay.batch import BATCH_TYPE, permuted, write_batch
from untold.serve.relay.forgetting import BATCH, MIXED, TAKEN, Forgetting
from untold.serve.relay.leaving import Leaving, drawing, hold, let_go
from untold.serve.reports.steps import reached
from untold.store import Folder, files
from untold.wire.bundle import COLUMN, GROUP, SERVICE, Bundles
from untold.wire.groups import Group, batch_name
from untold.wire.sealing import ENCAPSULATED

PAUSE, LONGEST = 2.0, 30.0  # seconds between two looks; longer while a batch is not taken: it may be large
LEAST = "people"
SILENCE, WHOLE = 120.0, 3600.0  # seconds that a hand-over may take


class Mixer:
    """Beside a relay's collector, on a thread of its own. All it knows is in files: it may die at any time."""

    def __init__(
        self, collector: Collector, bundles: Bundles, home: Path, to: str, token: str, keep: float | None = None
    ) -> None:
        mix = bundles.plan.schema.mix
        assert mix is not None
        self.collector, self.bundles, self.people = collector, bundles, mix.people
        self.folder = home / "batches"
        self._forgetting = None if keep is None else Forgetting(collector, self.folder, keep)
        self._transport, self._token = Transport(to, SILENCE, WHOLE), token
        collector.least = mix.people
        collector.leave = Leaving(collector, self.folder).forget
        self._stop = Event()
        self._thread = Thread(target=self._work, name="mix", daemon=True)

    def __enter__(self) -> Mixer:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        write_least(self.folder.parent, self.people)
        for left in self.folder.glob(f"{files.STAGED}*"):
            files.remove(left)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(SILENCE)

    def _work(self) -> None:
        pause = PAUSE
        while not self._stop.wait(pause):
            try:
                pause = PAUSE if self.step() else min(2 * pause, LONGEST)
            except BaseException as error:  # told, and tried again: nothing is lost by waiting
                note("mixing failed", **failure(error))

    def step(self) -> bool:
        """Mix every closed epoch that is not mixed, and hand over every batch that was not taken; whether all are."""
        for epoch in self.collector.settings.closed:
            if not (self.folder / f"{epoch}{MIXED}").exists():
                self.collector.flush().result()
                with drawing(self.folder):
                    self.mix(epoch)
        waiting = [each for each in sorted(self.folder.glob(f"*{BATCH}")) if not each.with_suffix(TAKEN).exists()]
        taken = [self.hand_over(batch) for batch in waiting]
        if self._forgetting is not None:
            self._forgetting.step()
        return all(taken)

    def mix(self, epoch: int) -> None:
        """Draw the order of an epoch's bundles, and keep the batch: from now on it is this one, whatever happens. With
        `mix.by` there is one for every group of enough people; what the others sent never leaves."""
        groups, damaged = self._groups(epoch)
        large = {group: bundles for group, bundles in groups.items() if len(bundles) >= self.people}
        for group, bundles in large.items():
            batch = self.folder / f"{batch_name(epoch, group)}{BATCH}"
            if not batch.exists():
                mixed = write_batch(self.bundles.plan.id, epoch, permuted(bundles, Secure()), group)
                reached("mixed")
                hold(batch)
                files.keep_first(batch, mixed)
                reached("batch written")
        kept, left = (sum(map(len, some)) for some in (groups.values(), large.values()))
        if left < kept or not large:
            note("too few", epoch=epoch, groups=len(groups) - len(large), bundles=kept - left, people=self.people)
        if large:
            note("mixed", epoch=epoch, groups=len(large), bundles=left, damaged=damaged)
        files.replace_durably(self.folder / f"{epoch}{MIXED}", str(len(large)).encode(), mode=0o600)

    def hand_over(self, batch: Path) -> bool:
        """Send a batch; whether the collector has it. It may be sent any number of times: it is always the same bytes."""
        epoch = int(batch.stem.partition("-")[0])
        let_go(batch)
        if not batch.exists():  # destroyed, since somebody has left
            return False
        headers = {"Content-Type": BATCH_TYPE, "Authorization": f"Bearer {self._token}"}
        try:
            reply = self._transport.ask("POST", "/batches", batch.read_bytes(), headers)
            said = json.loads(reply.body)
        except (Unreachable, ValueError):
            note("hand over waits", epoch=epoch)
            return False
        if reply.status != 200 or not isinstance(said, dict) or {said.get("counted"), said.get("repeated")} != {0, 1}:
            note("hand over refused", epoch=epoch, status=reply.status)
            return False
        reached("handed over")
        files.replace_durably(batch.with_suffix(TAKEN), b"", mode=0o600)
        note("handed over", epoch=epoch)
        return True

    def _groups(self, epoch: int) -> tuple[dict[Group, list[bytes]], int]:
        """The bundles of each group, and how many are none. A bundle that somebody has copied counts once: a batch with one
        twice is refused as a whole. A group of nobody is there if there are no groups."""
        folder, by = Folder.open(self.collector.path), len(self.bundles.by)
        names = [name for name in _public(folder) if name.startswith((f"{COLUMN}_", f"{GROUP}_"))]
        groups: dict[Group, list[bytes]] = {} if by else {(): []}
        damaged, seen = 0, set[bytes]()
        for path in folder.paths(SERVICE, (epoch,)):
            table = pq.read_table(path, columns=names)
            for row in zip(*(table[name].to_pylist() for name in names), strict=True):
                pieces, group = row[: len(row) - by], row[len(row) - by :]
                sealed = self.bundles.from_columns(pieces)
                if sealed is None or sealed[:ENCAPSULATED] in seen:
                    damaged += 1
                else:
                    seen.add(sealed[:ENCAPSULATED])
                    groups.setdefault(group, []).append(sealed)
        return groups, damaged


def write_least(home: Path, people: int) -> None:
    """Tell commands that find no relay running how many people a batch needs: its own plan does not say."""
    if read_least(home) != people:
        files.replace_durably(home / LEAST, str(people).encode())


def read_least(home: Path) -> int | None:
    """What a relay has told."""
    text = (home / LEAST).read_text(encoding="utf-8") if (home / LEAST).exists() else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None


def _public(folder: Folder) -> list[str]:
    """The public columns of the relay's plan, in order."""
    return [attribute.name for attribute in folder.plan.service(SERVICE).public]
