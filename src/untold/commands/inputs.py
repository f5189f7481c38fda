"""Reads what a command is given (plans, folders, tables, SQL) and refuses anything else with the reason."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untold.errors import UntoldError

if TYPE_CHECKING:
    from untold.plan import Plan

SQL_WORDS = ("select ", "with ")


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


def folder_of_reports(path: str) -> Path:
    """The path of a folder; what is in it is for the store to say."""
    _refuse_sql(path, "folder of reports")
    place = Path(path)
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


def read_table(path: str, plan: Plan, service: str, columns: Mapping[str, str] | None = None) -> Any:
    """What `perturb` takes: Parquet paths as they are, CSV files as Arrow tables. `columns` are as `perturb` takes them."""
    place = Path(path)
    if place.suffix.lower() != ".csv":
        return path
    if not place.is_file():
        raise UntoldError(f"{path}: no such file.")
    import pyarrow as pa
    from pyarrow import csv

    sensitive = plan.service(service).sensitive
    words = [a.name for a in sensitive if a.value_type not in ("integer", "number", "boolean")]
    as_text = {(columns or {}).get(name, name): pa.string() for name in (plan.user_key, *words)}
    values = {value for a in sensitive for value in a.listed or ()}
    nothing = [text for text in csv.ConvertOptions().null_values if text not in values]  # NA may be Namibia
    options = csv.ConvertOptions(column_types=as_text, strings_can_be_null=True, null_values=nothing)
    try:
        return csv.read_csv(place, convert_options=options)
    except pa.ArrowInvalid as error:
        raise UntoldError(
            f"{path} cannot be read as CSV: {error}\nHint: the first line names the columns, as the plan does."
        ) from error


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
