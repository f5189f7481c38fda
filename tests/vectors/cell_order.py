"""The places at which AGR puts cells before it hashes them."""

from __future__ import annotations

from typing import Any

from untold.oracles.cell_order import place_of_cell

FIELDS = ((2, 2), (2, 3), (2, 7), (3, 2), (3, 5), (5, 3), (7, 4), (53, 2), (331, 2), (1621, 3), (65_521, 2), (11, 1))
MOST_LISTED = 64


def cell_order_vectors() -> list[dict[str, Any]]:
    """Of each field all cells, or some over its whole length."""
    found = []
    for sides, digits in FIELDS:
        count = sides**digits
        cells = list(range(count)) if count <= MOST_LISTED else [i * (count - 1) // 15 for i in range(16)]
        places = [place_of_cell(cell, sides, digits) for cell in cells]
        found.append({"sides": sides, "digits": digits, "cells": cells, "places": places})
    return found
