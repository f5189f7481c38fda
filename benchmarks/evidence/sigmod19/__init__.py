"""Exhibits of SIGMOD'19."""

from __future__ import annotations

from benchmarks.evidence.exhibit import Exhibit
from benchmarks.evidence.sigmod19.fig4 import FIG4

EXHIBITS: tuple[Exhibit, ...] = (FIG4,)
