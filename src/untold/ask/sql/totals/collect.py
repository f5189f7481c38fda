"""Totals of a query: conditions times amounts as product terms, like terms put together, equal totals kept once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

import numpy as np

from untold.ask.question.algebra import multiply
from untold.ask.question.model import Factor, Term, Total, TotalOf
from untold.ask.sql.conditions.disjoint import disjoint
from untold.ask.sql.conditions.logic import ALWAYS, Joint, Open, Predicate, both
from untold.ask.sql.public_expressions import indicator
from untold.ask.sql.totals.amounts import Amount
from untold.ask.sql.totals.like_terms import merged, names_of


@dataclass
class QueryTotals:
    """The totals that formulas have asked for so far, in order."""

    where: Predicate
    found: list[Total] = field(default_factory=list)
    places: dict[Hashable, int] = field(default_factory=dict)
    within: tuple[int, ...] | None = None  # as in Total

    def count(self, when: Predicate) -> TotalOf:
        """The number of tuples that meet WHERE and a condition."""
        return self._add(indicators(self.where if when is ALWAYS else both(self.where, when)), is_count=True)

    def sum(self, amount: Amount, when: Predicate) -> TotalOf:
        """The sum of an amount over the tuples that meet WHERE and a condition; NULL adds nothing."""
        return self._add(self._terms(amount, when), amount.zero_one)

    def sum_of_squares(self, amount: Amount, when: Predicate) -> TotalOf:
        """The same for the square of the amount."""
        if amount.zero_one:
            return self.sum(amount, when)
        cases = tuple(type(p)(p.when, tuple(multiply(x, y) for x in p.terms for y in p.terms)) for p in amount.cases)
        return self._add(self._terms(Amount(cases), when), False)

    def _terms(self, amount: Amount, when: Predicate) -> list[Term]:
        found: list[Term] = []
        for case in amount.cases:
            if not case.terms:
                continue
            guard = both(self.where, when, _needed(case.when, case.terms))
            found += [multiply(a, b) for a in indicators(guard) for b in case.terms]
        return found

    def _add(self, terms: Iterable[Term], is_count: bool) -> TotalOf:
        return self.add(Total(merged(terms), is_count, self.within))

    def add(self, total: Total) -> TotalOf:
        """The number of a total, which is kept once."""
        place = self.places.setdefault(signature(total), len(self.found))
        if place == len(self.found):
            self.found.append(total)
        return TotalOf(place)


def indicators(logic: Predicate) -> list[Term]:
    """1[condition] as disjoint terms."""
    return [
        Term(
            1.0,
            tuple(Factor(column, mask.astype(np.float64)) for column, mask in sorted(product.masks.items())),
            () if product.tree is None else (indicator(product.tree),),
        )
        for product in disjoint(logic)
    ]


def _needed(when: Predicate, terms: tuple[Term, ...]) -> Predicate:
    """Without "p IS NOT NULL" where every term has the public number p as a factor: that is 0 for NULL."""
    if isinstance(when, Open) and when.zero_of is not None:
        return both() if all(any(p.sql == when.zero_of for p in t.publics) for t in terms) else when
    if isinstance(when, Joint) and when.every:
        return both(*(_needed(part, terms) for part in when.parts))
    return when


def signature(total: Total) -> Hashable:
    """Equal for equal totals, whatever the order of their terms."""
    terms = set[Hashable]()
    for term in total.terms:
        factors = tuple((factor.column, factor.values.tobytes()) for factor in term.factors)
        terms.add((term.coefficient, factors, names_of(term)))
    return total.is_count, total.within, total.frame, frozenset(terms)
