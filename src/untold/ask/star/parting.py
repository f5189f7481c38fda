"""Splits a question about people and things into functions of the things and, for each, a total over people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from sqlglot import exp

from untold.ask.question.algebra import multiply, restricted
from untold.ask.question.formulas import formulas_of, has_quantile, totals_in
from untold.ask.question.model import (
    Apply,
    EstimateOutput,
    Factor,
    Floats,
    Formula,
    PublicKey,
    Question,
    SensitiveKey,
    Term,
    Total,
    TotalOf,
)
from untold.ask.sql.from_clause.catalogue import Catalogue
from untold.ask.sql.names import column_node
from untold.ask.sql.public_expressions import number, public
from untold.errors import UnsupportedQuery


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
    if any(has_quantile(formula) for formula in formulas_of(question)):
        raise UnsupportedQuery(
            "a quantile over a join with a sensitive table of things is not supported.\nHint: ask for counts of ranges."
        )
    known: dict[object, int] = {}
    functions: list[Term] = []
    groups = []
    for choice in product(*(range(len(key.labels)) for key in keys)):
        shares = []
        for t, total in enumerate(question.totals):
            side = total.side
            for key, label in zip(keys, choice, strict=True):
                total = restricted(total, Factor(key.column, key.codes(side)[label]))
            for term in total.terms or (Term(0.0),):  # a contradiction is a sum of nothing
                own = tuple(f for f in term.factors if f.column.service == table.name)
                rest = tuple(f for f in term.factors if f.column.service != table.name)
                name = tuple((f.column, f.values.tobytes()) for f in own)
                if name not in known:
                    known[name] = len(functions)
                    functions.append(Term(1.0, own))
                shares.append(Share(t, known[name], Term(term.coefficient, rest, term.publics)))
        groups.append((tuple(key.labels[c] for key, c in zip(keys, choice, strict=True)), tuple(shares)))
    at = column_node(question.things.at.service, question.things.at.attribute)
    return Star(question, table, tuple(functions), tuple(groups), at)


def _sum_of(numbers: Sequence[int]) -> Formula:
    formula: Formula = TotalOf(numbers[0])
    for each in numbers[1:]:
        formula = Apply("add", (formula, TotalOf(each)))
    return formula
