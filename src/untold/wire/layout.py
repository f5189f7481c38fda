"""The layout of one service's reports on the wire: the part of docs/wire.md that depends on the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.errors import PlanError
from untold.plan import Plan
from untold.plan.designs import Design
from untold.plan.schema import ONCE_EPOCH

KINDS = ("text", "integer", "number", "boolean")  # of public columns; user keys are of the first two


@dataclass(frozen=True)
class Layout:
    """The fields of a record, in order, and what each may be."""

    service: str
    number: int  # place of the service in the plan
    slots: int
    design: Design = field(compare=False, repr=False)
    key: str = "text"
    public: tuple[tuple[str, str], ...] = ()  # name and kind
    once: bool = False  # whether its reports belong to no epoch: they come as epoch 0, whether that is open or not

    @classmethod
    def of(cls, plan: Plan, service: str, key: str = "text", public: Mapping[str, str] | None = None) -> Layout:
        """Public columns are text unless `public` says otherwise."""
        declared, kinds = plan.service(service), public or {}
        stays = next((view.oracle for view in plan.design(service).views if not view.oracle.travels), None)
        if stays is not None:
            raise PlanError(
                [
                    f"services.{service}: reports by '{stays.name}' carry {' and '.join(stays.extra_columns)} beside their "
                    'index and do not travel over HTTP. Write oracle = "auto", or collect with untold.perturb.'
                ]
            )
        columns = tuple((each.name, kinds.get(each.name, "text")) for each in declared.public)
        number, once = plan.services.index(service), declared.repeat == "once"
        return cls(service, number, declared.slots, plan.design(service), key, columns, once)

    def takes(self, epoch: int) -> bool:
        """Whether reports of this service can be of an epoch, open or not."""
        return epoch == ONCE_EPOCH if self.once else 0 <= epoch < 2**31

    @property
    def split(self) -> bool:
        """Whether a slot speaks of every view."""
        return self.design.weights is None

    @property
    def per_slot(self) -> int:
        """Messages of one slot."""
        return self.design.messages_per_report

    @cached_property
    def seed_bytes(self) -> int:
        """Bytes of each of the two seeds of a message: 0, 4 or 8."""
        return max(view.oracle.seed_bits for view in self.design.views) // 8

    @cached_property
    def views(self) -> npt.NDArray[np.int64]:
        """(views, 4): first message, end, bits of a seed, whether the view is ever picked."""
        weights = self.design.weights or [1] * len(self.design.views)
        rows = [
            (view.offset, view.offset + view.oracle.indexes, view.oracle.seed_bits, weight > 0)
            for view, weight in zip(self.design.views, weights, strict=True)
        ]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def message_type(self) -> np.dtype[Any]:
        """One message, as numpy reads it."""
        seed = f"<u{self.seed_bytes}"
        seeds = [("seed_a", seed), ("seed_b", seed)] if self.seed_bytes else []
        return np.dtype([("message", "<u4"), *seeds])

    @cached_property
    def shape(self) -> npt.NDArray[np.int64]:
        """What else `untold.kernels.records` asks for: messages of a record, split, bytes of a seed, kind of user keys."""
        numbers = (self.slots * self.per_slot, self.split, self.seed_bytes, KINDS.index(self.key))
        return np.array(numbers, dtype=np.int64)

    @cached_property
    def kinds(self) -> npt.NDArray[np.uint8]:
        """The public columns' places in KINDS."""
        return np.array([KINDS.index(kind) for _, kind in self.public], dtype=np.uint8)
