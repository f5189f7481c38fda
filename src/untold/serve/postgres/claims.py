"""Which reports of a group are new, decided by the database: whoever inserts a fingerprint first has counted the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from untold.errors import StoreError
from untold.kernels.runs import NEW, OTHER, SAME, Status
from untold.kernels.siphash import Hashes
from untold.serve.postgres.arrays import longs, uuids
from untold.serve.reports.new_reports import Stored

if TYPE_CHECKING:
    from psycopg import Connection

INSERT = """
WITH new AS (
    INSERT INTO reports SELECT %s, print, mark FROM unnest(%s, %s) AS given (print, mark)
    ON CONFLICT DO NOTHING RETURNING print)
SELECT count(*), string_agg(uuid_send(print), '') FROM new
"""
STORED = """
SELECT string_agg(uuid_send(print) || int8send(mark), '') FROM reports WHERE epoch = %s AND print = ANY(%s)
"""
CHUNKS = "SELECT string_agg(prints, '') FROM closed WHERE epoch = %s AND chunk = ANY(%s)"
PRINT, ENTRY = 16, 24  # bytes of a fingerprint, and with the mark of its record


@dataclass(frozen=True)
class Claims:
    """Claims reports within one transaction. It takes the place of a folder's `Index`."""

    connection: Connection[Any]

    def claim(self, log: int, epoch: int, prints: Hashes) -> Status:
        """Whether each report is new, was seen, or contradicts one that was seen; new ones are seen once this commits.

        All transactions insert in one order, so that none waits for another in a circle.
        """
        order, first = in_order(prints)
        unique = order[first]
        found = self.connection.execute(
            INSERT, (epoch, uuids(prints[unique]), longs(prints[unique, 2])), binary=True
        ).fetchone()
        assert found is not None
        fresh = np.ones(len(unique), dtype=bool)
        stored = prints[unique, 2].copy()
        if found[0] < len(unique):
            self._look_up(epoch, prints[unique], bytes(found[1] or b""), fresh, stored)
        status = np.empty(len(prints), dtype=np.uint8)
        which = np.cumsum(first) - 1  # of the unique ones, in that order
        status[order] = np.where(prints[order, 2] == stored[which], SAME, OTHER)
        status[unique[fresh]] = NEW
        return status

    def recall(self, epoch: int, prints: Hashes) -> Stored:
        """Which reports of a closed epoch are known to be stored: from its partitions, or from what is left of them."""
        keys = [row.tobytes() for row in np.ascontiguousarray(prints[:, :2])]
        chunks = sorted({key[0] << 4 | key[1] >> 4 for key in keys})
        known: dict[bytes, int] = {}
        for query, what in ((STORED, uuids(prints)), (CHUNKS, chunks)):
            found = self.connection.execute(query, (epoch, what), binary=True).fetchone()
            data = bytes(found[0] or b"") if found is not None else b""
            for at in range(0, len(data), ENTRY):
                known[data[at : at + PRINT]] = int.from_bytes(data[at + PRINT : at + ENTRY], "big")
        marks = prints[:, 2].tolist()
        return np.array([known.get(key) == mark for key, mark in zip(keys, marks, strict=True)], dtype=bool)

    def _look_up(
        self, epoch: int, unique: Hashes, new: bytes, fresh: npt.NDArray[np.bool_], stored: npt.NDArray[np.uint64]
    ) -> None:
        """What is stored of those that were there already. Others may have committed them since this transaction began."""
        keys = np.ascontiguousarray(unique[:, :2]).tobytes()
        came = {new[at : at + PRINT] for at in range(0, len(new), PRINT)}
        old = {key: i for i, at in enumerate(range(0, len(keys), PRINT)) if (key := keys[at : at + PRINT]) not in came}
        places = list(old.values())
        found = self.connection.execute(STORED, (epoch, uuids(unique[places])), binary=True).fetchone()
        data = bytes(found[0] or b"") if found is not None else b""
        if len(data) != ENTRY * len(old):
            raise StoreError("the database does not find what it says is there.")
        for at in range(0, len(data), ENTRY):
            place = old[data[at : at + PRINT]]
            stored[place] = int.from_bytes(data[at + PRINT : at + ENTRY], "big")
        fresh[places] = False


def in_order(prints: Hashes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """An order of fingerprints as PostgreSQL compares them, equal ones as they came; and where a new one begins in it."""
    words = np.ascontiguousarray(prints[:, :2]).view(">u8").astype(np.uint64)
    order = np.lexsort((words[:, 1], words[:, 0]))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(words[order].view(np.int64), axis=0) != 0).any(axis=1)
    return order, first
