"""Exhibits of CCS'18."""

from __future__ import annotations

from benchmarks.evidence.ccs18.example import EXAMPLE
from benchmarks.evidence.ccs18.fig4 import FIG4
from benchmarks.evidence.ccs18.fig5 import FIG5
from benchmarks.evidence.ccs18.fig6 import FIG6
from benchmarks.evidence.ccs18.fig7 import FIG7
from benchmarks.evidence.ccs18.fig8 import FIG8
from benchmarks.evidence.ccs18.fig9 import FIG9
from benchmarks.evidence.ccs18.table2 import TABLE_2
from benchmarks.evidence.ccs18.views import VIEWS
from benchmarks.evidence.exhibit import Exhibit

EXHIBITS: tuple[Exhibit, ...] = (TABLE_2, FIG4, EXAMPLE, FIG5, FIG6, FIG7, FIG8, FIG9, VIEWS)
