"""Like terms put together, so that sums of products stay short."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter

import numpy as np

from untold.ask.limits import MAX_TERMS
from untold.ask.question.algebra import multiply, vanishes
from untold.ask.question.model import Factor, Term
from untold.ask.sql.refusals import Refusal


def times(left: tuple[Term, ...], right: tuple[Term, ...]) -> tuple[Term, ...]:
    """The product of two sums of terms."""
    return merged(multiply(a, b) for a in left for b in right)


def merged(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Like terms put together: those over the same public numbers and one attribute become one vector.

    Terms over several attributes are added where all but one of their factors agree.
    """
    every = tuple(terms)
    if len(every) == 1:
        alone = _into_vector(every[0])
        return () if len(alone.factors) != 1 and vanishes(alone) else (alone,)
    groups: dict[Hashable, _Like] = {}
    for term in every:
        if not vanishes(term):
            groups.setdefault((names_of(term), tuple(f.column for f in term.factors)), _Like()).add(term)
    found = tuple(_without_constants([term for like in groups.values() for term in like.terms]))
    if len(found) > MAX_TERMS:
        raise Refusal(
            None, f"The query comes to {len(found)} product terms.", "Ask a simpler question.", code="too-large"
        )
    return found


@dataclass
class _Like:
    """Terms over the same columns. Those that agree in all factors but one are found by what they agree in."""

    terms: list[Term] = field(default_factory=list)
    _places: dict[Hashable, int] = field(default_factory=dict)

    def add(self, term: Term) -> None:
        keys = self._keys(term)
        for key in keys:
            place = self._places.get(key)
            joined = None if place is None else _added(self.terms[place], term)
            if place is not None and joined is not None:
                self.terms[place] = joined
                self._places.update(dict.fromkeys(self._keys(joined), place))
                return
        self.terms.append(term)
        for key in keys:
            self._places.setdefault(key, len(self.terms) - 1)

    @staticmethod
    def _keys(term: Term) -> list[Hashable]:
        parts = [hash(factor.values.tobytes()) for factor in term.factors]
        return [(i, *parts[:i], *parts[i + 1 :]) for i in range(len(parts))] or [()]


def names_of(term: Term) -> tuple[str, ...]:
    """The public numbers of a term, in an order of their own."""
    return tuple(sorted(map(attrgetter("sql"), term.publics)))


def _added(a: Term, b: Term) -> Term | None:
    """The sum of two terms over the same columns, if it is one term."""
    differ = [
        i for i, (f, g) in enumerate(zip(a.factors, b.factors, strict=True)) if not np.array_equal(f.values, g.values)
    ]
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
        publics.setdefault(names_of(term), []).append(term)
    found: list[Term] = []
    for same in publics.values():
        alone = next((t for t in same if len(t.factors) == 1), None)
        fixed = next((t for t in same if not t.factors), None)
        for term in same:
            if term is fixed and alone is not None:
                continue
            term = _into_vector(term, fixed.coefficient if term is alone and fixed is not None else 0.0)
            if not vanishes(term):
                found.append(term)
    return found


def _into_vector(term: Term, constant: float = 0.0) -> Term:
    """A term of one factor with its coefficient, and a constant beside it, in that factor; others as they are."""
    if len(term.factors) != 1:
        return term
    values = term.coefficient * term.factors[0].values + constant
    if (values == values[0]).all():
        return Term(float(values[0]), (), term.publics)
    return Term(1.0, (Factor(term.factors[0].column, values),), term.publics)
