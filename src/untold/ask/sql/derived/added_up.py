"""Estimates of groups added up over groups: SUM(n) of counts n is one count over all of their rows.

A group's total is a sum over its rows and keys are the same in all of them, so with k the keys of a group g

    sum over g of f(k) (sum over rows of g of x) = sum over rows of f(k) x

which is a total like any other, with its own error. What is no sum over rows (an average, a product) has no such form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from untold.ask.sql.derived.groups import Groups, aggregates, estimated, written
from untold.ask.sql.names import bare
from untold.ask.sql.refusals import SPAN, Refusal

Wrap = Callable[[exp.Expr], exp.Expr]  # what one row adds, times what its keys bring
HOW_MANY = "Which groups have members is not known: one without members differs from others by noise alone."
HINTS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Count: (HOW_MANY, "Count rows in the subquery, and add them up with SUM."),
    exp.Avg: (HOW_MANY, "Write SUM(n) divided by the number of groups that you mean, or AVG over the rows themselves."),
    exp.Max: ("The largest of several estimates is too large on average.", "Write ORDER BY n DESC LIMIT 1."),
    exp.Min: ("The smallest of several estimates is too small on average.", "Write ORDER BY n LIMIT 1."),
}
ONE = (exp.Avg, exp.Min, exp.Max, exp.AnyValue, exp.First, exp.Sum)  # of one number: itself
OTHERS = ("Between estimates of groups, only sums have a known error.", "Use SUM of counts and sums.")


def added_up(tree: exp.Expr, tables: Sequence[Groups], aliases: Sequence[str] = ()) -> exp.Expr:
    """An expression with aggregates over groups as one over rows."""

    def put(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Filter) and isinstance(node.this, exp.AggFunc) and node.this in found:
            when = written(node.expression.this, tables)
            _check_keys(when, node.expression)
            return _sum(node.this, tables, [when])
        if isinstance(node, exp.AggFunc) and node in found:
            return _sum(node, tables, [])
        return node

    copy = tree.copy()
    found = list(aggregates(copy))
    copy = copy.transform(put, copy=False)
    known = {alias.lower() for alias in aliases}

    def rest(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and WRITTEN not in node.meta and node.name.lower() not in known:
            return written(node, tables)
        return node

    return bare(copy.transform(rest, copy=False))


WRITTEN = "written"  # marks columns that are of rows already


def _sum(node: exp.Expr, tables: Sequence[Groups], when: list[exp.Expr]) -> exp.Expr:
    if not any(table.keys for table in tables) and isinstance(node, ONE) and not isinstance(node.this, exp.Distinct):
        return exp.Paren(this=_marked(written(node.this, tables)))  # of one row
    if type(node) is not exp.Sum:
        raise Refusal(node, *HINTS.get(type(node), OTHERS))
    if isinstance(node.this, exp.Distinct):
        raise Refusal(node, "Whether two estimates are the same is not known.", "Leave DISTINCT out.", code="subquery")
    return exp.Paren(this=_marked(summed(written(node.this, tables), lambda x: x, when, node)))


def _marked(tree: exp.Expr) -> exp.Expr:
    for column in tree.find_all(exp.Column):
        column.meta[WRITTEN] = True
    return tree


def summed(tree: exp.Expr, wrap: Wrap, when: Sequence[exp.Expr], place: exp.Expr) -> exp.Expr:
    """The sum over groups of an expression over keys and aggregates, as aggregates over rows."""
    if isinstance(tree, exp.Paren):
        return exp.Paren(this=summed(tree.this, wrap, when, place))
    if isinstance(tree, exp.Add | exp.Sub):
        sides = [exp.Paren(this=summed(side, wrap, when, place)) for side in (tree.this, tree.expression)]
        return type(tree)(this=sides[0], expression=sides[1])
    if isinstance(tree, exp.Neg):
        return exp.Neg(this=exp.Paren(this=summed(tree.this, wrap, when, place)))
    if isinstance(tree, exp.Mul | exp.Div):
        return _scaled(tree, wrap, when, place)
    if isinstance(tree, exp.Coalesce) and all(e.name in ("0", "0.0") for e in tree.expressions):
        return summed(tree.this, wrap, when, place)
    if isinstance(tree, exp.Case) and tree.this is None:
        return _cases(tree, wrap, when, place)
    if isinstance(tree, exp.Filter):
        return summed(tree.this, wrap, [*when, tree.expression.this], place)
    if isinstance(tree, exp.Literal) and tree.name in ("0", "0.0"):
        return tree.copy()
    if not estimated(tree):
        raise Refusal(place, HOW_MANY, "Add up counts or sums of the groups.", code="subquery")
    return _over_rows(tree, wrap, when, place)


def _scaled(tree: exp.Expr, wrap: Wrap, when: Sequence[exp.Expr], place: exp.Expr) -> exp.Expr:
    left, right = tree.this, tree.expression
    if estimated(right) and (estimated(left) or isinstance(tree, exp.Div)):
        raise Refusal(
            place,
            "A sum of products or ratios of estimates over groups has no unbiased estimate.",
            "Add up counts and sums, and divide the sums.",
            code="subquery",
        )
    total, factor = (right, left) if estimated(right) else (left, right)
    kind = type(tree)

    def more(amount: exp.Expr) -> exp.Expr:
        return kind(this=wrap(amount), expression=exp.Paren(this=factor.copy()))

    return summed(total, more, when, place)


def _cases(tree: exp.Case, wrap: Wrap, when: Sequence[exp.Expr], place: exp.Expr) -> exp.Expr:
    """Each branch by itself: its sum times 1 where keys choose it, and 0 elsewhere."""
    ifs = tree.args["ifs"]
    for each in ifs:
        _check_keys(each.this, each)
    branches = [each.args["true"] for each in ifs] + ([tree.args["default"]] if tree.args.get("default") else [])
    parts = []
    for n, branch in enumerate(branches):
        chosen = tree.copy()
        for i, each in enumerate(chosen.args["ifs"]):
            each.set("true", exp.Literal.number(int(i == n)))
        chosen.set("default", exp.Literal.number(int(n == len(ifs))))

        def kept(amount: exp.Expr, chosen: exp.Expr = chosen) -> exp.Expr:
            return exp.Mul(this=wrap(amount), expression=exp.Paren(this=chosen.copy()))

        if not isinstance(branch, exp.Null):
            parts.append(summed(branch, kept, when, place))
    out = parts[0]
    for part in parts[1:]:
        out = exp.Add(this=exp.Paren(this=out), expression=exp.Paren(this=part))
    return out


def _over_rows(tree: exp.Expr, wrap: Wrap, when: Sequence[exp.Expr], place: exp.Expr) -> exp.Expr:
    """One aggregate of a group, over the rows of all groups."""
    one = exp.Literal.number(1)
    scaled = wrap(one)
    argument = tree.this
    if isinstance(tree, exp.Sum) and not isinstance(argument, exp.Distinct):
        found: exp.Expr = exp.Sum(this=wrap(argument.copy()))
    elif isinstance(tree, exp.Count | exp.CountIf) and scaled is one:
        found = tree.copy()
    elif isinstance(tree, exp.Count) and isinstance(argument, exp.Star):
        found = exp.Sum(this=scaled)
    elif isinstance(tree, exp.Count | exp.CountIf) and not isinstance(argument, exp.Distinct):
        known = exp.Not(this=exp.Is(this=argument.copy(), expression=exp.Null()))
        case = exp.If(this=known if isinstance(tree, exp.Count) else argument.copy(), true=scaled)
        found = exp.Sum(this=exp.Case(ifs=[case], default=exp.Literal.number(0)))
    else:
        name = tree.sql_name() if isinstance(tree, exp.Func) else tree.key.upper()
        raise Refusal(
            place,
            f"{name} of a group is no sum over its rows, so adding it up over groups has no unbiased estimate.",
            "Add up COUNT and SUM of the groups, and calculate with the sums.",
            code="subquery",
        )
    found.meta[SPAN] = place.meta.get(SPAN)
    if not when:
        return found
    condition = when[0].copy() if len(when) == 1 else exp.and_(*(each.copy() for each in when))
    kept = exp.Filter(this=found, expression=exp.Where(this=condition))
    kept.meta[SPAN] = place.meta.get(SPAN)
    return kept


def _check_keys(condition: exp.Expr, place: exp.Expr) -> None:
    if estimated(condition):
        raise Refusal(
            place,
            "This adds up only those groups that noise has let through.",
            "Choose groups by their keys, or rows by WHERE in the subquery.",
            code="subquery",
        )
