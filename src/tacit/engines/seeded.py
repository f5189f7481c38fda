"""Scores of reports with seeded hashing, for batches of reports on their way through an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.ask.model import Floats
from tacit.ask.scan import ScoreColumn
from tacit.oracles import OLH


def seeded_scores(batch: Any, columns: Sequence[ScoreColumn]) -> list[Floats]:
    """One score per report and column: alpha_l + sum_c beta_c phi_c, by the view that its message belongs to."""
    from tacit.kernels.seeded import support_sums

    design = columns[0].design
    message, a, b = (batch.column(name).to_numpy() for name in ("message", "seed_a", "seed_b"))
    views = np.searchsorted(np.array(design.offsets), message, side="right") - 1
    scores = [np.empty(len(message)) for _ in columns]
    for v, view in enumerate(design.views):
        rows = np.flatnonzero(views == v)
        oracle = view.oracle
        for column, out in zip(columns, scores):
            cells, constant = column.coefficients.cells[v], column.coefficients.constants[v]
            out[rows] = constant
            if cells is None or not len(rows):
                continue
            if not isinstance(oracle, OLH):  # a view of one cell needs no hash
                out[rows] += cells[0]
                continue
            p, q = oracle.floats
            supported = support_sums(
                oracle.word_bits, oracle.sides, message[rows] - np.uint32(view.offset), a[rows], b[rows], cells
            )
            out[rows] += (supported - q * cells.sum()) / (p - q)
    return scores
