"""Questions are read before there is a design: against a plan that has attributes, and reports nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from untold.ask.dashboard.points import as_read, numbers_in
from untold.ask.question.formulas import cut_totals, formulas_of
from untold.ask.question.model import Question, SensitiveKey
from untold.ask.sql.unions.questions import questions
from untold.errors import PlanError, UntoldError
from untold.oracles import GRR
from untold.plan import Plan
from untold.plan.designs import Design, View
from untold.plan.hierarchy import Space, Tree
from untold.plan.schema import Schema, Service
from untold.randomness import WORD


@dataclass(frozen=True, eq=False)
class ReadQuestion:
    """A declared question: where it stands in the plan, its SELECTs, and how much it matters."""

    service: str
    number: int  # in the list of its service
    sql: str
    weight: float
    selects: tuple[Question, ...]

    @property
    def path(self) -> str:
        """Its place in the plan file."""
        return f"services.{self.service}.questions[{self.number}]"


def reading_plan(schema: Schema) -> Plan:
    """A plan whose reports say nothing: enough to read SQL against."""
    return Plan(schema, tuple(map(_silent, schema.services)))


def _silent(service: Service) -> Design:
    trees = [Tree(a.size, (a.size,)) for a in service.sensitive] + ([Tree(2, (2,))] if service.rows else [])
    view = View((0,) * len(trees), GRR(1.0, 1), 0)
    return Design("silent", Space(tuple(trees)), (view,), (WORD,), service.rows is not None)


def _cut(selects: Sequence[Question]) -> list[str]:
    """What is wrong with questions that cut classes: their intervals would be as wide as the classes."""
    keys = any(isinstance(key, SensitiveKey) and key.bounds is not None for asked in selects for key in asked.keys)
    if not keys and not any(cut_totals(formula) for asked in selects for formula in formulas_of(asked)):
        return []
    said = " ".join(note for asked in selects for note in asked.notes if "class" in note)
    return [f"it cuts a class of the plan. {said} Add cuts where it asks, or let `untold plan init --questions` do it."]


def readable(schema: Schema, sql: str) -> bool:
    """Whether a text is a question about columns that this schema has, at whatever limits."""
    literals = numbers_in([sql])
    services = tuple(
        replace(s, attributes=tuple(as_read(a, literals) for a in s.attributes), questions=()) for s in schema.services
    )
    try:
        return bool(questions(sql, reading_plan(replace(schema, services=services))))
    except UntoldError:
        return False


def read_declared(schema: Schema) -> tuple[ReadQuestion, ...]:
    """All questions of all services. PlanError names each that cannot be answered, with the place underlined."""
    plan = reading_plan(schema)
    found: list[ReadQuestion] = []
    mistakes: list[str] = []
    for service in schema.services:
        for number, asked in enumerate(service.questions):
            try:
                selects = questions(asked.sql, plan)
                mistakes += [f"services.{service.name}.questions[{number}]: {why}" for why in _cut(selects)]
                found.append(ReadQuestion(service.name, number, asked.sql, asked.weight, selects))
            except UntoldError as refusal:
                mistakes.append(f"services.{service.name}.questions[{number}]: {refusal}")
    if mistakes:
        raise PlanError(mistakes)
    return tuple(found)
