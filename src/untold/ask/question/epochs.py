"""The epoch of a report as a public column: what public expressions say once it is known.

Epochs have no other values than those that were collected, so an expression over `epoch` alone is a constant in each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from sqlglot import exp

from untold.ask.question.model import PublicKey, PublicNumber, Question

EPOCH = "epoch"  # no attribute may be called so


def of_epochs_alone(public: PublicNumber) -> bool:
    """Whether an expression uses no column but the epoch."""
    return {column.name for column in public.tree.find_all(exp.Column)} == {EPOCH}


def at_epoch(public: PublicNumber, epoch: int) -> PublicNumber:
    """The expression for reports of one epoch, simplified as far as that goes.

    >>> tree = exp.maybe_parse("CASE WHEN users.epoch IN (1, 2) AND users.os = 'ios' THEN 1 ELSE 0 END", dialect="duckdb")
    >>> at_epoch(PublicNumber(tree.sql(), tree), 1).sql, at_epoch(PublicNumber(tree.sql(), tree), 3).sql
    ("CASE WHEN users.os = 'ios' THEN 1 ELSE 0 END", '0')
    """
    number = exp.Literal.number(epoch)
    tree = public.tree.copy().transform(_simpler, copy=False)
    tree = tree.transform(lambda node: number.copy() if _is_epoch(node) else node, copy=False)
    tree = tree.transform(_plain_number, copy=False)
    from sqlglot.optimizer.simplify import simplify

    found = cast(exp.Expression, simplify(tree, dialect="duckdb"))
    return PublicNumber(found.sql("duckdb"), found)


def constant(public: PublicNumber) -> float | None:
    """The number that an expression is, if it is one."""
    tree = public.tree
    sign = -1.0 if isinstance(tree, exp.Neg) else 1.0
    literal = tree.this if isinstance(tree, exp.Neg) else tree
    return sign * float(literal.name) if isinstance(literal, exp.Literal) and not literal.is_string else None


def epochs_asked(question: Question, epochs: Iterable[int]) -> tuple[int, ...]:
    """Those epochs of which the question's WHERE keeps any row, as far as it speaks of nothing else."""
    kept = question.filter
    return tuple(epochs) if kept is None else tuple(e for e in epochs if constant(at_epoch(kept, e)) != 0)


def by_epoch(question: Question) -> bool:
    """Whether every row of the result speaks of one epoch: GROUP BY epoch, or its start."""
    return any(isinstance(key, PublicKey) and _names_one(key.expression) for key in question.keys)


def question_at(question: Question, epoch: int) -> Question:
    """The question about reports of one epoch; its keys stay."""

    def known(publics: tuple[PublicNumber, ...]) -> tuple[float, tuple[PublicNumber, ...]]:
        factor, rest = 1.0, []
        for public in publics:
            number = constant(now := at_epoch(public, epoch))
            factor *= 1.0 if number is None else number
            rest += [now] if number is None else []
        return factor, tuple(rest)

    totals = []
    for total in question.totals:
        terms = []
        for term in total.terms:
            factor, publics = known(term.publics)
            terms.append(replace(term, coefficient=term.coefficient * factor, publics=publics))
        totals.append(replace(total, terms=tuple(terms)))
    return replace(question, totals=tuple(totals), filter=None)


def _names_one(public: PublicNumber) -> bool:
    """The epoch itself, or a date for each: both differ from epoch to epoch."""
    tree: exp.Expr = public.tree
    while isinstance(tree, exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.Case) and of_epochs_alone(public):
        made = [each.args["true"] for each in tree.args["ifs"]]
        starts = all(isinstance(each, exp.Cast) and isinstance(each.this, exp.Literal) for each in made)
        return starts and len({each.sql() for each in made}) == len(made) and isinstance(tree.this, exp.Column)
    return isinstance(tree, exp.Column) and tree.name == EPOCH


def _is_epoch(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name == EPOCH


def _simpler(node: exp.Expr) -> exp.Expr:
    """`simplify` leaves IN alone, but not comparisons with each of its values."""
    if isinstance(node, exp.In) and node.expressions and any(map(_is_epoch, node.find_all(exp.Column))):
        return exp.paren(exp.or_(*(exp.EQ(this=node.this.copy(), expression=each.copy()) for each in node.expressions)))
    return node


def _plain_number(node: exp.Expr) -> exp.Expr:
    """CAST(2 AS DOUBLE) is 2, and so is COALESCE(2, 0)."""
    double = isinstance(node, exp.Cast) and node.to.this == exp.DType.DOUBLE
    inner: exp.Expr = node.this if double or isinstance(node, exp.Coalesce) else node
    while isinstance(inner, exp.Paren | exp.Cast):
        inner = inner.this
    return inner if isinstance(inner, exp.Literal) and not inner.is_string else node
