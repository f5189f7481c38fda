"""Whether a segment holds what its manifest and the plan say. What is no report must not be passed over, nor counted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untold.store.columns import EPOCH, MESSAGE, SLOT

if TYPE_CHECKING:
    from untold.plan import Plan
    from untold.store.manifest import Segment

TYPES = {EPOCH: "int32", SLOT: "int16", MESSAGE: "uint32"}


def strangeness(path: Path, segment: Segment, plan: Plan) -> str | None:
    """How a segment differs from what it should hold, by its size and its footer (rows are not read); None if it does not.
    A file that is not there is left to whoever reads it."""
    import pyarrow as pa
    import pyarrow.parquet as pq  # takes a while to load, and answers from summaries do without

    if not path.exists():
        return None
    if not path.is_file():
        return "is no file"
    if path.stat().st_size != segment.bytes:
        return f"is damaged: it has {path.stat().st_size:,} bytes, {segment.bytes:,} were written"
    try:
        with pq.ParquetFile(path) as file:
            return next(_faults(file, segment, plan), None)
    except (pa.ArrowException, ValueError, TypeError) as error:
        return f"is damaged: {str(error).splitlines()[0][:200]}"
    except OSError as error:
        return f"cannot be read: {str(error).splitlines()[0][:200]}"


def _faults(file: Any, segment: Segment, plan: Plan) -> Iterator[str]:
    schema, design = file.schema_arrow, plan.design(segment.service)
    wanted = (plan.user_key, *TYPES, *design.extra_columns)
    if missing := [name for name in wanted if name not in schema.names]:
        yield f"has no column '{missing[0]}'"
        return
    if file.metadata.num_rows != segment.rows:
        yield f"has {file.metadata.num_rows:,} reports, {segment.rows:,} were written"
    for name, kind in TYPES.items():
        if str(schema.field(name).type) != kind:
            yield f"has a column '{name}' of type {schema.field(name).type}, not {kind}"
            return
    for name in (plan.user_key, *TYPES):
        if _nulls(file, name):
            yield f"holds reports without '{name}'"
            return
    low, high = _range(file, EPOCH)
    if (low, high) not in ((segment.epoch, segment.epoch), (None, None)):
        yield f"holds reports of epochs {low} to {high}, listed as epoch {segment.epoch}"
    _, high = _range(file, MESSAGE)
    if high is not None and high >= design.messages:
        yield f"holds reports with a message beyond the {design.messages:,} that the plan has: it was not made under this plan"


def _statistics(file: Any, name: str) -> list[Any] | None:
    """What the footer says of a column, for each group of rows; None if it does not."""
    footer = file.metadata
    place = next(c for c in range(footer.num_columns) if footer.schema.column(c).path == name)
    found = [footer.row_group(group).column(place).statistics for group in range(footer.num_row_groups)]
    sound = all(each is not None and each.has_null_count for each in found)
    return found if sound else None


def _nulls(file: Any, name: str) -> int:
    told = _statistics(file, name)
    if told is not None:
        return sum(each.null_count for each in told)
    return int(file.read([name]).column(name).null_count)


def _range(file: Any, name: str) -> tuple[Any, Any]:
    """The smallest and the largest number of a column; of none, None."""
    import pyarrow.compute as pc

    told = _statistics(file, name)
    if told is None or not all(each.has_min_max for each in told):
        found = pc.min_max(file.read([name]).column(name)).as_py()
        return found["min"], found["max"]
    return min((each.min for each in told), default=None), max((each.max for each in told), default=None)
