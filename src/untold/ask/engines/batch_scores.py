"""Scores of reports, computed batch by batch as they stream by: where no table can list them (seeded hashes, sets of cells), or
where it would be large.

Segments are sorted by view, so a batch speaks of few views, and the scores of one view are all that is in memory beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.ask.question.model import Floats
from untold.ask.scores.scan import ScoreColumn, by_view
from untold.oracles import Messages

MOST_AT_ONCE = 1 << 22  # scores of a batch


def rows_at_once(columns: int) -> int:
    """Reports in a batch that gets so many scores: more than a few, as each batch makes the scores of its views anew."""
    return max(1 << 14, min(1 << 20, MOST_AT_ONCE // columns))


def as_numpy(column: Any) -> npt.NDArray[Any]:
    """A column of numbers, or a row of bytes for each report."""
    if not pa.types.is_binary(column.type) and not pa.types.is_fixed_size_binary(column.type):
        return np.asarray(column.to_numpy())
    joined = b"".join(column.to_pylist())
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(column), -1)


def batch_scores(batch: Any, columns: Sequence[ScoreColumn]) -> list[Floats]:
    """One score per report and column: alpha_l + sum_c beta_c phi_c, by the view that its message belongs to."""
    design = columns[0].design
    message = batch.column("message").to_numpy()
    extra = {name: as_numpy(batch.column(name)) for name in design.extra_columns}
    scores = [np.empty(len(message)) for _ in columns]
    for number, rows in by_view(design, message):
        view = design.views[number]
        index = message[rows] - np.uint32(view.offset)
        messages = Messages(index, {name: extra[name][rows] for name in view.oracle.extra_columns})
        for column, out in zip(columns, scores, strict=True):
            out[rows] = column.of_messages(number, messages)
    return scores
