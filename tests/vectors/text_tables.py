"""The tables by which texts are brought into one form, as they ship."""

from __future__ import annotations

from typing import Any

from untold.plan.schema.text import tables

HOW = {
    "ASSIGNED": "Characters of Unicode 10, in base 36: alternately how many are left out and how many follow. All else is unknown.",
    "FOLD": "In base 36: runs of (first, counted from the first of the run before; how many; step; what is added).",
    "FOLD_MANY": "In base 36: a character, and those that it becomes.",
    "LENGTHS": "29 rows of 51: the bits of each symbol after what stood before it, a digit in base 36 for each.",
    "ALPHABET": "Symbols 0 to 48.",
}


def text_table_vectors() -> list[dict[str, Any]]:
    """Each with how to read it."""
    return [{"name": name, "how": how, "table": getattr(tables, name)} for name, how in HOW.items()]
