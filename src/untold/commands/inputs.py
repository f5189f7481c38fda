"""Reads what a command is given (plans, folders, SQL) and refuses anything else with the reason."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from untold.errors import UntoldError
from untold.store.addresses import local_path
from untold.store.bucket import SCHEMES, is_bucket

if TYPE_CHECKING:
    from untold.plan import Plan
    from untold.plan.schema.service import Declared

SQL_WORDS = ("select ", "with ")


def read_question_file(file: str) -> list[Declared]:
    """The statements of a file of SQL, with their weights."""
    from untold.plan.schema.read_questions import split_statements
    from untold.plan.schema.service import Declared

    try:
        statements = split_statements(Path(file).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise UntoldError(f"{file} cannot be read: {error}\nHint: --questions is a file of SQL, in UTF-8.") from error
    if not statements:
        raise UntoldError(f"{file} holds no question.\nHint: write SELECT statements, each ended by a semicolon.")
    for each in statements:
        weight = each.setdefault("weight", 1)
        if not isinstance(weight, int | float) or not 0 < weight < float("inf"):
            raise UntoldError(f"{file}: weight {weight} is not a number above 0, of: {each['sql'][:80]}")
    return [Declared(each["sql"], float(each["weight"])) for each in statements]


def read_question_log(file: str, plan: Plan) -> tuple[list[Declared], list[str]]:
    """The questions of a log that this plan's columns can be asked, as often as they were; and what was left out, in words."""
    from untold.ask.dashboard.reading import readable
    from untold.ask.sql.parameters import text_with
    from untold.plan.schema.read_questions import MOST_QUESTIONS
    from untold.plan.schema.service import Declared
    from untold.store.asked import asked_often

    found = asked_often(Path(file), text_with)
    kept = [(sql, times) for sql, times in found if readable(plan.schema, sql)][:MOST_QUESTIONS]
    if not kept:
        raise UntoldError(
            f"{file} holds no question for this plan that is not over.\n"
            "Hint: it is filled by untold.connect(folder, log=FILE) and `untold serve --log-questions FILE`."
        )
    told = [
        f"{sum(times for _, times in kept):,} questions, {len(kept):,} of them different; weights: how often each was asked."
    ]
    if len(kept) < len(found):
        told.append(f"{len(found) - len(kept):,} others are left out: this plan's columns cannot be asked them.")
    return [Declared(sql, float(times)) for sql, times in kept], told


def write_questions(path: str, asked: Sequence[Declared]) -> None:
    """A file of SQL, as `plan init --questions` reads it."""
    check_writable(path)
    if Path(path).exists():
        raise UntoldError(f"{path} is there already, and is not overwritten.\nHint: --out another.sql.")
    head = "-- Questions of a log. Every number and text below becomes part of a public plan: remove what is nobody's business.\n"
    each = (f"-- weight: {one.weight:g}\n{one.sql.rstrip('; ')};\n" for one in asked)
    Path(path).write_text(head + "".join(each), encoding="utf-8")


def read_plan(path: str) -> Plan:
    """A plan file (TOML, or the frozen JSON), or the plan inside a folder of reports."""
    from untold.plan import Plan

    _refuse_sql(path, "plan file")
    place = Path(path)
    if place.is_dir():
        from untold.store.folder import read_plan as frozen

        return frozen(place)
    if not place.exists():
        beside = sorted(p.name for p in place.parent.glob("*.toml")) if place.parent.is_dir() else []
        raise UntoldError(
            f"{path}: no such plan file.\nHint: " + _beside(beside, "a plan is a TOML file; see docs/plan_file.md.")
        )
    if place.suffix.lower() not in (".toml", ".json"):
        raise UntoldError(
            f"{path} is not a plan file: those end with .toml, or .json when frozen.\nHint: see docs/plan_file.md."
        )
    return Plan.load(place)


def place_of_reports(path: str) -> str | Path:
    """A folder of reports, or the address of a bucket, for those who ask: `untold.connect` takes both."""
    return path if is_bucket(path) else folder_of_reports(path)


def readable_reports(path: str) -> Path:
    """A folder of reports; of a bucket, a local copy of what it holds now."""
    if not is_bucket(path):
        return folder_of_reports(path)
    from untold.store.mirror import mirrored

    return mirrored(path)


def folder_of_reports(path: str) -> Path:
    """The path of a folder; what is in it is for the store to say."""
    _refuse_sql(path, "folder of reports")
    place = local_path(
        path, f"`untold query`, `explain`, `index` and `verify` read {' and '.join(SCHEMES)}; mount other storage"
    )
    if place.is_file():
        raise UntoldError(
            f"{path} is a file; expected a folder of reports.\nHint: untold perturb PLAN SERVICE TABLE --out FOLDER makes one."
        )
    inside = sorted(found.parent for found in place.glob("*/plan.json")) if not (place / "plan.json").exists() else []
    if inside:
        raise UntoldError(f"{path} is not a folder of reports.\nHint: did you mean {inside[0]}?")
    return place


def read_sql(text: str) -> str:
    """SQL as given, or from standard input for "-"."""
    sql = sys.stdin.read() if text == "-" else text
    if not sql.strip():
        raise UntoldError('The SQL is empty.\nHint: "SELECT COUNT(*) AS n FROM service"')
    if not any(c.isspace() for c in sql.strip()) and Path(sql).is_file():
        raise UntoldError(f"{sql} is a file; the SQL itself is needed here.\nHint: untold query reports/ - < {sql}")
    return sql


def check_writable(path: str) -> None:
    """Refuse the name of a file that cannot be written, before anything is computed for it."""
    place = Path(path)
    if place.is_dir():
        raise UntoldError(f"{path} is a folder; the name of a file is needed, such as {place / 'answer.csv'}.")
    if not place.parent.is_dir():
        raise UntoldError(f"{path}: the folder {place.parent} does not exist.\nHint: make it first.")


def _refuse_sql(path: str, wanted: str) -> None:
    if path.lstrip().lower().startswith(SQL_WORDS):
        raise UntoldError(f"The first argument is a {wanted}, the SQL comes second.\nHint: exchange the two.")


def _beside(names: list[str], otherwise: str) -> str:
    return f"there is {', '.join(names)} in that folder." if names else otherwise
