"""Exhibits of VLDB'25."""

from __future__ import annotations

from benchmarks.evidence.exhibit import Exhibit

EXHIBITS: tuple[Exhibit, ...] = ()
