"""Bodies of requests as blocks: good records of one service and epoch, found, checked and fingerprinted together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from untold.kernels.records import BAD_MESSAGE, BAD_PUBLIC, BAD_SLOTS, BAD_USER, Found, find_records
from untold.kernels.siphash import Bytes, Hashes, Places, fingerprints
from untold.wire.contract import LAST_EPOCH, MOST_REPORTS, Code
from untold.wire.layout import Layout
from untold.wire.records import HEADER, INSECURE, MAGIC, VERSION
from untold.wire.strict_json import BadBody, Parsed, read_json

CODES: dict[int, Code] = {
    BAD_SLOTS: "bad-slots",
    BAD_MESSAGE: "bad-message",
    BAD_USER: "bad-user",
    BAD_PUBLIC: "bad-public",
}  # by the status that a kernel gives
Key = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Block:
    """Records of one service and epoch, all good."""

    layout: Layout
    epoch: int
    data: Bytes
    found: Found
    prints: Hashes
    places: Places  # in the body they came in
    whole: bool = True  # whether `data` holds these records and nothing else

    def __len__(self) -> int:
        return len(self.prints)

    def records(self, status: bytes) -> bytes:
        """The bytes of the records whose status is 0."""
        if not any(status) and self.whole:
            return self.data.tobytes()
        rows = self.found.table[:, :2].tolist()
        return b"".join(
            self.data[at - 4 : at + size].tobytes() for (at, size), s in zip(rows, status, strict=True) if not s
        )

    def users(self) -> list[bytes]:
        """The user keys, as they stand in the records."""
        return [self.data[at : at + size].tobytes() for at, size in self.found.table[:, 2:4].tolist()]


@dataclass(frozen=True, eq=False)
class Body:
    """What a request asks to be counted."""

    reports: int
    blocks: list[Block]
    refused: list[tuple[int, Code]] = field(default_factory=list)


@dataclass(frozen=True)
class Reader:
    """Reads bodies for one plan."""

    plan_id: str
    layouts: Sequence[Layout]
    key: Key  # of the fingerprints

    def read_json(self, data: bytes) -> Body:
        """A JSON body; reports of one service and epoch become one block."""
        parsed = read_json(data, self.plan_id, {layout.service: layout for layout in self.layouts})
        refused = [(place, each.refused) for place, each in enumerate(parsed) if each.refused]
        groups: dict[tuple[int, int], list[tuple[int, Parsed]]] = {}
        for place, each in enumerate(parsed):
            if not each.refused and each.layout is not None:
                groups.setdefault((each.layout.number, each.epoch), []).append((place, each))
        blocks = []
        for (number, epoch), members in groups.items():
            joined = b"".join(each.record for _, each in members)
            block = self.block(self.layouts[number], epoch, joined, len(members))
            assert block is not None
            assert not block.found.status.any()
            blocks.append(replace(block, places=np.array([place for place, _ in members], dtype=np.int64)))
        return Body(len(parsed), blocks, refused)

    def read_binary(self, data: bytes) -> Body:
        """A binary body: one block."""
        layout, epoch, count = self.read_header(data)
        block = self.block(layout, epoch, data[HEADER.size :], count)
        if block is None:
            raise BadBody("bad-binary", "the sizes of the records do not add up to the body.")
        status = block.found.status
        if not status.any():
            return Body(count, [block])
        bad = np.flatnonzero(status)
        refused = [(place, CODES[code]) for place, code in zip(bad.tolist(), status[bad].tolist(), strict=True)]
        good = np.flatnonzero(status == 0)
        kept = Block(layout, epoch, block.data, Found(block.found.table[good]), block.prints[good], good, whole=False)
        return Body(count, [kept] if len(good) else [], refused)

    def read_header(self, data: bytes) -> tuple[Layout, int, int]:
        """Service, epoch and number of reports of a binary body, which holds not too many."""
        layout, epoch, count = self._header(data)
        if not 0 < count <= MOST_REPORTS:
            raise BadBody("bad-binary", f"a body holds 1 to {MOST_REPORTS} reports.")
        return layout, epoch, count

    def _header(self, data: bytes) -> tuple[Layout, int, int]:
        if len(data) < HEADER.size:
            raise BadBody("bad-binary", f"a body begins with {HEADER.size} bytes of header.")
        magic, version, flags, number, epoch, count, plan = HEADER.unpack_from(data)
        if magic != MAGIC or version != VERSION or flags & ~INSECURE:
            raise BadBody("bad-binary", f"a body begins with {MAGIC.decode()}, version {VERSION} and known flags.")
        if flags & INSECURE:
            raise BadBody("insecure", "reports made with repeatable draws protect nobody and are not collected.")
        if plan != bytes.fromhex(self.plan_id):
            raise BadBody("other-plan", f"this collector has plan {self.plan_id}; fetch /plan.")
        if number >= len(self.layouts):
            raise BadBody("bad-service", f"services are numbered 0..{len(self.layouts) - 1}, as in the plan.")
        if not self.layouts[number].takes(epoch):
            what = "services that report once for all epochs do so as epoch 0"
            raise BadBody("bad-epoch", f"epochs are integers 0..{LAST_EPOCH}; {what}.")
        return self.layouts[number], epoch, count

    def by_service_and_epoch(self, bodies: Iterable[bytes]) -> dict[tuple[str, int], Block]:
        """All records of bodies that were found good before, in one block for each service and epoch; BadBody otherwise."""
        records: dict[tuple[int, int], list[bytes]] = {}
        counts: dict[tuple[int, int], int] = {}
        for body in bodies:
            layout, epoch, count = self._header(body)
            key = layout.number, epoch
            records.setdefault(key, []).append(body[HEADER.size :])
            counts[key] = counts.get(key, 0) + count
        blocks = {}
        for (number, epoch), parts in sorted(records.items()):
            layout = self.layouts[number]
            block = self.block(layout, epoch, b"".join(parts), counts[number, epoch])
            if block is None or block.found.status.any():
                raise BadBody("bad-binary", "it holds records that are none.")
            blocks[layout.service, epoch] = block
        return blocks

    def block(self, layout: Layout, epoch: int, records: bytes, count: int) -> Block | None:
        """Records with what is wrong with each; None if they are not `count`."""
        if 5 * count > len(records):  # before memory is taken for what a header only claims
            return None
        data = np.frombuffer(records, dtype=np.uint8)
        found = find_records(data, count, layout.shape, layout.views, layout.kinds)
        if found is None:
            return None
        prints = fingerprints(data, found.table, layout.number | epoch << 32, self.key)
        return Block(layout, epoch, data, found, prints, np.arange(count))


def layouts_of(plan: Any, user_key: str, public: Mapping[str, Mapping[str, str]]) -> tuple[Layout, ...]:
    """The layouts of all services of a plan, in order."""
    return tuple(Layout.of(plan, service, user_key, public.get(service)) for service in plan.services)
