"""Reads a plan file in TOML into a dictionary, and the files of questions that it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from untold.errors import PlanError
from untold.plan.schema.read_questions import split_statements

_PLACE = re.compile(r"^(?P<what>.*) \(at (?P<where>.*)\)$", re.DOTALL)


def load_toml(path: str | Path) -> dict[str, Any]:
    """The file's tables as they stand; whether they make sense is for `read_schema` to say."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        mistake = f"cannot be read: {error.strerror or error}. Check the path and its permissions."
        raise PlanError([mistake], str(path)) from error
    try:
        return _with_questions(tomllib.loads(raw.decode("utf-8-sig")), Path(path))
    except RecursionError as error:
        mistake = "tables or lists are nested too deeply. A plan needs three levels: see docs/plan_file.md."
        raise PlanError([mistake], str(path)) from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise PlanError([f"line {line}: not UTF-8. Save the file as UTF-8."], str(path)) from error
    except ValueError as error:
        found = _PLACE.match(str(error))
        where, what = (found["where"], found["what"]) if found else ("somewhere", str(error))
        mistake = f"{where}: {what[:1].lower()}{what[1:]}. This is not TOML: see https://toml.io, or docs/plan_file.md."
        raise PlanError([mistake], str(path)) from error


def _with_questions(plan: dict[str, Any], path: Path) -> dict[str, Any]:
    """Where a service names a file of questions, beside the plan file, its statements in place of the name."""
    services = plan.get("services")
    named = [
        (name, service)
        for name, service in (services.items() if isinstance(services, dict) else ())
        if isinstance(service, dict) and isinstance(service.get("questions"), str)
    ]
    for name, service in named:
        place = path.parent / service["questions"]
        try:
            service["questions"] = split_statements(place.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            mistake = (
                f"services.{name}.questions: {place} cannot be read: {why}. Name a file of SQL beside the plan file."
            )
            raise PlanError([mistake], str(path)) from error
    return plan
