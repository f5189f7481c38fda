"""Reports of clients as rows of a segment: people and public values in the types that the folder has them in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from untold.device.report import Report
from untold.errors import BadRecord
from untold.plan import Plan
from untold.store.columns import report_schema
from untold.wire.layout import Layout
from untold.wire.records import check_message, encode_key

SEEDS = {0: None, 4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}  # by bytes on the wire


@dataclass(frozen=True)
class Keys:
    """How a folder names people: all by integers, or all by text. On the wire both are text, and 17 is "17"."""

    name: str
    type: pa.DataType

    @classmethod
    def of(cls, name: str, there: pa.Schema | None, reports: Sequence[Report]) -> Keys:
        """As in a segment that is there; in a new folder integers if every key is one."""
        if there is not None:
            return cls(name, there.field(name).type)
        return cls(name, pa.int64() if all(isinstance(report.user, int) for report in reports) else pa.string())

    def column(self, users: Sequence[str]) -> pa.Array:
        """The user keys of rows, checked as a collector checks them."""
        kind = "integer" if pa.types.is_integer(self.type) else "text"
        for user in dict.fromkeys(users):
            encode_key(kind, user)
        return pa.array([int(user) for user in users] if kind == "integer" else users, self.type)


@dataclass(frozen=True)
class Sheet:
    """Makes the rows of one service."""

    plan: Plan
    layout: Layout
    keys: Keys
    there: pa.Schema | None  # the columns that the folder has of this service already

    @classmethod
    def of(cls, plan: Plan, service: str, keys: Keys, there: pa.Schema | None) -> Sheet:
        """A plan whose messages have no fixed form on the wire is refused here."""
        return cls(plan, Layout.of(plan, service), keys, there)

    def batch(self, epoch: int, people: Mapping[str, Sequence[Report]], insecure: bool) -> pa.RecordBatch:
        """One row for each message: sorted by view, within it by person, which says nothing of the order of arrival."""
        layout = self.layout
        rows = [
            (layout.design.view_of(message.index), user, report.slot, message, report)
            for user, own in people.items()
            for report in own
            for message in self._checked(report)
        ]
        rows.sort(key=lambda row: row[:3])
        columns: dict[str, pa.Array] = {
            "epoch": pa.array(np.full(len(rows), epoch, dtype=np.int32)),
            "slot": pa.array([slot for _, _, slot, _, _ in rows], pa.int16()),
            "message": pa.array([message.index for *_, message, _ in rows], pa.uint32()),
        }
        extra = self._seeds([message.extra for *_, message, _ in rows])
        beside = [each.name for each in self.plan.service(layout.service).beside]
        public = {name: self._public(name, [dict(report.public).get(name) for *_, report in rows]) for name in beside}
        schema = report_schema(
            self.plan,
            layout.service,
            self.keys.type,
            {name: column.type for name, column in extra.items()},
            {name: column.type for name, column in public.items()},
            insecure,
        )
        keys = self.keys.column([user for _, user, *_ in rows])
        return pa.RecordBatch.from_arrays([keys, *columns.values(), *extra.values(), *public.values()], schema=schema)

    def _checked(self, report: Report) -> Sequence[Any]:
        if len(report.messages) != self.layout.per_slot:
            raise BadRecord(f"service '{self.layout.service}': a slot has {self.layout.per_slot} messages.")
        for place, message in enumerate(report.messages):
            check_message(self.layout, place, message)
        return report.messages

    def _seeds(self, extras: Sequence[tuple[int, ...]]) -> dict[str, pa.Array]:
        kind = SEEDS[self.layout.seed_bytes]
        if kind is None:
            return {}
        pairs = np.array([extra or (0, 0) for extra in extras], dtype=kind)
        return {"seed_a": pa.array(pairs[:, 0].copy()), "seed_b": pa.array(pairs[:, 1].copy())}

    def _public(self, name: str, values: Sequence[Any]) -> pa.Array:
        wanted = self.there.field(name).type if self.there is not None else None
        try:
            column = pa.array(values, wanted)
            return column.cast(pa.string()) if pa.types.is_null(column.type) else column
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            kind = f"{wanted} in this folder" if wanted is not None else "of one type"
            raise BadRecord(f"public column '{name}' is {kind}; these reports have other values ({error}).") from error
