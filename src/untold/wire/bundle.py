"""Bundles: all that one device sends in an epoch, as one message of a length that the plan alone decides."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from untold.errors import PlanError
from untold.plan import Plan
from untold.wire.groups import Group
from untold.wire.layout import Layout
from untold.wire.records import Slots, encode_messages
from untold.wire.sealing import OVERHEAD

SERVICE, COLUMN, GROUP, NOTHING = "bundles", "sealed", "by", "nothing"
MIX = "mix_"  # how the name of a relay's plan begins
PIECE = 750  # bytes of a sealed bundle in one column of text


@dataclass(frozen=True)
class Bundles:
    """The form of the bundles of one plan: messages of all services in the plan's order, dummies included, nothing else."""

    plan: Plan
    layouts: tuple[Layout, ...]

    @classmethod
    def of(cls, plan: Plan) -> Bundles:
        """Refuses a plan whose reports are not mixed."""
        if plan.schema.mix is None:
            raise PlanError(["mix: this plan does not mix reports. Write mix = { people = 100000, delta = 1e-8 }"])
        return cls(plan, tuple(Layout.of(plan, service) for service in plan.services))

    @property
    def by(self) -> tuple[str, ...]:
        """The public columns whose values have a batch each."""
        mix = self.plan.schema.mix
        return () if mix is None else mix.by

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each service's messages."""
        return tuple(int(each.shape[0]) * each.message_type.itemsize for each in self.layouts)

    @property
    def sealed_size(self) -> int:
        """Bytes of a bundle as it travels."""
        return sum(self.sizes) + OVERHEAD

    def packed(self, slots: Mapping[str, Slots]) -> bytes:
        """The messages of all services; each is checked."""
        return b"".join(part for layout in self.layouts for part in encode_messages(layout, slots[layout.service]))

    def parted(self, data: bytes) -> list[bytes]:
        """The messages of each service, as bytes of its records; `data` has the right length."""
        ends = [sum(self.sizes[: i + 1]) for i in range(len(self.sizes))]
        return [data[end - size : end] for end, size in zip(ends, self.sizes, strict=True)]

    @cached_property
    def envelope(self) -> Plan:
        """The plan of a relay: who has sent a bundle, the sealed bundle as text, the values of `mix.by`, and a message that is
        always 0. Its name has the id of the plan.

        So a relay is a collector that cannot read what it keeps. Its ledger decides what is new, repeated or in conflict.
        """
        pieces = -(-self.sealed_size // PIECE)
        named = [f"{COLUMN}_{i}" for i in range(pieces)] + [f"{GROUP}_{i}" for i in range(len(self.by))]
        columns: dict[str, Any] = {name: {"kind": "public"} for name in named}
        nothing = {NOTHING: {"kind": "categorical", "values": [0, 1]}}
        return Plan.from_dict(
            {
                "name": f"{MIX}{self.plan.id[:48]}",
                "user_key": "sender",
                "epsilon": 1.0,
                "services": {SERVICE: {"attributes": nothing | columns}},
            }
        )

    @cached_property
    def outer(self) -> Layout:
        """The layout of a record for the relay."""
        return Layout.of(self.envelope, SERVICE)

    def columns(self, sealed: bytes, group: Group = ()) -> dict[str, str | None]:
        """A sealed bundle as the public columns of the relay's plan, and the values that its batch goes by."""
        pieces = [sealed[at : at + PIECE] for at in range(0, len(sealed), PIECE)]
        beside = {f"{GROUP}_{i}": value for i, value in enumerate(group)}
        return {f"{COLUMN}_{i}": b64encode(piece).decode() for i, piece in enumerate(pieces)} | beside

    def from_columns(self, columns: Sequence[str | None]) -> bytes | None:
        """And back; None for what is no bundle of this plan."""
        try:
            sealed = b"".join(b64decode(each or "", validate=True) for each in columns)
        except (Error, ValueError):
            return None
        return sealed if len(sealed) == self.sealed_size else None


def is_envelope(plan: Plan) -> bool:
    """Whether this is the plan of a relay."""
    return plan.name.startswith(MIX) and plan.services == (SERVICE,)
