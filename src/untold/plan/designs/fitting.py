"""How large a design may be, and what goes first where it would be larger.

At the optimum the share pi_l of reports is also the share of all that is told, so pi_l per message says which views to
leave out. The finest view of each set of attributes stays: without it some queries could not be answered. Where even these
are too many, they stop at blocks of the attributes with the most values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from untold.plan.designs.base import MOST_MESSAGES, MOST_VIEWS, DesignError, most_cells
from untold.plan.designs.symmetry import Type
from untold.plan.designs.trees import Trees

USUAL_MESSAGES, USUAL_VIEWS = 1 << 23, 1 << 14  # not exceeded unless the finest views alone need more
LAST_BIT = 0.1  # of a limit: so little is dropped in one go
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def limits(trees: Trees) -> tuple[int, int]:
    """Messages and views that the design may have."""
    needed = trees.needed({})
    fits = (
        sum(map(trees.messages, needed)) <= 3 * USUAL_MESSAGES // 4,
        sum(map(trees.shapes.count, needed)) <= USUAL_VIEWS,
    )
    return USUAL_MESSAGES if fits[0] else MOST_MESSAGES, USUAL_VIEWS if fits[1] else MOST_VIEWS


def sizes(trees: Trees, kinds: Sequence[Type]) -> Floats:
    """Messages and views of each type: two rows."""
    return np.array([[trees.messages(kind), trees.shapes.count(kind)] for kind in kinds], dtype=np.float64).T


def within_limits(size: Floats, most: Sequence[int], shares: Floats, stays: Bools) -> Bools | None:
    """Which types to keep so that about half of what is too much is gone, or the last bit; None if nothing is too much."""
    kept = np.ones(len(shares), dtype=bool)
    for own, limit in zip(size, most, strict=True):
        too_many = own.sum() - limit
        order = np.flatnonzero(~stays)
        if too_many > 0 and len(order):
            order = order[np.argsort(shares[order] / own[order], kind="stable")]
            enough = min(too_many, max(too_many / 2, LAST_BIT * limit))
            kept[order[: int(np.searchsorted(np.cumsum(own[order]), enough)) + 1]] = False
    return None if kept.all() else kept


def coarsened(trees: Trees) -> tuple[dict[int, int], tuple[str, ...]]:
    """The finest level of some kins in views of several attributes, and a note on each; usually nothing."""
    shapes, caps = trees.shapes, dict[int, int]()
    if not trees.interests.sets:
        return {}, ()
    sets = sum(map(shapes.set_count, trees.interests.largest))
    if sets > MOST_VIEWS:
        raise DesignError(f"needs {sets:,} views, at most {MOST_VIEWS:,} are allowed; {advice(trees)}")
    limit = most_cells(trees.service.oracle)
    alone = max(trees.cells(shapes.finest((k,), {})) for k in trees.interests.kins)
    if alone > limit:
        raise DesignError(f"has a view of {alone:,} cells, at most {limit:,} are allowed; {advice(trees)}")
    while too_large(trees, caps, limit):
        at = {k: caps.get(k, shapes.kins[k].tree.height) for k in trees.interests.kins}
        finer = [k for k in at if at[k] > 1]
        if not finer:
            raise DesignError(f"has more than {MOST_MESSAGES:,} different messages; {advice(trees)}")
        largest = max(finer, key=lambda k: shapes.kins[k].tree.blocks(at[k]))
        caps[largest] = at[largest] - 1
    return caps, tuple(_note(trees, kin, level) for kin, level in caps.items())


def too_large(trees: Trees, caps: Mapping[int, int], limit: int) -> bool:
    """Whether the views that are needed do not fit."""
    needed = trees.needed(caps)
    return max(map(trees.cells, needed)) > limit or sum(map(trees.messages, needed)) > MOST_MESSAGES


def advice(trees: Trees) -> str:
    """What makes a design smaller."""
    return f"lower max_active (now {trees.service.max_active}), or use fewer bins or values"


def _note(trees: Trees, kin: int, level: int) -> str:
    members, tree = trees.shapes.kins[kin].members, trees.shapes.kins[kin].tree
    names = [trees.service.sensitive[i].name for i in members]
    who = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    blocks, size = tree.blocks(level), tree.block_size(level)
    return (
        f"collects {who} together with other attributes in {blocks:,} blocks of {size:,} values, not value by value: "
        f"single values would need more than {MOST_MESSAGES:,} messages (a smaller max_active keeps them)"
    )
