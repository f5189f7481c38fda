"""What is collected, as an answer: SHOW TABLES, DESCRIBE and their relatives."""

from __future__ import annotations

import pyarrow as pa

from untold.results import OutputColumn, Result
from untold.sql.introspection import Described


def described(found: Described) -> Result:
    """A table about the plan as a result; nothing in it is estimated."""
    columns = {name: [row[i] for row in found.rows] for i, name in enumerate(found.columns)}
    notes = (found.note,) if found.note else ()
    return Result(tuple(OutputColumn(name, "key") for name in columns), pa.table(columns), 0.95, notes, source="plan")
