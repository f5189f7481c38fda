"""Engines: the only code that sees reports in bulk. Each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.errors import TacitError
from tacit.store import Folder

ENGINES = ("duckdb",)


def open_engine(engine: Any, folder: Folder, epochs: Sequence[int] | None) -> Any:
    """The engine of this name."""
    if engine == "duckdb":
        from tacit.engines.duck import DuckEngine

        return DuckEngine(folder, epochs)
    raise TacitError(f"engine = {engine!r}: one of {', '.join(ENGINES)} is needed.")
