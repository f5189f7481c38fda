"""The forecast of several SELECTs with UNION ALL between them: the columns of each, which people read row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from untold.estimates.forecast import Forecast
from untold.question.model import Question

OfPart = Callable[[Question, float | None, float | None], Forecast]  # question, users, error


def union_forecast(
    sql: str, parts: Sequence[Question], of_part: OfPart, users: float | None, error: float | None
) -> Forecast:
    """For so many users; or for the fewest with which every column of every part is as close as wanted."""
    found = [of_part(part, users, error) for part in parts]
    if error is not None:
        most = max(each.users for each in found)
        found = [of_part(part, most, None) for part in parts]
    names = [column.name for column in found[0].columns]
    columns = tuple(
        replace(column, name=f"{name} of SELECT number {number}")
        for number, each in enumerate(found, 1)
        for name, column in zip(names, each.columns, strict=False)
    )
    groups = {each.groups for each in found}
    return Forecast(sql, found[0].users, columns, groups.pop() if len(groups) == 1 else 1, found[0].assumptions, error)
