"""Terms of a question as score columns, one for each report that a term speaks of; equal ones are made once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from operator import attrgetter

import numpy as np

from untold.ask.question.algebra import multiply, vanishes
from untold.ask.question.model import Column, Question, Term, Total
from untold.ask.scores.coefficients import Estimator
from untold.ask.scores.noise_floor import Publics, both_publics
from untold.ask.scores.report_parts import Part, parts_of
from untold.ask.scores.rounded_sums import with_roundings
from untold.ask.scores.rounding_error import square
from untold.ask.scores.scan import Piece, ScoreColumn, SharedProduct
from untold.plan import Plan
from untold.plan.schema import Sensitive


@dataclass
class ScoreColumns:
    """Score columns and totals, each made once however often it is asked for."""

    question: Question
    plan: Plan
    estimate: Estimator
    columns: list[ScoreColumn] = field(default_factory=list)
    totals: list[tuple[Piece, ...]] = field(default_factory=list)
    rows: list[Piece] = field(default_factory=list)  # of `Shared`
    _columns: dict[object, int] = field(default_factory=dict)
    _totals: dict[object, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parts = [(s, part) for s, name in enumerate(self.question.services) for part in parts_of(self.plan, name)]
        self.derived = [name for name in self.question.services if self.plan.design(name).derived]

    def total(self, total: Total) -> int:
        """The number of a total among those of the scan."""
        terms = _collected(map(self._with_roundings, total.terms))
        key = tuple(sorted((_term_key(term), term.coefficient) for term in terms))
        if key not in self._totals:
            self._totals[key] = len(self.totals)
            self.totals.append(tuple(self._merged(terms) if len(self.parts) == 1 else map(self._split, terms)))
        return self._totals[key]

    def shared(self, left: Total, right: Total, rounded: Mapping[Column, Sensitive]) -> tuple[SharedProduct, ...]:
        """What reports that serve several epochs add to the product of two totals."""
        out = []
        for a, b in product(left.terms, right.terms):
            (p, of_a), (q, of_b) = self._parted(a), self._parted(b)
            both = square(Total((self._once(a),)), Total((self._once(b),)), rounded)
            if of_a or of_b:
                taken = ((-term.coefficient, self._parted(term)[1]) for term in both.terms)
                out.append(SharedProduct(p, q, ((1.0, (*of_a, *of_b)), *taken)))
        return tuple(out)

    def _repeats_once(self, service: str) -> bool:
        return self.plan.service(service).repeat == "once"

    def _once(self, term: Term) -> Term:
        """The factors that speak of services which report once."""
        return Term(1.0, tuple(factor for factor in term.factors if self._repeats_once(factor.column.service)))

    def _parted(self, term: Term) -> tuple[int, tuple[int, ...]]:
        """The number of what belongs to an epoch, and the columns of reports that serve all of them."""
        piece = self._split(self._with_roundings(term))
        once = [self._repeats_once(self.question.services[self.columns[c].service]) for c in piece.columns]
        own = tuple(c for c, is_once in zip(piece.columns, once, strict=True) if not is_once)
        row = Piece(piece.coefficient, piece.publics, own)
        if row not in self.rows:
            self.rows.append(row)
        return self.rows.index(row), tuple(c for c, is_once in zip(piece.columns, once, strict=True) if is_once)

    def public_totals(self, pairs: Iterable[tuple[int, int]]) -> dict[Publics, int]:
        """The products of public numbers that pairs of totals multiply users' shares by."""
        names, found = set[Publics](), {}
        for i, j in pairs:
            for a, b in product(self.totals[i], self.totals[j]):
                if a.publics or b.publics:
                    names.add(both_publics(a.publics, b.publics))
        for name in sorted(names, key=lambda name: [public.sql for public in name]):
            found[name] = self.total(Total((Term(publics=name),)))
        return found

    def _with_roundings(self, term: Term) -> Term:
        for name in self.derived:
            term = with_roundings(term, self.plan.service(name), self.plan.design(name))
        return term

    def _merged(self, terms: Sequence[Term]) -> Iterable[Piece]:
        """One service reported as a whole: terms with the same public numbers share one column."""
        service, part = self.parts[0]
        by_publics: dict[tuple[object, ...], list[Term]] = {}
        for term in terms:
            by_publics.setdefault(term.publics, []).append(term)
        for publics, same in by_publics.items():
            yield Piece(1.0, publics, (self._column(service, part, same),))  # type: ignore[arg-type]

    def _split(self, term: Term) -> Piece:
        """Several services, or attributes reported one by one: a term is a product of one column for each part that it touches."""
        columns = tuple(
            self._column(service, part, [Term(1.0, term.factors)])
            for service, part in self.parts
            if part.always or any(factor.column in part.columns for factor in term.factors)
        )
        return Piece(term.coefficient, term.publics, columns)

    def _column(self, service: int, part: Part, terms: Sequence[Term]) -> int:
        key = (service, part.first, tuple(sorted((_term_key(term, part), term.coefficient) for term in terms)))
        if key not in self._columns:
            self._columns[key] = len(self.columns)
            total = part.coefficients(terms[0], self.estimate).times(terms[0].coefficient)
            for term in terms[1:]:
                total = total.plus(part.coefficients(term, self.estimate).times(term.coefficient))
            self.columns.append(ScoreColumn(service, part.whole, total))
        return self._columns[key]


def _collected(terms: Iterable[Term]) -> list[Term]:
    """Terms with equal factors added up; none that vanishes."""
    found: dict[object, Term] = {}
    for term in terms:
        key = _term_key(term)
        before = found.get(key)
        found[key] = (
            multiply(Term(), term)
            if before is None
            else Term(before.coefficient + term.coefficient, before.factors, before.publics)
        )
    return [term for term in found.values() if not vanishes(term)] or [Term(0.0)]


def _term_key(term: Term, part: Part | None = None) -> tuple[object, ...]:
    factors = tuple(
        (factor.column, np.ascontiguousarray(factor.values).tobytes())
        for factor in sorted(term.factors, key=attrgetter("column"))
        if part is None or factor.column in part.columns
    )
    return factors, tuple(public.sql for public in term.publics) if part is None else ()
