"""Expressions over declared values, computed by DuckDB: their value for every code, or for every pair of codes.

Every sensitive attribute has finitely many values, and all are declared. So any function of them is a table, and the meaning
of an expression is DuckDB's own, whichever engine reads the reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from untold.ask.limits import MAX_COMPARED_VALUES
from untold.ask.question.model import Column, Floats
from untold.ask.sql.names import Scope, bare
from untold.ask.sql.one_attribute.finer import (
    Cut,
    CutClass,
    FinerPlan,
    begins,
    cut_at,
    finer_of,
    in_moments,
    whole_steps,
    with_finer,
)
from untold.ask.sql.one_attribute.first_wall import check_nodes
from untold.ask.sql.one_attribute.knots import Knotted, Shape, values_of
from untold.ask.sql.one_attribute.places import by_place
from untold.ask.sql.one_attribute.sense import check_sense
from untold.ask.sql.one_attribute.text_bounds import check_size
from untold.ask.sql.one_attribute.writing import Written, is_column, written
from untold.ask.sql.refusals import Refusal
from untold.plan.schema import Sensitive
from untold.plan.schema.kinds.calendar import as_moment
from untold.plan.schema.kinds.dates import Calendar, Timestamp

if TYPE_CHECKING:
    import pyarrow as pa

    from untold.ask.sql.one_attribute.database import WalledDatabase

Mask = npt.NDArray[np.bool_]
CONDITIONS = (exp.Predicate, exp.Connector, exp.Not, exp.Between, exp.In, exp.Boolean, exp.Null)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A number for every combination of codes, and where there is one; NULL counts as 0."""

    values: Floats
    known: Mask


def holds(tree: exp.Expr, scope: Scope, wanted: bool = True) -> Mask:
    """Where a condition is true, or false: an array with one axis for each attribute. It runs as WHERE, so that AND protects
    what stands behind it from values that it excludes."""
    asked = _checked(tree, scope)
    with _asking(asked) as (db, tables):
        if not isinstance(asked.tree, CONDITIONS) and not _is_condition(asked, db, tables):
            raise Refusal(
                tree,
                "This is not a condition: it is neither true nor false.",
                "Compare it with something, such as = or <."
                if asked.attributes
                else "Write TRUE, FALSE or a comparison.",
                code="expression",
            )
        condition = asked.text if wanted else f"(NOT {asked.text})"
        if not tables:
            return np.array(db.run(f"SELECT 1 WHERE {condition}").num_rows == 1)
        found = db.run(f"SELECT {asked.codes} FROM {asked.source(tables)} WHERE {condition}")
    mask = np.zeros(asked.shape, dtype=np.bool_)
    mask[_places(found, asked)] = True
    return mask


def _is_condition(asked: Written, db: WalledDatabase, tables: list[str]) -> bool:
    """Whether an expression is true, false or NULL; DuckDB's type for NULL alone is a number."""
    if db.type_of(_select(asked, tables)) == "BOOLEAN":
        return True
    source = f"FROM {asked.source(tables)} " if tables else ""
    return bool(db.run(f"SELECT 1 {source}WHERE {asked.text} IS NOT NULL").num_rows == 0)


def known(tree: exp.Expr, scope: Scope) -> Mask:
    """Where an expression is not NULL."""
    return holds(exp.Not(this=exp.Is(this=exp.Paren(this=tree.copy()), expression=exp.null())), scope)


def numbers(tree: exp.Expr, scope: Scope) -> Numbers:
    """An expression as a number."""
    import pyarrow as pa

    from untold.ask.sql.one_attribute.failures import type_words

    asked = _checked(tree, scope)
    found = _projected(asked)
    column = found.column("x")
    if not _is_number(column.type):
        words = "a text" if pa.types.is_string(column.type) else type_words(str(column.type).upper())
        raise Refusal(
            tree,
            f"This is {words}; a number is needed here.",
            "Use an ordinal attribute or a number.",
            code="expression",
        )
    values, there = np.zeros(asked.shape), np.zeros(asked.shape, dtype=np.bool_)
    places = _places(found, asked) or ...
    there[places] = np.reshape(~column.is_null().to_numpy(), there[places].shape)
    values[places] = np.reshape(column.cast(pa.float64()).fill_null(0.0).to_numpy(), there[places].shape)
    if not np.isfinite(values).all():
        first = np.unravel_index(int(np.argmax(~np.isfinite(values))), asked.shape)
        at = " and ".join(f"{a.name} is {a.value(int(c))}" for a, c in zip(asked.attributes, first, strict=True))
        raise Refusal(
            tree,
            f"This has no finite value{f' where {at}' if at else ''}: it divides by zero or is too large.",
            "Divide by NULLIF(x, 0), or use CASE WHEN.",
            code="expression",
        )
    return Numbers(values, there)


def labels(tree: exp.Expr, scope: Scope, most: int) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """The different values of an expression over one attribute, and which one each code has; all of them None if there are more
    than `most`."""
    asked = _checked(tree, scope)
    if isinstance(asked.tree, exp.Column):  # the values themselves, for which no database is opened
        own = asked.attributes[0]
        wider = own.halves or isinstance(scope.plan, FinerPlan)
        shown = [own.label(code) for code in range(own.size)] if wider else values_of(own)
        every = [value + 0.0 if isinstance(value, float) else value for value in shown]
        places = {value: number for number, value in enumerate(dict.fromkeys(every))}
        names = list(places) if len(places) <= most else [None] * len(places)
        return names, np.array([places[value] for value in every], dtype=np.int64)
    import pyarrow as pa
    import pyarrow.compute as pc

    found = _projected(asked)
    column = found.column("x").combine_chunks()
    if pa.types.is_decimal(column.type) and not is_column(tree):  # an attribute itself keeps its digits
        column = column.cast(pa.float64())
    if pa.types.is_floating(column.type):
        column = pc.add(column, 0.0)  # no negative zero
    encoded = column.dictionary_encode("encode")
    numbers = np.empty(asked.shape, dtype=np.int64)
    numbers[_places(found, asked)] = encoded.indices.to_numpy(zero_copy_only=False)
    order = list(dict.fromkeys(numbers.tolist()))  # as the codes come
    names = encoded.dictionary.to_pylist() if len(order) <= most else [None] * len(encoded.dictionary)
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [names[i] for i in order], place[numbers]


def shape_of(tree: exp.Expr, scope: Scope) -> Shape | None:
    """How an expression moves between knots; None if its attribute has none."""
    return _shape(tree, written(tree, scope))


def _shape(tree: exp.Expr, asked: Written) -> Shape | None:
    for column, attribute in zip(asked.columns, asked.attributes, strict=True):
        if attribute.rounds:
            knotted = Knotted(attribute, _constant)
            shape = knotted.shape(asked.tree)
            if knotted.cuts:
                raise CutClass(column, cut_at(attribute, knotted.cuts), tree)
            return shape
    return None


def _checked(tree: exp.Expr, scope: Scope) -> Written:
    check_nodes(tree)
    check_sense(tree, scope)
    meant = whole_steps(tree, scope.plan.finer) if isinstance(scope.plan, FinerPlan) else tree
    asked = written(by_place(meant, scope), scope)
    if len(asked.attributes) > 1:
        _check_several(tree, asked)
    check_size(asked.tree, asked.attributes, asked.cells)
    _shape(tree, asked)
    if len(asked.attributes) == 1 and not isinstance(asked.tree, exp.Column):
        _check_steps(tree, scope, asked.columns[0], asked.attributes[0])
    return asked


def _check_steps(tree: exp.Expr, scope: Scope, column: Column, attribute: Sensitive) -> None:
    """CutClass, if a function of dates or times changes inside of a step."""
    finer = in_moments(attribute)
    _check_moments(tree, attribute if finer is None else finer)
    if finer is None or _at_limits(tree, attribute.without_missing):
        return
    inside = finer_of(finer)
    assert inside is not None
    closer = replace(scope, plan=with_finer(scope.plan, {column: Cut(finer, tree)}))
    found = _projected(written(whole_steps(tree, {column: finer}), closer)).sort_by("c0").column("x")
    codes = found.combine_chunks().dictionary_encode("encode").indices.to_numpy(zero_copy_only=False)[: inside.size]
    if ((codes[1:] != codes[:-1]) & (inside.members[1:] == inside.members[:-1])).any():
        raise CutClass(column, finer, tree)


def _check_moments(tree: exp.Expr, attribute: Sensitive) -> None:
    """Times that are written out must not lie inside of the finest step that is looked at; days never do."""
    step = attribute.without_missing
    if not isinstance(step, Timestamp) or step.step == next(iter(step.steps)):
        return
    for literal in tree.find_all(exp.Literal):
        moment = as_moment(literal.name) if literal.is_string else None
        if moment is not None and not begins(literal, step):
            number = step.steps[step.step].number(moment)
            below, above = (step.steps[step.step].begin(each) for each in (number, number + 1))
            raise Refusal(
                literal,
                f"'{attribute.name}' is {attribute.describe()}, and can be asked by the {step.step} here: "
                f"{literal.name} lies inside of one.",
                f"Write '{below}' or '{above}'.",
                code="expression",
            )


def _at_limits(tree: exp.Expr, kept: Sensitive) -> bool:
    """Whether a plain comparison of a date is seen to cut no step, without looking at all of them."""
    if not isinstance(kept, Calendar) or not isinstance(tree, exp.EQ | exp.NEQ | exp.LT | exp.GTE):
        return False
    return isinstance(bare(tree.this), exp.Column) and begins(tree.expression, kept)


def _check_several(tree: exp.Expr, asked: Written) -> None:
    names = " and ".join(f"'{attribute.name}'" for attribute in asked.attributes)
    knotted = next((attribute for attribute in asked.attributes if attribute.rounds), None)
    if knotted is not None:
        raise Refusal(
            tree,
            f"This compares {names}, which are both sensitive, and '{knotted.name}' is kept on knots: it may jump between two.",
            "Compare each of them with values, and join the comparisons by AND or OR.",
            code="expression",
        )
    stepped = next((attribute for attribute in asked.attributes if in_moments(attribute) is not None), None)
    if stepped is not None:
        with _asking(asked) as (db, tables):
            db.type_of(_select(asked, tables))  # what DuckDB does not understand is told first
        raise Refusal(
            tree,
            f"This compares {names}, which are both sensitive, and '{stepped.name}' is {stepped.describe()}: what is inside of "
            "these is not known.",
            "Compare each of them with values, and join the comparisons by AND or OR.",
            code="expression",
        )
    if asked.cells > MAX_COMPARED_VALUES:
        raise Refusal(
            tree,
            f"This compares {names}, which are both sensitive: {asked.cells:,} combinations of values, more than "
            f"{MAX_COMPARED_VALUES:,}.",
            "Compare each of them with values, and join the comparisons by AND or OR.",
            code="expression",
        )


def _projected(asked: Written) -> pa.Table:
    with _asking(asked) as (db, tables):
        return db.run(_select(asked, tables))


def _select(asked: Written, tables: Sequence[str]) -> str:
    if not tables:
        return f"SELECT {asked.text} AS x"
    return f"SELECT {asked.codes}, {asked.text} AS x FROM {asked.source(list(tables))}"


@contextmanager
def _asking(asked: Written) -> Iterator[tuple[WalledDatabase, list[str]]]:
    """The database with the tables of the attributes; what it raises is told of the part that failed."""
    from untold.ask.sql.one_attribute.database import database, failures
    from untold.ask.sql.one_attribute.failures import explained

    with database() as db:
        tables = [db.table(attribute, asked.attributes) for attribute in asked.attributes]
        try:
            yield db, tables
        except failures() as error:
            raise explained(error, asked, db, tables) from None


def _places(found: pa.Table, asked: Written) -> tuple[npt.NDArray[np.int64], ...]:
    return tuple(found.column(f"c{i}").to_numpy() for i in range(len(asked.attributes)))


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )


def _constant(tree: exp.Expr) -> float | None:
    """The value of an expression without attributes as a number, which a text may be, too; None if it is NULL or none."""
    ((value,),) = (_projected(Written(tree, (), ())).column("x").to_pylist(),)
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None
