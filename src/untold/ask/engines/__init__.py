"""Engines: the only code that sees reports in bulk. Each is imported when somebody first uses it."""

from untold.ask.engines.kinds import (
    ENGINES,
    EngineKind,
    EngineOptions,
    Session,
    engine_names,
    engines_with,
    open_engine,
)

__all__ = ["ENGINES", "EngineKind", "EngineOptions", "Session", "engine_names", "engines_with", "open_engine"]
