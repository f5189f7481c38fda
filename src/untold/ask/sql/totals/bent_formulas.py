"""LN, POWER, GREATEST, CASE ... over estimates. They have no unbiased estimate; their answers say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from untold.ask.question.model import (
    NULL,
    Apply,
    Choose,
    Comparison,
    Condition,
    Constant,
    Formula,
    Logic,
    Operation,
    Side,
)
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.totals.asked import Asked, apply

Read = Callable[[exp.Expr, Asked], Formula]
ONE: dict[type[exp.Expr], Operation] = {exp.Ln: "ln", exp.Exp: "exp", exp.Floor: "floor", exp.Ceil: "ceil"}
SEVERAL: dict[type[exp.Expr], Operation] = {exp.Greatest: "greatest", exp.Least: "least", exp.Coalesce: "coalesce"}

CHOICES = (exp.Log, exp.Pow, exp.Nullif, exp.Case, exp.If)


def bent(node: exp.Expr, asked: Asked, read: Read) -> Formula | None:
    """Such a function of estimates; None if it is another one. `read` reads its arguments."""
    if (operation := ONE.get(type(node))) is not None and not node.args.get("decimals"):
        return apply(operation, read(node.this, asked))
    if isinstance(node, exp.Log):
        base, argument = (node.this, node.expression) if node.expression is not None else (None, node.this)
        if base is None or base.name in ("10", "2"):
            return apply("log2" if base is not None and base.name == "2" else "log10", read(argument, asked))
    if (operation := SEVERAL.get(type(node))) is not None:
        found = read(node.this, asked)
        for each in node.expressions:
            other = read(each, asked)
            if operation == "coalesce" and not isinstance(other, Constant):
                raise Refusal(
                    each,
                    "What stands in for a missing estimate is a number.",
                    "Write COALESCE(x, 0).",
                    code="aggregate",
                )
            found = apply(operation, found, other)
        return found
    if isinstance(node, exp.Pow):
        power = read(node.expression, asked)
        if not isinstance(power, Constant) or abs(power.value) > 8:
            raise Refusal(
                node, "An estimate is raised to a number from -8 to 8.", "Write POWER(x, 3).", code="aggregate"
            )
        return apply("pow", read(node.this, asked), power)
    if isinstance(node, exp.Nullif):
        inner = read(node.this, asked)
        return Choose((_equal(inner, read(node.expression, asked)),), (NULL, inner))
    if isinstance(node, exp.Case | exp.If):
        return _case(node, asked, read)
    return None


def _case(node: exp.Expr, asked: Asked, read: Read) -> Formula:
    """CASE over estimates. Conditions on keys or rows belong inside of aggregates."""
    subject = node.this if isinstance(node, exp.Case) else None
    conditions, formulas = [], []
    for each in node.args["ifs"] if isinstance(node, exp.Case) else [node]:
        if subject is not None:
            found: Condition = _equal(read(subject, asked), read(each.this, asked))
        else:
            found = asked.compare(each.this, asked)
        for side in _sides(found):
            if side.kind not in ("literal", "value") or (side.formula is None and isinstance(side.literal, str)):
                raise Refusal(
                    each.this,
                    "CASE over estimates compares their values with numbers and with each other.",
                    "Put conditions on columns into the aggregate: SUM(CASE WHEN ... THEN x END), or FILTER.",
                    code="aggregate",
                )
        conditions.append(found)
        formulas.append(_branch(each.args["true"], asked, read))
    last = node.args.get("default" if isinstance(node, exp.Case) else "false")
    formulas.append(NULL if last is None else _branch(last, asked, read))
    if len(formulas) == 2 and formulas[0] == NULL and _guards(conditions[0], formulas[1]):
        return formulas[1]
    return Choose(tuple(conditions), tuple(formulas))


def _guards(condition: Condition, quotient: Formula) -> bool:
    """CASE WHEN n = 0 THEN NULL ELSE x / n END: a quotient by 0 is shown as missing anyway."""
    if not isinstance(condition, Comparison) or condition.operator != "=" or condition.right.literal != 0:
        return False
    if not isinstance(quotient, Apply) or quotient.operation != "div":
        return False
    return quotient.arguments[1] == condition.left.formula


def _branch(node: exp.Expr, asked: Asked, read: Read) -> Formula:
    if isinstance(node, exp.Null):
        return NULL
    if isinstance(node, exp.Boolean) or (isinstance(node, exp.Literal) and node.is_string):
        raise Refusal(
            node,
            "A word that an estimate chooses has no error bar.",
            "Show the estimate itself, or choose rows by HAVING.",
            code="aggregate",
        )
    return read(node, asked)


def _equal(left: Formula, right: Formula) -> Comparison:
    return Comparison("=", _side(left), _side(right))


def _side(formula: Formula) -> Side:
    return Side("literal", formula.value) if isinstance(formula, Constant) else Side("value", formula=formula)


def _sides(condition: Condition) -> Iterator[Side]:
    if isinstance(condition, Logic):
        for each in condition.conditions:
            yield from _sides(each)
    else:
        yield from (condition.left, condition.right)
