"""Reads `questions` and `undeclared` of a service: what will be asked, in SQL, and how much all else matters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from untold.plan.schema.names import DEFAULT_DESIGN
from untold.plan.schema.service import DEFAULT_UNDECLARED, Declared
from untold.plan.schema.table import Table
from untold.plan.schema.words import kind_of, show

EXAMPLE = 'questions = ["SELECT COUNT(*) FROM users WHERE age >= 18"]'
MOST_QUESTIONS = 1000
MOST_CHARACTERS = 20_000  # of one question
# what a statement is made of: texts, names in quotes, comments, its end, anything else
TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|;|[^'"/;-]+|.""", re.DOTALL)
WEIGHT = re.compile(r"--\s*weight\s*:\s*(\S+)\s*", re.IGNORECASE)


def split_statements(text: str) -> list[dict[str, Any]]:
    """The statements of an SQL file, each as a plan declares a question; `-- weight: 3` above one is its weight.

    >>> split_statements("SELECT 1; -- weight: 3\\nSELECT ';' -- really\\n;")
    [{'sql': 'SELECT 1'}, {'sql': "SELECT ';'", 'weight': 3}]
    """
    found: list[dict[str, Any]] = []
    parts: list[str] = []
    weight: Any = None
    for token in (*TOKEN.findall(text), ";"):
        said = WEIGHT.fullmatch(token)
        if said is not None:
            weight = _number(said[1])
        elif token == ";":
            sql = re.sub(r"[ \t]+\n", "\n", "".join(parts)).strip()
            if sql:
                found.append({"sql": sql} | ({} if weight is None else {"weight": weight}))
            parts, weight = [], None
        elif not token.startswith(("--", "/*")):
            parts.append(token)
    return found


def _number(text: str) -> Any:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text


def read_questions(table: Table, design: str | None) -> tuple[Declared, ...]:
    """All sound questions; mistakes are noted. Whether they can be answered is found out when the plan is compiled."""
    if "questions" not in table.data:
        if "undeclared" in table.data:
            table.note("undeclared", "there are no questions", f"Add {EXAMPLE}, or leave it out")
        return ()
    if "workload" in table.data:
        table.note("workload", "workload and questions at once", "Keep questions: the workload follows from them")
    if design not in (None, DEFAULT_DESIGN):
        reason = f"design '{design}' is not made for questions"
        table.note("questions", reason, f'Leave them out, or use design = "{DEFAULT_DESIGN}"')
    items = table.items("questions", EXAMPLE)
    if items is not None and not 1 <= len(items) <= MOST_QUESTIONS:
        fix = f"Write {EXAMPLE}, or leave it out" if not items else "Keep those that matter"
        table.note("questions", f"{len(items)} questions, where 1..{MOST_QUESTIONS} are allowed", fix)
    found = [_read_question(table, i, item) for i, item in enumerate(items or ())]
    return tuple(each for each in found if each is not None)


def _read_question(table: Table, number: int, item: Any) -> Declared | None:
    path = f"{table.path}.questions[{number}]"
    if isinstance(item, str):
        item = {"sql": item}
    if not isinstance(item, Mapping):
        table.mistakes.append(f"{path}: {show(item)} is {kind_of(item)}, not a text. Write {EXAMPLE}.")
        return None
    inner = Table(item, path, table.mistakes)
    inner.note_unknown(("sql", "weight"))
    sql = item.get("sql")
    weight = inner.number("weight") if "weight" in item else 1.0
    if not isinstance(sql, str) or not sql.strip() or len(sql) > MOST_CHARACTERS:
        inner.note("sql", "not a text of SQL", f"Write {EXAMPLE}; at most {MOST_CHARACTERS} characters each")
        return None
    if weight is None or weight <= 0:
        if weight is not None:
            inner.note("weight", f"{show(weight)} is not above 0", "Write a positive weight, or drop the question")
        return None
    return Declared(str(sql), float(weight))


def read_undeclared(table: Table) -> float:
    """The weight of all that is not declared, from 0 to below 1."""
    value = table.number("undeclared") if "undeclared" in table.data else DEFAULT_UNDECLARED
    if value is None:
        return DEFAULT_UNDECLARED
    if not 0 <= value < 1:
        table.note("undeclared", f"{show(value)} is not from 0 to below 1", "Write undeclared = 0.2 or so")
    return float(value)
