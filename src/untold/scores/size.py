"""Limits on how much one question may ask for: its work grows with the square of what it combines."""

from __future__ import annotations

from math import prod

from untold.errors import UnsupportedQuery
from untold.question.formulas import parts
from untold.question.model import EstimateOutput, Quantile, Question, SensitiveKey

MOST_PAIRS = 1024  # of totals that formulas combine, each with itself too
MOST_WEIGHTS = 64  # different public conditions and numbers that totals are multiplied by
MOST_GROUPS = 1 << 18  # of sensitive attributes
MOST_QUANTILES = 64


def check_size(question: Question, pairs: int) -> None:
    """Refuse a question that would be worked on for minutes, before the work begins."""
    groups = prod(len(key.labels) for key in question.keys if isinstance(key, SensitiveKey))
    formulas = [output.formula for output in question.outputs if isinstance(output, EstimateOutput)]
    quantiles = sum(isinstance(part, Quantile) for formula in formulas for part in parts(formula))
    for what, found, most in (
        ("groups of sensitive attributes", groups, MOST_GROUPS),
        ("pairs of totals", pairs, MOST_PAIRS),
        ("quantiles", quantiles, MOST_QUANTILES),
    ):
        if found > most:
            raise too_much(what, found, most)


def too_much(what: str, found: int, most: int) -> UnsupportedQuery:
    """The refusal."""
    return UnsupportedQuery(
        f"this question has {found:,} {what}; at most {most:,} are worked out at once.\nHint: ask several questions."
    )
