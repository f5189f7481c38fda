"""All figures, tables, theorems and algorithms of the five papers: one file per paper."""

from __future__ import annotations

from benchmarks.evidence.item import Item
from benchmarks.evidence.items import ccs18, ccs21, sigmod19, vldb20, vldb25

ITEMS: dict[str, tuple[Item, ...]] = {
    "sigmod19": sigmod19.ITEMS,
    "vldb20": vldb20.ITEMS,
    "ccs18": ccs18.ITEMS,
    "vldb25": vldb25.ITEMS,
    "ccs21": ccs21.ITEMS,
}
