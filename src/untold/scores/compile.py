"""Turns a question into a scan: a GROUP BY becomes score columns, and error bars get the sums they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from sqlglot import exp

from untold.plan import Plan
from untold.question.algebra import multiply, never_negative, restricted, vanishes
from untold.question.formulas import compared, parts
from untold.question.model import (
    Column,
    EstimateOutput,
    Factor,
    Floats,
    Formula,
    PublicKey,
    Quantile,
    Question,
    SensitiveKey,
    Term,
    Total,
    TotalOf,
)
from untold.question.possible import is_across_public
from untold.scores.coefficients import Coefficients, Estimator, blue
from untold.scores.grouped import GroupedQuestion, grouped_question
from untold.scores.noise_floor import NoiseFloors, Publics, both_publics
from untold.scores.over_time import OverTime, over_time
from untold.scores.report_parts import Part, parts_of
from untold.scores.rounded_sums import with_roundings
from untold.scores.rounding_error import rounded_columns, square, touches
from untold.scores.scan import Moments, Piece, Scan, ScoreColumn, Shared, SharedProduct
from untold.scores.size import MOST_WEIGHTS, check_size, too_much


@dataclass(frozen=True, eq=False)
class Spelled:
    """A scan, group by group, and how to read it.

    groups    for each combination of sensitive labels: the labels, and where its totals are among the scan's
    squares   (i, j) -> the number of the total of w_i w_j; empty where only the spread between users is known
    several   i -> the number of the total of f^2 over rows, where a user may have several and no f is below zero
    public    products of public numbers -> the number of their total
    """

    scan: Scan
    groups: tuple[tuple[tuple[object, ...], tuple[int, ...]], ...]
    squares: dict[tuple[int, int], int]
    several: dict[int, int]
    public: dict[Publics, int]

    @cached_property
    def floors(self) -> NoiseFloors:
        """What devices' noise alone brings to covariances."""
        return NoiseFloors(self.scan)

    def noise(self, pair: tuple[int, int], moments: Moments) -> float:
        """What the covariance of a pair of totals is at least. Public numbers that are not summed count as 0."""
        known = {name: float(moments.first[number]) for name, number in self.public.items()} | {(): moments.users}
        return float(sum(share * known.get(name, 0.0) for name, share in self.floors.of(pair).items()))


@dataclass(frozen=True, eq=False)
class Compiled:
    """A question in the two forms in which it can be answered: for all groups at once, or spelled out as a scan."""

    question: Question
    plan: Plan
    estimate: Estimator
    epochs: tuple[int, ...] = (0,)  # of the reports that are asked
    sample: bool = False  # whether people who reported stand for others like them

    @cached_property
    def over_time(self) -> OverTime:
        """Which reports of a person are independent, and what share of people take part."""
        return over_time(self.question, self.plan, self.epochs, self.sample)

    @property
    def exact(self) -> bool:
        """Whether a user has one report in each epoch, so that the total of w_i w_j can be estimated as any other."""
        services = self.question.services
        return self.over_time.exact and all(self.plan.service(name).rows is None for name in services)

    @property
    def several(self) -> bool:
        """Whether it is several rows per user alone that keep it from being exact."""
        return not self.exact and self.over_time == OverTime()

    @cached_property
    def by_user(self) -> tuple[bool, ...]:
        """For every service, whether a user may have several reports in one epoch."""
        names = self.question.services
        return tuple(_reports_per_user(self.plan, name) > 1 for name in names)

    @cached_property
    def grouped(self) -> GroupedQuestion | None:
        """All groups at once; None where reports have to be scored one by one."""
        if self.estimate is not blue:
            return None
        return grouped_question(self.question, self.plan, self.exact, self.several, wanted_pairs(self.question))

    @property
    def from_counts(self) -> bool:
        """Whether counts of messages answer all groups at once."""
        if len(self.by_user) != 1 or self.by_user[0] or self.over_time.pooling or self.grouped is None:
            return False
        return self.plan.design(self.question.services[0]).listed

    @cached_property
    def spelled(self) -> Spelled:
        """Group by group: what engines scan."""
        return _spelled(self)

    @property
    def scan(self) -> Scan:
        """One pass over the reports."""
        return self.spelled.scan

    @property
    def groups(self) -> tuple[tuple[tuple[object, ...], tuple[int, ...]], ...]:
        """Of the scan."""
        return self.spelled.groups

    @property
    def squares(self) -> dict[tuple[int, int], int]:
        """Of the scan."""
        return self.spelled.squares


def totals_in(formula: Formula) -> set[int]:
    """Numbers of the totals that a formula depends on."""
    found = {part.index for part in parts(formula) if isinstance(part, TotalOf)}
    return found | {part.total for part in parts(formula) if isinstance(part, Quantile)}


def formulas_of(question: Question) -> Iterable[Formula]:
    """Every formula whose value, bounds or error may be wanted."""

    yield from (output.formula for output in question.outputs if isinstance(output, EstimateOutput))
    yield from compared(question.having)
    yield from (key.side.formula for key in question.order if key.side.formula is not None)


def wanted_pairs(question: Question) -> tuple[tuple[int, int], ...]:
    """Totals that formulas combine, each with itself too."""
    used = [sorted(totals_in(formula)) for formula in formulas_of(question)]
    return tuple(sorted({(i, j) for each in used for i in each for j in each if i <= j}))


def compile_question(
    question: Question, plan: Plan, estimate: Estimator, epochs: Iterable[int] = (0,), sample: bool = False
) -> Compiled:
    """A question about reports of some epochs, ready to be answered; what they do not tell is refused here."""
    check_size(question, len(wanted_pairs(question)))
    if is_across_public(question):
        from untold.scores.independent_groups import check_groups

        check_groups(question, plan, tuple(epochs), sample)
    compiled = Compiled(question, plan, estimate, tuple(epochs), sample)
    together = compiled.grouped
    if together is None:
        _ = compiled.spelled
    elif len(together.weights) > MOST_WEIGHTS:
        raise too_much("different public conditions and numbers", len(together.weights), MOST_WEIGHTS)
    return compiled


def _spelled(compiled: Compiled) -> Spelled:
    """Spell out groups, find the pairs of totals that formulas combine, and turn every total into score columns."""
    question, plan = compiled.question, compiled.plan
    build = _Build(question, plan, compiled.estimate)
    rounded = rounded_columns(plan, question.services)
    wanted = wanted_pairs(question)
    sensitive = [key for key in question.keys if isinstance(key, SensitiveKey)]
    groups, pairs, squares, several = [], [], {}, {}
    products: dict[tuple[int, int], tuple[SharedProduct, ...]] = {}
    for choice in product(*(range(len(key.labels)) for key in sensitive)):
        own = {
            question.keys.index(key): Factor(key.column, key.indicators[g])
            for key, g in zip(sensitive, choice, strict=True)
        }
        totals = [_within(total, own) for total in question.totals]
        numbers = tuple(build.total(total) for total in totals)
        groups.append((tuple(key.labels[g] for key, g in zip(sensitive, choice, strict=True)), numbers))
        for i, j in wanted:
            pair = (numbers[i], numbers[j])
            pairs.append(pair)
            if compiled.over_time.shared and pair not in products:
                products[pair] = build.shared(totals[i], totals[j], rounded)
            if compiled.exact:
                same = i == j and totals[i].is_count and not touches(totals[i], rounded)  # then w^2 = w
                squares[pair] = numbers[i] if same else build.total(square(totals[i], totals[j], rounded))
            elif compiled.several and i == j and never_negative(totals[i]):
                same = totals[i].is_count and not touches(totals[i], rounded)
                several[numbers[i]] = numbers[i] if same else build.total(square(totals[i], totals[i], rounded))
    public = build.public_totals(pairs) if compiled.exact else {}
    scan = Scan(
        question.services,
        compiled.by_user,
        tuple(build.columns),
        tuple(build.totals),
        tuple(dict.fromkeys(pairs)),
        question.filter,
        tuple(key.expression for key in question.keys if isinstance(key, PublicKey)),
        _slots(question, plan),
        parted_by(question, plan),
        compiled.over_time.pooling,
        Shared(tuple(build.rows), tuple(products.values())) if any(products.values()) else None,
    )
    return Spelled(scan, tuple(groups), squares, several, public)


def _within(total: Total, own: Mapping[int, Factor]) -> Total:
    """A total of one group, by the factors of its keys; of several groups where it is taken within fewer keys."""
    within = total.within
    for key, factor in own.items():
        if within is None or key in within:
            total = restricted(total, factor)
    return total


def _slots(question: Question, plan: Plan) -> tuple[int, ...]:
    """Reports behind one joined row of a user, for each service: of one part where they are kept apart."""
    services = zip(map(plan.service, question.services), parted_by(question, plan), strict=True)
    return tuple(service.slots // (service.parts if part else 1) for service, part in services)


def _reports_per_user(plan: Plan, service: str) -> int:
    return plan.design(service).messages_per_report * plan.service(service).slots


def parted_by(question: Question, plan: Plan) -> tuple[str | None, ...]:
    """For every service the `each` attribute that public expressions speak of, if they do."""
    keys = [key.expression for key in question.keys if isinstance(key, PublicKey)]
    inside = [public for total in question.totals for term in total.terms for public in term.publics]
    known = [*keys, *inside, *([question.filter] if question.filter else [])]
    used = {(column.table, column.name) for each in known for column in each.tree.find_all(exp.Column)}
    services = map(plan.service, question.services)
    return tuple(s.each.name if s.each and (s.name, s.each.name) in used else None for s in services)


@dataclass
class _Build:
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

    def total(self, total: Total) -> int:
        """The number of a total among those of the scan."""
        terms = _collected(map(self._with_roundings, total.terms))
        key = tuple(sorted((_term_key(term), term.coefficient) for term in terms))
        if key not in self._totals:
            self._totals[key] = len(self.totals)
            self.totals.append(tuple(self._merged(terms) if len(self.parts) == 1 else map(self._split, terms)))
        return self._totals[key]

    def shared(self, left: Total, right: Total, rounded: Mapping[Column, int]) -> tuple[SharedProduct, ...]:
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
        names = {
            both_publics(a.publics, b.publics)
            for i, j in pairs
            for a in self.totals[i]
            for b in self.totals[j]
            if a.publics or b.publics
        }
        ordered = sorted(names, key=lambda name: [public.sql for public in name])
        return {name: self.total(Total((Term(publics=name),))) for name in ordered}

    def _with_roundings(self, term: Term) -> Term:
        for name in self.question.services:
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
            total: Coefficients | None = None
            for term in terms:
                total = _plus(total, part.coefficients(term, self.estimate), term.coefficient)
            assert total is not None
            self.columns.append(ScoreColumn(service, part.whole, total))
        return self._columns[key]


def _plus(left: Coefficients | None, right: Coefficients, scale: float) -> Coefficients:
    def add(a: Floats | None, b: Floats | None) -> Floats | None:
        if b is None:
            return a
        return scale * b if a is None else a + scale * b

    if left is None:
        return Coefficients(tuple(add(None, b) for b in right.cells), scale * right.constants)
    cells = tuple(add(a, b) for a, b in zip(left.cells, right.cells, strict=True))
    return Coefficients(cells, left.constants + scale * right.constants)


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
        for factor in sorted(term.factors, key=lambda each: each.column)
        if part is None or factor.column in part.columns
    )
    return factors, tuple(public.sql for public in term.publics) if part is None else ()
