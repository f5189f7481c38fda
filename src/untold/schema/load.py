"""Reads a plan file in TOML into a dictionary."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from untold.errors import PlanError

_PLACE = re.compile(r"^(?P<what>.*) \(at (?P<where>.*)\)$", re.DOTALL)


def load_toml(path: str | Path) -> dict[str, Any]:
    """The file's tables as they stand; whether they make sense is for `read_schema` to say."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        mistake = f"cannot be read: {error.strerror or error}. Check the path and its permissions."
        raise PlanError([mistake], str(path)) from error
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
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
