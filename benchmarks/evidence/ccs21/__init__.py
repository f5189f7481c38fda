"""Exhibits of CCS'21."""

from __future__ import annotations

from benchmarks.evidence.exhibit import Exhibit

EXHIBITS: tuple[Exhibit, ...] = ()
