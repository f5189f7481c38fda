"""Exhibits of VLDB'25."""

from __future__ import annotations

from benchmarks.evidence.exhibit import Exhibit
from benchmarks.evidence.vldb25.beyond import BEYOND
from benchmarks.evidence.vldb25.fig3 import FIG3
from benchmarks.evidence.vldb25.fig4 import FIG4
from benchmarks.evidence.vldb25.fig5 import FIG5
from benchmarks.evidence.vldb25.fig6 import FIG6
from benchmarks.evidence.vldb25.fig7 import FIG7
from benchmarks.evidence.vldb25.fig7b import FIG7B
from benchmarks.evidence.vldb25.fig8 import FIG8
from benchmarks.evidence.vldb25.ule import ULE

EXHIBITS: tuple[Exhibit, ...] = (FIG3, FIG4, FIG5, FIG6, FIG7, FIG7B, FIG8, ULE, BEYOND)
