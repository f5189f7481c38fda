"""Arithmetic between aggregates -> formulas over totals."""

from __future__ import annotations

from sqlglot import exp

from untold.ask.question.model import Constant, Formula, KeyFunction, Operation
from untold.ask.sql.names import is_key, refuse_strangers
from untold.ask.sql.node_names import name_of
from untold.ask.sql.one_attribute.functions import NAMES, NODES
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.totals.asked import Asked, KeyRef, apply
from untold.tables.near_miss import did_you_mean

OPERATIONS: dict[type[exp.Expr], Operation] = {
    exp.Add: "add", exp.Sub: "sub", exp.Mul: "mul", exp.Div: "div", exp.Neg: "neg", exp.Sqrt: "sqrt", exp.Abs: "abs",
}  # fmt: skip


MEANT = {
    "average": "AVG", "mean": "AVG", "total": "SUM", "number": "COUNT", "std": "STDDEV", "percentile": "QUANTILE_CONT",
    "percentile_approx": "QUANTILE_CONT", "approx_percentile": "QUANTILE_CONT", "countif": "COUNT_IF", "sumif": "SUM",
}  # fmt: skip
AGGREGATES = (exp.AggFunc, exp.Filter, exp.WithinGroup, exp.IgnoreNulls)


def formula(node: exp.Expr, asked: Asked) -> Formula:
    """An expression over aggregates and names of earlier results."""
    if isinstance(node, exp.Window):
        return asked.over(node, asked)
    if isinstance(node, exp.Subquery):
        return asked.subquery(node, asked)
    if isinstance(node, exp.Paren):
        return formula(node.this, asked)
    if isinstance(node, exp.Literal) and not node.is_string:
        return Constant(float(node.name))
    if isinstance(node, AGGREGATES):
        refuse_strangers(node)
        return asked.aggregate(node, asked)
    if isinstance(node, exp.Column):
        return _named(node, asked)
    if (column := _beside_keys(node, asked)) is not None:
        return _named(column, asked)
    if (operation := OPERATIONS.get(type(node))) is not None:
        return _operation(operation, node, asked)
    if isinstance(node, exp.Pow) and isinstance(node.expression, exp.Literal) and node.expression.name in ("2", "2.0"):
        base = formula(node.this, asked)
        return apply("mul", base, base)
    if not (isinstance(node, exp.Coalesce) and _is_zero(node)):
        found = _bent(node, asked) if node.find(exp.AggFunc, exp.Subquery) or _of_aliases(node, asked) else None
        if found is not None:
            return found
    if isinstance(node, exp.Cast) and node.args["to"].this in (exp.DType.DOUBLE, exp.DType.FLOAT, exp.DType.DECIMAL):
        if node.args["to"].this == exp.DType.DOUBLE:
            return formula(node.this, asked)
        raise Refusal(
            node,
            "Estimates are doubles; this CAST would round them.",
            "Leave the CAST out, or cast to DOUBLE.",
            code="aggregate",
        )
    if isinstance(node, exp.Coalesce) and _is_zero(node):
        return formula(node.this, asked)  # a total over nothing is 0 here already
    refuse_strangers(node)
    raise _refused(node)


def rounding(tree: exp.Expr) -> tuple[exp.Expr, int | None]:
    """What ROUND or a CAST of a whole column is about, and the digits that are shown of it; its error stays as it is."""
    inner, digits = tree, None
    if isinstance(tree, exp.Round) and tree.this.find(exp.AggFunc) is not None:
        given = tree.args.get("decimals")
        if given is None or (isinstance(given, exp.Literal) and given.name.isdigit()):
            inner, digits = tree.this, 0 if given is None else int(given.name)
    elif isinstance(tree, exp.Cast) and tree.this.find(exp.AggFunc) is not None:
        to = tree.args["to"]
        if to.this in (exp.DType.INT, exp.DType.BIGINT):
            inner, digits = tree.this, 0
        elif to.this == exp.DType.DECIMAL:
            inner, digits = tree.this, int(to.expressions[1].name) if len(to.expressions) > 1 else 3
    return inner, digits


def _is_zero(node: exp.Coalesce) -> bool:
    """Whether 0 stands in for a total over nothing."""
    return _is_total(node.this) and all(e.name in ("0", "0.0") for e in node.expressions)


def _bent(node: exp.Expr, asked: Asked) -> Formula | None:
    from untold.ask.sql.totals.bent_formulas import bent

    return bent(node, asked, formula)


def _of_aliases(node: exp.Expr, asked: Asked) -> bool:
    """Whether all names of an expression are those of results."""
    names = [column.name.lower() for column in node.find_all(exp.Column)]
    return bool(names) and all(name in asked.aliases for name in names)


def _beside_keys(node: exp.Expr, asked: Asked) -> exp.Column | None:
    """In a plain expression over columns, the first one that is neither a key nor a result; else the first."""
    if node.find(exp.AggFunc, exp.Query, exp.Window) is not None or _of_aliases(node, asked):
        return None
    if not (type(node) in NODES and (not isinstance(node, exp.Anonymous) or node.name.lower() in NAMES)):
        return None
    columns = list(node.find_all(exp.Column))
    strays = (c for c in columns if asked.key_of(c) is None and (c.table or c.name.lower() not in asked.aliases))
    return next(strays, columns[0] if columns else None)


def _is_total(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Filter) else node
    return isinstance(inner, exp.Sum | exp.Count | exp.CountIf)


def _operation(operation: Operation, node: exp.Expr, asked: Asked) -> Formula:
    left = formula(node.this, asked)
    if operation in ("neg", "sqrt", "abs"):
        return apply(operation, left)
    right = node.expression
    if operation == "div" and isinstance(right, exp.Nullif) and right.expression.name in ("0", "0.0"):
        right = right.this  # a quotient by zero is shown as missing anyway
    divisor = formula(right, asked)
    if operation == "div" and divisor == Constant(0.0):
        raise Refusal(node, "This divides by zero.", "Divide by something else.", code="aggregate")
    return apply(operation, left, divisor)


def _named(node: exp.Column, asked: Asked) -> Formula:
    """An alias of an earlier result. A column itself is not an estimate."""
    known = None if node.table else asked.aliases.get(node.name.lower())
    if isinstance(known, KeyFunction):
        raise Refusal(
            node,
            f"'{node.name}' is a constant or a function of keys; it cannot be part of a formula over estimates.",
            "Show it in a column of its own.",
            code="aggregate",
        )
    if known is not None and not isinstance(known, KeyRef):
        return known
    if isinstance(known, KeyRef) or asked.key_of(node) is not None:
        raise Refusal(
            node,
            f"'{node.name}' is a key of GROUP BY; it cannot be part of a formula over estimates.",
            "Show it in a column of its own.",
            code="aggregate",
        )
    column = asked.scope.resolve(node)
    if is_key(column, asked.scope.plan):
        key = asked.scope.plan.user_key
        raise Refusal(
            node,
            f"'{key}' names a person; answers are about many.",
            f"Count people: COUNT(DISTINCT {key}).",
            code="single-rows",
        )
    named = column if isinstance(column, exp.Column) else node
    sensitive = isinstance(column, exp.Column) and asked.scope.sensitive(column) is not None
    if asked.keys:
        raise Refusal(
            node,
            f"'{named.name}' is neither in GROUP BY nor inside an aggregate.",
            f"Add {named.name} to GROUP BY, or write an aggregate such as {_such_as(named, column, asked)}.",
            code="aggregate",
        )
    if _beside_an_aggregate(node):
        mean = f", or write an aggregate such as AVG({named.name})" if _numeric(column, asked) else ""
        raise Refusal(
            node,
            f"'{named.name}' stands beside an aggregate, and there is no GROUP BY; rows themselves were never disclosed.",
            f"Add GROUP BY {named.name}{mean}.",
            code="single-rows",
        )
    why = (
        "is sensitive: its values were never disclosed" if sensitive else "has a value for each row; rows are not shown"
    )
    raise Refusal(
        node,
        f"'{named.name}' {why}.",
        f"Write SELECT {named.name}, COUNT(*) ... GROUP BY {named.name}, or an aggregate such as "
        f"{_such_as(named, column, asked)}.",
        code="aggregate",
    )


def _beside_an_aggregate(node: exp.Column) -> bool:
    """Whether a column is an item of SELECT, and another item has an aggregate."""
    select = node.find_ancestor(exp.Select)
    if select is None:
        return False
    item: exp.Expr | None = node.parent if isinstance(node.parent, exp.Alias) else node
    return item is not None and item.parent is select and any(each.find(exp.AggFunc) for each in select.expressions)


def _such_as(named: exp.Column, column: exp.Expr, asked: Asked) -> str:
    """An aggregate that this column has."""
    names = isinstance(column, exp.Column) and asked.scope.sensitive(column) is not None and not _numeric(column, asked)
    return f"COUNT({named.name})" if names else f"AVG({named.name})"


def _numeric(column: exp.Expr, asked: Asked) -> bool:
    attribute = asked.scope.sensitive(column) if isinstance(column, exp.Column) else None
    return attribute is not None and attribute.numeric


def _refused(node: exp.Expr) -> Refusal:
    if isinstance(node, exp.Star):
        return Refusal(
            node,
            "* names rows; rows were never disclosed.",
            "Name aggregates, such as SELECT COUNT(*).",
            code="single-rows",
        )
    if isinstance(node, exp.Round | exp.Floor | exp.Ceil | exp.Cast):
        return Refusal(
            node,
            "A rounded estimate has no error bar of its own.",
            "Leave the estimate as it is; .show() rounds it to its error.",
            code="aggregate",
        )
    if isinstance(node, exp.Literal | exp.Boolean | exp.Null):
        return Refusal(
            node,
            "This is not an estimate.",
            "Name aggregates, such as COUNT(*), and keys of GROUP BY.",
            code="aggregate",
        )
    if isinstance(node, exp.AggFunc | exp.Anonymous | exp.IgnoreNulls | exp.Func) and not isinstance(
        node, exp.And | exp.Or
    ):
        name = name_of(node)
        return Refusal(
            node,
            f"{name} is not among the aggregates and operations that have an unbiased estimate.",
            f"{_meant(name)}Use COUNT, SUM, AVG, VAR_SAMP, STDDEV, MEDIAN, QUANTILE_CONT, and + - * / between them.",
            code="value",
        )
    return Refusal(
        node,
        "This is not a formula over aggregates.",
        "Use COUNT, SUM, AVG, MEDIAN ..., and + - * / SQRT ABS between them.",
        code="aggregate",
    )


def _meant(name: str) -> str:
    """The aggregate that somebody may have meant."""
    other = MEANT.get(name.lower())
    return f"Did you mean {other}? " if other else did_you_mean(name, ("COUNT", "SUM", "AVG", "STDDEV", "MEDIAN"))
