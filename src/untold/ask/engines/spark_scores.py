"""Tables of scores to send to executors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from untold.ask.engines.spark_frames import MESSAGE, PIECE, PIECE_BITS
from untold.ask.question.model import Floats


def score_pieces(vectors: Mapping[str, Floats]) -> pa.Table:
    """Arrays of 2^PIECE_BITS scores, one for each column, in a row; without rows of nothing but zeros (but one: Spark Connect
    sends no empty table)."""
    size, step = len(next(iter(vectors.values()))), 1 << PIECE_BITS
    used = [s for s in range(0, size, step) if any(np.any(vector[s : s + step]) for vector in vectors.values())]
    starts = used or [0]
    numbers = pa.array([start >> PIECE_BITS for start in starts], pa.int64())
    arrays = {name: [vector[s : s + step] for s in starts] for name, vector in vectors.items()}
    return pa.table({PIECE: numbers} | {name: _listed(each) for name, each in arrays.items()})


def score_rows(vectors: Mapping[str, Floats]) -> pa.Table:
    """A row for each message, without those that score 0 everywhere (but one)."""
    message = np.flatnonzero(np.any([vector != 0 for vector in vectors.values()], axis=0))
    message = message if len(message) else np.zeros(1, dtype=np.int64)
    return pa.table({MESSAGE: message.astype(np.int64)} | {name: vector[message] for name, vector in vectors.items()})


def _listed(arrays: list[Floats]) -> pa.Array:
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int32)
    return pa.ListArray.from_arrays(offsets, np.concatenate([np.zeros(0), *arrays]))
