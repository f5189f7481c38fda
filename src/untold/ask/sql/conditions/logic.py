"""Conditions as 0/1 functions of a tuple, and how they become disjoint products.

A condition of SQL is true, false or unknown; a row passes when it is true. "Is true" is an ordinary yes or no, so
everything here is two-valued. Parts over one sensitive attribute are one mask over its codes, parts over public columns
are expressions for the engine; `both` and `either` keep it so, whatever the nesting.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from untold.ask.question.model import Column

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Fixed:
    """Always, or never."""

    holds: bool


@dataclass(frozen=True, eq=False)
class Coded:
    """The codes of one sensitive attribute for which the condition holds: neither none nor all of them."""

    column: Column
    mask: Mask


@dataclass(frozen=True, eq=False)
class MaskTable:
    """The combinations of codes of several sensitive attributes for which the condition holds; one axis for each, in order."""

    columns: tuple[Column, ...]
    mask: Mask


@dataclass(frozen=True, eq=False)
class Open:
    """A condition over public columns, with resolved names; holds where SQL says true, not where it says unknown.

    `zero_of` is the public number that is 0 wherever the condition does not hold, if there is one.
    """

    tree: exp.Expr
    zero_of: str | None = None


@dataclass(frozen=True, eq=False)
class Joint:
    """All of the parts (`every`), or any of them."""

    every: bool
    parts: tuple[Predicate, ...]


Predicate = Fixed | Coded | MaskTable | Open | Joint
ALWAYS, NEVER = Fixed(True), Fixed(False)


def coded(column: Column, mask: Mask) -> Predicate:
    """A mask; a constant where it is one."""
    if mask.all():
        return ALWAYS
    return Coded(column, mask) if mask.any() else NEVER


def where_true(columns: Sequence[Column], mask: Mask) -> Predicate:
    """The condition that a table of yes and no describes."""
    return tabled(tuple(columns), mask) if columns else Fixed(bool(mask))


def tabled(columns: tuple[Column, ...], mask: Mask) -> Predicate:
    """A table; over the attributes that matter only."""
    if mask.size and (mask.all() or not mask.any()):
        return Fixed(bool(mask.all()))
    for axis in range(mask.ndim):
        first = mask.take([0], axis)
        if mask.ndim > 1 and (mask == first).all():
            return tabled((*columns[:axis], *columns[axis + 1 :]), first.squeeze(axis))
    if len(columns) == 1:
        return Coded(columns[0], mask)
    order = sorted(range(len(columns)), key=lambda i: columns[i])
    return MaskTable(tuple(columns[i] for i in order), mask.transpose(order))


def both(*parts: Predicate) -> Predicate:
    """All of the parts."""
    return joint(True, parts)


def either(*parts: Predicate) -> Predicate:
    """Any of the parts."""
    return joint(False, parts)


def opposite(logic: Predicate) -> Predicate:
    """Holds where the condition does not."""
    if isinstance(logic, Fixed):
        return Fixed(not logic.holds)
    if isinstance(logic, Coded):
        return Coded(logic.column, ~logic.mask)
    if isinstance(logic, MaskTable):
        return MaskTable(logic.columns, ~logic.mask)
    if isinstance(logic, Open):
        return Open(exp.Not(this=exp.Is(this=_bracketed(logic.tree), expression=exp.true())))
    return joint(not logic.every, [opposite(part) for part in logic.parts])


def joint(every: bool, parts: Iterable[Predicate]) -> Predicate:
    """Parts joined by AND or OR: flattened, constants folded, one part for each attribute."""
    masks: dict[Column, Mask] = {}
    tables: dict[tuple[Column, ...], Mask] = {}
    opens: dict[str, Open] = {}
    rest: dict[Hashable, Joint] = {}
    queue = list(parts)
    if len(queue) == 1 and not isinstance(queue[0], Joint):
        return queue[0]
    while queue:
        part = queue.pop(0)
        if isinstance(part, Fixed):
            if part.holds != every:
                return part
        elif isinstance(part, Coded):
            known = masks.get(part.column)
            joined = part.mask if known is None else known & part.mask if every else known | part.mask
            masks[part.column] = joined
        elif isinstance(part, MaskTable):
            seen = tables.get(part.columns)
            tables[part.columns] = part.mask if seen is None else seen & part.mask if every else seen | part.mask
        elif isinstance(part, Open):
            opens.setdefault(part.tree.sql(), part)
        elif part.every == every:
            queue = [*part.parts, *queue]
        else:
            rest.setdefault(key(part), part)
    merged: list[Predicate] = [coded(column, mask) for column, mask in masks.items()]
    merged += [tabled(columns, mask) for columns, mask in tables.items()]
    if any(isinstance(part, Fixed) and part.holds != every for part in merged):
        return Fixed(not every)
    merged = [part for part in merged if not isinstance(part, Fixed)]
    if every:  # kept apart, for what `zero_of` says
        merged += opens.values()
    elif opens:
        merged.append(Open(chained(every, [part.tree for part in opens.values()])))
    merged += rest.values()
    if len(merged) <= 1:
        return merged[0] if merged else Fixed(every)
    return Joint(every, tuple(merged))


def chained(every: bool, trees: list[exp.Expr]) -> exp.Expr:
    """Trees joined by AND or OR."""
    joined = _bracketed(trees[0]) if len(trees) > 1 else trees[0]
    for tree in trees[1:]:
        joined = (exp.And if every else exp.Or)(this=joined, expression=_bracketed(tree))
    return joined


def _bracketed(tree: exp.Expr) -> exp.Expr:
    return exp.Paren(this=tree.copy())


def key(logic: Predicate) -> Hashable:
    """Equal for conditions of the same shape."""
    if isinstance(logic, Fixed):
        return logic.holds
    if isinstance(logic, Coded):
        return logic.column, logic.mask.tobytes()
    if isinstance(logic, MaskTable):
        return logic.columns, logic.mask.tobytes()
    if isinstance(logic, Open):
        return logic.tree.sql()
    return logic.every, frozenset(key(part) for part in logic.parts)
