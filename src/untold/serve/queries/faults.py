"""Errors of a query in words for analysts."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from untold.serve.queries.frames import Reply, as_json
from untold.serve.queries.limits import QueryLimits

STATUS = {
    "bad-request": 400,
    "no-reports": 409,
    "unsupported-query": 422,
    "too-large": 422,
    "too-slow": 422,
    "failed": 500,
    "busy": 503,
}


@dataclass(frozen=True)
class Fault:
    """Why there is no answer: a code, what happened, what to do, and the refused part of the text where it is known.

    Places count characters (not bytes or UTF-16 units) from 0; line and column from 1.
    """

    code: str
    message: str
    hint: str = ""
    start: int | None = None
    end: int | None = None
    line: int | None = None
    column: int | None = None
    reason: str = ""  # of a refusal, a word of `untold.errors.REFUSALS`

    @classmethod
    def at(cls, sql: str, span: tuple[int, int], code: str, message: str, hint: str) -> Fault:
        """A fault of a part of a text."""
        start, end = min(span[0], len(sql)), min(span[1], len(sql))
        before = sql[:start]
        return cls(code, message, hint, start, end, before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1)

    def reply(self) -> Reply:
        """The fault as JSON."""
        said = {name: value for name, value in asdict(self).items() if value is not None and value != ""}
        return as_json({"error": said.pop("code"), **said}, STATUS[self.code])


def too_large(limits: QueryLimits) -> Fault:
    """A query that needs more memory than it may have."""
    return Fault(
        "too-large",
        f"This query needs more than the {limits.megabytes:,} MB of memory that a query may use here.",
        "Ask for fewer groups at once, or ask on a machine of your own with untold.connect.",
    )


def too_slow(limits: QueryLimits) -> Fault:
    """A query that did not end by its deadline."""
    return Fault(
        "too-slow",
        f"This query took longer than {limits.seconds:g} seconds and was stopped.",
        "Ask for fewer groups or shorter conditions, or ask on a machine of your own with untold.connect.",
    )
