"""GROUP BY -> group keys: a dictionary or knots, buckets of one attribute, or expressions over public columns."""

from __future__ import annotations

import numpy as np
from sqlglot import exp

from untold.ask.limits import MAX_KEY_ENTRIES, MAX_KEY_GROUPS
from untold.ask.question.model import GroupKey, PublicKey, SensitiveKey
from untold.ask.sql.columns_used import touched
from untold.ask.sql.from_clause.bind import refuse_aggregates
from untold.ask.sql.names import as_column, bare
from untold.ask.sql.one_attribute.evaluate import labels, shape_of
from untold.ask.sql.parse import DIALECT
from untold.ask.sql.public_expressions import public
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.totals.asked import Asked


def group_keys(select: exp.Select, asked: Asked) -> None:
    """Read GROUP BY into asked.keys."""
    group = select.args["group"]
    for name in ("grouping_sets", "cube", "rollup", "totals"):
        if group.args.get(name):
            raise _several_groupings(group)
    items = list(group.expressions)
    if group.args.get("all"):
        items = [e for e in select.expressions if _unaliased(e).find(exp.AggFunc) is None and _columns(e)]
    for item in items:
        if isinstance(item, exp.GroupingSets | exp.Cube | exp.Rollup | exp.Tuple):
            raise _several_groupings(item)
        tree, name = _named(item, select, asked)
        refuse_aggregates(tree)
        if tree is not item and not _columns(tree):
            continue  # a constant of SELECT, which parts nothing
        resolved = asked.scope.resolve(tree)
        if asked.key_of(tree) is None:
            asked.keys.append((resolved, _key(resolved, name, asked)))


def _several_groupings(node: exp.Expr) -> Refusal:
    return Refusal(
        node,
        "GROUPING SETS, ROLLUP and CUBE are several questions at once.",
        "Ask once for each GROUP BY you want.",
        code="result",
    )


def _unaliased(item: exp.Expr) -> exp.Expr:
    return item.this if isinstance(item, exp.Alias) else item


def _columns(item: exp.Expr) -> bool:
    return next(_unaliased(item).find_all(exp.Column), None) is not None


def _named(item: exp.Expr, select: exp.Select, asked: Asked) -> tuple[exp.Expr, str]:
    """The expression behind an item: itself, a position in SELECT, or an alias of SELECT."""
    chosen: exp.Expr | None = None
    if isinstance(item, exp.Literal) and not item.is_string:
        place = int(item.name) if item.name.isdigit() else 0
        if not 1 <= place <= len(select.expressions):
            raise Refusal(
                item, f"SELECT has no column number {item.name}.", f"Use 1 to {len(select.expressions)}.", code="result"
            )
        chosen = select.expressions[place - 1]
    elif isinstance(item, exp.Column) and not item.table and not asked.scope.knows(item):
        chosen = next((e for e in select.expressions if e.alias.lower() == item.name.lower()), None)
    tree = _unaliased(chosen if chosen is not None else item)
    if chosen is not None and tree.find(exp.AggFunc) is not None:
        raise Refusal(
            item,
            "This stands for an aggregate; rows are grouped before they are added up.",
            "Use HAVING or ORDER BY.",
            code="result",
        )
    same = [e for e in select.expressions if isinstance(e, exp.Alias) and e.this == tree]
    name = (chosen.alias if chosen is not None else "") or (same[0].alias if same else "")
    if not name:
        name = (
            tree.name
            if isinstance(tree, exp.Column)
            else tree.sql(DIALECT, comments=False, normalize_functions="lower")
        )
    return tree, name


def _key(tree: exp.Expr, name: str, asked: Asked) -> GroupKey:
    """One key."""
    found = touched(tree, asked.scope)
    if not found.sensitive and not found.public:
        raise Refusal(
            tree, "This is the same for all rows.", "Group by a column, or leave GROUP BY out.", code="result"
        )
    if found.open:
        return PublicKey(name, public(tree))
    if not found.single:
        raise Refusal(
            tree,
            f"This key depends on {found.words()}; a key may use one sensitive attribute or public columns.",
            "Write one key for each, separated by commas.",
            code="result",
        )
    column = next(tree.find_all(exp.Column))
    attribute = asked.scope.sensitive(column)
    assert attribute is not None
    alone = isinstance(bare(tree), exp.Column)
    shape = None if alone else shape_of(tree, asked.scope)
    if shape is not None and shape.kind in ("line", "curve"):
        raise Refusal(
            tree,
            f"'{attribute.name}' is kept on knots, which this moves off.",
            f"GROUP BY {attribute.name} for its knots, or FLOOR({attribute.name} / w) * w for buckets of width w.",
            code="result",
        )
    names, members = labels(tree, asked.scope, MAX_KEY_GROUPS)
    if len(names) > MAX_KEY_GROUPS or len(names) * attribute.size > MAX_KEY_ENTRIES:
        width = " or FLOOR(x / w) * w" if attribute.compares_numbers else ""
        raise Refusal(
            tree,
            f"This makes {len(names)} groups; at most {MAX_KEY_GROUPS} are shown.",
            f"Use CASE WHEN{width} for wider ones.",
            code="too-large",
        )
    indicators = np.zeros((len(names), attribute.size))
    indicators[members, np.arange(attribute.size)] = 1.0
    return SensitiveKey(name, as_column(column), tuple(names), indicators)
