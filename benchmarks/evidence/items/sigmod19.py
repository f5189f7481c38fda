"""Items of SIGMOD'19."""

from __future__ import annotations

from benchmarks.evidence.item import Item

ITEMS: tuple[Item, ...] = (Item("Figure 4", "one ordinal attribute, by volume and people", exhibit="sigmod19_fig4"),)
