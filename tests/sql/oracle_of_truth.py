"""The value of a Question on raw rows, computed from its terms alone: what DuckDB must answer for the same SQL."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from untold.answers.stacked import Sorting, sorted_rows
from untold.ask.question.model import (
    Apply,
    Choose,
    Column,
    Comparison,
    Condition,
    Constant,
    Formula,
    FunctionOutput,
    KeyFunction,
    KeyOutput,
    PublicKey,
    PublicNumber,
    Quantile,
    Question,
    Ranked,
    SensitiveKey,
    Side,
    Total,
    TotalOf,
)
from untold.ask.sql.one_attribute.of_keys import values_of_rows
from untold.ask.sql.unions.questions import Union
from untold.plan import Plan

Row = tuple[Any, ...]


class Tuples:
    """The joined raw rows that pass the filter: codes of sensitive attributes, values of public numbers."""

    def __init__(self, question: Question, plan: Plan, con: duckdb.DuckDBPyConnection) -> None:
        self.plan = plan
        self._con = con
        first, *others = question.services
        self._source = f'"{first}"' + "".join(f' JOIN "{s}" USING ("{plan.user_key}")' for s in others)
        if question.filter is not None:
            self._source += f" WHERE ({question.filter.sql}) = 1"
        self.rows = len(self._ask("1 AS one"))

    def _ask(self, item: str) -> list[Row]:
        order = ", ".join(f'"{s}".rowid' for s in self._source_names())
        found: list[Row] = self._con.execute(f"SELECT {item} FROM {self._source} ORDER BY {order}").fetchall()
        return found

    def _source_names(self) -> list[str]:
        return [part.split('"')[1] for part in self._source.split(" WHERE ")[0].split("JOIN ")]

    def codes(self, column: Column) -> Any:
        """Codes of a sensitive attribute."""
        attribute = self.plan.service(column.service).attribute(column.attribute)
        values = [row[0] for row in self._ask(f'"{column.service}"."{column.attribute}"')]
        return np.array([attribute.code_of(value) for value in values], dtype=int)  # type: ignore[union-attr]

    def public(self, number: PublicNumber) -> list[Any]:
        """Values of a public number."""
        return [row[0] for row in self._ask(number.sql)]

    def weights(self, total: Total) -> Any:
        """w of every tuple."""
        w = np.zeros(self.rows)
        for term in total.terms:
            part = np.full(self.rows, term.coefficient)
            for factor in term.factors:
                part = part * factor.values[self.codes(factor.column)]
            for number in term.publics:
                part = part * np.array(self.public(number), dtype=float)
            w += part
        if total.is_count:
            assert set(np.unique(w)) <= {0.0, 1.0}
        return w


def _added(weights: Any, insides: list[Any]) -> float:
    """The mean over some groups; of a window that is a sum, there is one for all of them."""
    return float(np.mean([weights[inside].sum() for inside in insides])) if insides else math.nan


def _window(total: Total, number: int, members: list[list[tuple[Any, Any]]], own: Any) -> list[Any]:
    """Who is in the rows that a total is added up over for one row; several groups if their mean is asked for."""
    if total.frame is None:
        masks = [mask for n, (_, mask) in enumerate(own) if total.within is None or n in total.within]
        return [np.logical_and.reduce([np.ones(number, dtype=bool), *masks])]
    frame, within = total.frame, total.within or ()
    masks = [mask for n, (_, mask) in enumerate(own) if n in within and n != frame.key]
    kept = np.logical_and.reduce([np.ones(number, dtype=bool), *masks])
    there = [(label, mask) for label, mask in members[frame.key] if mask.any()]
    order = sorted((each for each in there if each[0] is not None), key=lambda e: e[0], reverse=frame.descending)
    order += [each for each in there if each[0] is None]
    place = [label for label, _ in order].index(own[frame.key][0]) if own[frame.key][1].any() else 0
    first = 0 if frame.start is None else max(0, place + frame.start)
    last = len(order) if frame.end is None else max(0, place + frame.end + 1)
    found = [mask & kept for _, mask in order[first:last]]
    found = found[:1] if frame.pick == "first" else found[-1:] if frame.pick == "last" else found
    if frame.mean or not found:
        return [np.zeros(number, dtype=bool)] if frame.or_zero and not found else found
    return [np.logical_or.reduce(found)]


class Group:
    """One row of the result before HAVING: its keys and its totals."""

    def __init__(self, keys: Row, members: Any, wider: list[list[Any]], weights: list[Any], tuples: Tuples) -> None:
        self.keys, self._members, self._weights, self._tuples = keys, members, weights, tuples
        self.totals = [_added(w, insides) for w, insides in zip(weights, wider, strict=True)]
        self.all: list[Group] = [self]  # of the question

    def value(self, formula: Formula) -> float:
        """A formula, NaN where it has no value."""
        if isinstance(formula, Constant):
            return formula.value
        if isinstance(formula, TotalOf):
            return self.totals[formula.index]
        if isinstance(formula, Quantile):
            return self._quantile(formula)
        if isinstance(formula, Ranked):
            return self._rank(formula)
        if isinstance(formula, Choose):
            taken = (f for c, f in zip(formula.conditions, formula.formulas, strict=False) if self.meets(c))
            return self.value(next(taken, formula.formulas[-1]))
        assert isinstance(formula, Apply)
        values = [self.value(argument) for argument in formula.arguments]
        try:
            return {
                "add": lambda a, b: a + b,
                "sub": lambda a, b: a - b,
                "mul": lambda a, b: a * b,
                "div": lambda a, b: a / b,
                "neg": lambda a: -a,
                "sqrt": lambda a: math.sqrt(0.0 if -1e-9 < a < 0 else a),
                "abs": abs,
                "ln": math.log,
                "log2": math.log2,
                "log10": math.log10,
                "exp": math.exp,
                "floor": math.floor,
                "ceil": math.ceil,
                "pow": math.pow,
                "greatest": lambda a, b: max(x for x in (a, b) if x == x),
                "least": lambda a, b: min(x for x in (a, b) if x == x),
                "coalesce": lambda a, b: b if math.isnan(a) else a,
            }[formula.operation](*values)  # type: ignore[operator, no-any-return]
        except (ZeroDivisionError, ValueError):
            return math.nan

    def _rank(self, formula: Ranked) -> float:
        """By counting the rows that come before."""
        mine = [g for g in self.all if all(g.keys[k] == self.keys[k] for k in formula.within)]

        def place(group: Group) -> list[tuple[bool, Any]]:
            found = []
            for key in formula.order:
                value = group.side(key.side)
                gone = value is None or value != value
                if not gone and key.descending:
                    value = -value if isinstance(value, int | float) else _Backwards(value)
                found.append((gone, 0 if gone else _sortable(value)))
            return found

        places = [place(g) for g in mine]
        own = place(self)
        before, same = sum(p < own for p in places), places.count(own)
        rank, rows = before + 1, len(mine)
        if formula.kind in ("row_number", "ntile"):
            assert same == 1, "which of two rows comes first is not said"
        if formula.kind == "ntile":
            sizes = [rows // formula.tiles + (n < rows % formula.tiles) for n in range(formula.tiles)]
            return next(n + 1.0 for n in range(formula.tiles) if rank <= sum(sizes[: n + 1]))
        return {
            "row_number": float(rank),
            "rank": float(rank),
            "dense_rank": float(len({repr(p) for p in places if p < own}) + 1),
            "percent_rank": (rank - 1) / max(rows - 1, 1),
            "cume_dist": (before + same) / rows,
        }[formula.kind]

    def _quantile(self, formula: Quantile) -> float:
        chosen = self._members & (self._weights[formula.total] == 1)
        attribute = self._tuples.plan.service(formula.column.service).attribute(formula.column.attribute)
        values = attribute.numbers[self._tuples.codes(formula.column)[chosen]]  # type: ignore[union-attr]
        method = "inverted_cdf" if formula.discrete else "linear"
        return float(np.quantile(values, formula.probability, method=method)) if len(values) else math.nan

    def side(self, side: Side) -> Any:
        """One side of a comparison."""
        if side.kind == "literal":
            return side.literal
        if side.kind == "key":
            return self.keys[side.key]
        if side.kind == "function":
            assert side.function is not None
            return self.function(side.function)
        assert side.kind == "value", "bounds have no truth to compare with"
        assert side.formula is not None
        return self.value(side.formula)

    def function(self, function: KeyFunction) -> Any:
        """A function of the keys."""
        columns = [[group.keys[key] for group in self.all] for key in function.keys]
        return values_of_rows(function, columns, len(self.all))[self.all.index(self)].as_py()

    def meets(self, condition: Condition) -> bool:
        """HAVING."""
        if isinstance(condition, Comparison):
            a, b = self.side(condition.left), self.side(condition.right)
            if condition.operator in ("is", "is not"):
                return (a is None) == (condition.operator == "is")
            if isinstance(a, dt.date) and b is not None:
                a, b = (dt.datetime.fromisoformat(str(x)) for x in (a, b))
            if a is None or b is None or a != a or b != b:
                return False
            a, b = (round(x, 9) if isinstance(x, float) else x for x in (a, b))
            return bool(
                {"=": a == b, "<>": a != b}.get(condition.operator)
                if condition.operator in ("=", "<>")
                else {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[condition.operator]
            )
        results = [self.meets(part) for part in condition.conditions]
        return {"and": all, "or": any, "not": lambda r: not r[0]}[condition.operator](results)  # type: ignore[operator]


def answer(question: Question, plan: Plan, con: duckdb.DuckDBPyConnection) -> list[Row]:
    """The rows of the result. Groups in which every total is zero are not shown: DuckDB shows no empty groups."""
    tuples = Tuples(question, plan, con)
    weights = [tuples.weights(total) for total in question.totals]
    members: list[list[tuple[Any, Any]]] = []
    for key in question.keys:
        if isinstance(key, SensitiveKey):
            codes = tuples.codes(key.column)
            members.append([(label, on[codes] == 1) for label, on in zip(key.labels, key.indicators, strict=True)])
        else:
            assert isinstance(key, PublicKey)
            values = pd.Series(tuples.public(key.expression), dtype=object)
            members.append(
                [(v, np.array([x == v if v is not None else x is None for x in values])) for v in dict.fromkeys(values)]
            )
    groups = []
    for combination in itertools.product(*members):
        inside = np.ones(tuples.rows, dtype=bool)
        for _, mask in combination:
            inside &= mask
        wider = [_window(total, tuples.rows, members, combination) for total in question.totals]
        group = Group(tuple(label for label, _ in combination), inside, wider, weights, tuples)
        if any(w[inside].any() for w in weights) or not question.keys:
            groups.append(group)
    for group in groups:
        group.all = groups
    if question.having is not None:
        groups = [group for group in groups if group.meets(question.having)]
    for key in reversed(question.order):
        missing = [g for g in groups if g.side(key.side) is None or g.side(key.side) != g.side(key.side)]
        present = [g for g in groups if g not in missing]
        groups = sorted(present, key=lambda g: _sortable(g.side(key.side)), reverse=key.descending) + missing
    end = None if question.limit is None else question.offset + question.limit
    return [
        tuple(
            g.keys[o.key]
            if isinstance(o, KeyOutput)
            else g.function(o.function)
            if isinstance(o, FunctionOutput)
            else _shown(g.value(o.formula), o.digits)
            for o in question.outputs
        )
        for g in groups[question.offset : end]
    ]


def _shown(value: float, digits: int | None) -> float:
    """Rounded half away from zero, as DuckDB does."""
    if digits is None or math.isnan(value):
        return value
    return math.copysign(math.floor(abs(value) * 10**digits + 0.5) / 10**digits, value)


class _Backwards(str):
    """A text that comes before those that are smaller."""

    def __lt__(self, other: str) -> bool:
        return str(self) > str(other)


def _sortable(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


class Near(float):
    """A double that equals what it differs from in the last places only."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and math.isclose(self, other, rel_tol=1e-9, abs_tol=1e-9)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]


def plain(row: Row) -> Row:
    """Values in a form that compares: numbers as doubles that forgive rounding, nothing as 0."""
    return tuple(_plain(value) for value in row)


def _plain(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | float | Decimal | np.number):
        return Near(0.0 if math.isnan(float(value)) else float(value))
    if value is None:
        return Near(0.0)
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return value.isoformat() if isinstance(value, dt.date) else value


def agrees(question: Question, plan: Plan, con: duckdb.DuckDBPyConnection) -> tuple[list[Row], list[Row]]:
    """Our rows and DuckDB's, in a form that compares with ==; sorted unless the query has an order."""
    ours = [plain(row) for row in answer(question, plan, con)]
    theirs = [plain(row) for row in con.execute(question.sql).fetchall()]
    if not question.order:
        ours, theirs = sorted(ours, key=_place), sorted(theirs, key=_place)
    return ours, theirs


def _place(row: Row) -> list[str]:
    return [f"{value + 0.0:.5g}" if isinstance(value, float) else str(value) for value in row]


def union_agrees(sql: str, both: Union, plan: Plan, con: duckdb.DuckDBPyConnection) -> tuple[list[Row], list[Row]]:
    """The same for UNION ALL: the rows of all parts, in the order of the whole."""
    rows = [row for asked in both.questions for row in answer(asked, plan, con)]
    values = {str(key.column): [row[key.column] for row in rows] for key in both.tail.order}
    order = [Sorting(str(key.column), key.descending) for key in both.tail.order]
    end = None if both.tail.limit is None else both.tail.offset + both.tail.limit
    ours = [plain(rows[place]) for place in sorted_rows(values, order, len(rows))[both.tail.offset : end]]
    theirs = [plain(row) for row in con.execute(sql).fetchall()]
    return (ours, theirs) if order else (sorted(ours, key=_place), sorted(theirs, key=_place))
