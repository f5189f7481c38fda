"""The answer to several SELECTs with UNION ALL between them: each is answered by itself, and their rows are put together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from untold.answers import Answer
from untold.question.model import Output
from untold.results import Result
from untold.results.stacked import Sorting, stacked
from untold.sql.unions.shape import UnionTail

if TYPE_CHECKING:
    import pyarrow as pa


def union_answer(sql: str, answers: Sequence[Answer], outputs: Sequence[Output], tail: UnionTail) -> Answer:
    """Lazy, as the answers are."""
    order = [Sorting(_column(outputs, key.column, key.part), key.descending) for key in tail.order]
    return Answer(sql, partial(_run, tuple(answers), order, tail), partial(_poisoned, tuple(answers)))


def _column(outputs: Sequence[Output], place: int, part: str) -> str:
    return outputs[place].name + ("" if part == "value" else f"_{part}")


def _run(answers: Sequence[Answer], order: Sequence[Sorting], tail: UnionTail) -> Result:
    return stacked([answer.result for answer in answers], order, tail.limit, tail.offset)


def _poisoned(answers: Sequence[Answer], share: float) -> pa.Table:
    """Part by part, in the order of the SELECTs."""
    import pyarrow as pa

    tables = [answer.poisoned(share) for answer in answers]
    names = tables[0].column_names
    return pa.concat_tables([table.rename_columns(names) for table in tables], promote_options="permissive")
