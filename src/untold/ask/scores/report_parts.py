"""The independently perturbed parts of a service's report.

Most designs report a record as a whole: one part. SC reports every attribute by itself: one part each, and a conjunction is the
product of the parts' scores, just as a join is the product of the services' scores.

In some designs each person is in one random group, and each group reports columns of its own. A term uses the groups that
report its columns, divided by their share of people.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from untold.ask.question.model import Column, Floats, Term
from untold.ask.scores.blocks import ViewBlocks
from untold.ask.scores.coefficients import Coefficients, Estimator, naming
from untold.ask.scores.rounded_sums import rounding
from untold.errors import UnsupportedQuery
from untold.plan import Plan
from untold.plan.designs import Design, View
from untold.plan.designs.base import HIDDEN, to_weights
from untold.plan.hierarchy import Space, Tree, extend

Values = dict[Column, Floats]  # functions of columns, over their codes; a column that is missing has the function 1


@dataclass(frozen=True)
class ReportColumn:
    """A column of a space in terms of the attribute and the rounding that it tells; None where it tells no such thing."""

    kind: str  # "value", "rows", or that of a derived column
    value: Column | None
    rounded: Column | None
    rows: Column | None

    def factor(self, values: Values, tree: Tree, size: int) -> Floats | None:
        """The function of this column that a term asks for, over codes; None for 1. `size` is m, the values of the attribute."""
        if self.kind != "mirror":
            parts = [values.get(column) for column in (self.rows, self.rounded, self.value) if column is not None]
            if all(part is None for part in parts):
                return None
            if len(parts) == 1:
                return parts[0]
            return np.multiply.outer(*(np.ones(2) if part is None else part for part in parts)).reshape(-1)
        assert self.value is not None
        assert self.rounded is not None
        where, ends = values.get(self.value), values.get(self.rounded)
        if where is None and ends is None:
            return None
        where = np.ones(size) if where is None else where
        low, high = (1.0, 1.0) if ends is None else (float(ends[0]), float(ends[1]))
        lower = np.append(np.full(tree.padded // 2 - size, where[-1]), where[::-1])  # A in [l, r] is [-r, -l] there
        return np.concatenate([low * lower, high * where])


@dataclass(frozen=True, eq=False)
class Choice:
    """A group of people as a design of its own: its columns, and which views of the whole design are its."""

    columns: tuple[ReportColumn, ...]
    sizes: tuple[int, ...]  # of the attribute behind each column
    design: Design
    first: int  # number of its first view in the whole design
    share: float  # of people

    @property
    def names(self) -> tuple[str, ...]:
        """Of its columns, for people."""
        return tuple(next(c.attribute for c in (coded.value, coded.rounded, coded.rows) if c) for coded in self.columns)

    def tells(self, column: Column) -> bool:
        """Whether a report of this group speaks of a column."""
        return any(column in (coded.value, coded.rounded, coded.rows) for coded in self.columns)

    def coefficients(self, values: Values, estimate: Estimator) -> Coefficients:
        """Of the functions of its columns, over the leaves of its trees."""
        trees, factors = self.design.space.trees, []
        for column, tree, size in zip(self.columns, trees, self.sizes, strict=True):
            own = column.factor(values, tree, size)
            factors.append(np.ones(tree.padded) if own is None else extend(tree, own))
        with naming(self):
            return estimate(self.design, factors)


@dataclass(frozen=True, eq=False)
class Part:
    """Some columns of a service, and the views that speak of them.

    fixed    functions that every query contains: the number of rows that a sampled row stands for
    always   whether a report of this part is needed even where a term touches none of its columns
    """

    columns: frozenset[Column]
    whole: Design
    choices: tuple[Choice, ...]
    fixed: Values
    always: bool

    @property
    def first(self) -> int:
        """Names the part among those of its service."""
        return self.choices[0].first

    def coefficients(self, term: Term, estimate: Estimator) -> Coefficients:
        """What the reports of all groups that can tell add up to the term's factors of this part, per view of the whole design."""
        values = {factor.column: factor.values for factor in term.factors if factor.column in self.columns} | self.fixed
        if self.choices[0].design is self.whole:
            return self.choices[0].coefficients(values, estimate)
        able = [choice for choice in self.choices if all(map(choice.tells, values))]
        share = sum(choice.share for choice in able)
        blocks: list[ViewBlocks | None] = [None] * len(self.whole.views)
        constants = np.zeros(len(self.whole.views))
        for choice in able:
            own = choice.coefficients(values, estimate).times(1 / share)
            end = choice.first + len(own.blocks)
            blocks[choice.first : end] = own.blocks
            constants[choice.first : end] = own.constants
        return Coefficients(tuple(blocks), constants)


@lru_cache(maxsize=256)
def parts_of(plan: Plan, name: str) -> tuple[Part, ...]:
    """The parts of a service."""
    service, design = plan.service(name), plan.design(name)
    if not design.answers_sql:
        raise UnsupportedQuery(
            f"reports of service '{name}' (design '{design.name}') tell Fourier coefficients, which serve marginals alone.\n"
            "Hint: con.marginal([...]) or `untold marginals`.",
            code="not-collected",
        )
    attributes = [Column(name, attribute.name) for attribute in service.sensitive]
    sizes = [tree.size for tree in design.space.trees[: len(attributes)]]
    hidden = Column(name, HIDDEN)
    fixed: Values = {}
    if service.rows is not None:
        fixed[hidden] = np.array([0.0, service.rows.max / service.rows.report])
    coded = [ReportColumn("value", column, None, None) for column in attributes]
    for derived in design.roundings:
        column = attributes[derived.attribute]
        both = (column if derived.kind == "mirror" else None), rounding(column)
        coded.append(ReportColumn(derived.kind, *both, hidden if derived.kind == "weighted-round" else None))
        sizes.append(derived.size)
    if design.hidden:
        coded.append(ReportColumn("rows", None, None, hidden))
        sizes.append(2)
    if design.separate:
        alone = [[n for n, view in enumerate(design.views) if view.levels[i]] for i in range(len(coded))]
        choices = [_choice(design, coded, sizes, (i,), own[0], len(own)) for i, own in enumerate(alone)]
        return tuple(_part(design, (choice,), fixed) for choice in choices)
    if not design.groups:
        return (_part(design, (Choice(tuple(coded), tuple(sizes), design, 0, 1.0),), fixed),)
    found, first = [], 0
    for group in design.groups:
        found.append(_choice(design, coded, sizes, group.columns, first, group.views))
        first += group.views
    return (_part(design, tuple(found), fixed),)


def _part(design: Design, choices: tuple[Choice, ...], fixed: Values) -> Part:
    told = [(c.value, c.rounded, c.rows) for choice in choices for c in choice.columns]
    columns = frozenset(column for each in told for column in each if column is not None)
    own = {column: values for column, values in fixed.items() if column in columns}
    return Part(columns, design, choices, own, bool(own))


def _choice(
    whole: Design, coded: list[ReportColumn], sizes: list[int], columns: tuple[int, ...], first: int, count: int
) -> Choice:
    """Some views of a design, as a design over some of its columns."""
    chosen = whole.views[first : first + count]
    start = chosen[0].offset
    views = tuple(View(tuple(view.levels[c] for c in columns), view.oracle, view.offset - start) for view in chosen)
    space = Space(tuple(whole.space.trees[c] for c in columns))
    own = None if whole.weights is None else whole.weights[first : first + count]
    share = 1.0 if own is None else float(sum(own) / sum(whole.weights or ()))
    weights = None if own is None else to_weights(own)
    alone = Design(whole.name, space, views, weights, coded[columns[-1]].kind == "rows")
    return Choice(tuple(coded[c] for c in columns), tuple(sizes[c] for c in columns), alone, first, share)
