"""Exhibits of CCS'21."""

from __future__ import annotations

from benchmarks.evidence.ccs21.curator import CURATOR
from benchmarks.evidence.ccs21.topl import TOPL
from benchmarks.evidence.exhibit import Exhibit

EXHIBITS: tuple[Exhibit, ...] = (CURATOR, TOPL)
