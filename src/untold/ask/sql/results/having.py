"""HAVING, ORDER BY, LIMIT: what is done with the rows of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, cast

from sqlglot import exp

from untold.ask.question.model import (
    Comparison,
    Condition,
    Constant,
    FunctionOutput,
    KeyFunction,
    KeyOutput,
    Logic,
    Output,
    SensitiveKey,
    Side,
    SortKey,
)
from untold.ask.sql.names import Scope, bare
from untold.ask.sql.one_attribute.sense import COMPARISONS, DAYS
from untold.ask.sql.refusals import Refusal
from untold.ask.sql.totals.asked import Asked, KeyRef
from untold.ask.sql.totals.formulas import formula
from untold.plan.schema.kinds.calendar import as_moment
from untold.tables.near_miss import did_you_mean

Operator = Literal["=", "<>", "<", "<=", ">", ">="]
BOUNDS: dict[str, Literal["low", "high", "se"]] = {"low": "low", "high": "high", "se": "se"}
NEGATED: dict[str, Operator] = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
YES = Comparison("=", Side("literal", 1), Side("literal", 1))
NO = Comparison("<>", Side("literal", 1), Side("literal", 1))


def having(select: exp.Select, asked: Asked) -> Condition | None:
    """The condition on rows of the result; one around a subquery with windows is `qualify`."""
    clauses = [select.args[name] for name in ("having", "qualify") if select.args.get(name) is not None]
    found = tuple(_condition(clause.this, asked, True) for clause in clauses)
    return Logic("and", found) if len(found) > 1 else found[0] if found else None


def keys_first(select: exp.Select, scope: Scope) -> None:
    """Conditions of HAVING on keys alone, beside windows: they choose rows before they are grouped as well as after."""
    clause = select.args.get("having")
    if clause is None or not any(_has_window(part) for part in select.iter_expressions()):
        return
    made = {item.alias.lower(): item.this for item in select.expressions if isinstance(item, exp.Alias)}
    later: list[exp.Expr] = []
    first: list[exp.Expr] = []
    for part in clause.this.flatten() if isinstance(clause.this, exp.And) else [clause.this]:
        (first if _is_of_rows(part, made, scope) else later).append(part)

    def written(node: exp.Expr) -> exp.Expr:
        named = isinstance(node, exp.Column) and not node.table and not scope.knows(node)
        return exp.Paren(this=made[node.name.lower()].copy()) if named else node

    where = select.args.get("where")
    rows = [] if where is None else [where.this]
    rows += [part.copy().transform(written, copy=False) for part in first]
    if first:
        select.set("where", exp.Where(this=exp.and_(*rows, copy=False)))
        select.set("having", exp.Having(this=exp.and_(*later, copy=False)) if later else None)


def _has_window(tree: exp.Expr) -> bool:
    return tree.find(exp.Window) is not None


def _is_of_rows(part: exp.Expr, made: Mapping[str, exp.Expr], scope: Scope) -> bool:
    """Whether a condition needs nothing but columns, or names that SELECT has given to expressions over columns."""
    if part.find(exp.AggFunc, exp.Window, exp.Query, exp.Anonymous) is not None:
        return False
    for column in part.find_all(exp.Column):
        behind = None if column.table or scope.knows(column) else made.get(column.name.lower())
        if behind is None and not scope.knows(column):
            return False
        if behind is not None and behind.find(exp.AggFunc, exp.Window, exp.Query) is not None:
            return False
    return True


def compared(node: exp.Expr, asked: Asked) -> Condition:
    """A condition on results, in CASE."""
    return _condition(node, asked, True)


def _condition(node: exp.Expr, asked: Asked, wanted: bool) -> Condition:
    """NOT goes down to the comparisons, so that a missing value meets neither a condition nor its opposite."""
    if isinstance(node, exp.Paren):
        return _condition(node.this, asked, wanted)
    if isinstance(node, exp.Not):
        return _condition(node.this, asked, not wanted)
    if isinstance(node, exp.And | exp.Or):
        parts = tuple(_condition(part, asked, wanted) for part in node.flatten())
        return Logic("and" if isinstance(node, exp.And) == wanted else "or", parts)
    if isinstance(node, exp.Boolean):
        return YES if bool(node.this) == wanted else NO
    function = _of_keys(node, asked, wanted)
    if function is not None:
        return Comparison("=", Side("function", function=function), Side("literal", True))
    if type(node) in COMPARISONS:
        operator = cast(Operator, COMPARISONS[type(node)])
        return _comparison(node, operator, node.this, node.expression, asked, wanted)
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        low = _comparison(node, ">=", node.this, node.args["low"], asked, wanted)
        high = _comparison(node, "<=", node.this, node.args["high"], asked, wanted)
        return Logic("and" if wanted else "or", (low, high))
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return _is_null(node, asked, wanted)
    if isinstance(node, exp.In) and node.expressions:
        parts = tuple(_comparison(node, "=", node.this, item, asked, wanted) for item in node.expressions)
        return Logic("or" if wanted else "and", parts)
    raise Refusal(
        node,
        "HAVING compares results: estimates, their bounds, and keys of GROUP BY.",
        "Use =, <>, <, <=, >, >=, BETWEEN, IN, AND, OR, NOT; put conditions on columns into WHERE.",
        code="result",
    )


def _of_keys(node: exp.Expr, asked: Asked, wanted: bool | None = None) -> KeyFunction | None:
    """A function of keys; or, if it is wanted to be true or false, a condition on keys."""
    if not asked.keys or node.find(exp.Column) is None or node.find(exp.AggFunc) is not None:
        return None
    from untold.ask.sql.results.key_functions import key_condition, key_function

    return key_function(node, asked) if wanted is None else key_condition(node, asked, wanted)


def _is_null(node: exp.Is, asked: Asked, wanted: bool) -> Comparison:
    found = side(node.this, asked)
    if found.kind != "key":
        raise Refusal(node, "An estimate is never NULL; a key of GROUP BY may be.", "Write key IS NULL.", code="result")
    return Comparison("is" if wanted else "is not", found, Side("literal", None))


def _comparison(
    node: exp.Expr, operator: Operator, left: exp.Expr, right: exp.Expr, asked: Asked, wanted: bool
) -> Comparison:
    a, b = side(left, asked), side(right, asked)
    for one, other, place in ((a, b, right), (b, a, left)):
        if one.kind == "key":
            _check_key(one, other, place, operator, asked)
        elif one.kind != "literal" and other.kind == "literal" and not isinstance(other.literal, int | float):
            raise Refusal(
                node, "An estimate is a number; this compares it with something else.", "Write a number.", code="result"
            )
    return Comparison(operator if wanted else NEGATED[operator], a, b)


def _check_key(one: Side, other: Side, place: exp.Expr, operator: Operator, asked: Asked) -> None:
    key = asked.keys[one.key][1]
    if other.kind != "literal":
        raise Refusal(place, "A key of GROUP BY is compared with values only.", "Write a value.", code="result")
    if not isinstance(key, SensitiveKey):
        return
    labels = [label for label in key.labels if label is not None]
    if any(isinstance(label, date) for label in labels) and as_moment(other.literal) is None:
        raise Refusal(
            place, f"'{key.name}' is a date; this is none.", f"Write DATE '{labels[0]}' or the like.", code="result"
        )
    if operator not in ("=", "<>"):
        return
    if all(isinstance(label, str) for label in labels) and other.literal not in labels:
        shown = ", ".join(repr(label) for label in labels[:8])
        raise Refusal(
            place,
            f"'{key.name}' is never {place.sql()}.",
            f"{did_you_mean(str(other.literal), labels)}It is one of {shown}.",
            code="result",
        )


def side(node: exp.Expr, asked: Asked, alias_first: bool = False) -> Side:
    """One side of a comparison, or what ORDER BY sorts by."""
    node = bare(node)
    if isinstance(node, exp.Literal):
        return Side("literal", node.name if node.is_string else _number(node.name))
    if isinstance(node, exp.Boolean):
        return Side("literal", bool(node.this))
    if isinstance(node, exp.Cast) and node.args["to"].this in DAYS and isinstance(node.this, exp.Literal):
        moment = as_moment(node.this.name)
        if moment is None:
            raise Refusal(node, f"{node.this.sql()} is not a date.", "Write it like DATE '2026-01-31'.", code="value")
        return Side("literal", moment)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return Side("literal", -_number(node.this.name))
    if isinstance(node, exp.Anonymous) and node.name.lower() in BOUNDS:
        if len(node.expressions) != 1:
            raise Refusal(
                node, f"{node.name.upper()} takes one estimate.", f"Write {node.name.upper()}(x).", code="result"
            )
        return Side(BOUNDS[node.name.lower()], formula=formula(node.expressions[0], asked))
    known = asked.aliases.get(node.name.lower()) if isinstance(node, exp.Column) and not node.table else None
    key = asked.key_of(node)
    if key is not None and not (alias_first and known is not None):
        return Side("key", key=key)
    if isinstance(known, KeyRef):
        return Side("key", key=known.index)
    if isinstance(known, KeyFunction):
        return Side("function", function=known)
    if (function := _of_keys(node, asked)) is not None:
        return Side("function", function=function)
    found = formula(node, asked)
    return Side("literal", found.value) if isinstance(found, Constant) else Side("value", formula=found)


def _number(text: str) -> Any:
    return int(text) if text.isdigit() else float(text)


@dataclass(frozen=True)
class Tail:
    """ORDER BY, LIMIT, OFFSET."""

    order: tuple[SortKey, ...]
    limit: int | None
    offset: int


def sort_items(tree: exp.Expr) -> Iterator[tuple[exp.Expr | None, bool]]:
    """What ORDER BY names, None for ALL columns, and whether it descends."""
    order = tree.args.get("order")
    for item in [] if order is None else order.expressions:
        if item.args.get("nulls_first"):
            raise Refusal(
                item, "NULLS FIRST is not supported; missing values come last.", "Leave it out.", code="result"
            )
        every = isinstance(item.this, exp.Var) and item.this.name.upper() == "ALL"
        yield None if every else item.this, bool(item.args.get("desc"))


def tail(select: exp.Select, asked: Asked, outputs: tuple[Output, ...]) -> Tail:
    """What comes after HAVING."""
    keys: list[SortKey] = []
    for item, descending in sort_items(select):
        if item is None:
            keys += [SortKey(_output_side(output), descending) for output in outputs]
        else:
            keys.append(SortKey(_sorted_by(item, asked, outputs), descending))
    return Tail(tuple(keys), whole_number(select.args.get("limit")), whole_number(select.args.get("offset")) or 0)


def _sorted_by(node: exp.Expr, asked: Asked, outputs: tuple[Output, ...]) -> Side:
    if isinstance(node, exp.Literal) and not node.is_string:
        if not node.name.isdigit() or not 1 <= int(node.name) <= len(outputs):
            raise Refusal(
                node, f"The result has no column number {node.name}.", f"Use 1 to {len(outputs)}.", code="result"
            )
        return _output_side(outputs[int(node.name) - 1])
    found = side(node, asked, alias_first=True)
    if found.kind == "literal":
        raise Refusal(node, "This is the same for all rows.", "Sort by a column of the result.", code="result")
    return found


def _output_side(output: Output) -> Side:
    if isinstance(output, FunctionOutput):
        return Side("function", function=output.function)
    return Side("key", key=output.key) if isinstance(output, KeyOutput) else Side("value", formula=output.formula)


def whole_number(clause: exp.Expr | None) -> int | None:
    """The number of LIMIT, OFFSET or FETCH."""
    if clause is None:
        return None
    tree = clause.args.get("count") if isinstance(clause, exp.Fetch) else clause.args.get("expression")
    options = clause.args.get("limit_options")
    extra = options is not None and any(options.args.get(name) for name in ("percent", "with_ties"))
    found = whole_literal(tree)
    if extra or clause.args.get("expressions") or found is None:
        raise Refusal(clause, "LIMIT and OFFSET take a whole number of rows.", "Write LIMIT 10.", code="result")
    return found


def whole_literal(tree: exp.Expr | None) -> int | None:
    """A whole number as it is written; None if it is something else."""
    is_number = isinstance(tree, exp.Literal) and not tree.is_string and tree.name.isdigit()
    return int(tree.name) if is_number and tree is not None else None
