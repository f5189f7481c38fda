"""Items of SIGMOD'19."""

from __future__ import annotations

from benchmarks.evidence.item import Item

ITEMS: tuple[Item, ...] = (
    Item("Figure 4", "", exhibit="sigmod19_fig4"),
    Item("Figure 5", "", exhibit="sigmod19_fig5"),
    Item("Figure 6", "", exhibit="sigmod19_fig6"),
    Item("Figure 7", "", exhibit="sigmod19_fig7"),
    Item("Figure 8", "", exhibit="sigmod19_fig8"),
    Item("Figure 9", "", exhibit="sigmod19_fig9"),
    Item("Figure 10", "", exhibit="sigmod19_fig10"),
    Item("Figure 11", "", exhibit="sigmod19_fig11"),
    Item("Figure 12", "", exhibit="sigmod19_fig12"),
    Item("Figure 14", "", exhibit="sigmod19_fig14"),
    Item("Table 2", "", exhibit="sigmod19_table2"),
)
