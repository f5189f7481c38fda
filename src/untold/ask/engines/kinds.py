"""Which engines there are. A new one is a class with the methods of `base.Engine`, and one entry in ENGINES.

An entry names the class by its place, so that DuckDB or Spark is loaded only by those who ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from untold.errors import UntoldError

if TYPE_CHECKING:
    from untold.ask.engines.base import Engine
    from untold.store import Folder


class Session(Protocol):
    """A SparkSession, classic or of Spark Connect: it can be given instead of an engine's name."""

    @property
    def version(self) -> str: ...

    def createDataFrame(self, data: Any, /) -> Any: ...


@dataclass(frozen=True)
class EngineOptions:
    """How an engine should work; None: as it likes. Every engine says which of these it knows.

    master     where Spark works
    segments   where Spark finds a copy of the segments
    threads    how many DuckDB uses
    megabytes  of memory that DuckDB may take
    """

    master: str | None = None
    segments: str | None = None
    threads: int | None = None
    megabytes: int | None = None


AS_IT_LIKES = EngineOptions()
Epochs = Sequence[int] | None
Opener = Callable[["Folder", Epochs, Session | None, EngineOptions], "Engine"]


@dataclass(frozen=True)
class EngineKind:
    """An engine that can be asked for: its name, how to open it, the options that it knows, and whether an object is a
    session of it."""

    name: str
    open: Opener
    options: tuple[str, ...] = ()
    owns: Callable[[object], bool] = lambda given: False


def open_duckdb(folder: Folder, epochs: Epochs, _: Session | None, options: EngineOptions) -> Engine:
    """DuckDB in this process."""
    from untold.ask.engines.duck import DuckEngine

    return DuckEngine(folder, epochs, options.threads, options.megabytes)


def open_spark(folder: Folder, epochs: Epochs, session: Session | None, options: EngineOptions) -> Engine:
    """Spark in a session that is given, or in a new one."""
    from untold.collect.spark.needs import check_pyspark

    check_pyspark()
    from untold.ask.engines.spark import SparkEngine

    return SparkEngine(folder, epochs, session, options.master, options.segments)


def is_spark_session(given: object) -> bool:
    """Whether an object comes from pyspark, which is not loaded to find out."""
    return type(given).__module__.startswith("pyspark")


ENGINES: tuple[EngineKind, ...] = (
    EngineKind("duckdb", open_duckdb, ("threads", "megabytes")),
    EngineKind("spark", open_spark, ("master", "segments"), is_spark_session),
)


def engine_names() -> tuple[str, ...]:
    """The names that can be asked for."""
    return tuple(kind.name for kind in ENGINES)


def engines_with(option: str) -> tuple[str, ...]:
    """The names of the engines that know an option."""
    return tuple(kind.name for kind in ENGINES if option in kind.options)


def open_engine(
    engine: str | Session, folder: Folder, epochs: Epochs = None, options: EngineOptions = AS_IT_LIKES
) -> Engine:
    """The engine of this name, or the one whose session is given."""
    kind = next((kind for kind in ENGINES if engine == kind.name or kind.owns(engine)), None)
    if kind is None:
        known = ", ".join(engine_names())
        raise UntoldError(f"engine = {engine!r}: one of {known}, or a SparkSession, is needed.")
    for name, value in asdict(options).items():
        if value is not None and name not in kind.options:
            able = '" or "'.join(engines_with(name))
            raise UntoldError(f'{name} = {value!r} is for engine="{able}".')
    return kind.open(folder, epochs, None if isinstance(engine, str) else engine, options)
