"""OVER (...) behind GROUP BY: shares, running totals, moving means, LAG and LEAD, and ranks of groups.

Groups are those that are declared, whether anybody is in them or not. What is added up over other groups is a total like any other
(`question.frames`), so that every formula over such totals has the error of all of them together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from untold.ask.question.formulas import has_quantile, has_rank, is_linear, rewritten
from untold.ask.question.frames import Frame
from untold.ask.question.groups import groups_left
from untold.ask.question.model import (
    Apply,
    Constant,
    Formula,
    Ranked,
    RankKind,
    SensitiveKey,
    SortKey,
    Total,
    TotalOf,
)
from untold.ask.sql.names import bare
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.results.having import side, whole_literal
from untold.ask.sql.totals.across_groups import check_public
from untold.ask.sql.totals.asked import Asked, KeyRef
from untold.ask.sql.totals.collect import indicators
from untold.ask.sql.totals.formulas import formula
from untold.ask.sql.totals.like_terms import merged

ROWS = "This is a window over single rows; rows were never disclosed."
OVER_GROUPS = (
    "Windows are over groups: GROUP BY a key, and write SUM(COUNT(*)) OVER (ORDER BY key), LAG(COUNT(*)) or RANK()."
)
NESTED = "A window over a window is not supported."
HOW_MANY = "Which groups have members is not known: one without members differs from others by noise alone."
EXTREME = "The {} of several estimates is too {} on average."
RANKS: dict[type[exp.Expr], RankKind] = {
    exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank", exp.PercentRank: "percent_rank",
    exp.CumeDist: "cume_dist", exp.Ntile: "ntile",
}  # fmt: skip
RANK_NOTE = (
    "Ranks are those of the numbers shown. Their intervals are all ranks that are possible while the intervals of all groups hold "
    "together."
)
MOST_TILES = 10_000
TotalRule = Callable[[Total], Total]


def over(node: exp.Window, asked: Asked) -> Formula:
    """A window function over the groups of a query."""
    function = node.this
    if isinstance(function, exp.IgnoreNulls | exp.RespectNulls):
        function = function.this
    inner = bare(function.this) if isinstance(getattr(function, "this", None), exp.Expr) else None
    about_groups = inner is not None and inner.find(exp.Window) is None and _of_groups(inner, asked)
    if not (about_groups or (asked.keys and isinstance(function, (exp.Count, *RANKS)))):
        nested = inner is not None and inner.find(exp.Window) is not None
        raise Refusal(
            node,
            NESTED if nested else ROWS,
            "Write the inner one by itself." if nested else OVER_GROUPS,
            code="aggregate",
        )
    _check_having(node)
    kept = [_key(part, asked, "PARTITION BY takes keys of GROUP BY.") for part in node.args.get("partition_by") or []]
    if (kind := RANKS.get(type(function))) is not None:
        return _ranked(node, function, kind, kept, asked)
    if isinstance(function, exp.Count):
        raise Refusal(node, HOW_MANY, "Add up counts of the groups: SUM(COUNT(*)) OVER ().", code="aggregate")
    assert inner is not None
    if isinstance(function, exp.Min | exp.Max):
        which = ("largest", "large") if isinstance(function, exp.Max) else ("smallest", "small")
        raise Refusal(
            node,
            EXTREME.format(*which),
            "Write ORDER BY ... LIMIT 1, or QUALIFY RANK() OVER (...) = 1.",
            code="aggregate",
        )
    read = formula(inner, asked)
    if has_quantile(read) or has_rank(read):
        raise Refusal(
            node, "A quantile or a rank is no total, and has none over several groups.", OVER_GROUPS, code="aggregate"
        )
    if node.args.get("order") is None:
        return _whole(node, function, read, kept, asked)
    return _ordered(node, function, read, kept, asked)


def _of_groups(inner: exp.Expr, asked: Asked) -> bool:
    """Whether an expression is about groups: it has an aggregate, or the name of a result that has one."""
    names = (column.name.lower() for column in inner.find_all(exp.Column) if not column.table)
    return inner.find(exp.AggFunc) is not None or any(
        not isinstance(asked.aliases.get(name, KeyRef(0)), KeyRef) for name in names
    )


def _check_having(node: exp.Window) -> None:
    select = node.find_ancestor(exp.Select)
    if select is not None and select.args.get("having") is not None:
        raise Refusal(
            node,
            "Beside HAVING, this would be about the groups that noise has let through.",
            "Write QUALIFY in place of HAVING: it chooses rows afterwards.",
            code="aggregate",
        )


def _key(part: exp.Expr, asked: Asked, reason: str) -> int:
    """The number of the key that an expression or a name of SELECT stands for."""
    key = asked.key_of(part)
    named = asked.aliases.get(part.name.lower()) if isinstance(part, exp.Column) and not part.table else None
    if key is None and isinstance(named, KeyRef):
        key = named.index
    if key is None:
        raise Refusal(part, reason, "Add it to GROUP BY.", code="aggregate")
    return key


def _whole(node: exp.Window, function: exp.Expr, read: Formula, kept: list[int], asked: Asked) -> Formula:
    """SUM(COUNT(*)) OVER (PARTITION BY keys): the total of all groups that agree in the keys."""
    if node.args.get("spec") is not None:
        raise Refusal(
            node,
            "Without ORDER BY, no row comes before another.",
            "Add ORDER BY a key to OVER (...).",
            code="aggregate",
        )
    if isinstance(function, exp.Avg):
        raise Refusal(
            node, HOW_MANY, "Write SUM(...) OVER () divided by the number of groups that you mean.", code="aggregate"
        )
    if not isinstance(function, exp.Sum):
        raise Refusal(
            node,
            "Which row is the first or next, only an order says.",
            "Add ORDER BY a key to OVER (...).",
            code="aggregate",
        )
    if not _is_sum(read):
        raise Refusal(
            node,
            "Only sums and counts have a total over groups.",
            "Divide one SUM(...) OVER () by another.",
            code="aggregate",
        )
    check_public(node, asked, kept)
    within = tuple(sorted(kept))
    return _rewritten(node, read, asked, lambda total: replace(total, within=within))


def _ordered(node: exp.Window, function: exp.Expr, read: Formula, kept: list[int], asked: Asked) -> Formula:
    """SUM, AVG, FIRST_VALUE, LAST_VALUE, LAG and LEAD along the order of a key."""
    items = node.args["order"].expressions
    if len(items) != 1:
        raise Refusal(
            items[1],
            "A window has the order of one key.",
            "Group by one key, such as date_trunc('month', day).",
            code="aggregate",
        )
    _check_nulls(items[0])
    place = _key(items[0].this, asked, "A window has the order of a key: that of estimates is not certain.")
    if place in kept:
        raise Refusal(
            items[0],
            "Within each part, this is the same for all groups.",
            "Leave it out of PARTITION BY.",
            code="aggregate",
        )
    frame = _frame(node, function, place, bool(items[0].args.get("desc")), read, asked)
    others = [key.name for n, (_, key) in enumerate(asked.keys) if n not in (*kept, place)]
    if others and not (isinstance(function, exp.Sum) and _is_by_value(node)):
        raise Refusal(
            node,
            f"Several groups have the same place in this order: they differ in {', '.join(others)}.",
            f"Write PARTITION BY {', '.join(others)}.",
            code="aggregate",
        )
    if isinstance(function, exp.Sum) and not _is_sum(read):
        raise Refusal(
            node,
            "Only sums and counts have a total over groups.",
            "Divide one running total by another.",
            code="aggregate",
        )
    if isinstance(function, exp.Avg) and not is_linear(read):
        raise Refusal(
            node,
            "The mean of ratios has no unbiased estimate.",
            "Divide SUM(SUM(x)) OVER (...) by SUM(COUNT(*)) OVER (...).",
            code="aggregate",
        )
    check_public(node, asked, kept)
    within = tuple(sorted((*kept, place)))

    def framed(total: Total) -> Total:
        return replace(total, within=within, frame=frame, is_count=total.is_count and not frame.mean)

    return _rewritten(node, read, asked, framed)


def _frame(node: exp.Window, function: exp.Expr, place: int, descending: bool, read: Formula, asked: Asked) -> Frame:
    plain = Frame(place, _labels(node, place, descending, asked), descending)
    if isinstance(function, exp.Lag | exp.Lead):
        offset = _whole_number(function.args.get("offset"), node, 1)
        step = -offset if isinstance(function, exp.Lag) else offset
        other = function.args.get("default")
        zero = isinstance(other, exp.Literal) and other.name in ("0", "0.0")
        if other is not None and not isinstance(other, exp.Null) and not (zero and isinstance(read, TotalOf)):
            raise Refusal(
                other,
                "Where there is no such group, NULL is shown, or 0 of a count or a sum.",
                "Leave it out.",
                code="aggregate",
            )
        return replace(plain, start=step, end=step, or_zero=zero)
    start, end = _ends(node)
    plain = replace(plain, start=start, end=end)
    if isinstance(function, exp.FirstValue | exp.LastValue):
        return replace(plain, pick="first" if isinstance(function, exp.FirstValue) else "last")
    if isinstance(function, exp.Avg):
        return replace(plain, mean=True)
    if isinstance(function, exp.Sum):
        return plain
    name = function.sql_name() if isinstance(function, exp.Func) else function.key.upper()
    raise Refusal(
        node,
        f"{name} over groups has no known error.",
        "Use SUM, AVG, LAG, LEAD, FIRST_VALUE or LAST_VALUE of them.",
        code="aggregate",
    )


def _is_by_value(node: exp.Window) -> bool:
    """Whether groups with the same value of the key are taken together."""
    spec = node.args.get("spec")
    return spec is None or str(spec.args.get("kind")).upper() == "RANGE"


def _ends(node: exp.Window) -> tuple[int | None, int | None]:
    """From how many places after the row's own to how many; None: from the first, to the last."""
    spec = node.args.get("spec")
    if spec is None:
        return None, 0
    if spec.args.get("exclude") is not None:
        raise Refusal(node, "EXCLUDE is not supported.", "Subtract the row's own number.", code="aggregate")
    ends: list[int | None] = []
    for name, otherwise in (("start", None), ("end", "CURRENT ROW")):
        found, which = spec.args.get(name, otherwise), str(spec.args.get(f"{name}_side") or "")
        if found == "CURRENT ROW" or found is None:
            ends.append(0)
        elif found == "UNBOUNDED":
            ends.append(None)
        else:
            if _is_by_value(node):
                raise Refusal(
                    node,
                    "RANGE with a distance is not supported.",
                    "Write ROWS, for a number of groups.",
                    code="aggregate",
                )
            number = _whole_number(found, node, 0)
            ends.append(-number if which.upper() == "PRECEDING" else number)
    return ends[0], ends[1]


def _whole_number(tree: exp.Expr | None, node: exp.Expr, otherwise: int) -> int:
    if tree is None:
        return otherwise
    number = whole_literal(tree)
    if number is None:
        raise Refusal(
            node,
            "A distance in a window is a whole number of groups.",
            "Write LAG(x, 2), or 3 PRECEDING.",
            code="aggregate",
        )
    return number


def _check_nulls(item: exp.Expr) -> None:
    if item.args.get("nulls_first"):
        raise Refusal(
            item, "NULLS FIRST is not supported; missing values come last.", "Leave it out.", code="aggregate"
        )


def _labels(node: exp.Window, place: int, descending: bool, asked: Asked) -> tuple[int, ...] | None:
    """The labels of a sensitive key in order, without those that WHERE rules out; None of a public key."""
    key = asked.keys[place][1]
    if not isinstance(key, SensitiveKey):
        return None
    keys = [each for _, each in asked.keys if isinstance(each, SensitiveKey)]
    left = groups_left(Total(merged(indicators(asked.totals.where)), is_count=True), keys)
    axis = keys.index(key)
    rows = left.swapaxes(0, axis).reshape(left.shape[axis], -1)
    alike = rows[:, rows.any(axis=0)]
    if alike.size and not (alike == alike[:, :1]).all():
        raise Refusal(
            node,
            f"WHERE leaves different groups of {key.name} in different parts.",
            "Leave them out afterwards, by QUALIFY.",
            code="aggregate",
        )
    there = [n for n in range(len(key.labels)) if rows[n].any()]
    known = sorted((n for n in there if key.labels[n] is not None), key=lambda n: key.labels[n], reverse=descending)
    return (*known, *(n for n in there if key.labels[n] is None))


def _is_sum(found: Formula) -> bool:
    """Whether a formula is a sum of multiples of totals, without a constant: then its sum is that of the totals."""
    if isinstance(found, TotalOf):
        return True
    if not isinstance(found, Apply) or not is_linear(found):
        return False
    if found.operation in ("add", "sub", "neg"):
        return all(map(_is_sum, found.arguments))
    return any(map(_is_sum, found.arguments)) and any(isinstance(each, Constant) for each in found.arguments)


def _rewritten(node: exp.Window, read: Formula, asked: Asked, rule: TotalRule) -> Formula:
    def framed(total: TotalOf) -> Formula:
        before = asked.totals.found[total.index]
        if before.within is not None:
            raise Refusal(node, NESTED, "Write the inner one by itself.", code="aggregate")
        return asked.totals.add(rule(before))

    return rewritten(read, framed)


def _ranked(node: exp.Window, function: exp.Expr, kind: RankKind, kept: list[int], asked: Asked) -> Formula:
    """The place of a group among others."""
    order = node.args.get("order")
    if order is None:
        raise Refusal(
            node, "Without ORDER BY, no row comes before another.", "Add ORDER BY to OVER (...).", code="aggregate"
        )
    tiles = 0
    if kind == "ntile":
        tiles = _whole_number(function.this, node, 0)
        if not 0 < tiles <= MOST_TILES:
            raise Refusal(node, f"NTILE takes a number from 1 to {MOST_TILES:,}.", "Write NTILE(4).", code="aggregate")
    keys = []
    for item in order.expressions:
        _check_nulls(item)
        found = side(item.this, asked)
        if found.kind not in ("key", "function", "value") or (found.formula is not None and has_rank(found.formula)):
            raise Refusal(
                item, "Groups are ranked by keys and by estimates.", "Write ORDER BY COUNT(*) DESC.", code="aggregate"
            )
        keys.append(SortKey(found, bool(item.args.get("desc"))))
    if any(key.side.formula is not None for key in keys) and RANK_NOTE not in asked.notes:
        asked.notes.append(RANK_NOTE)
    return Ranked(kind, tuple(keys), tuple(sorted(kept)), tiles)
