"""A star: totals over rows that point to things which are only reported about, too [VLDB'20, section 8.2].

Every total is a sum of shares, a share being a function h of the thing times a function of the people. With z_p the score of h
in the report of thing p, and X_p the estimate of the people's side among rows of p,

    T = sum_p z_p X_p

is unbiased, since things and people perturb independently. Let C be the covariances of the X, v_p that of the scores of p:

    Cov(T_j, T_k) = w^T C w + sum_p v_p (x_p x_p + C_pp),       estimated by      z^T C z + sum_p v_p (X_p X_p - C_pp)

where z^T C z is the variance of a scan that takes z_p for public numbers, and v_p = z_p z_p - (the score of h h).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from sqlglot import exp

from tacit.ask.algebra import multiply, restricted
from tacit.ask.answering import Measured
from tacit.ask.catalogue import Catalogue
from tacit.ask.compile import Compiled, formulas_of, totals_in
from tacit.ask.estimates import Totals, totals_from
from tacit.ask.forecast import expected_moments
from tacit.ask.model import (
    Apply,
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
from tacit.ask.names import column_node
from tacit.ask.publics import number, public
from tacit.ask.scan import Moments
from tacit.errors import UnsupportedQuery

Key = tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Share:
    """A part of a total: a function of the thing, by its number, times a function of the people."""

    total: int
    function: int
    people: Term


@dataclass(frozen=True, eq=False)
class Star:
    """A question, parted. `groups` has the shares of each combination of sensitive labels."""

    question: Question
    table: Catalogue
    functions: tuple[Term, ...]
    groups: tuple[tuple[tuple[object, ...], tuple[Share, ...]], ...]
    at: exp.Column  # the column of the people's side that names the thing

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Functions whose products errors need: of shares whose totals meet in a formula."""
        meet = {
            (a, b) for formula in formulas_of(self.question) for a in totals_in(formula) for b in totals_in(formula)
        }
        found = {
            (min(a.function, b.function), max(a.function, b.function))
            for _, shares in self.groups
            for a in shares
            for b in shares
            if (a.total, b.total) in meet
        }
        return sorted(found)

    def about_things(self) -> Question:
        """What to ask the things: every function and every product of two, for each thing by itself."""
        both = [multiply(self.functions[i], self.functions[j]) for i, j in self.pairs]
        totals = tuple(Total((term,)) for term in (*self.functions, *both))
        key = PublicKey(self.table.key, public(column_node(self.table.name, self.table.key)))
        outputs = tuple(EstimateOutput(f"t{i}", TotalOf(i), "") for i in range(len(totals)))
        return Question(self.question.sql, (self.table.name,), None, (key,), totals, outputs)

    def about_people(self, scores: Mapping[object, Floats] | None) -> Question:
        """What to ask the people: all shares, times the scores of the things; without scores, for each thing by itself."""
        keys = tuple(key for key in self.question.keys if isinstance(key, PublicKey))
        totals: list[Total] = []
        outputs: list[EstimateOutput] = []
        for _, shares in self.groups:
            first = len(totals)
            for share in shares:
                weight = () if scores is None else (number(self._cases(scores, share.function)),)
                totals.append(Total((replace(share.people, publics=(*share.people.publics, *weight)),)))
            outputs.append(EstimateOutput(f"g{first}", _sum_of(range(first, len(totals))), ""))
        if scores is None:
            keys += (PublicKey("thing", public(self.at)),)
        return Question(
            self.question.sql, self.question.services, self.question.filter, keys, tuple(totals), tuple(outputs)
        )

    def _cases(self, scores: Mapping[object, Floats], function: int) -> exp.Expr:
        ifs = [
            exp.If(
                this=exp.EQ(this=self.at.copy(), expression=exp.convert(thing)),
                true=exp.convert(float(z[function])),
            )
            for thing, z in scores.items()
        ]
        return exp.Case(ifs=ifs, default=exp.Literal.number(0)) if ifs else exp.Literal.number(0)


def star_of(question: Question, tables: Sequence[Catalogue]) -> Star | None:
    """The parts of a question that speaks of things; None if it does not."""
    if question.things is None:
        return None
    table = next(table for table in tables if table.name == question.things.table)
    keys = [key for key in question.keys if isinstance(key, SensitiveKey)]
    if any(isinstance(formula, Quantile) for formula in formulas_of(question)):
        raise UnsupportedQuery(
            "a quantile over a join with a sensitive table of things is not supported.\nHint: ask for counts of ranges."
        )
    known: dict[object, int] = {}
    functions: list[Term] = []
    groups = []
    for choice in product(*(range(len(key.labels)) for key in keys)):
        shares = []
        for t, total in enumerate(question.totals):
            for key, label in zip(keys, choice):
                total = restricted(total, Factor(key.column, key.indicators[label]))
            for term in total.terms or (Term(0.0),):  # a contradiction is a sum of nothing
                own = tuple(f for f in term.factors if f.column.service == table.name)
                rest = tuple(f for f in term.factors if f.column.service != table.name)
                name = tuple((f.column, f.values.tobytes()) for f in own)
                if name not in known:
                    known[name] = len(functions)
                    functions.append(Term(1.0, own))
                shares.append(Share(t, known[name], Term(term.coefficient, rest, term.publics)))
        groups.append((tuple(key.labels[c] for key, c in zip(keys, choice)), tuple(shares)))
    at = column_node(question.things.at.service, question.things.at.attribute)
    return Star(question, table, tuple(functions), tuple(groups), at)


def scores_of(compiled: Compiled, moments: Sequence[Moments]) -> dict[object, Floats]:
    """For every thing that has reported: the score of each function, then of each product of two."""
    numbers = list(compiled.groups[0][1])
    return {group.key[0]: group.first[numbers] for group in moments}


def combined(
    star: Star,
    scores: Mapping[object, Floats],
    whole: tuple[Compiled, Sequence[Moments]],
    each: tuple[Compiled, Sequence[Moments]],
) -> list[Measured]:
    """Totals and covariances of all groups, from one scan with the scores as public numbers and one for each thing by itself."""
    out = []
    single = {group.key: group for group in each[1]}
    for group in whole[1]:
        things = [
            (scores[key[-1]], found) for key, found in single.items() if key[:-1] == group.key and key[-1] in scores
        ]
        first = 0
        for number_, (labels, shares) in enumerate(star.groups):
            own = slice(first, first + len(shares))
            first += len(shares)
            totals = _totals(whole[0], group, own)
            spread = np.zeros_like(totals.covariance)
            for z, found in things:
                part = _totals(each[0], found, own)
                spread += _noise(star, shares, z) * (np.outer(part.values, part.values) - part.covariance)
            belongs = _belongs(star, shares)
            added = belongs @ (totals.covariance + spread) @ belongs.T
            out.append(Measured(group.key, number_, labels, Totals(belongs @ totals.values, nearest(added))))
    return out


def _totals(compiled: Compiled, group: Moments, own: slice) -> Totals:
    pairs = {pair: n for n, pair in enumerate(compiled.scan.pairs)}
    return totals_from(group, compiled.groups[0][1][own], pairs, compiled.squares)


def _noise(star: Star, shares: Sequence[Share], z: Floats) -> Floats:
    """Covariances of the scores of one thing, for each pair of shares: z_j z_k minus the score of h_j h_k."""
    place = {pair: len(star.functions) + n for n, pair in enumerate(star.pairs)}
    used = [share.function for share in shares]
    both = [[place.get((min(i, j), max(i, j))) for j in used] for i in used]  # None: no formula asks for it
    return np.array(
        [[0.0 if p is None else z[i] * z[j] - z[p] for j, p in zip(used, row)] for i, row in zip(used, both)]
    )


def _belongs(star: Star, shares: Sequence[Share]) -> Floats:
    """1 where a share (column) is part of a total (row)."""
    belongs = np.zeros((len(star.question.totals), len(shares)))
    belongs[[share.total for share in shares], np.arange(len(shares))] = 1.0
    return belongs


def nearest(matrix: Floats) -> Floats:
    """A covariance matrix: of few things an estimate may have negative eigenvalues, by chance; they become 0."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    if values.min(initial=0.0) >= 0:
        return matrix
    return np.asarray(vectors * np.maximum(values, 0.0) @ vectors.T)


def _sum_of(numbers: Sequence[int]) -> Formula:
    formula: Formula = TotalOf(numbers[0])
    for each in numbers[1:]:
        formula = Apply("add", (formula, TotalOf(each)))
    return formula


def star_explained(star: Star, compiled: Compiled, things: int) -> str:
    """What the things' side of a query costs, in words."""
    one, numbers = expected_moments(compiled, 1.0), compiled.groups[0][1]
    pairs = {pair: n for n, pair in enumerate(compiled.scan.pairs)}
    errors = [
        max(one.second[pairs[i, i]] - one.first[compiled.squares[i, i]], 0.0) ** 0.5
        for i in numbers[: len(star.functions)]
    ]
    table = star.table
    epsilon = table.plan.schema.budget.slot_nano(table.name) / 1e9
    return (
        f"things     {table.name}: {things:,} reports, one for each {table.key}, epsilon {epsilon:g}. What one says of "
        f"its side of the query has an error of about {max(errors):.3g}; people's totals for it are multiplied by that."
    )


def star_notes(star: Star, scores: Mapping[object, Floats], each: Sequence[Moments]) -> list[str]:
    """What a reader of the answer should know."""
    table = star.table
    silent = {group.key[-1] for group in each} - set(scores)
    notes = [
        f"{len(scores):,} reports about '{table.name}' stand behind this: the errors of so few may be far from normal."
    ]
    if silent:
        notes.append(
            f"{len(silent):,} values of '{table.key}' have no report in '{table.name}'; their rows are left out."
        )
    return notes
