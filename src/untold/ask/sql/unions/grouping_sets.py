"""ROLLUP, CUBE and GROUPING SETS: a query for each grouping, their rows below each other. A key that a grouping leaves out is NULL.

GROUP BY ROLLUP (a, b)   groups by a and b, by a, and all together
GROUP BY CUBE (a, b)     by a and b, by a, by b, and all together
GROUP BY a, CUBE (b)     by a and b, and by a
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations, product

from sqlglot import exp

from untold.ask.limits import MAX_UNION_QUERIES
from untold.ask.sql.names import bare
from untold.ask.sql.refusals import SPAN, Refusal
from untold.ask.sql.results.output_names import unaliased

WORDS = re.compile(r"\b(?:ROLLUP|CUBE|GROUPING\s+SETS)\b", re.IGNORECASE)
Keys = tuple[exp.Expr, ...]


def groupings(select: exp.Select) -> list[Keys]:
    """The keys of every grouping, as GROUP BY writes them, the finest first; none if there is one grouping."""
    group = select.args.get("group")
    items = [] if group is None else list(group.expressions)
    if not any(isinstance(item, exp.Rollup | exp.Cube | exp.GroupingSets) for item in items):
        return []
    window = next((found for each in select.expressions if (found := each.find(exp.Window)) is not None), None)
    if window is not None:
        raise Refusal(
            window,
            "A window over several groupings is not supported.",
            "Ask for one GROUP BY at a time.",
            code="subquery",
        )
    found = [_once(key for part in parts for key in part) for parts in product(*map(_sets, items))]
    if len(found) > MAX_UNION_QUERIES:
        raise Refusal(
            group,
            f"These are {len(found)} groupings; at most {MAX_UNION_QUERIES}.",
            "Ask for less at once.",
            code="too-large",
        )
    return found


def _sets(item: exp.Expr) -> list[Keys]:
    """What one item of GROUP BY stands for."""
    if isinstance(item, exp.GroupingSets):
        return [keys for each in item.expressions for keys in _sets_within(each)]
    parts = [_keys(each) for each in item.expressions]
    if isinstance(item, exp.Rollup):
        return [_once(key for part in parts[:size] for key in part) for size in range(len(parts), -1, -1)]
    if isinstance(item, exp.Cube):
        sizes = range(len(parts), -1, -1)
        return [_once(key for part in some for key in part) for size in sizes for some in combinations(parts, size)]
    return [(item,)]


def _sets_within(each: exp.Expr) -> list[Keys]:
    nested = isinstance(each, exp.Rollup | exp.Cube | exp.GroupingSets)
    return _sets(each) if nested else [_keys(each)]


def _keys(item: exp.Expr) -> Keys:
    """(a, b) counts as one in a list of keys."""
    return tuple(item.expressions) if isinstance(item, exp.Tuple) else (bare(item),)


def _once(keys: Iterable[exp.Expr]) -> Keys:
    return tuple(dict.fromkeys(keys))


def grouped_by(select: exp.Select, number: int) -> exp.Select:
    """One of the groupings as a query of its own; ORDER BY and LIMIT are of all of them."""
    every = groupings(select)
    kept = every[number]
    names = {name for key in _once(key for keys in every for key in keys) for name in _trees(key, select)}
    left_out = names - {name for key in kept for name in _trees(key, select)}
    out = select.copy()
    out.set("expressions", [_item(item, left_out, names) for item in out.expressions])
    having = out.args.get("having")
    if having is not None:
        having.set("this", _without(having.this, left_out, names))
    out.set("group", exp.Group(expressions=[key.copy() for key in kept]) if kept else None)
    for clause in ("order", "limit", "offset"):
        out.set(clause, None)
    return out


def _trees(key: exp.Expr, select: exp.Select) -> list[exp.Expr]:
    """What a key may be called: itself, and what its position or name in SELECT stands for."""
    found: exp.Expr | None = None
    if isinstance(key, exp.Literal) and key.name.isdigit():
        place = int(key.name)
        found = select.expressions[place - 1] if 0 < place <= len(select.expressions) else None
    elif isinstance(key, exp.Column) and not key.table:
        found = next((item for item in select.expressions if item.alias.lower() == key.name.lower()), None)
    if found is None:
        return [key, *(exp.column(i.alias) for i in select.expressions if isinstance(i, exp.Alias) and i.this == key)]
    named = [exp.column(found.alias)] if isinstance(found, exp.Alias) else []
    return [key, found.unalias(), *named]


def _item(item: exp.Expr, left_out: set[exp.Expr], keys: set[exp.Expr]) -> exp.Expr:
    tree = item.unalias()
    found = _without(tree, left_out, keys)
    if found is tree:
        return item
    out = exp.alias_(found, item.alias or unaliased(tree), quoted=True)
    out.meta[SPAN] = found.meta[SPAN] = item.meta.get(SPAN)
    return out


def _without(tree: exp.Expr, left_out: set[exp.Expr], keys: set[exp.Expr]) -> exp.Expr:
    """An expression with NULL in place of the keys that are left out, and GROUPING in place of which these are."""
    if isinstance(tree, exp.Grouping | exp.GroupingId):
        for each in tree.expressions:
            if each not in keys:
                raise Refusal(each, "GROUPING is about keys of GROUP BY.", "Add it to GROUP BY.", code="subquery")
        return exp.Literal.number(sum(2**n for n, each in enumerate(reversed(tree.expressions)) if each in left_out))
    if tree in left_out:
        return exp.null()
    if isinstance(tree, exp.AggFunc | exp.Filter | exp.Query):
        return tree
    copy = tree.copy()
    changed = False
    for name, value in tree.args.items():
        if isinstance(value, exp.Expr):
            inner: exp.Expr | list[object] = _without(value, left_out, keys)
            if inner is not value:
                copy.set(name, inner)
                changed = True
        elif isinstance(value, list):
            parts = [_without(part, left_out, keys) if isinstance(part, exp.Expr) else part for part in value]
            if any(new is not old for new, old in zip(parts, value, strict=True)):
                copy.set(name, parts)
                changed = True
    return copy if changed else tree
