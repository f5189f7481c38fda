"""A question for all of its groups at once: every term as a product of matrices, one row for each group of a key.

Where each report of a service is about a record as a whole (one sampled view) and the estimator is the best linear one,
nothing has to be spelled out group by group. Axes of all results are the sensitive keys of GROUP BY, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from untold.ask.decoded.combined import leaves
from untold.ask.decoded.products import Product, Rows, Together
from untold.ask.question.algebra import never_negative
from untold.ask.question.model import Column, Floats, PublicNumber, Question, SensitiveKey, Term, Total
from untold.ask.scores.coefficients import naming, refuse_out_of_reach
from untold.ask.scores.report_parts import Choice, parts_of
from untold.ask.scores.rounding_error import lowered_by
from untold.plan import Plan
from untold.plan.hierarchy import extend_rows
from untold.plan.schema import Sensitive

MOST_LEAVES = 1 << 23  # of one table over the attributes of a term

Publics = tuple[PublicNumber, ...]
Values = dict[Column, Floats]  # for each column that a term touches: (variants, codes)


@dataclass(frozen=True, eq=False)
class GroupedTerm:
    """coefficient * public numbers * a product for each service; None where it asks nothing of a service."""

    coefficient: float
    publics: Publics
    products: tuple[Product | None, ...]


Grouped = tuple[GroupedTerm, ...]  # a total


@dataclass(frozen=True, eq=False)
class GroupedQuestion:
    """totals as in the question; `squares` and `several` as in `Spelled`."""

    question: Question
    designs: tuple[Choice, ...]
    keys: tuple[SensitiveKey, ...]
    totals: tuple[Grouped, ...]
    pairs: tuple[tuple[int, int], ...]
    squares: dict[tuple[int, int], Grouped]
    several: dict[int, Grouped]

    @property
    def shape(self) -> tuple[int, ...]:
        """Groups of each key."""
        return tuple(len(key.labels) for key in self.keys)

    @property
    def count(self) -> int:
        """Of all groups."""
        return prod(self.shape)

    def together_of(self, total: Grouped) -> tuple[Together, ...]:
        """The products of every service that a total meets in formulas."""
        return self._together[id(total)]

    @cached_property
    def _together(self) -> dict[int, tuple[Together, ...]]:
        return {id(total): each for total, each in zip(self.totals, self.together, strict=True)}

    @property
    def weights(self) -> tuple[Publics, ...]:
        """Products of public numbers that occur."""
        found = dict[Publics, None]()
        for total in (*self.totals, *self.squares.values(), *self.several.values()):
            for term in total:
                found[term.publics] = None
        return tuple(found)

    @cached_property
    def together(self) -> tuple[tuple[Together, ...], ...]:
        """For each total, the products of every service that it meets in formulas, directly or through others."""
        group = list(range(len(self.totals)))
        for i, j in self.pairs:
            group = [group[i] if each == group[j] else each for each in group]
        found = {}
        for name in set(group):
            terms = [term for own, total in zip(group, self.totals, strict=True) if own == name for term in total]
            each = [dict.fromkeys(t.products[s] for t in terms) for s in range(len(self.designs))]
            found[name] = tuple(Together(tuple(p for p in own if p is not None)) for own in each)
        return tuple(found[name] for name in group)

    def placed(self, service: int, attributes: Sequence[int], variants: Floats) -> Floats:
        """Numbers of the variants of a product, one axis per attribute, with one axis per key instead; further axes stay."""
        choice, order, shape, rest = self.designs[service], [], [], variants.shape[len(attributes) :]
        if not self.keys:
            return variants.reshape(rest)
        for attribute in attributes:
            own = [k for k, key in enumerate(self.keys) if key.column == choice.columns[attribute].value]
            order += own
            shape += [len(self.keys[k].labels) for k in own]
        axes = [*np.argsort(order), *range(len(order), len(order) + len(rest))]
        spread = variants.reshape(*shape, *rest).transpose(axes) if order else variants.reshape(rest)
        return np.asarray(spread.reshape([*(n if k in order else 1 for k, n in enumerate(self.shape)), *rest]))


def grouped_question(
    question: Question,
    plan: Plan,
    exact: bool,
    several_rows: bool,
    pairs: Iterable[tuple[int, int]],
    rounded: Mapping[Column, Sensitive],
) -> GroupedQuestion | None:
    """The question for all groups at once; None where its reports have to be scored one by one.

    exact   whether every user has one report, so that w_i w_j can be estimated as a total
    several_rows   whether several rows per user are all that keeps it from being so
    pairs   of totals that formulas combine
    rounded   attributes whose values are rounded at random
    """
    choices = []
    for name in question.services:
        parts = parts_of(plan, name)
        design = plan.design(name)
        if len(parts) != 1 or len(parts[0].choices) != 1 or design.weights is None or design.derived:
            return None
        choices.append(parts[0].choices[0])
    build = _GroupedTerms(question, plan, tuple(choices))
    wanted = tuple(pairs)
    codes = [[build.codes(term, total) for term in total.terms] for total in question.totals]
    totals = [
        build.total(list(zip(total.terms, own, strict=True))) for total, own in zip(question.totals, codes, strict=True)
    ]
    squares, several = {}, {}
    for i, j in wanted:
        if not exact:
            signed = any((values < 0).any() for own in codes[i] for values in own.values())
            if not (several_rows and i == j and never_negative(question.totals[i]) and not signed):
                continue
        touched = {column for own in codes[i] for column in own}
        if i == j and question.totals[i].is_count and not touched & rounded.keys():  # then w^2 = w
            both = totals[i]
        else:
            both = build.total(
                [
                    (Term(a.coefficient * b.coefficient, (), a.publics + b.publics), _multiplied(x, y, rounded))
                    for a, x in zip(question.totals[i].terms, codes[i], strict=True)
                    for b, y in zip(question.totals[j].terms, codes[j], strict=True)
                ]
            )
        if exact:
            squares[i, j] = both
        else:
            several[i] = both
    if build.too_large:
        return None
    return GroupedQuestion(question, build.choices, build.keys, tuple(totals), wanted, squares, several)


def _multiplied(left: Values, right: Values, rounded: Mapping[Column, Sensitive]) -> Values:
    """The product of two integrands, lowered by what random rounding to knots has added (see rounding_error.py)."""
    out = {**left, **right}
    for column in left.keys() & right.keys():
        out[column] = left[column] * right[column]
        if column in rounded:
            out[column] = out[column] - lowered_by(left[column], right[column], rounded[column])
    return out


@dataclass
class _GroupedTerms:
    question: Question
    plan: Plan
    choices: tuple[Choice, ...]
    too_large: bool = False
    _rows: dict[object, Rows] = field(default_factory=dict)
    _products: dict[object, Product] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keys = tuple(key for key in self.question.keys if isinstance(key, SensitiveKey))
        self.fixed = [parts_of(self.plan, name)[0].fixed for name in self.question.services]

    def codes(self, term: Term, total: Total) -> Values:
        """What a term of a total asks of each column, in every group: (variants, codes). A key that the total is not taken
        within asks the same in all of its groups."""
        found: Values = {factor.column: factor.values[None, :] for factor in term.factors}
        for key in self.keys:
            asked = total.codes_of(self.question.keys.index(key), key)
            own = np.ones_like(key.indicators) if asked is None else asked
            before = found.get(key.column, np.ones((1, 1)))
            found[key.column] = (before[:, None, :] * own[None]).reshape(-1, own.shape[1])
        return found

    def total(self, terms: list[tuple[Term, Values]]) -> Grouped:
        """Terms with equal products added up."""
        found: dict[object, GroupedTerm] = {}
        for term, values in terms:
            if term.coefficient == 0:
                continue
            products = tuple(self._product(s, values) for s in range(len(self.choices)))
            key = (term.publics, tuple(map(id, products)))
            before = found[key].coefficient if key in found else 0.0
            found[key] = GroupedTerm(before + term.coefficient, term.publics, products)
        return tuple(found.values())

    def _product(self, service: int, values: Values) -> Product | None:
        """A service's share of a term."""
        choice, name = self.choices[service], self.question.services[service]
        asked = {column: v for column, v in values.items() if column.service == name}
        asked |= {column: v[None, :] for column, v in self.fixed[service].items()}
        if not asked:
            return None
        rows = {}
        for place, coded in enumerate(choice.columns):
            column = coded.rows if coded.kind == "rows" else coded.value
            if column is not None and column in asked:
                rows[place] = self._extended(choice, place, asked[column])
        key = (service, tuple((place, id(own)) for place, own in rows.items()))
        if key not in self._products:
            product = Product(tuple(rows), tuple(rows.values()))
            design = choice.design
            self.too_large |= leaves(design.space.trees, product.attributes) > MOST_LEAVES
            with naming(choice):
                refuse_out_of_reach(design, product)
            self._products[key] = product
        return self._products[key]

    def _extended(self, choice: Choice, place: int, values: Floats) -> Rows:
        key = (choice.design.name, place, values.shape, values.tobytes())
        if key not in self._rows:
            tree = choice.design.space.trees[place]
            self._rows[key] = Rows(tree, extend_rows(tree, values))
        return self._rows[key]
