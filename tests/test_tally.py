"""Counting messages against numpy."""

import numpy as np
import pytest

from untold.kernels.tally import occurring, tally


def test_counts_add_up_over_batches():
    messages = np.random.default_rng(2).integers(0, 50, 1000).astype(np.uint32)
    counts = np.zeros(60, dtype=np.int64)
    for part in np.array_split(messages, 7):
        tally(part, counts)
    assert counts.tolist() == np.bincount(messages, minlength=60).tolist()
    found, reports = occurring(counts)
    assert found.tolist() == np.flatnonzero(counts).tolist()
    assert reports.tolist() == counts[counts > 0].tolist()


def test_a_message_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="3 different messages"):
        tally(np.array([1, 3], dtype=np.uint32), np.zeros(3, dtype=np.int64))
