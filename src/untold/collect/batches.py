"""Turns a batch of checked rows into a batch of perturbed reports, in the columns in which reports are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.collect.bulk import encode_codes, round_at_random
from untold.collect.validate import Rows
from untold.plan import Plan
from untold.plan.schema import Sensitive
from untold.randomness import BulkRandomness
from untold.store.columns import report_schema, to_arrow


@dataclass(frozen=True)
class BatchEncoder:
    """Perturbs rows of one service for one epoch."""

    plan: Plan
    service: str
    epoch: int

    def encode(self, rows: Rows, slots: npt.NDArray[np.int16], rng: BulkRandomness) -> pa.RecordBatch:
        """Reports sorted by view; several for a row where the design reports every view."""
        codes = rounded_codes(self.plan.service(self.service).sensitive, rows.sensitive, rng)
        order, messages = encode_codes(self.plan.design(self.service), codes, rng)
        taken = pa.array(order)
        columns = [
            rows.keys.take(taken),
            pa.array(np.full(len(order), self.epoch, dtype=np.int32)),
            pa.array(slots[order]),
            pa.array(messages.index),
        ]
        extra = {name: to_arrow(column) for name, column in messages.extra.items()}
        names = [attribute.name for attribute in self.plan.service(self.service).beside]
        public = {name: column.take(taken) for name, column in zip(names, rows.public, strict=True)}
        schema = report_schema(
            self.plan,
            self.service,
            rows.keys.type,
            {name: column.type for name, column in extra.items()},
            {name: column.type for name, column in public.items()},
            rng.insecure,
        )
        return pa.RecordBatch.from_arrays([*columns, *extra.values(), *public.values()], schema=schema)


def rounded_codes(
    attributes: Sequence[Sensitive], columns: Sequence[npt.NDArray[Any]], rng: BulkRandomness
) -> Sequence[npt.NDArray[np.uint32]]:
    """Numbers are rounded at random to a neighbouring knot; the hidden weight, where there is one, stays last."""
    codes = list(columns)
    for i, attribute in enumerate(attributes):
        if attribute.rounds:
            codes[i] = round_at_random(codes[i], rng.words(codes[i].shape))
    return codes
