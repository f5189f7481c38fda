"""Reading the two corpora."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

VALID = (
    "valid.sql",
    "keys.sql",
    "functions.sql",
    "shares.sql",
    "windows.sql",
    "two_columns.sql",
    "derived.sql",
    "bent.sql",
    "valid_missing_and_dates.sql",
)
INVALID = (
    "invalid.sql",
    "invalid_unions.sql",
    "invalid_keys.sql",
    "invalid_derived.sql",
    "invalid_missing_and_dates.sql",
)
HERE = Path(__file__).parents[1] / "sql" / "corpus"


@dataclass(frozen=True)
class Text:
    """One line of a corpus under its headings."""

    plan: str
    sql: str
    says: str = ""
    underlined: str = ""
    start: int = 0


def valid() -> list[Text]:
    """Queries that have an answer."""
    return [Text(plan, line) for name in VALID for plan, _, line in _lines(name)]


def invalid(*names: str) -> list[Text]:
    """Queries that have none, with what the refusal says and where it points."""
    found = []
    for plan, says, line in (each for name in names or INVALID for each in _lines(name)):
        before, rest = line.split("«")
        part, after = rest.split("»")
        found.append(Text(plan, before + part + after, says, part, len(before)))
    return found


def _lines(name: str) -> list[tuple[str, str, str]]:
    plan, says, found = "", "", []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("-- plan:"):
            plan = line.partition(":")[2].strip()
        elif line.startswith("-- says:"):
            says = line.partition(":")[2].strip()
        elif line and not line.startswith("--"):
            found.append((plan, says, line))
    return found
