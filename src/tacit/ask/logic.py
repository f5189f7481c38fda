"""Conditions as 0/1 functions of a tuple, and how they become disjoint products.

A condition of SQL is true, false or unknown; a row passes when it is true. "Is true" is an ordinary yes or no, so
everything here is two-valued. Parts over one sensitive attribute are one mask over its codes, parts over public columns
are expressions for the engine; `both` and `either` keep it so, whatever the nesting.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from tacit.ask.model import Column
from tacit.ask.places import Refusal

Mask = npt.NDArray[np.bool_]
MOST_PRODUCTS = 1024


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
    parts: tuple[Logic, ...]


Logic = Fixed | Coded | Open | Joint
ALWAYS, NEVER = Fixed(True), Fixed(False)


def coded(column: Column, mask: Mask) -> Logic:
    """A mask; a constant where it is one."""
    if mask.all():
        return ALWAYS
    return Coded(column, mask) if mask.any() else NEVER


def both(*parts: Logic) -> Logic:
    """All of the parts."""
    return _joint(True, parts)


def either(*parts: Logic) -> Logic:
    """Any of the parts."""
    return _joint(False, parts)


def opposite(logic: Logic) -> Logic:
    """Holds where the condition does not."""
    if isinstance(logic, Fixed):
        return Fixed(not logic.holds)
    if isinstance(logic, Coded):
        return Coded(logic.column, ~logic.mask)
    if isinstance(logic, Open):
        return Open(exp.Not(this=exp.Is(this=_bracketed(logic.tree), expression=exp.true())))
    return _joint(not logic.every, [opposite(part) for part in logic.parts])


def _joint(every: bool, parts: Iterable[Logic]) -> Logic:
    """Parts joined by AND or OR: flattened, constants folded, one part for each attribute."""
    masks: dict[Column, Mask] = {}
    opens: dict[str, Open] = {}
    rest: dict[Hashable, Joint] = {}
    queue = list(parts)
    while queue:
        part = queue.pop(0)
        if isinstance(part, Fixed):
            if part.holds != every:
                return part
        elif isinstance(part, Coded):
            known = masks.get(part.column)
            joined = part.mask if known is None else known & part.mask if every else known | part.mask
            masks[part.column] = joined
        elif isinstance(part, Open):
            opens.setdefault(part.tree.sql(), part)
        elif part.every == every:
            queue = [*part.parts, *queue]
        else:
            rest.setdefault(key(part), part)
    merged: list[Logic] = [coded(column, mask) for column, mask in masks.items()]
    if any(isinstance(part, Fixed) and part.holds != every for part in merged):
        return Fixed(not every)
    merged = [part for part in merged if not isinstance(part, Fixed)]
    if every:  # kept apart, for what `zero_of` says
        merged += opens.values()
    elif opens:
        merged.append(Open(_chained(every, [part.tree for part in opens.values()])))
    merged += rest.values()
    if len(merged) <= 1:
        return merged[0] if merged else Fixed(every)
    return Joint(every, tuple(merged))


def _chained(every: bool, trees: list[exp.Expr]) -> exp.Expr:
    joined = _bracketed(trees[0]) if len(trees) > 1 else trees[0]
    for tree in trees[1:]:
        joined = (exp.And if every else exp.Or)(this=joined, expression=_bracketed(tree))
    return joined


def _bracketed(tree: exp.Expr) -> exp.Expr:
    return exp.Paren(this=tree.copy())


def key(logic: Logic) -> Hashable:
    """Equal for conditions of the same shape."""
    if isinstance(logic, Fixed):
        return logic.holds
    if isinstance(logic, Coded):
        return logic.column, logic.mask.tobytes()
    if isinstance(logic, Open):
        return logic.tree.sql()
    return logic.every, frozenset(key(part) for part in logic.parts)


@dataclass(frozen=True, eq=False)
class Product:
    """A mask for each of some attributes, and a condition over public columns: all must hold."""

    masks: dict[Column, Mask]
    tree: exp.Expr | None


def disjoint(logic: Logic) -> list[Product]:
    """The condition as products of which at most one holds for any tuple: 1[condition] is the sum of theirs.

    One attribute after the other: codes that leave the same question open for the remaining attributes share a product,
    so that a OR b is a + (NOT a) b, and no code is counted twice.
    """
    found = _products(logic)
    if len(found) > MOST_PRODUCTS:
        raise Refusal(
            None, f"The conditions come to {len(found)} products of single conditions.", "Ask a simpler question."
        )
    return found


def _products(logic: Logic) -> list[Product]:
    if isinstance(logic, Fixed):
        return [Product({}, None)] if logic.holds else []
    if isinstance(logic, Open):
        return [Product({}, logic.tree)]
    if isinstance(logic, Coded):
        return [Product({logic.column: logic.mask}, None)]
    leaves = list(_leaves(logic))
    if not leaves:
        return [Product({}, _tree(logic))]
    column = max({leaf.column for leaf in leaves}, key=lambda c: (sum(leaf.column == c for leaf in leaves), c))
    masks = np.array([leaf.mask for leaf in leaves if leaf.column == column])
    _, first, member = np.unique(masks, axis=1, return_index=True, return_inverse=True)
    groups: dict[Hashable, tuple[Logic, Mask]] = {}
    for number, code in enumerate(first):
        rest = _given(logic, column, int(code))
        known = groups.get(key(rest))
        mask = member.reshape(-1) == number
        groups[key(rest)] = (rest, mask if known is None else known[1] | mask)
    found: list[Product] = []
    for rest, mask in groups.values():
        factor = {} if mask.all() else {column: mask}
        found += [Product(factor | product.masks, product.tree) for product in _products(rest)]
        if len(found) > 64 * MOST_PRODUCTS:
            break
    return found


def _leaves(logic: Logic) -> Iterable[Coded]:
    if isinstance(logic, Coded):
        yield logic
    elif isinstance(logic, Joint):
        for part in logic.parts:
            yield from _leaves(part)


def _tree(logic: Logic) -> exp.Expr:
    """A condition over public columns alone, as one tree."""
    if isinstance(logic, Joint):
        return _chained(logic.every, [_tree(part) for part in logic.parts])
    if isinstance(logic, Open):
        return logic.tree
    raise AssertionError("a condition over public columns has no other parts")


def _given(logic: Logic, column: Column, code: int) -> Logic:
    """The condition when the code of one attribute is known."""
    if isinstance(logic, Coded) and logic.column == column:
        return Fixed(bool(logic.mask[code]))
    if isinstance(logic, Joint):
        return _joint(logic.every, [_given(part, column, code) for part in logic.parts])
    return logic
