"""What is summed: an expression over sensitive ordinals and public numbers -> cases of product terms.

A case says when it applies and what the value is then. Cases exclude each other; where none applies, it is NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlglot import exp

from untold.ask.limits import MAX_CASES, MAX_COMPARED_WAYS
from untold.ask.question.model import Column, Factor, Floats, Term
from untold.ask.sql.columns_used import columns_of, touched
from untold.ask.sql.conditions.logic import ALWAYS, NEVER, Mask, Open, Predicate, both, either, opposite, where_true
from untold.ask.sql.conditions.where import condition
from untold.ask.sql.names import Scope, bare
from untold.ask.sql.one_attribute.branches import WHOLE, branches
from untold.ask.sql.one_attribute.evaluate import Numbers, numbers
from untold.ask.sql.one_attribute.sense import attribute_of
from untold.ask.sql.public_expressions import is_known, number
from untold.ask.sql.refusals import SPAN, Refusal
from untold.ask.sql.totals.like_terms import merged, times
from untold.plan.schema import Sensitive


@dataclass(frozen=True, eq=False)
class Case:
    """A sum of terms, where `when` holds."""

    when: Predicate
    terms: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Amount:
    """A number for every tuple, or NULL."""

    cases: tuple[Case, ...]

    def __post_init__(self) -> None:
        if len(self.cases) > MAX_CASES:
            raise Refusal(
                None, f"The query adds up {len(self.cases)} cases.", "Ask a simpler question.", code="too-large"
            )

    @property
    def known(self) -> Predicate:
        """Where the value is not NULL."""
        return either(*(case.when for case in self.cases))

    @property
    def zero_one(self) -> bool:
        """Whether the value is 0, 1 or NULL for every tuple."""
        return all(_zero_one(case.terms) for case in self.cases)


def _zero_one(terms: tuple[Term, ...]) -> bool:
    if not terms:
        return True
    if len(terms) > 1 or terms[0].publics or terms[0].coefficient not in (0, 1):
        return False
    return all(np.isin(factor.values, (0.0, 1.0)).all() for factor in terms[0].factors)


def amount(tree: exp.Expr, scope: Scope) -> Amount:
    """The value of a resolved expression."""
    tree = bare(tree)
    found = touched(tree, scope)
    if found.open and found.public:
        value = number(tree)
        return Amount((Case(Open(is_known(tree), value.sql), (Term(publics=(value,)),)),))
    rule = RULES.get(type(tree))
    if found.single or (rule is None and not found.public):
        return _finite(tree, scope)
    if rule is None:
        raise Refusal(
            tree,
            f"This computes with {found.words()} in a way that is not a sum of products.",
            "Use +, -, *, division by a number, and CASE WHEN; comparisons go into CASE WHEN or FILTER.",
            code="aggregate",
        )
    return rule(tree, scope)


def _finite(tree: exp.Expr, scope: Scope) -> Amount:
    """A function of sensitive attributes alone, or a constant."""
    refuse_names(tree, scope, tree)
    attribute = attribute_of(tree, scope)
    if attribute is not None:
        found = _own_numbers(attribute)
    else:
        found = numbers(tree, scope)
    columns = columns_of(tree)
    when = where_true(columns, found.known)
    return Amount((Case(when, terms_of(columns, found.values, tree)),) if when != NEVER else ())


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
    if len(rows) > MAX_COMPARED_WAYS:
        raise Refusal(
            tree,
            f"This compares sensitive attributes in {len(rows)} different ways; at most {MAX_COMPARED_WAYS} are added up.",
            "Compare wider groups, such as age // 10 instead of age.",
            code="too-large",
        )
    for place, row in enumerate(rows):
        if row.any():
            yield member.reshape(-1) == place, row.reshape(table.shape[1:])


def _own_numbers(attribute: Sensitive) -> Numbers:
    """The numbers of an attribute itself."""
    values, known = np.zeros(attribute.size), np.arange(attribute.size) < attribute.known
    values[: attribute.known] = attribute.numbers
    return Numbers(values, known)


def numeric_attributes(scope: Scope) -> list[str]:
    """What can be summed here."""
    return [a.name for name in scope.services for a in scope.plan.service(name).sensitive if a.numeric]


def refuse_names(tree: exp.Expr, scope: Scope, whole: exp.Expr) -> None:
    """An attribute without numbers as a number; `whole` is the aggregate that it stands in."""
    attribute = scope.sensitive(tree) if isinstance(tree, exp.Column) else None
    if isinstance(tree, exp.Column) and attribute is not None and not attribute.numeric:
        ordinals = numeric_attributes(scope)
        needs = whole.sql_name() if isinstance(whole, exp.Func) else "a sum or mean"
        here = f" (here: {', '.join(ordinals)})" if ordinals else ""
        raise Refusal(
            whole,
            f"'{attribute.name}' is {attribute.kind} in service '{tree.table}'; {needs} needs an ordinal attribute or a "
            f"public number{here}.",
            f"SELECT {attribute.name}, COUNT(*) ... GROUP BY {attribute.name}.",
            code="aggregate",
        )


def _pairs(join: Callable[[Case, Case], tuple[Term, ...]]) -> Callable[[Any, Scope], Amount]:
    """A rule for two operands: known where both are."""

    def rule(tree: exp.Expr, scope: Scope) -> Amount:
        left, right = amount(tree.this, scope), amount(tree.expression, scope)
        cases = tuple(
            Case(when, join(a, b)) for a in left.cases for b in right.cases if (when := both(a.when, b.when)) != NEVER
        )
        return Amount(cases)

    return rule


def _product(a: Case, b: Case) -> tuple[Term, ...]:
    return times(a.terms, b.terms)


def scaled(terms: tuple[Term, ...], factor: float) -> tuple[Term, ...]:
    """The terms times a number."""
    return tuple(Term(factor * t.coefficient, t.factors, t.publics) for t in terms)


def _negated(tree: exp.Expr, scope: Scope) -> Amount:
    inner = amount(tree.this, scope)
    return Amount(tuple(Case(p.when, scaled(p.terms, -1.0)) for p in inner.cases))


def _quotient(tree: exp.Expr, scope: Scope) -> Amount:
    """Division by a number or by a public expression is multiplication."""
    divisor = touched(tree.expression, scope)
    if not divisor.open:
        raise Refusal(
            tree.expression,
            f"This divides by {divisor.words()}, which is sensitive, beside other columns.",
            "Divide by a number or a public column, or divide two aggregates.",
            code="aggregate",
        )
    inverse = exp.Div(
        this=exp.Literal.number("1.0"), expression=exp.Paren(this=tree.expression.copy()), typed=False, safe=False
    )
    inverse.meta[SPAN] = tree.expression.meta.get(SPAN)
    return RULES[exp.Mul](exp.Mul(this=tree.this.copy(), expression=inverse), scope)


def _case(tree: exp.Expr, scope: Scope) -> Amount:
    pairs, default = branches(tree)
    cases: list[Case] = []
    before: Predicate = ALWAYS
    for test, result in [*pairs, (exp.true(), default)]:
        now = condition(test, scope)
        inner = amount(result, scope)
        cases += [Case(both(before, now, p.when), p.terms) for p in inner.cases]
        before = both(before, opposite(now))
    return Amount(tuple(p for p in cases if p.when != NEVER))


def _coalesce(tree: exp.Expr, scope: Scope) -> Amount:
    cases: list[Case] = []
    before: Predicate = ALWAYS
    for node in (tree.this, *tree.expressions):
        inner = amount(node, scope)
        cases += [Case(both(before, p.when), p.terms) for p in inner.cases]
        before = both(before, opposite(inner.known))
    return Amount(tuple(p for p in cases if p.when != NEVER))


def _cast(tree: exp.Expr, scope: Scope) -> Amount:
    """A condition as 0 or 1; a number as a double."""
    to = tree.args["to"].this
    if to == exp.DType.DOUBLE and type(bare(tree.this)) in RULES:
        return amount(tree.this, scope)
    if to in WHOLE:
        return truth(tree.this, scope)
    raise Refusal(
        tree,
        f"CAST to {tree.args['to'].sql()} is not supported here.",
        "Leave it out: sums are doubles.",
        code="aggregate",
    )


def truth(tree: exp.Expr, scope: Scope) -> Amount:
    """A condition as 1 (true), 0 (false) or NULL (unknown)."""
    yes, no = condition(tree, scope, True), condition(tree, scope, False)
    return Amount(tuple(p for p in (Case(yes, (Term(),)), Case(no, ())) if p.when != NEVER))


RULES: dict[type, Callable[[Any, Scope], Amount]] = {
    exp.Add: _pairs(lambda a, b: merged(a.terms + b.terms)),
    exp.Sub: _pairs(lambda a, b: merged(a.terms + scaled(b.terms, -1.0))),
    exp.Mul: _pairs(_product),
    exp.Div: _quotient,
    exp.Neg: _negated,
    exp.Case: _case,
    exp.If: _case,
    exp.Coalesce: _coalesce,
    exp.Cast: _cast,
    exp.And: truth,
    exp.Or: truth,
    exp.Not: truth,
    exp.Is: truth,
}
