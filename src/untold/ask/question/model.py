"""What a query asks, once SQL is out of the way: totals over tuples, formulas over totals, and what to do with the rows.

A tuple is a row of the (joined) services that nobody has disclosed. A total adds a number w(tuple) over all tuples; w is a sum of
product terms: a coefficient, one function of each sensitive attribute that is touched, and public numbers that the
engine computes exactly. Every aggregate is a formula over totals. Nothing here knows reports, designs or engines.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import nan
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from untold.ask.question.frames import Frame

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, order=True)
class Column:
    """An attribute of a service."""

    service: str
    attribute: str


@dataclass(frozen=True)
class PublicNumber:
    """An expression over public columns, checked against the allow-list, as SQL of untold's own making.

    `sql` quotes every column as "service"."column" and is what makes two of them equal; `tree` is the same as a syntax tree, for
    engines of another dialect. Conditions are numbers too: CASE WHEN ... THEN 1 ELSE 0 END.
    """

    sql: str
    tree: exp.Expression = field(compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Factor:
    """A function of one sensitive attribute: its value for each code (0..size-1)."""

    column: Column
    values: Floats


@dataclass(frozen=True, eq=False)
class Term:
    """coefficient * product of factors (at most one per column) * product of public numbers."""

    coefficient: float = 1.0
    factors: tuple[Factor, ...] = ()
    publics: tuple[PublicNumber, ...] = ()


KeySide = Literal["share", "inside", "touched"]


@dataclass(frozen=True, eq=False)
class Total:
    """The sum over all tuples of a sum of terms. `is_count` says that w is 0 or 1 for every tuple, so that w^2 = w.

    `within` are the numbers of the group keys that it is taken within: all of them (None), or fewer for a total over more than
    the row's own group. `side` says which codes of keys that cut classes it takes; see SensitiveKey. `frame` says which groups
    of one of the keys within it is added up over; the row's own (None), or others.
    """

    terms: tuple[Term, ...]
    is_count: bool = False
    within: tuple[int, ...] | None = None
    side: KeySide = "share"
    frame: Frame | None = None

    def codes_of(self, number: int, key: SensitiveKey) -> Floats | None:
        """What it asks of the codes of key `number`, in each of its groups; None if it is not taken within it."""
        if self.within is not None and number not in self.within:
            return None
        own = key.codes(self.side)
        if self.frame is None or self.frame.key != number:
            return own
        weights = self.frame.of_labels(len(key.labels))
        added = weights @ own
        # A class that two of the groups touch is no more than a whole one.
        return np.minimum(added, weights.max(axis=1)[:, None]) if self.side == "touched" else added


@dataclass(frozen=True)
class Constant:
    """A number."""

    value: float


@dataclass(frozen=True)
class TotalOf:
    """The estimate of total number `index` of the question (of the row's group).

    Where conditions or keys cut classes, it is an even share of them, and `between` are the numbers of two totals that the true
    one lies between: of what lies wholly inside, and of all that is touched.
    """

    index: int
    between: tuple[int, int] | None = None


Operation = Literal[
    "add", "sub", "mul", "div", "neg", "sqrt", "abs",
    "ln", "log2", "log10", "exp", "floor", "ceil", "pow", "greatest", "least", "coalesce",
]  # fmt: skip


@dataclass(frozen=True)
class Apply:
    """An operation on formulas: add, sub, mul, div, pow (by a constant), greatest, least, coalesce take two; others one."""

    operation: Operation
    arguments: tuple[Formula, ...]


@dataclass(frozen=True)
class Quantile:
    """The value of `column` below which a share `probability` of the tuples counted by total `total` lies.

    `discrete` asks for one of the values, and not for a point between two; from reports both are found the same way.
    """

    column: Column
    probability: float
    total: int
    discrete: bool = False


@dataclass(frozen=True)
class Choose:
    """CASE: the first formula whose condition holds, the last one if none does. Conditions compare formulas and numbers."""

    conditions: tuple[Condition, ...]
    formulas: tuple[Formula, ...]


RankKind = Literal["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"]


@dataclass(frozen=True)
class Ranked:
    """The place of a row among all rows with the same keys `within`, in an order: RANK, ROW_NUMBER, NTILE into so many `tiles`."""

    kind: RankKind
    order: tuple[SortKey, ...]
    within: tuple[int, ...] = ()
    tiles: int = 0


Formula = Constant | TotalOf | Apply | Quantile | Choose | Ranked
NULL = Constant(nan)


@dataclass(frozen=True, eq=False)
class SensitiveKey:
    """GROUP BY something that depends on one sensitive attribute: a label and an indicator over codes for each group.

    `labels[g]` is what the result shows; `indicators[g]` is 1 for the codes of group g. Groups are disjoint; codes in
    no group are in no row. Where a key cuts classes, `indicators` are even shares of them, and `bounds` says which codes
    lie wholly inside of each group, and which it touches at all.
    """

    name: str
    column: Column
    labels: tuple[Any, ...]
    indicators: Floats  # shape (groups, size)
    bounds: tuple[Floats, Floats] | None = None  # the same shape

    def codes(self, side: KeySide) -> Floats:
        """The codes of each group, as a total takes them."""
        if side == "share" or self.bounds is None:
            return self.indicators
        return self.bounds[side == "touched"]


@dataclass(frozen=True)
class PublicKey:
    """GROUP BY an expression over public columns; its groups are found by the engine."""

    name: str
    expression: PublicNumber


GroupKey = SensitiveKey | PublicKey


@dataclass(frozen=True)
class KeyOutput:
    """A result column that shows group key number `key`."""

    name: str
    key: int


@dataclass(frozen=True)
class KeyFunction:
    """A function of group keys, or of none: a value for each row of the result, without an error.

    `sql` is of untold's own making, over columns t0.v0, t0.v1, ... for the keys of these numbers, and is what makes two of them
    equal; `tree` is the same as a syntax tree whose nodes know their places.
    """

    sql: str
    keys: tuple[int, ...]
    tree: exp.Expr = field(compare=False, repr=False)


@dataclass(frozen=True)
class FunctionOutput:
    """A result column that shows a function of group keys, or a constant."""

    name: str
    function: KeyFunction


@dataclass(frozen=True)
class EstimateOutput:
    """A result column with an estimate: `name`, and beside it name_se, name_low, name_high. `sql` is its text, for messages."""

    name: str
    formula: Formula
    sql: str
    digits: int | None = None  # that its value is rounded to where it is shown; its error stays


Output = KeyOutput | FunctionOutput | EstimateOutput


@dataclass(frozen=True)
class Side:
    """One side of a comparison or a sort key: a literal, a group key, a function of such, or the value, bound or error of a
    formula."""

    kind: Literal["literal", "key", "function", "value", "low", "high", "se"]
    literal: Any = None
    key: int = -1
    formula: Formula | None = None
    function: KeyFunction | None = None


@dataclass(frozen=True)
class Comparison:
    """left operator right, one of = <> < <= > >=; or whether left, a key, is NULL ("is") or not ("is not")."""

    operator: Literal["=", "<>", "<", "<=", ">", ">=", "is", "is not"]
    left: Side
    right: Side


@dataclass(frozen=True)
class Logic:
    """and / or of any number of conditions, not of one."""

    operator: Literal["and", "or", "not"]
    conditions: tuple[Condition, ...]


Condition = Comparison | Logic


@dataclass(frozen=True)
class SortKey:
    """ORDER BY one side."""

    side: Side
    descending: bool = False


@dataclass(frozen=True)
class Joined:
    """A sensitive table of things, and the column of a service that names the thing of a row."""

    table: str
    at: Column


@dataclass(frozen=True, eq=False)
class Question:
    """All that a query asks.

    services   the services of FROM, joined on the user key; the first one is where FROM begins
    filter     a condition over public columns that every row must meet (a 0/1 number), or None
    keys       GROUP BY
    totals     every distinct total that a formula refers to, WHERE already multiplied in; group keys not
    """

    sql: str
    services: tuple[str, ...]
    filter: PublicNumber | None
    keys: tuple[GroupKey, ...]
    totals: tuple[Total, ...]
    outputs: tuple[Output, ...]
    having: Condition | None = None
    order: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0
    notes: tuple[str, ...] = ()  # sentences for the reader of the answer
    counts_people: bool = False  # by COUNT(DISTINCT user key): a person must have one row
    things: Joined | None = None  # the sensitive table of things that FROM joins, if it does
    where: Total | None = None  # the tuples that meet WHERE; None: all of them
    parameters: tuple[Hashable, ...] = ()  # their places and values: with `sql`, what tells two questions apart
    grouping: int | None = None  # which one of several that GROUP BY asks for; tells two questions apart, too
