"""Names of the fields in the state array of the stream kernel, and of its smoothers."""

from __future__ import annotations

SMOOTHERS = ("recent", "mean", "moving", "median", "exponential")  # the order is the kernel's code
WINDOW = 8  # blocks that "moving" and "median" look back

# Places in the state: values in the open block, their sum, the prediction, released total and weight, blocks done,
# trend
FILLED, SUM, GUESS, TOTAL, COUNT, BLOCKS, TREND, WINDOW_START = range(8)
STATE_SIZE = WINDOW_START + WINDOW
