"""Which reports of a group are new: looked up together, answered job by job, and packed for the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from untold.kernels.runs import NEW, OTHER, SAME, Status
from untold.kernels.siphash import Hashes
from untold.serve.reports.blocks import Block
from untold.serve.reports.jobs import Job, Outcome
from untold.serve.settings import Settings
from untold.wire.contract import Code
from untold.wire.records import HEADER, MAGIC, VERSION

Stored = npt.NDArray[np.bool_]
CLOSED, NOT_OPEN = 3, 4  # beside NEW, SAME and OTHER
REFUSED: dict[int, Code] = {OTHER: "conflict", CLOSED: "epoch-closed", NOT_OPEN: "epoch-not-open"}


@dataclass(frozen=True)
class Group:
    """What a group of jobs comes to."""

    outcomes: list[tuple[Job, Outcome]]
    payloads: list[bytes]  # for the log: one body for each service and epoch
    reports: int  # in them
    by_epoch: Mapping[tuple[int, int], int] = field(default_factory=dict)  # the same, by number of service and epoch


class Known(Protocol):
    """Who has reported: a folder's index, or a database."""

    def claim(self, log: int, epoch: int, prints: Hashes) -> Status:
        """Whether each report is new, was seen, or contradicts one that was seen; new ones are seen from now on."""

    def recall(self, epoch: int, prints: Hashes) -> Stored:
        """Which reports of a closed epoch are known to be stored, byte by byte."""


def count(jobs: Sequence[Job], settings: Settings, index: Known, log: int, plan_id: bytes) -> Group:
    """Claim all reports of these jobs; from here on they are known, so the payloads must be written."""
    status = _claim([block for job in jobs for block in job.blocks], settings, index, log)
    fresh: dict[tuple[int, int], list[bytes]] = {}
    counts: dict[tuple[int, int], int] = {}
    outcomes: list[tuple[Job, Outcome]] = []
    for job in jobs:
        counted, repeated, refused = 0, 0, []
        for block in job.blocks:
            found = next(status)
            added = found.count(NEW)
            if added:
                key = block.layout.number, block.epoch
                fresh.setdefault(key, []).append(block.records(found))
                counts[key] = counts.get(key, 0) + added
            if added < len(found):
                repeated += found.count(SAME)
                refused += [
                    (place, REFUSED[s]) for place, s in zip(block.places.tolist(), found, strict=True) if s in REFUSED
                ]
            counted += added
        outcomes.append((job, Outcome(counted, repeated, tuple(refused))))
    payloads = [
        HEADER.pack(MAGIC, VERSION, 0, number, epoch, counts[number, epoch], plan_id) + b"".join(parts)
        for (number, epoch), parts in fresh.items()
    ]
    return Group(outcomes, payloads, sum(counts.values()), counts)


def _claim(blocks: Sequence[Block], settings: Settings, index: Known, log: int) -> Iterator[bytes]:
    """For each block, one byte for each report: NEW, SAME, OTHER, or that its epoch takes none. Blocks of one epoch are
    looked up together: many single reports for the price of one. What is stored of a closed epoch was counted: it is SAME."""
    by_epoch: dict[int, list[int]] = {}
    found: dict[int, bytes] = {}
    for number, block in enumerate(blocks):
        if block.layout.once or block.epoch in settings.open:
            by_epoch.setdefault(block.epoch, []).append(number)
        elif block.epoch in settings.closed:
            stored = index.recall(block.epoch, block.prints)
            found[number] = np.where(stored, SAME, CLOSED).astype(np.uint8).tobytes()
        else:
            found[number] = bytes([NOT_OPEN]) * len(block)
    for epoch, numbers in sorted(by_epoch.items()):  # everybody in this order: no two groups wait for each other
        prints = [blocks[number].prints for number in numbers]
        joined = prints[0] if len(prints) == 1 else np.concatenate(prints)
        status, at = index.claim(log, epoch, joined).tobytes(), 0
        for number, each in zip(numbers, prints, strict=True):
            found[number] = status[at : at + len(each)]
            at += len(each)
    return iter([found[number] for number in range(len(blocks))])
