"""Exhibits of SIGMOD'19."""

from __future__ import annotations

from benchmarks.evidence.exhibit import Exhibit
from benchmarks.evidence.sigmod19.beyond import BEYOND
from benchmarks.evidence.sigmod19.fig4 import FIG4
from benchmarks.evidence.sigmod19.fig5 import FIG5
from benchmarks.evidence.sigmod19.fig6 import FIG6
from benchmarks.evidence.sigmod19.fig7 import FIG7
from benchmarks.evidence.sigmod19.fig8 import FIG8
from benchmarks.evidence.sigmod19.fig9 import FIG9
from benchmarks.evidence.sigmod19.fig10 import FIG10
from benchmarks.evidence.sigmod19.fig11 import FIG11
from benchmarks.evidence.sigmod19.fig12 import FIG12
from benchmarks.evidence.sigmod19.fig14 import FIG14
from benchmarks.evidence.sigmod19.table2 import TABLE2

EXHIBITS: tuple[Exhibit, ...] = (FIG4, FIG5, FIG6, FIG7, FIG8, FIG9, FIG10, FIG11, FIG12, FIG14, TABLE2, BEYOND)
