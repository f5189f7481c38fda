"""An expression over one sensitive attribute -> its value for every code. What cannot be right is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from sqlglot import exp

from tacit.ask.boundaries import jumps_at_knots, side_of
from tacit.ask.names import Scope, bare, near_miss
from tacit.ask.places import Refusal
from tacit.ask.spreads import (
    Spread,
    ceiled,
    compared,
    constant,
    floored,
    mapped,
    remainder,
    rounded,
    strict,
    truncated_quotient,
)
from tacit.schema import Categorical, Ordinal

COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
WHOLE = (exp.DType.INT, exp.DType.BIGINT, exp.DType.SMALLINT, exp.DType.TINYINT, exp.DType.INT128)


def evaluate(tree: exp.Expr, scope: Scope) -> Spread:
    """The value for every code of the one sensitive attribute in the tree; a constant if there is none."""
    for kind in type(tree).__mro__:
        if kind in RULES:
            return RULES[kind](tree, scope)
    raise _stranger(tree, scope)


def _stranger(tree: exp.Expr, scope: Scope) -> Refusal:
    column = next(tree.find_all(exp.Column), None)
    name = tree.sql_name() if isinstance(tree, exp.Func) and not isinstance(tree, exp.Anonymous) else ""
    what = name or (tree.name.upper() if isinstance(tree, exp.Anonymous) else tree.key.upper())
    if column is None:
        return Refusal(tree, f"{what} is not supported here.", "Write a number, a text, TRUE or FALSE.")
    attribute = scope.attribute(column)
    return Refusal(
        tree,
        f"{what} of the sensitive attribute '{column.name}' is not supported: its values stay on the devices.",
        f"Compare '{column.name}' itself with =, <>, IN{_order_words(attribute)}; "
        f"it has {attribute.describe() if attribute else 'no domain'}.",
    )


def _order_words(attribute: object) -> str:
    return ", <, <=, >, >=, BETWEEN" if isinstance(attribute, Ordinal) else ""


def _column(tree: exp.Expr, scope: Scope) -> Spread:
    assert isinstance(tree, exp.Column)
    attribute = scope.sensitive(tree)
    if isinstance(attribute, Ordinal):
        values = np.array([attribute.value(code) for code in range(attribute.size)], dtype=object)
        return Spread(values, "steps") if attribute.bins is None else Spread(values, "line", 1.0, 0.0)
    if isinstance(attribute, Categorical):
        array = np.empty(attribute.size, dtype=object)
        array[:] = attribute.values
        return Spread(array, "steps")
    raise Refusal(tree, f"'{tree.name}' cannot stand here.", "Use one sensitive attribute and numbers.")


def _literal(tree: exp.Expr, scope: Scope) -> Spread:
    if tree.args.get("is_string"):
        return constant(tree.name)
    text = tree.name.lower().replace("_", "")
    if "e" in text:
        return constant(float(text))
    return constant(int(text)) if text.isdigit() else constant(Fraction(text))


def _numbers(tree: exp.Expr, scope: Scope, *nodes: exp.Expr) -> list[Spread]:
    """Operands that must be numbers."""
    found = []
    for node in nodes:
        spread = evaluate(node, scope)
        inner = bare(node)
        attribute = scope.sensitive(inner) if isinstance(inner, exp.Column) else None
        if isinstance(attribute, Categorical):
            raise Refusal(
                tree,
                f"'{attribute.name}' is categorical: its values are names, also where they look like numbers.",
                f"Compare it with = or IN, or GROUP BY {attribute.name}.",
            )
        if _type(spread) not in ("number", "null"):
            raise Refusal(
                node, f"A number is needed here, not {_type(spread)}.", "Write a number or an ordinal attribute."
            )
        found.append(spread)
    return found


def _type(spread: Spread) -> str:
    values = spread.values if isinstance(spread.values, np.ndarray) else [spread.values]
    kinds = {
        "a condition" if isinstance(v, bool) else "a text" if isinstance(v, str) else "number"
        for v in values
        if v is not None
    }
    return "null" if not kinds else kinds.pop() if len(kinds) == 1 else "a mixture of types"


def _sum(sign: int) -> Callable[[exp.Expr, Scope], Spread]:
    def rule(tree: exp.Expr, scope: Scope) -> Spread:
        a, b = _numbers(tree, scope, tree.this, tree.expression)
        values = mapped(strict(lambda x, y: x + sign * y), a.values, b.values)
        return _combined(values, a, b, a.slope + sign * b.slope, a.offset + sign * b.offset)

    return rule


def _combined(values: Any, a: Spread, b: Spread, slope: float, offset: float) -> Spread:
    """The shape of a sum of two shapes."""
    shapes = {a.shape, b.shape}
    if shapes == {"constant"}:
        return constant(values)
    if shapes <= {"constant", "line"}:
        return Spread(values, "line" if values is not None and slope else "steps", slope, offset)
    return Spread(values, "steps" if shapes <= {"constant", "steps"} else "curve")


def _product(tree: exp.Expr, scope: Scope) -> Spread:
    a, b = _numbers(tree, scope, tree.this, tree.expression)
    values = mapped(strict(lambda x, y: x * y), a.values, b.values)
    if "constant" in (a.shape, b.shape):
        factor, other = (a, b) if a.shape == "constant" else (b, a)
        return _combined(values, factor, other, factor.offset * other.slope, factor.offset * other.offset)
    steps = a.shape == b.shape == "steps"
    return Spread(values, "steps" if steps else "curve")


def _negative(tree: exp.Expr, scope: Scope) -> Spread:
    (a,) = _numbers(tree, scope, tree.this)
    return Spread(mapped(strict(lambda x: -x), a.values), a.shape, -a.slope, -a.offset)


def _quotient(tree: exp.Expr, scope: Scope) -> Spread:
    a, b = _numbers(tree, scope, tree.this, tree.expression)
    _refuse_zero(tree, b)
    values = mapped(strict(lambda x, y: float(x) / float(y)), a.values, b.values)
    if b.shape == "constant" and b.values is not None:
        return _combined(values, a, b, a.slope / b.offset, a.offset / b.offset)
    return _combined(values, a, b, 0.0, 0.0) if b.values is None else _stepwise(tree, values, a, b)


def _refuse_zero(tree: exp.Expr, divisor: Spread) -> None:
    values = divisor.values if isinstance(divisor.values, np.ndarray) else [divisor.values]
    if any(v == 0 for v in values):
        raise Refusal(
            tree, "This divides by zero.", "Divide by something that is never zero, or add a condition to WHERE."
        )


def _stepwise(tree: exp.Expr, values: Any, *spreads: Spread) -> Spread:
    """The result of a function that is not a straight line: exact where its arguments are steps."""
    shapes = {spread.shape for spread in spreads}
    if shapes == {"constant"}:
        return constant(values)
    if shapes <= {"constant", "steps"}:
        return Spread(values, "steps")
    column = next(tree.find_all(exp.Column))
    raise Refusal(
        tree,
        f"'{column.name}' is kept on knots; this function may jump between two of them.",
        f"Use '{column.name}' in sums and products, compare it with numbers at knots, or use FLOOR.",
    )


def _of_integers(function: Callable[[Any, Any], Any]) -> Callable[[exp.Expr, Scope], Spread]:
    def rule(tree: exp.Expr, scope: Scope) -> Spread:
        a, b = _numbers(tree, scope, tree.this, tree.expression)
        _refuse_zero(tree, b)
        if isinstance(tree, exp.IntDiv) and not all(_is_whole(spread) for spread in (a, b)):
            raise Refusal(
                tree, "// divides integers only.", f"Write FLOOR({tree.this.sql()} / {tree.expression.sql()})."
            )
        return _stepwise(tree, mapped(strict(function), a.values, b.values), a, b)

    return rule


def _is_whole(spread: Spread) -> bool:
    values = spread.values if isinstance(spread.values, np.ndarray) else [spread.values]
    return all(v is None or isinstance(v, int) for v in values)


def _steps_of(function: Callable[[Any], Any]) -> Callable[[exp.Expr, Scope], Spread]:
    """FLOOR and CEIL: of a line, if it reaches integers at knots only."""

    def rule(tree: exp.Expr, scope: Scope) -> Spread:
        (a,) = _numbers(tree, scope, tree.this)
        if tree.args.get("decimals") is not None or tree.args.get("to") is not None:
            raise _stranger(tree, scope)
        if a.shape == "line":
            return Spread(jumps_at_knots(tree, a, function, scope), "steps")
        return _stepwise(tree, mapped(strict(function), a.values), a)

    return rule


def _round(tree: exp.Expr, scope: Scope) -> Spread:
    digits = evaluate(tree.args["decimals"], scope) if tree.args.get("decimals") is not None else constant(0)
    (a,) = _numbers(tree, scope, tree.this)
    whole = _is_whole(a)
    if not isinstance(digits.values, int) or digits.values > 0 or (digits.values < 0 and not whole):
        raise Refusal(tree, "ROUND to this number of digits is not supported.", "Use ROUND(x), or FLOOR(x / w) * w.")
    return _stepwise(
        tree, a.values if whole and not digits.values else mapped(strict(rounded), a.values, digits.values), a
    )


def _function(function: Callable[..., Any]) -> Callable[[exp.Expr, Scope], Spread]:
    def rule(tree: exp.Expr, scope: Scope) -> Spread:
        nodes = [
            node for node in (tree.this, tree.args.get("expression"), *tree.expressions) if isinstance(node, exp.Expr)
        ]
        spreads = _numbers(tree, scope, *nodes)
        return _stepwise(tree, mapped(function, *(s.values for s in spreads)), *spreads)

    return rule


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    """GREATEST and LEAST leave NULLs out."""
    return lambda *values: choose((v for v in values if v is not None), default=None)


def comparison(tree: exp.Expr, operator: str, left: exp.Expr, right: exp.Expr, scope: Scope) -> Spread:
    """left operator right, code by code."""
    a, b = evaluate(left, scope), evaluate(right, scope)
    for one, other, spread in ((bare(left), right, b), (bare(right), left, a)):
        attribute = scope.sensitive(one) if isinstance(one, exp.Column) else None
        if isinstance(attribute, Categorical):
            _check_name(tree, attribute, operator, other, spread)
    kinds = {_type(a), _type(b)} - {"null"}
    if len(kinds) > 1:
        number = next((s for s in (left, right) if isinstance(bare(s), exp.Literal)), tree)
        raise Refusal(
            tree,
            f"This compares {_type(a).replace('number', 'a number')} with {_type(b).replace('number', 'a number')}.",
            "Write numbers without quotes." if number is not tree else "Compare values of one type.",
        )
    if a.values is None or b.values is None:
        return constant(None)
    if "curve" in (a.shape, b.shape) or {a.shape, b.shape} == {"line", "steps"}:
        return _stepwise(tree, None, a, b)
    if "line" in (a.shape, b.shape):
        sides = side_of(tree, a.slope - b.slope, a.offset - b.offset, scope)
        return Spread(mapped(lambda x: compared(operator)(x, 0), sides), "steps")
    return _stepwise(tree, mapped(strict(compared(operator)), a.values, b.values), a, b)


def _check_name(tree: exp.Expr, attribute: Categorical, operator: str, other: exp.Expr, spread: Spread) -> None:
    """A categorical attribute can only be equal to one of its values."""
    if operator not in ("=", "<>"):
        raise Refusal(
            tree,
            f"'{attribute.name}' is categorical: its values have no order.",
            f"Use =, <>, IN or NOT IN; it is {attribute.describe()}.",
        )
    if spread.shape != "constant" or spread.values is None:
        return
    known = type(attribute.values[0])
    value = spread.values
    if type(value) is known and value in attribute.values:
        return
    names = [str(v) for v in attribute.values] if known is str else []
    raise Refusal(
        other,
        f"'{attribute.name}' is never {other.sql()}.",
        f"{near_miss(str(value), names)}It is {attribute.describe()}.",
    )


def _compare(tree: exp.Expr, scope: Scope) -> Spread:
    return comparison(tree, COMPARISONS[type(tree)], tree.this, tree.expression, scope)


def _null_safe(tree: exp.Expr, scope: Scope) -> Spread:
    same = isinstance(tree, exp.NullSafeEQ)
    comparison(tree, "=", tree.this, tree.expression, scope)  # for its checks
    a, b = evaluate(tree.this, scope), evaluate(tree.expression, scope)
    equal = comparison(tree, "=", tree.this, tree.expression, scope).values
    values = mapped(lambda e, x, y: (bool(e) or (x is None and y is None)) == same, equal, a.values, b.values)
    return Spread(values, "steps")


def kleene_and(*values: bool | None) -> bool | None:
    """AND of three values."""
    return False if False in values else None if None in values else True


def kleene_not(value: bool | None) -> bool | None:
    """NOT of three values."""
    return None if value is None else not value


def kleene_or(*values: bool | None) -> bool | None:
    """OR of three values."""
    return kleene_not(kleene_and(*(kleene_not(v) for v in values)))


def _truth(tree: exp.Expr, scope: Scope) -> Any:
    """Values of an operand that must be a condition."""
    spread = evaluate(tree, scope)
    if _type(spread) not in ("a condition", "null"):
        raise Refusal(
            tree,
            f"A condition is needed here, not {_type(spread).replace('number', 'a number')}.",
            "Compare it with something.",
        )
    return spread.values


def _logical(function: Callable[..., Any]) -> Callable[[exp.Expr, Scope], Spread]:
    def rule(tree: exp.Expr, scope: Scope) -> Spread:
        nodes = [node for node in (tree.this, tree.args.get("expression")) if isinstance(node, exp.Expr)]
        return _flat(mapped(function, *(_truth(node, scope) for node in nodes)))

    return rule


def _flat(values: Any) -> Spread:
    return Spread(values, "steps") if isinstance(values, np.ndarray) else constant(values)


def _between(tree: exp.Expr, scope: Scope) -> Spread:
    if tree.args.get("symmetric"):
        raise Refusal(tree, "BETWEEN SYMMETRIC is not supported.", "Write BETWEEN low AND high.")
    low = comparison(tree, ">=", tree.this, tree.args["low"], scope)
    high = comparison(tree, "<=", tree.this, tree.args["high"], scope)
    return _flat(mapped(kleene_and, low.values, high.values))


def _in(tree: exp.Expr, scope: Scope) -> Spread:
    if not tree.expressions or tree.args.get("unnest") or tree.args.get("field"):
        raise Refusal(tree, "IN needs a list of values here.", "Write IN ('a', 'b').")
    found: Any = False
    for item in tree.expressions:
        found = mapped(kleene_or, found, comparison(tree, "=", tree.this, item, scope).values)
    return _flat(found)


def _is(tree: exp.Expr, scope: Scope) -> Spread:
    wanted = tree.expression
    if isinstance(wanted, exp.Null):
        return _flat(mapped(lambda v: v is None, evaluate(tree.this, scope).values))
    if isinstance(wanted, exp.Boolean):
        return _flat(mapped(lambda v: v is wanted.this, _truth(tree.this, scope)))
    raise _stranger(tree, scope)


def branches(tree: exp.Expr) -> tuple[list[tuple[exp.Expr, exp.Expr]], exp.Expr]:
    """CASE or IF as (condition, result) pairs and the result otherwise; CASE x WHEN v is CASE WHEN x = v."""
    if isinstance(tree, exp.If):
        return [(tree.this, tree.args["true"])], tree.args.get("false") or exp.null()
    pairs = []
    for branch in tree.args["ifs"]:
        condition = branch.this
        if tree.this is not None:
            condition = exp.EQ(this=tree.this.copy(), expression=branch.this.copy())
            condition.meta.update(branch.meta)
        pairs.append((condition, branch.args["true"]))
    return pairs, tree.args.get("default") or exp.null()


def _case(tree: exp.Expr, scope: Scope) -> Spread:
    pairs, default = branches(tree)
    result = evaluate(default, scope)
    values, shapes = result.values, {result.shape}
    for condition, node in reversed(pairs):
        truth, chosen = _truth(condition, scope), evaluate(node, scope)
        values = mapped(lambda t, x, y: x if t else y, truth, chosen.values, values)
        shapes.add(chosen.shape)
    if not isinstance(values, np.ndarray):
        return constant(values)
    return Spread(values, "steps" if shapes <= {"constant", "steps"} else "curve")


def _coalesce(tree: exp.Expr, scope: Scope) -> Spread:
    first = evaluate(tree.this, scope)
    if first.shape == "line" or not tree.expressions:
        return first  # an attribute is never NULL
    spreads = [first, *(evaluate(node, scope) for node in tree.expressions)]
    values = mapped(lambda *vs: next((v for v in vs if v is not None), None), *(s.values for s in spreads))
    return _stepwise(tree, values, *spreads)


def _nullif(tree: exp.Expr, scope: Scope) -> Spread:
    equal = comparison(tree, "=", tree.this, tree.expression, scope)
    a = evaluate(tree.this, scope)
    return Spread(
        mapped(lambda e, x: None if e else x, equal.values, a.values), "steps" if a.shape != "line" else "curve"
    )


def _cast(tree: exp.Expr, scope: Scope) -> Spread:
    a = evaluate(tree.this, scope)
    to, kind = tree.args["to"].this, _type(a)
    inner = bare(tree.this)
    if isinstance(inner, exp.Column) and isinstance(scope.sensitive(inner), Categorical) and kind != "a condition":
        raise _stranger(tree, scope)
    if a.values is None:
        return a
    if to == exp.DType.DOUBLE and kind == "number":
        values = mapped(strict(float), a.values)
        return Spread(values, a.shape, a.slope, a.offset)
    if to in WHOLE and kind == "a condition":
        return _flat(mapped(strict(int), a.values))
    if to in WHOLE and kind == "number":
        if _is_whole(a):
            return a
        return _stepwise(tree, mapped(strict(lambda x: round(x) if isinstance(x, float) else rounded(x)), a.values), a)
    if to == exp.DType.BOOLEAN and kind == "a condition":
        return a
    raise _stranger(tree, scope)


RULES: dict[type, Callable[[Any, Scope], Spread]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda tree, scope: constant(bool(tree.this)),
    exp.Null: lambda tree, scope: constant(None),
    exp.Paren: lambda tree, scope: evaluate(tree.this, scope),
    exp.Add: _sum(1),
    exp.Sub: _sum(-1),
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.IntDiv: _of_integers(truncated_quotient),
    exp.Mod: _of_integers(remainder),
    exp.Neg: _negative,
    exp.Floor: _steps_of(floored),
    exp.Ceil: _steps_of(ceiled),
    exp.Round: _round,
    exp.Abs: _function(strict(abs)),
    exp.Pow: _function(strict(lambda x, y: float(x) ** float(y))),
    exp.Greatest: _function(_extreme(max)),
    exp.Least: _function(_extreme(min)),
    **dict.fromkeys(COMPARISONS, _compare),
    exp.NullSafeEQ: _null_safe,
    exp.NullSafeNEQ: _null_safe,
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.And: _logical(kleene_and),
    exp.Or: _logical(kleene_or),
    exp.Not: _logical(kleene_not),
    exp.Case: _case,
    exp.If: _case,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Cast: _cast,
}
