"""Who has reported in the open epochs: one tree of sorted runs for each, as small in memory with ten million reports as
with ten."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import monotonic

import numpy as np

from untold.errors import StoreError
from untold.kernels.runs import NEW, SAME, Status, Table, search, sort
from untold.kernels.siphash import Hashes
from untold.serve.events import note
from untold.serve.folder.fingerprints import Run, merged, open_run, write_run
from untold.serve.reports.blocks import Key
from untold.serve.reports.new_reports import Stored
from untold.serve.reports.steps import reached
from untold.store import files
from untold.store.inside import is_plain

BETWEEN_NOTES = 5.0  # seconds
RUN = re.compile(r"[0-9]+\.run", re.ASCII)
EPOCH = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)  # names a folder of runs
Known = tuple[Mapping[int, Table], Mapping[int, tuple[Run, ...]]]  # tables by log, runs by epoch


class Index:
    """Fingerprints in memory (of logs that are no segments yet) and in runs. One thread claims, another adds runs; what
    is known is replaced whole, so that the first never sees half a change."""

    def __init__(self, folder: Path, key: Key) -> None:
        self.folder, self.key = folder, key
        self.known: Known = ({}, {})
        self._lock = Lock()

    def claim(self, log: int, epoch: int, prints: Hashes) -> Status:
        """Whether each report is new, was seen, or contradicts one that was seen; new ones are seen from now on."""
        status = np.full(len(prints), NEW, dtype=np.uint8)
        tables, runs = self.known
        for number, table in tables.items():
            if number != log:
                table.look_up(prints, status)
        for run in runs.get(epoch, ()):
            search(run.rows, prints, status)
        tables[log].claim(prints, status)
        return status

    def recall(self, epoch: int, prints: Hashes) -> Stored:
        """Which reports of a closed epoch are known to be stored, byte by byte."""
        status = np.full(len(prints), NEW, dtype=np.uint8)
        tables, runs = self.known
        for table in tables.values():
            table.look_up(prints, status)
        for run in runs.get(epoch, ()):
            search(run.rows, prints, status)
        stored: Stored = status == SAME
        return stored

    def begin(self, log: int) -> None:
        """A table for a new log."""
        with self._lock:
            self.known = ({**self.known[0], log: Table()}, self.known[1])

    def settle(self, log: int, runs: Mapping[int, tuple[Hashes, Iterable[str]]]) -> None:
        """The reports of a log are in segments: runs (by epoch: fingerprints, and files of segments) take over."""
        for epoch, (prints, covers) in runs.items():
            if not set(covers) <= self.covered(epoch):  # a process that died may have got so far
                self.add(epoch, prints, covers)
        with self._lock:
            self.known = ({number: t for number, t in self.known[0].items() if number != log}, self.known[1])

    def add(self, epoch: int, prints: Hashes, covers: Iterable[str]) -> None:
        """One more run; runs of like size are merged."""
        folder = self.folder / str(epoch)
        folder.mkdir(parents=True, exist_ok=True)
        here = list(self.known[1].get(epoch, ()))
        here.append(write_run(self._next(folder), self.key, covers, [sort(prints)]))
        reached("run written")
        self._replace(epoch, here)
        while len(here) > 1 and len(here[-2].rows) < 2 * len(here[-1].rows):
            b, a = here.pop(), here.pop()
            here.append(write_run(self._next(folder), self.key, a.covers | b.covers, merged(a, b)))
            reached("runs merged")
            self._replace(epoch, here)
            files.remove(a.path)
            files.remove(b.path)
        for run in here:
            run.forget()

    def keep(self, epochs: Collection[int]) -> None:
        """Forget all epochs but these. Only while nobody opens another one."""
        there = {int(folder.name) for folder in self.folder.glob("*") if EPOCH.fullmatch(folder.name)}
        self.drop((there | set(self.known[1])) - set(epochs))

    def drop(self, epochs: Collection[int]) -> None:
        """Forget these epochs: they are closed."""
        with self._lock:
            self.known = (self.known[0], {e: runs for e, runs in self.known[1].items() if e not in epochs})
        for epoch in epochs:
            with suppress(OSError):
                files.remove_any(self.folder / str(epoch))

    def covered(self, epoch: int) -> frozenset[str]:
        """The segments that runs speak of."""
        return frozenset().union(*(run.covers for run in self.known[1].get(epoch, ())))

    def load(
        self, epoch: int, segments: frozenset[str] | None, logged: frozenset[str], read: Callable[[str], Hashes]
    ) -> int:
        """The runs of an epoch that are sound and speak of these segments alone; what they do not cover is read anew, but
        for segments whose log is still there. Returns how many had to be. `segments` is None for a closed epoch, whose
        segments may have been merged: it is remembered as far as there are runs."""
        folder = self.folder / str(epoch)
        if folder.is_symlink() or not folder.is_dir():
            files.remove_any(folder)
        sound: list[Run] = []
        for path in sorted(folder.glob("*")):
            try:
                run = open_run(path, self.key) if RUN.fullmatch(path.name) and is_plain(path) else None
            except StoreError:
                run = None
            if run is None or not (segments is None or run.covers <= segments):
                files.remove_any(path)
            else:
                sound.append(run)
        kept: list[Run] = []
        for run in sorted(sound, key=lambda each: -len(each.covers)):
            if any(run.covers & other.covers for other in kept):
                files.remove(run.path)  # a merge had begun, or had ended without the parts being removed
            else:
                kept.append(run)
        self._replace(epoch, sorted(kept, key=lambda each: -len(each.rows)))
        missing = sorted((segments or frozenset()) - self.covered(epoch) - logged)
        told = monotonic()
        for done, segment in enumerate(missing):
            self.add(epoch, read(segment), [segment])
            if monotonic() - told > BETWEEN_NOTES:
                told = monotonic()
                note("index", epoch=epoch, segments=done + 1, of=len(missing))
        return len(missing)

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return sum(map(len, self.known[1].values()))

    def _replace(self, epoch: int, runs: list[Run]) -> None:
        with self._lock:
            self.known = (self.known[0], {**self.known[1], epoch: tuple(runs)})

    def _next(self, folder: Path) -> Path:
        numbers = [int(path.stem) for path in folder.glob("[0-9]*.run") if RUN.fullmatch(path.name)]
        return folder / f"{max(numbers, default=0) + 1:012}.run"
