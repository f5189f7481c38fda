"""What the SELECTs of a UNION ALL must have in common, and the order of all their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any, Literal

from sqlglot import exp, tokenize
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError

from untold.ask.question.model import EstimateOutput, FunctionOutput, Output, Question, SensitiveKey
from untold.ask.sql.mistakes.tokens import check_tokens
from untold.ask.sql.names import bare
from untold.ask.sql.one_attribute.of_keys import values_of_rows
from untold.ask.sql.parse import DIALECT
from untold.ask.sql.refusals import Refusal, annotate
from untold.ask.sql.results.having import BOUNDS, sort_items, whole_number
from untold.ask.sql.unions.split import Split
from untold.tables.near_miss import did_you_mean

Part = Literal["value", "low", "high", "se"]
SPLIT = "Give both the same columns, in the same order; NULL stands in for one that is missing."


@dataclass(frozen=True)
class UnionSort:
    """A column of the whole that rows are sorted by: its value, or a bound or the error of an estimate."""

    column: int
    part: Part = "value"
    descending: bool = False


@dataclass(frozen=True)
class UnionTail:
    """ORDER BY, LIMIT and OFFSET of the whole."""

    order: tuple[UnionSort, ...] = ()
    limit: int | None = None
    offset: int = 0


def check_shapes(parts: Split, questions: Sequence[Question]) -> None:
    """Refuse SELECTs with other columns than the first one has."""
    first = questions[0].outputs
    for number, (asked, span) in enumerate(zip(questions[1:], parts.spans[1:], strict=True), 2):
        if len(asked.outputs) != len(first):
            raise Refusal(
                span,
                f"SELECT number {number} has {_columns(asked.outputs)}, the first one {_columns(first)}.",
                SPLIT,
                code="subquery",
            )
    for place, output in enumerate(first):
        known: tuple[int, str] | None = None
        for number, asked in enumerate(questions, 1):
            words = _kind(asked.outputs[place], asked)
            if words is None:
                continue
            if known is not None and known[1] != words:
                raise Refusal(
                    parts.spans[number - 1],
                    f"Column {place + 1} ('{output.name}') is {words} in SELECT number {number}, and {known[1]} in number "
                    f"{known[0]}.",
                    "CAST one of them, or write NULL.",
                    code="subquery",
                )
            known = known or (number, words)


def _columns(outputs: Sequence[Output]) -> str:
    return f"{len(outputs)} column{'s' if len(outputs) > 1 else ''}"


def _kind(output: Output, asked: Question) -> str | None:
    """What a column holds, as a reader calls it; None where that is seen only later, or where it is NULL."""
    if isinstance(output, EstimateOutput):
        return "a number"
    numbers = output.function.keys if isinstance(output, FunctionOutput) else (output.key,)
    keys = [asked.keys[number] for number in numbers]
    labels = [[next((v for v in k.labels if v is not None), None)] for k in keys if isinstance(k, SensitiveKey)]
    if len(labels) < len(keys):
        return None
    if isinstance(output, FunctionOutput):
        return kind_of_value(values_of_rows(output.function, labels, 1)[0].as_py())
    return kind_of_value(labels[0][0])


def kind_of_value(value: Any) -> str | None:
    """A value in words; None for NULL."""
    kinds = (
        (bool, "a condition"),
        (int | float | Decimal, "a number"),
        (str, "a text"),
        (date | time, "a date or time"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), None)


def read_tail(parts: Split, outputs: Sequence[Output]) -> UnionTail:
    """The order of all rows."""
    if not parts.tail:
        return UnionTail()
    tokens = [*tokenize("SELECT 1", read=DIALECT), *parts.tail]
    check_tokens(tokens)
    try:
        (tree,) = Dialect.get_or_raise(DIALECT).parser().parse(tokens, parts.sql)
    except (ParseError, ValueError):
        where = (parts.tail[0].start, parts.tail[-1].end + 1)
        raise Refusal(
            where, "This cannot be read.", "Write ORDER BY names of columns, LIMIT 10.", code="subquery"
        ) from None
    assert tree is not None
    annotate(tree, tokens)
    keys: list[UnionSort] = []
    for item, descending in sort_items(tree):
        if item is None:
            keys += [UnionSort(place, "value", descending) for place in range(len(outputs))]
        else:
            keys.append(_sort(bare(item), outputs, descending))
    limit, offset = (whole_number(tree.args.get(name)) for name in ("limit", "offset"))
    return UnionTail(tuple(keys), limit, offset or 0)


def _sort(node: exp.Expr, outputs: Sequence[Output], descending: bool) -> UnionSort:
    part: Part = "value"
    if isinstance(node, exp.Anonymous) and node.name.lower() in BOUNDS and len(node.expressions) == 1:
        part, node = BOUNDS[node.name.lower()], bare(node.expressions[0])
    names = [output.name for output in outputs]
    if isinstance(node, exp.Literal) and not node.is_string:
        if not node.name.isdigit() or not 1 <= int(node.name) <= len(outputs):
            raise Refusal(
                node, f"The result has no column number {node.name}.", f"Use 1 to {len(outputs)}.", code="subquery"
            )
        return UnionSort(int(node.name) - 1, part, descending)
    if not isinstance(node, exp.Column) or node.table:
        raise Refusal(node, "After UNION ALL, rows are sorted by columns of the result.", _here(names), code="subquery")
    place = next((i for i, name in enumerate(names) if name.lower() == node.name.lower()), None)
    if place is None:
        raise Refusal(
            node,
            f"The first SELECT has no column '{node.name}'.",
            f"{did_you_mean(node.name, names)}{_here(names)}",
            code="subquery",
        )
    if part != "value" and not isinstance(outputs[place], EstimateOutput):
        raise Refusal(
            node, f"'{node.name}' has no error in the first SELECT.", "Sort by the column itself.", code="subquery"
        )
    return UnionSort(place, part, descending)


def _here(names: Sequence[str]) -> str:
    return f"Its columns are: {', '.join(names)}."
