"""SELECTs that speak of no report (SELECT 1, information_schema): DuckDB evaluates what is on a list of harmless parts."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from sqlglot import exp

from untold.engines.small_tables import ask_small_tables
from untold.errors import UntoldError
from untold.serve.statements.reading import as_duckdb
from untold.serve.statements.replies import NO_TABLE, NOT_YET, SYNTAX, Refused

HARMLESS = {
    *(
        "Select",
        "From",
        "Join",
        "Table",
        "TableAlias",
        "Subquery",
        "Union",
        "Where",
        "Group",
        "Having",
        "Order",
        "Ordered",
    ),
    *(
        "Limit",
        "Offset",
        "Distinct",
        "Identifier",
        "Column",
        "Alias",
        "Star",
        "Literal",
        "Null",
        "Boolean",
        "Tuple",
        "Dot",
    ),
    *("And", "Or", "Not", "Paren", "EQ", "NullSafeEQ", "NEQ", "GT", "GTE", "LT", "LTE", "Like", "In", "Is", "Between"),
    *("Case", "If", "Coalesce", "Nullif", "Cast", "DataType", "DataTypeParam", "Var", "Add", "Sub", "Mul", "Neg"),
    *("Count", "Max", "Min", "Sum", "Avg", "Concat", "Lower", "Upper", "Substring", "StrPosition", "Trim"),
    *("Left", "Right", "Length", "Least", "Greatest", "Abs", "Div", "Mod", "Round", "Floor"),
}


def evaluate(tree: exp.Expr, tables: Mapping[str, pa.Table]) -> pa.Table:
    """The rows of a SELECT over these tables."""
    known = {name.lower(): name for name in tables}
    for collated in tree.find_all(exp.Collate):
        collated.replace(collated.this)
    for node in tree.walk():
        if type(node).__name__ not in HARMLESS:
            name = node.name or type(node).__name__
            raise Refused(NOT_YET, f"{name.upper()} is not evaluated where no report is asked.")
        if isinstance(node, exp.Table):
            if node.name.lower() not in known or not isinstance(node.this, exp.Identifier):
                raise Refused(NO_TABLE, f"Table '{node.sql(dialect='mysql')}' doesn't exist")
            node.set("this", exp.to_identifier(known[node.name.lower()], quoted=True))
            if not node.alias and isinstance(node.parent, exp.From | exp.Join):
                node.set("alias", exp.TableAlias(this=exp.to_identifier(known[node.name.lower()], quoted=True)))
    try:
        return ask_small_tables(tables, as_duckdb(tree))
    except UntoldError:
        raise
    except Exception as error:  # DuckDB's own words, about a text of the analyst's; it has read no file
        raise Refused(SYNTAX, str(error).partition("\n")[0]) from None
