"""Doors that users see say what they take and give: no `Any` by itself, and real tables have the types that they name."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import untold
from untold import marginals
from untold.tables.table_like import ArrowStream, LazyFrame

DOORS = [getattr(untold, name) for name in untold.__all__] + [marginals.collect, marginals.load, marginals.plan_for]


def untyped(door: object) -> Iterator[str]:
    """Parameters and results of a function, or of a class's public methods, that are annotated with Any alone."""
    public = inspect.getmembers(door, inspect.isroutine) if inspect.isclass(door) else [("", door)]
    for name, function in public:
        if inspect.isroutine(function) and (name == "__init__" or not name.startswith("_")):
            annotations = getattr(function, "__annotations__", {})
            yield from (f"{name}({each})" for each, said in annotations.items() if said in ("Any", "Any | None"))


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_door_takes_or_gives_just_anything(door: object) -> None:
    assert list(untyped(door)) == []


def test_a_door_without_types_is_noticed() -> None:
    class Loose:
        def ask(self, table: Any) -> Any: ...  # noqa: F821

    assert list(untyped(Loose)) == ["ask(table)", "ask(return)"]


def test_tables_have_the_types_that_doors_name() -> None:
    table = pa.table({"x": [1]})
    for each in (table, table.to_batches()[0], pd.DataFrame({"x": [1]}), pl.DataFrame({"x": [1]})):
        assert hasattr(each, ArrowStream.__arrow_c_stream__.__name__)
    assert hasattr(pl.LazyFrame({"x": [1]}), "sink_parquet")
    assert isinstance(LazyFrame.sink_parquet, property)
