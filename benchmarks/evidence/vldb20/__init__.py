"""Exhibits of VLDB'20."""

from __future__ import annotations

from benchmarks.evidence.exhibit import Exhibit
from benchmarks.evidence.vldb20.fig6 import FIG6
from benchmarks.evidence.vldb20.fig7 import FIG7
from benchmarks.evidence.vldb20.fig8 import FIG8
from benchmarks.evidence.vldb20.fig9 import FIG9
from benchmarks.evidence.vldb20.fig12 import FIG12
from benchmarks.evidence.vldb20.table2 import TABLE2

EXHIBITS: tuple[Exhibit, ...] = (FIG6, TABLE2, FIG7, FIG8, FIG9, FIG12)
