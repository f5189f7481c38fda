"""Why DuckDB could not compute an expression over declared values, said of the part that failed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from untold.ask.sql.node_names import name_of
from untold.ask.sql.one_attribute.database import SECONDS, Stranger, WalledDatabase, failures
from untold.ask.sql.one_attribute.writing import Written
from untold.ask.sql.refusals import SPAN, Refusal
from untold.plan.schema.words import show

MOST_PARTS = 400  # that are tried one by one
NO_VALUES = (exp.Identifier, exp.DataType, exp.DataTypeParam, exp.Var, exp.If, exp.Interval, exp.Null)
KINDS = (  # what DuckDB calls it, what it means, and what to do
    ("Division by zero", "This divides by zero", "Divide by something that is never zero, or by NULLIF(x, 0)."),
    (
        "date field value|invalid date|timestamp field|invalid timestamp",
        "There is no such day or time",
        "Write it like DATE '2026-01-31' or TIMESTAMP '2026-01-31 12:00:00'.",
    ),
    (
        "Overflow|out of range|Out of Range|Overflow",
        "A number is too large here",
        "Use smaller numbers, or CAST to DOUBLE.",
    ),
    (
        "Conversion Error|Could not convert",
        "A value cannot be read as another type here",
        "Compare values of one type: numbers without quotes, texts in single quotes; TRY_CAST gives NULL instead.",
    ),
    ("INTERRUPT|Interrupted", f"This takes longer than {SECONDS:.0f} seconds", "Ask a simpler question."),
    ("regex|pattern|missing|repetition", "This pattern cannot be read", "Check its brackets."),
    ("Out of Memory|memory", "This takes too much memory", "Ask a simpler question."),
)
TYPE_WORDS = (
    ("BOOL", "a condition"), ("VARCHAR", "a text"), ("TIMESTAMP", "a time"), ("DATE", "a date"), ("TIME", "a time of day"),
    ("INTERVAL", "an interval"), ("NULL", "NULL"), ("LITERAL", "a literal"),
)  # fmt: skip


def type_words(name: str) -> str:
    """DuckDB's type as a reader calls it.

    >>> type_words("DECIMAL(3,1)"), type_words("VARCHAR"), type_words("STRING_LITERAL")
    ('a number', 'a text', 'a text')
    """
    if "STRING" in name:
        return "a text"
    return next((words for part, words in TYPE_WORDS if part in name and "INTEGER" not in name), "a number")


def explained(error: Exception, asked: Written, db: WalledDatabase, tables: list[str]) -> Refusal:
    """The refusal for what DuckDB has raised."""
    if isinstance(error, Stranger):
        return Refusal(
            asked.tree,
            "This is not among the functions that are computed here.",
            "Write it in another way.",
            code="value",
        )
    said = str(error)
    if "Binder Error" in said or "Catalog Error" in said:
        node = _first(asked, lambda part: _binds(part, asked, db, tables))
        takes = [_type(part, asked, db, tables) for part in node.iter_expressions() if not isinstance(part, NO_VALUES)]
        words = " and ".join(takes) or "this"
        return Refusal(
            node, f"{name_of(node)} does not take {words}.", "CAST what it is given to another type.", code="expression"
        )
    meaning, hint = next(
        ((meaning, hint) for pattern, meaning, hint in KINDS if re.search(pattern, said)),
        ("This cannot be computed", "Write it in another way."),
    )
    node, where = asked.tree, ""
    if "INTERRUPT" not in said and len(asked.attributes) <= 1:
        where, tables = _narrowed(asked, db, tables)
        node = _first(asked, lambda part: _computes(part, asked, db, tables))
    return Refusal(node, f"{meaning}{where}.", hint, code="expression")


def _narrowed(asked: Written, db: WalledDatabase, tables: list[str]) -> tuple[str, list[str]]:
    """One value for which the expression fails, found by halving the domain."""
    if not asked.attributes:
        return "", tables
    (attribute,) = asked.attributes
    first, last = 0, attribute.size - 1
    while first < last:
        middle = (first + last) // 2
        db.part(tables[0], first, middle)
        if _computes(asked.tree, asked, db, ["part"]):
            first = middle + 1
        else:
            last = middle
    db.part(tables[0], first, first)
    value = attribute.value(first)
    return f" where {attribute.name} is {'NULL' if value is None else show(value)}", ["part"]


def _first(asked: Written, works: Callable[[exp.Expr], bool]) -> exp.Expr:
    """The smallest part that does not work: all of its own parts do."""
    for part in _parts(asked.tree):
        if not works(part):
            while not part.meta.get(SPAN) and part.parent is not None and part is not asked.tree:
                part = part.parent
            return part
    return asked.tree


def _parts(tree: exp.Expr) -> Iterator[exp.Expr]:
    nodes = [node for node in reversed(list(tree.walk(bfs=False))) if not isinstance(node, NO_VALUES)]
    return iter(nodes if len(nodes) <= MOST_PARTS else [tree])


def _statement(part: exp.Expr, asked: Written, tables: list[str]) -> str:
    return f"SELECT {asked.sql(part)}" + (f" FROM {asked.source(tables)}" if tables else "")


def _computes(part: exp.Expr, asked: Written, db: WalledDatabase, tables: list[str]) -> bool:
    try:
        db.run(_statement(part, asked, tables))
    except failures():
        return False
    return True


def _binds(part: exp.Expr, asked: Written, db: WalledDatabase, tables: list[str]) -> bool:
    return _type(part, asked, db, tables) != ""


def _type(part: exp.Expr, asked: Written, db: WalledDatabase, tables: list[str]) -> str:
    try:
        return type_words(db.type_of(_statement(part, asked, tables)))
    except failures() as error:
        return "" if "Binder Error" in str(error) or "Catalog Error" in str(error) else "a value"
