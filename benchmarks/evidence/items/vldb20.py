"""Items of VLDB'20."""

from __future__ import annotations

from benchmarks.evidence.item import Item

ITEMS: tuple[Item, ...] = (
    Item("Figure 6", "", exhibit="vldb20_fig6"),
    Item("Figure 7", "", exhibit="vldb20_fig7"),
    Item("Figure 8", "", exhibit="vldb20_fig8"),
    Item("Figure 9", "", exhibit="vldb20_fig9"),
    Item("Figure 11", "", exhibit="vldb20_fig12"),
    Item("Table 2", "", exhibit="vldb20_table2"),
)
