"""All errors that untold raises on purpose, in one tree under `UntoldError`.

    UntoldError
    ├── PlanError            a plan file that cannot be: all of its mistakes at once
    ├── BadRecord            a value, row or column that the plan does not allow
    ├── BudgetExceeded       a report that would cost a person more than was promised
    ├── AlreadyReported      a second, different report for the same service and epoch
    ├── StoreError           a folder of reports that is damaged, foreign or busy
    ├── UntrustedPlan        a plan that a device must not follow: not signed by whom it trusts, or changed
    ├── CollectorError       a collector that cannot be reached, or that refuses what it is sent
    └── UnsupportedQuery     SQL that has no unbiased answer from these reports

Every message says what happened, what is allowed, and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

RefusalCode = Literal[
    "syntax",
    "name",
    "value",
    "expression",
    "aggregate",
    "join",
    "result",
    "subquery",
    "single-rows",
    "not-collected",
    "too-large",
    "unsupported",
]
REFUSALS: dict[RefusalCode, str] = {
    "syntax": "The words of the query do not make a statement.",
    "name": "A service or column that is named is not there, or is in two services.",
    "value": "A literal is no value of its column.",
    "expression": "An expression or a condition over columns is not computed here.",
    "aggregate": "An aggregate, or a formula over several, has no known estimate, or none of what it is given.",
    "join": "FROM joins what reports do not join.",
    "result": "GROUP BY, HAVING, ORDER BY or LIMIT want what a result does not have.",
    "subquery": "A subquery, a UNION or a PIVOT is not put together here.",
    "single-rows": "The answer would need the rows of single people, or their order.",
    "not-collected": "No report speaks of what is asked together. Another plan would.",
    "too-large": "It would be worked on for too long. Ask a simpler question.",
    "unsupported": "Any other question that these reports do not answer.",
}
HINT = "\nHint: "  # stands between what happened and what to do


class UntoldError(Exception):
    """Base of all errors that untold raises on purpose."""

    @property
    def hint(self) -> str:
        """What to do, where the message says so."""
        return str(self).partition(HINT)[2]


class PlanError(UntoldError):
    """A plan with mistakes. `mistakes` holds one sentence for each, in the order of the file."""

    def __init__(self, mistakes: Sequence[str], source: str = "plan") -> None:
        self.mistakes = tuple(mistakes)
        count = f"{len(self.mistakes)} mistakes" if len(self.mistakes) > 1 else "1 mistake"
        super().__init__("\n".join([f"{source} has {count}:", *(f"  - {m}" for m in self.mistakes)]))


class BadRecord(UntoldError):
    """A record or a table that the plan does not allow."""


class BudgetExceeded(UntoldError):
    """Spending refused: more epsilon was asked for than remains."""


class AlreadyReported(UntoldError):
    """This service and epoch were already reported, with other values."""


class StoreError(UntoldError):
    """A folder of reports that cannot be read or written as it is."""


class UntrustedPlan(UntoldError):
    """A plan that a device must not follow."""


class CollectorError(UntoldError):
    """A collector that cannot be reached, or that refuses what it is sent."""


class UnsupportedQuery(UntoldError):
    """SQL that cannot be answered from these reports, with the reason and what to write instead.

    span   the part of the text that is refused, where it is known: its first character and the one after its last
    code   why, in a word of `REFUSALS` that stays when sentences change
    """

    def __init__(self, message: str, span: tuple[int, int] | None = None, code: RefusalCode = "unsupported") -> None:
        self.span, self.code = span, code
        super().__init__(message)
