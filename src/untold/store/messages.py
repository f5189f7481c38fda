"""Whether the messages of a segment are ones that the plan has. One beyond them is no report: it must not be passed over."""

from __future__ import annotations

from pathlib import Path

from untold.errors import StoreError
from untold.store.columns import MESSAGE


def beyond(path: Path, messages: int) -> bool:
    """Whether a segment says (in its footer; rows are not read) that it holds a message beyond so many."""
    import pyarrow.parquet as pq  # takes a while to load, and answers from summaries do without

    footer = pq.read_metadata(path)
    column = next((c for c in range(footer.num_columns) if footer.schema.column(c).path == MESSAGE), None)
    if column is None:
        return False
    known = (footer.row_group(group).column(column).statistics for group in range(footer.num_row_groups))
    return any(each is not None and each.has_min_max and each.max >= messages for each in known)


def refusal(file: str, messages: int) -> StoreError:
    """What is wrong with such a segment."""
    return StoreError(
        f"{file} holds reports with a message beyond the {messages:,} that the plan has: it was not made under this plan.\n"
        "Hint: restore it from a copy; `untold verify` names every such file."
    )
