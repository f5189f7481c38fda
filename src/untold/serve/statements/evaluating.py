"""SELECTs that speak of no report (SELECT 1, information_schema), with MySQL's numbers for what is wrong."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from sqlglot import exp

from untold.ask.connection import introspection
from untold.serve.statements.replies import NO_TABLE, NOT_YET, SYNTAX, Refused


def evaluate(tree: exp.Expr, tables: Mapping[str, pa.Table]) -> pa.Table:
    """The rows of a SELECT over these tables."""
    try:
        return introspection.evaluate(tree, tables)
    except introspection.Unevaluated as error:
        if error.unknown:
            raise Refused(NO_TABLE, f"Table '{error.unknown}' doesn't exist") from None
        raise Refused(SYNTAX if error.syntax else NOT_YET, str(error)) from None
