"""What can be handed in as a table: types alone, so that no library has to be there for them."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Protocol


class ArrowStream(Protocol):
    """Tables and streams of pyarrow, pandas, polars, DuckDB and others: all that speak Arrow's C interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class LazyFrame(Protocol):
    """A polars LazyFrame."""

    @property
    def sink_parquet(self) -> Callable[..., object]: ...


class SparkFrame(Protocol):
    """A DataFrame of Spark, classic or Connect."""

    @property
    def mapInArrow(self) -> Callable[..., object]: ...


TableLike = str | PathLike[str] | ArrowStream | LazyFrame | SparkFrame  # a text or path names Parquet files
