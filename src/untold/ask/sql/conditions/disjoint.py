"""Rewrites a condition as a sum of products that exclude each other, so that their counts can be added."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from untold.ask.limits import MAX_CONDITION_PRODUCTS
from untold.ask.question.model import Column
from untold.ask.sql.conditions.logic import (
    Coded,
    Fixed,
    Joint,
    Mask,
    MaskTable,
    Open,
    Predicate,
    chained,
    joint,
    key,
    tabled,
)
from untold.ask.sql.refusals import Refusal


@dataclass(frozen=True, eq=False)
class Conjunction:
    """A mask for each of some attributes, and a condition over public columns: all must hold."""

    masks: dict[Column, Mask]
    tree: exp.Expr | None


def disjoint(logic: Predicate) -> list[Conjunction]:
    """The condition as products of which at most one holds for any tuple: 1[condition] is the sum of theirs.

    One attribute after the other: codes that leave the same question open for the remaining attributes share a product,
    so that a OR b is a + (NOT a) b, and no code is counted twice.
    """
    found = _products(logic)
    if len(found) > MAX_CONDITION_PRODUCTS:
        raise Refusal(
            None,
            f"The conditions come to {len(found)} products of single conditions.",
            "Ask a simpler question.",
            code="too-large",
        )
    return found


def _products(logic: Predicate) -> list[Conjunction]:
    if isinstance(logic, Fixed):
        return [Conjunction({}, None)] if logic.holds else []
    if isinstance(logic, Open):
        return [Conjunction({}, logic.tree)]
    if isinstance(logic, Coded):
        return [Conjunction({logic.column: logic.mask}, None)]
    leaves = list(_leaves(logic))
    if not leaves:
        return [Conjunction({}, _tree(logic))]
    used = [column for leaf in leaves for column in _columns(leaf)]
    column = max(set(used), key=lambda c: (used.count(c), c))
    masks = np.concatenate([_masks(leaf, column) for leaf in leaves if column in _columns(leaf)])
    _, first, member = np.unique(masks, axis=1, return_index=True, return_inverse=True)
    groups: dict[Hashable, tuple[Predicate, Mask]] = {}
    for number, code in enumerate(first):
        rest = _given(logic, column, int(code))
        known = groups.get(key(rest))
        mask = member.reshape(-1) == number
        groups[key(rest)] = (rest, mask if known is None else known[1] | mask)
    found: list[Conjunction] = []
    for rest, mask in groups.values():
        factor = {} if mask.all() else {column: mask}
        found += [Conjunction(factor | product.masks, product.tree) for product in _products(rest)]
        if len(found) > 64 * MAX_CONDITION_PRODUCTS:
            break
    return found


def _columns(leaf: Coded | MaskTable) -> tuple[Column, ...]:
    return (leaf.column,) if isinstance(leaf, Coded) else leaf.columns


def _masks(leaf: Coded | MaskTable, column: Column) -> Mask:
    """What each code of an attribute leaves open: one row for each combination of the other attributes' codes."""
    if isinstance(leaf, Coded):
        return leaf.mask[None, :]
    moved: Mask = np.moveaxis(leaf.mask, leaf.columns.index(column), -1)
    return moved.reshape(-1, moved.shape[-1])


def _leaves(logic: Predicate) -> Iterable[Coded | MaskTable]:
    if isinstance(logic, Coded | MaskTable):
        yield logic
    elif isinstance(logic, Joint):
        for part in logic.parts:
            yield from _leaves(part)


def _tree(logic: Predicate) -> exp.Expr:
    """A condition over public columns alone, as one tree."""
    if isinstance(logic, Joint):
        return chained(logic.every, [_tree(part) for part in logic.parts])
    if isinstance(logic, Open):
        return logic.tree
    raise AssertionError("a condition over public columns has no other parts")


def _given(logic: Predicate, column: Column, code: int) -> Predicate:
    """The condition when the code of one attribute is known."""
    if isinstance(logic, Coded) and logic.column == column:
        return Fixed(bool(logic.mask[code]))
    if isinstance(logic, MaskTable) and column in logic.columns:
        axis = logic.columns.index(column)
        return tabled((*logic.columns[:axis], *logic.columns[axis + 1 :]), logic.mask.take([code], axis).squeeze(axis))
    if isinstance(logic, Joint):
        return joint(logic.every, [_given(part, column, code) for part in logic.parts])
    return logic
