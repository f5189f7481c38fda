"""How cells below zero go, by name; "auto" chooses by the size of a table.

Ripple moves what a cell lacks to its neighbours, so that coarser sums stay where they were; Norm-Sub takes it evenly from
all cells. With views of a few attributes Ripple was as good or better in most settings of the evidence book (ccs18_views).
In large tables it takes thousands of steps, and is finished by Norm-Sub anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from untold.decoded.contrasts import Floats
from untold.decoded.norm_sub import norm_sub
from untold.marginals.nonnegative import NONNEGATIVE, ripple

FEW_CELLS = 64  # of a table: up to here "auto" is Ripple


def by_size(tables: Floats) -> Floats:
    """Ripple for small tables, Norm-Sub for large ones; all of one shape."""
    return ripple(tables) if prod(tables.shape[1:]) <= FEW_CELLS else norm_sub(tables)


CLEARING: dict[str, Callable[[Floats], Floats]] = {"auto": by_size, **NONNEGATIVE}
