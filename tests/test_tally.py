"""Counting messages: sorted, and by a compiled loop, against numpy.bincount."""

import numpy as np
import pytest

from untold.ask.engines import tallying
from untold.ask.engines.tallying import placed, tallied, together


@pytest.mark.parametrize("few", [0, 1, 6, 7, 32])
def test_counts_add_up_over_batches(monkeypatch, few):
    monkeypatch.setattr(tallying, "FEW", few)
    messages = np.random.default_rng(2).integers(0, 50, 1000).astype(np.uint32) ** 2 // 50
    message, reports = tallied(iter(np.array_split(messages, 7)), 60)
    counts = np.bincount(messages, minlength=60)
    assert (counts == 0).any()
    assert message.tolist() == np.flatnonzero(counts).tolist()
    assert reports.tolist() == counts[counts > 0].tolist()
    assert (message.dtype, reports.dtype) == (np.uint32, np.int64)


@pytest.mark.parametrize("way", [together, placed])
def test_nothing_is_counted_of_nothing(way):
    assert [column.tolist() for column in way([], 3)] == [[], []]


@pytest.mark.parametrize("way", [together, placed])
def test_a_message_that_does_not_exist_is_refused(way):
    with pytest.raises(ValueError, match="3 different messages"):
        way([np.array([1, 3], dtype=np.uint32)], 3)
