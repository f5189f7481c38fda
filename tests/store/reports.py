"""A small plan, and batches of reports that follow it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from untold.plan import Plan
from untold.store import FolderWriter, Segment
from untold.store.columns import report_schema

DECLARED = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 1.0,
    "services": {
        "votes": {"attributes": {"choice": {"kind": "categorical", "values": ["yes", "no", "abstain"]}}},
        "ages": {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 16}}},
    },
}
PLAN = Plan.from_dict(DECLARED)
OTHER = Plan.from_dict({**DECLARED, "epsilon": 2.0})


def schema(plan: Plan = PLAN, service: str = "votes") -> pa.Schema:
    return report_schema(plan, service, pa.string(), {}, {}, insecure=False)


def batch(users: Sequence[str], messages: Sequence[int], epoch: int = 0, service: str = "votes") -> pa.RecordBatch:
    n = len(users)
    columns = [
        pa.array(users, pa.string()),
        pa.array(np.full(n, epoch, dtype=np.int32)),
        pa.array(np.zeros(n, dtype=np.int16)),
        pa.array(np.asarray(messages, dtype=np.uint32)),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema(service=service))


def add(path: Path, epoch: int = 0, users: Sequence[str] = ("u1", "u2"), plan: Plan = PLAN) -> Segment:
    """One segment of votes."""
    with FolderWriter(path, plan) as writer:
        staged = writer.stage("votes", schema(plan))
        staged.write(batch(users, [0] * len(users), epoch))
        staged.finish()
        return writer.commit("votes", epoch, len(users), insecure=False)


def snapshot(root: Path) -> dict[str, bytes | None]:
    """Every file and folder below a folder, with its bytes."""
    return {p.relative_to(root).as_posix(): p.read_bytes() if p.is_file() else None for p in sorted(root.rglob("*"))}
