"""Exhibits of CCS'18."""

from __future__ import annotations

from benchmarks.evidence.ccs18.example import EXAMPLE
from benchmarks.evidence.ccs18.fig4 import FIG4
from benchmarks.evidence.ccs18.table2 import TABLE_2
from benchmarks.evidence.exhibit import Exhibit

EXHIBITS: tuple[Exhibit, ...] = (TABLE_2, FIG4, EXAMPLE)
