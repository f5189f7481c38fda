"""Functions of several sensitive attributes, as sums of products: one product for each different row of their table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlglot import exp

from untold.question.model import Column, Factor, Floats, Term
from untold.sql.conditions.logic import Fixed, Mask, Predicate, tabled
from untold.sql.names import as_column
from untold.sql.refusals import Refusal

MOST_ROWS = 256


def columns_of(tree: exp.Expr) -> list[Column]:
    """The attributes of a resolved expression, in the order of the axes of what it evaluates to."""
    return list(dict.fromkeys(as_column(column) for column in tree.find_all(exp.Column)))


def where_true(columns: Sequence[Column], mask: Mask) -> Predicate:
    """The condition that a table of yes and no describes."""
    return tabled(tuple(columns), mask) if columns else Fixed(bool(mask))


def terms_of(columns: Sequence[Column], values: Floats, tree: exp.Expr) -> tuple[Term, ...]:
    """The sum of products that a table of numbers is."""
    if not columns:
        return (Term(float(values)),) if values else ()
    if len(columns) == 1:
        return (Term(factors=(Factor(columns[0], values),)),)
    return tuple(
        Term(
            term.coefficient,
            tuple(sorted((Factor(columns[0], rows.astype(np.float64)), *term.factors), key=lambda f: f.column)),
        )
        for rows, row in _different(values, tree)
        for term in terms_of(columns[1:], row, tree)
    )


def _different(table: Any, tree: exp.Expr) -> Iterator[tuple[Mask, Any]]:
    """The different rows of a table, and where each stands; rows of nothing are left out."""
    flat = table.reshape(len(table), -1)
    rows, member = np.unique(flat, axis=0, return_inverse=True)
    if len(rows) > MOST_ROWS:
        raise Refusal(
            tree,
            f"This compares sensitive attributes in {len(rows)} different ways; at most {MOST_ROWS} are added up.",
            "Compare wider groups, such as age // 10 instead of age.",
        )
    for number, row in enumerate(rows):
        if row.any():
            yield member.reshape(-1) == number, row.reshape(table.shape[1:])
