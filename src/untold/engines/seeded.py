"""Scores of reports that no table can list (seeded hashes, sets of cells), computed batch by batch inside an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.oracles import Messages
from untold.question.model import Floats
from untold.scores.scan import ScoreColumn


def as_numpy(column: Any) -> npt.NDArray[Any]:
    """A column of numbers, or a row of bytes for each report."""
    if not pa.types.is_binary(column.type) and not pa.types.is_fixed_size_binary(column.type):
        return np.asarray(column.to_numpy())
    joined = b"".join(column.to_pylist())
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(column), -1)


def seeded_scores(batch: Any, columns: Sequence[ScoreColumn]) -> list[Floats]:
    """One score per report and column: alpha_l + sum_c beta_c phi_c, by the view that its message belongs to."""
    design = columns[0].design
    message = batch.column("message").to_numpy()
    extra = {name: as_numpy(batch.column(name)) for name in design.extra_columns}
    views = np.searchsorted(np.array(design.offsets), message, side="right") - 1
    scores = [np.empty(len(message)) for _ in columns]
    for v, view in enumerate(design.views):
        rows = np.flatnonzero(views == v)
        index = message[rows] - np.uint32(view.offset)
        messages = Messages(index, {name: extra[name][rows] for name in view.oracle.extra_columns})
        for column, out in zip(columns, scores, strict=True):
            cells, constant = column.coefficients.cells[v], column.coefficients.constants[v]
            out[rows] = constant
            if cells is not None and len(rows):
                out[rows] += view.oracle.score_many(messages, cells)
    return scores
