"""Counts messages as they stream by: a few millions by sorting them, more in an array with a place for each message.

Loading the compiled loop of the second way takes as long as sorting ten million messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np
import numpy.typing as npt

FEW = 32  # batches that are sorted together
Batch = npt.NDArray[np.uint32]
Tallied = tuple[Batch, npt.NDArray[np.int64]]  # the messages that occur, in order, and how often


def tallied(stream: Iterator[Batch], messages: int) -> Tallied:
    """What occurs in a stream of batches, of so many different messages.

    >>> [column.tolist() for column in tallied(iter([np.array([3, 1, 3], dtype=np.uint32)]), 4)]
    [[1, 3], [1, 2]]
    """
    first = list(islice(stream, FEW + 1))
    return sorted_out(first, messages) if len(first) <= FEW else placed(chain(first, stream), messages)


def sorted_out(batches: list[Batch], messages: int) -> Tallied:
    """Equal messages are neighbours once they are sorted."""
    together = np.concatenate([np.empty(0, dtype=np.uint32), *batches])
    message, reports = np.unique(together, return_counts=True)
    if len(message) and message[-1] >= messages:
        raise ValueError(f"there are {messages} different messages, but a report has one beyond them")
    return message, reports


def placed(batches: Iterator[Batch], messages: int) -> Tallied:
    """Memory does not grow with the number of reports."""
    from untold.kernels.tally import tally

    counts = np.zeros(messages, dtype=np.int64)
    for batch in batches:
        tally(batch, counts)
    message = np.flatnonzero(counts).astype(np.uint32)
    return message, counts[message]
