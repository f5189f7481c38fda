"""The answer to several SELECTs with UNION ALL between them: each is answered by itself, and their rows are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from untold.answers.answer import Answer
from untold.answers.result import Result
from untold.answers.stacked import Sorting, stacked
from untold.ask.question.model import EstimateOutput, Output
from untold.ask.sql.unions.questions import Union
from untold.ask.sql.unions.shape import UnionTail

if TYPE_CHECKING:
    import pyarrow as pa

CHOSEN = "Estimates decide which rows are shown."
NOTES = {
    True: " Their intervals hold for the rows of all SELECTs together (simultaneous=False: for each row by itself).",
    False: " Each interval is for a row by itself: those of the rows shown hold less often than they say.",
}


def estimates_choose(asked: Union) -> bool:
    """Whether estimates decide which rows of the whole are shown, or the ends of their intervals in which order."""
    cut = asked.tail.limit is not None or asked.tail.offset > 0
    noisy = [
        key.part
        for key in asked.tail.order
        if any(isinstance(each.outputs[key.column], EstimateOutput) for each in asked.questions)
    ]
    return any(cut or part in ("low", "high") for part in noisy)


def union_answer(
    sql: str, answers: Sequence[Answer], asked: Union, confidence: float, together: bool | None = None
) -> Answer:
    """Lazy, as the answers are.

    together   where estimates choose rows: whether intervals hold for the rows of all answers together
    """
    outputs, tail = asked.questions[0].outputs, asked.tail
    order = [Sorting(_column(outputs, key.column, key.part), key.descending) for key in tail.order]
    run = partial(
        _run, tuple(answers), order, tail, confidence, () if together is None else (CHOSEN + NOTES[together],)
    )
    return Answer(sql, run, partial(_poisoned, tuple(answers)))


def _column(outputs: Sequence[Output], place: int, part: str) -> str:
    return outputs[place].name + ("" if part == "value" else f"_{part}")


def _run(
    answers: Sequence[Answer],
    order: Sequence[Sorting],
    tail: UnionTail,
    confidence: float,
    notes: tuple[str, ...],
) -> Result:
    found = stacked([answer.result for answer in answers], order, tail.limit, tail.offset)
    return replace(found, confidence=confidence, notes=(*found.notes, *notes))


def _poisoned(answers: Sequence[Answer], share: float) -> pa.Table:
    """Part by part, in the order of the SELECTs."""
    import pyarrow as pa

    tables = [answer.poisoned(share) for answer in answers]
    names = tables[0].column_names
    return pa.concat_tables([table.rename_columns(names) for table in tables], promote_options="permissive")
