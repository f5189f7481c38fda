"""Reads a CSV file as a plan understands it: texts stay texts, so that 007 is no 7, and NA may be a value that is listed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv

from untold.errors import BadRecord
from untold.plan import Plan
from untold.plan.schema import Service


def read_if_csv(table: Any, plan: Plan, service: Service, names: Mapping[str, str]) -> Any:
    """The path of a .csv file as an Arrow table; anything else as it is. `names` are columns of the file by the plan's names."""
    if not isinstance(table, str | Path) or Path(table).suffix.lower() != ".csv":
        return table
    if not Path(table).is_file():
        raise BadRecord(f"{table}: no such file.")
    words = [a.name for a in service.sensitive if a.value_type not in ("integer", "number", "boolean")]
    as_text = {names[name]: pa.string() for name in (plan.user_key, *words)}
    values = {value for a in service.sensitive for value in a.listed or ()}
    nothing = [text for text in csv.ConvertOptions().null_values if text not in values]  # NA may be Namibia
    options = csv.ConvertOptions(column_types=as_text, strings_can_be_null=True, null_values=nothing)
    try:
        return csv.read_csv(table, convert_options=options)
    except pa.ArrowInvalid as error:
        raise BadRecord(
            f"{table} cannot be read as CSV: {error}\nHint: the first line names the columns, as the plan does."
        ) from error
