"""Items of VLDB'20."""

from __future__ import annotations

from benchmarks.evidence.item import Item

ITEMS: tuple[Item, ...] = ()
