"""Counts messages as they stream by: a few millions at once, more batch by batch.

Loading the compiled loop of the second way takes longer than counting ten million messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np
import numpy.typing as npt

FEW = 32  # batches that are counted together
SPARSE = 16  # times as many different messages as reports: sorting is quicker
Batch = npt.NDArray[np.uint32]
Tallied = tuple[Batch, npt.NDArray[np.int64]]  # the messages that occur, in order, and how often


def tallied(stream: Iterator[Batch], messages: int) -> Tallied:
    """What occurs in a stream of batches, of so many different messages.

    >>> [column.tolist() for column in tallied(iter([np.array([3, 1, 3], dtype=np.uint32)]), 4)]
    [[1, 3], [1, 2]]
    """
    first = list(islice(stream, FEW + 1))
    return together(first, messages) if len(first) <= FEW else placed(chain(first, stream), messages)


def together(batches: list[Batch], messages: int) -> Tallied:
    """All at once: in an array, or, where that would be mostly empty, by sorting."""
    every = np.concatenate([np.empty(0, dtype=np.uint32), *batches])
    if len(every) and every.max() >= messages:
        raise ValueError(f"there are {messages} different messages, but a report has one beyond them")
    if len(every) * SPARSE < messages:
        return np.unique(every, return_counts=True)
    counts = np.bincount(every, minlength=messages)
    message = np.flatnonzero(counts)
    return message.astype(np.uint32), counts[message]


def placed(batches: Iterator[Batch], messages: int) -> Tallied:
    """Memory does not grow with the number of reports."""
    from untold.kernels.tally import tally

    counts = np.zeros(messages, dtype=np.int64)
    for batch in batches:
        tally(batch, counts)
    message = np.flatnonzero(counts).astype(np.uint32)
    return message, counts[message]
