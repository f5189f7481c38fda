"""Perturbs many coded rows at once. The slow twin, one row at a time, is `device.encoder`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.collect.draws import below_many
from untold.oracles import Messages
from untold.plan.designs import Design, View
from untold.randomness import BulkRandomness, Pooled, Words

Codes = npt.NDArray[np.uint32]


def encode_codes(design: Design, codes: Sequence[Codes], rng: BulkRandomness) -> tuple[npt.NDArray[np.int32], Messages]:
    """Perturb rows given as one column of codes per attribute; reports come out sorted by view, shuffled within each.

    Returns the row that each report is about, and the messages, numbered over the whole design.
    """
    rows, codes = len(codes[0]), derive(design, codes, rng)
    from untold.kernels.views import pick_views, shuffled

    if design.weights is None:
        order = np.tile(shuffled(rng.words((rows,))), len(design.views))
        starts = np.arange(len(design.views) + 1) * rows
    else:
        order, starts = pick_views(rng.words((rows,)), design.cumulative)
    pool = Pooled(rng, max(rows, 1))
    parts = [
        _encode_view(design, view, codes, order[starts[i] : starts[i + 1]], pool) for i, view in enumerate(design.views)
    ]
    return order, _concatenate(parts)


def derive(design: Design, codes: Sequence[Codes], rng: BulkRandomness) -> Sequence[Codes]:
    """The columns of the design's space: `Encoder.derived` for arrays."""
    if not design.roundings:
        return codes
    own = design.attributes
    weight = codes[own].astype(np.int64) if len(codes) > own else np.int64(0)
    added = []
    for each, tree in zip(design.roundings, design.space.trees[own:], strict=False):
        value = codes[each.attribute]
        up = below_many(np.full(value.shape, each.steps, dtype=np.uint64), rng) < value
        added.append(np.asarray(each.code(tree, value.astype(np.int64), up.astype(np.int64), weight), dtype=np.uint32))
    return [*codes[:own], *added, *(codes[own:] if design.hidden else [])]


def _encode_view(
    design: Design, view: View, codes: Sequence[Codes], rows: npt.NDArray[np.int32], rng: BulkRandomness
) -> Messages:
    from untold.kernels.views import add_digit

    cells: npt.NDArray[Any] = np.zeros(len(rows), np.uint32 if view.oracle.domain_size <= 1 << 32 else np.uint64)
    for tree, level, column in zip(design.space.trees, view.levels, codes, strict=True):
        if level:
            add_digit(cells, column, rows, tree.blocks(level), tree.block_size(level))
    messages = view.oracle.encode_many(cells, rng)
    return Messages(messages.index + np.uint32(view.offset), messages.extra)


def _concatenate(parts: Sequence[Messages]) -> Messages:
    names = {name: None for part in parts for name in part.extra}
    extra: dict[str, npt.NDArray[Any]] = {}
    for name in names:
        kinds = [part.extra[name] for part in parts if name in part.extra]
        wide = max(kind.shape[1:] for kind in kinds)  # sets of cells have as many bytes as the largest view needs
        joined = np.zeros((sum(map(len, parts)), *wide), dtype=np.result_type(*kinds))  # the widest seeds
        first = 0
        for part in parts:
            if name in part.extra:
                own = part.extra[name]
                joined[(slice(first, first + len(part)), *(slice(0, n) for n in own.shape[1:]))] = own
            first += len(part)
        extra[name] = joined
    return Messages(np.concatenate([part.index for part in parts]), extra)


def round_at_random(positions: npt.NDArray[np.float64], words: Words) -> Codes:
    """The code below or above each position, at random so that the mean is kept: what `Encoder.codes` does with one position."""
    below = np.floor(positions)
    up = words < ((positions - below) * 2.0**53).astype(np.uint64) << np.uint64(11)
    return (below + up).astype(np.uint32)
