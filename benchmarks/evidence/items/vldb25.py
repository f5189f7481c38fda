"""Items of VLDB'25."""

from __future__ import annotations

from benchmarks.evidence.item import Item

ITEMS: tuple[Item, ...] = ()
