"""A batch: all bundles of an epoch (and of a group, where a plan has `mix.by`), mixed. One file, one request, one hash."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from untold.randomness import Randomness
from untold.wire.groups import Group, group_bytes, read_group
from untold.wire.sealing import ENCAPSULATED

MAGIC, VERSION = b"UNTB", 1
HEAD = struct.Struct("<4sBxHII32sI")  # magic, version, bytes of the group, epoch, bundles, plan id, bytes of a bundle
BATCH_TYPE = "application/vnd.untold.batch"


class BadBatch(ValueError):
    """Not a batch of this plan; the text says why."""


def permuted(bundles: Sequence[bytes], rng: Randomness) -> list[bytes]:
    """In an order that says nothing of the one before: each is as likely as any other (Fisher and Yates)."""
    mixed = list(bundles)
    for i in range(len(mixed) - 1, 0, -1):
        j = rng.below(i + 1)
        mixed[i], mixed[j] = mixed[j], mixed[i]
    return mixed


def write_batch(plan_id: str, epoch: int, bundles: Sequence[bytes], group: Group = ()) -> bytes:
    """The bytes of a batch; all bundles are of one length."""
    size, named = len(bundles[0]), group_bytes(group)
    head = HEAD.pack(MAGIC, VERSION, len(named), epoch, len(bundles), bytes.fromhex(plan_id), size)
    return b"".join((head, named, *bundles))


@dataclass(frozen=True)
class Batch:
    """A batch in a file, checked but for what is inside its bundles."""

    path: Path
    epoch: int
    count: int
    size: int
    start: int  # where the bundles begin
    group: Group = ()

    @classmethod
    def read(cls, path: Path, plan_id: str, size: int, people: int, columns: int = 0) -> Batch:
        """Refuses another plan, fewer bundles than promised, bundles of another length, and a bundle that is there twice."""
        with path.open("rb") as file:
            head = file.read(HEAD.size)
            if len(head) < HEAD.size:
                raise BadBatch("a batch begins with a header.")
            magic, version, named, epoch, count, plan, found = HEAD.unpack(head)
            if magic != MAGIC or version != VERSION:
                raise BadBatch(f"a batch begins with {MAGIC.decode()} and version {VERSION}.")
            if plan != bytes.fromhex(plan_id) or found != size:
                raise BadBatch("the batch is of another plan.")
            if count < people:
                raise BadBatch(f"{count} bundles; the plan promises at least {people} in a batch.")
            if path.stat().st_size != HEAD.size + named + count * size:
                raise BadBatch("the bundles do not add up to the batch.")
            try:
                group = read_group(file.read(named), columns)
            except ValueError as error:
                raise BadBatch(f"the batch is of no group: the plan has {columns} columns in mix.by.") from error
            batch = cls(path, epoch, count, size, HEAD.size + named, group)
            if len({bundle[:ENCAPSULATED] for bundle in batch.bundles()}) < count:
                raise BadBatch("a bundle is in the batch twice.")
        return batch

    def bundles(self) -> Iterator[bytes]:
        """One after the other."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            for _ in range(self.count):
                yield file.read(self.size)


def hash_of(path: Path) -> str:
    """By which a batch is known."""
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
