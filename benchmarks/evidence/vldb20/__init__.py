"""Exhibits of VLDB'20."""

from __future__ import annotations

from benchmarks.evidence.exhibit import Exhibit

EXHIBITS: tuple[Exhibit, ...] = ()
