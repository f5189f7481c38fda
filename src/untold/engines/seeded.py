"""Scores of reports that no table can list (seeded hashes, sets of cells), computed batch by batch inside an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.designs import Design
from untold.oracles import OLH, OUE, Oracle
from untold.question.model import Floats
from untold.scores.scan import ScoreColumn

Columns = Mapping[str, npt.NDArray[Any]]


def extra_names(design: Design) -> list[str]:
    """The columns that reports of a design carry beside their message."""
    return list(dict.fromkeys(name for view in design.views for name in view.oracle.extra_columns))


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
    extra = {name: as_numpy(batch.column(name)) for name in extra_names(design)}
    views = np.searchsorted(np.array(design.offsets), message, side="right") - 1
    scores = [np.empty(len(message)) for _ in columns]
    for v, view in enumerate(design.views):
        rows = np.flatnonzero(views == v)
        own = {name: values[rows] for name, values in extra.items()}
        for column, out in zip(columns, scores):
            cells, constant = column.coefficients.cells[v], column.coefficients.constants[v]
            out[rows] = constant
            if cells is None or not len(rows):
                continue
            if view.oracle.domain_size == 1:  # needs no perturbation
                out[rows] += cells[0]
                continue
            p, q = view.oracle.floats
            supported = _supported(view.oracle, message[rows] - np.uint32(view.offset), own, cells)
            out[rows] += (supported - q * cells.sum()) / (p - q)
    return scores


def _supported(oracle: Oracle, index: npt.NDArray[np.uint32], extra: Columns, cells: Floats) -> Floats:
    """For each message, the sum of the coefficients of the cells that it supports."""
    if isinstance(oracle, OUE):
        bits = np.unpackbits(extra["bits"], axis=1, bitorder="little", count=oracle.domain_size)
        return np.asarray(bits @ cells)
    from untold.kernels.seeded import support_sums

    assert isinstance(oracle, OLH)
    return support_sums(oracle.word_bits, oracle.sides, index, extra["seed_a"], extra["seed_b"], cells)
