"""The columns `epoch` and `epoch_start`: when a report was made, which is public."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from sqlglot import exp

from untold.question.epochs import EPOCH
from untold.schema import Service
from untold.sql.names import column_node

START = "epoch_start"
EpochDates = Mapping[int, date]
NO_DATES: EpochDates = MappingProxyType({})


def epoch_columns(service: Service, dates: EpochDates) -> dict[str, exp.Expr]:
    """Of a service that reports in epochs. One that reports once for all of them has no epoch of its own."""
    if service.repeat == "once":
        return {}
    number = column_node(service.name, EPOCH)
    return {EPOCH: number} | ({START: _start(number, dates)} if dates else {})


def _start(number: exp.Column, dates: EpochDates) -> exp.Expr:
    """CASE epoch WHEN 3 THEN DATE '2026-11-01' ... END; NULL for an epoch without a date."""
    days = [
        exp.If(
            this=exp.Literal.number(epoch),
            true=exp.cast(exp.Literal.string(day.isoformat()), exp.DType.DATE),
        )
        for epoch, day in sorted(dates.items())
    ]
    return exp.Case(this=number.copy(), ifs=days)
