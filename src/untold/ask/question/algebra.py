"""Sums and products of terms: a product of two totals' integrands is again a sum of product terms."""

from __future__ import annotations

from collections.abc import Callable

from untold.ask.question.model import Column, Factor, Term, Total


def multiply(left: Term, right: Term) -> Term:
    """The product of two terms; factors of the same attribute multiply code by code."""
    factors: dict[Column, Factor] = {factor.column: factor for factor in left.factors}
    for factor in right.factors:
        known = factors.get(factor.column)
        factors[factor.column] = Factor(factor.column, known.values * factor.values) if known else factor
    columns = sorted(factors)
    return Term(left.coefficient * right.coefficient, tuple(factors[c] for c in columns), left.publics + right.publics)


def vanishes(term: Term) -> bool:
    """Whether a term is zero for every tuple."""
    return term.coefficient == 0 or any(not factor.values.any() for factor in term.factors)


def product_of(left: Total, right: Total, times: Callable[[Term, Term], Term] = multiply) -> Total:
    """The total of the product of two integrands."""
    terms = []
    for a in left.terms:
        terms += [term for term in (times(a, b) for b in right.terms) if not vanishes(term)]
    return Total(tuple(terms), left.is_count and right.is_count)


def restricted(total: Total, factor: Factor) -> Total:
    """The same total over the tuples of one group; the factor is an indicator."""
    terms = (multiply(term, Term(factors=(factor,))) for term in total.terms)
    return Total(tuple(t for t in terms if not vanishes(t)), total.is_count)


def never_negative(total: Total) -> bool:
    """Whether a total is known to add up nothing below zero: no public number, no negative factor."""
    return total.is_count or all(
        term.coefficient >= 0 and not term.publics and all((factor.values >= 0).all() for factor in term.factors)
        for term in total.terms
    )
