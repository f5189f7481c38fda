"""Totals of a query: conditions times amounts as product terms, like terms put together, equal totals kept once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

import numpy as np

from tacit.ask.algebra import multiply, vanishes
from tacit.ask.amounts import Amount
from tacit.ask.logic import Joint, Logic, Open, both, disjoint
from tacit.ask.model import Column, Factor, Floats, PublicNumber, Term, Total, TotalOf
from tacit.ask.places import Refusal
from tacit.ask.publics import indicator

MOST_TERMS = 4096


@dataclass
class Totals:
    """The totals that formulas have asked for so far, in order."""

    where: Logic
    found: list[Total] = field(default_factory=list)
    _places: dict[Hashable, int] = field(default_factory=dict)

    def count(self, when: Logic) -> TotalOf:
        """The number of tuples that meet WHERE and a condition."""
        return self._add(indicators(both(self.where, when)), is_count=True)

    def sum(self, amount: Amount, when: Logic) -> TotalOf:
        """The sum of an amount over the tuples that meet WHERE and a condition; NULL adds nothing."""
        return self._add(self._terms(amount, when), amount.zero_one)

    def sum_of_squares(self, amount: Amount, when: Logic) -> TotalOf:
        """The same for the square of the amount."""
        if amount.zero_one:
            return self.sum(amount, when)
        pieces = tuple(type(p)(p.when, tuple(multiply(x, y) for x in p.terms for y in p.terms)) for p in amount.pieces)
        return self._add(self._terms(Amount(pieces), when), False)

    def _terms(self, amount: Amount, when: Logic) -> list[Term]:
        found: list[Term] = []
        for piece in amount.pieces:
            if not piece.terms:
                continue
            guard = both(self.where, when, _needed(piece.when, piece.terms))
            found += [multiply(a, b) for a in indicators(guard) for b in piece.terms]
        return found

    def _add(self, terms: Iterable[Term], is_count: bool) -> TotalOf:
        total = Total(merged(terms), is_count)
        place = self._places.setdefault(signature(total), len(self.found))
        if place == len(self.found):
            self.found.append(total)
        return TotalOf(place)


def indicators(logic: Logic) -> list[Term]:
    """1[condition] as disjoint terms."""
    return [
        Term(
            1.0,
            tuple(Factor(column, mask.astype(np.float64)) for column, mask in sorted(product.masks.items())),
            () if product.tree is None else (indicator(product.tree),),
        )
        for product in disjoint(logic)
    ]


def _needed(when: Logic, terms: tuple[Term, ...]) -> Logic:
    """Without "p IS NOT NULL" where every term has the public number p as a factor: that is 0 for NULL."""
    if isinstance(when, Open) and when.zero_of is not None:
        return both() if all(any(p.sql == when.zero_of for p in t.publics) for t in terms) else when
    if isinstance(when, Joint) and when.every:
        return both(*(_needed(part, terms) for part in when.parts))
    return when


def merged(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Like terms put together: those over the same public numbers and one attribute become one vector.

    Terms over several attributes are added where all but one of their factors agree.
    """
    groups: dict[Hashable, list[Term]] = {}
    for term in terms:
        if vanishes(term):
            continue
        same = groups.setdefault((_names(term), tuple(f.column for f in term.factors)), [])
        for i, known in enumerate(same):
            if (joined := _added(known, term)) is not None:
                same[i] = joined
                break
        else:
            same.append(term)
    found = tuple(_without_constants([term for same in groups.values() for term in same]))
    if len(found) > MOST_TERMS:
        raise Refusal(None, f"The query comes to {len(found)} product terms.", "Ask a simpler question.")
    return found


def _names(term: Term) -> tuple[str, ...]:
    return tuple(sorted(p.sql for p in term.publics))


def _added(a: Term, b: Term) -> Term | None:
    """The sum of two terms over the same columns, if it is one term."""
    differ = [i for i, (f, g) in enumerate(zip(a.factors, b.factors)) if not np.array_equal(f.values, g.values)]
    if not differ:
        return Term(a.coefficient + b.coefficient, a.factors, a.publics)
    if len(differ) > 1:
        return None
    i = differ[0]
    values = a.coefficient * a.factors[i].values + b.coefficient * b.factors[i].values
    factors = (*a.factors[:i], Factor(a.factors[i].column, values), *a.factors[i + 1 :])
    return Term(1.0, factors, a.publics)


def _without_constants(terms: list[Term]) -> list[Term]:
    """A constant beside a function of one attribute becomes part of it; coefficients go into single factors."""
    publics: dict[tuple[str, ...], list[Term]] = {}
    for term in terms:
        publics.setdefault(_names(term), []).append(term)
    found: list[Term] = []
    for same in publics.values():
        alone = next((t for t in same if len(t.factors) == 1), None)
        fixed = next((t for t in same if not t.factors), None)
        for term in same:
            if term is fixed and alone is not None:
                continue
            if len(term.factors) == 1:
                values = term.coefficient * term.factors[0].values
                extra = fixed.coefficient if term is alone and fixed is not None else 0.0
                term = _of_vector(term.factors[0].column, values + extra, term.publics)
            if not vanishes(term):
                found.append(term)
    return found


def _of_vector(column: Column, values: Floats, publics: tuple[PublicNumber, ...]) -> Term:
    if (values == values[0]).all():
        return Term(float(values[0]), (), publics)
    return Term(1.0, (Factor(column, values),), publics)


def signature(total: Total) -> Hashable:
    """Equal for equal totals, whatever the order of their terms."""
    return total.is_count, frozenset(
        (
            term.coefficient,
            tuple((factor.column, factor.values.tobytes()) for factor in term.factors),
            _names(term),
        )
        for term in total.terms
    )
