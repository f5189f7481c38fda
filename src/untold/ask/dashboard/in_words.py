"""Declared questions with their expected errors, as lines of text."""

from __future__ import annotations

from untold.answers.numbers import number_text
from untold.ask.dashboard.expected import ExpectedAnswer, expected_answers, mean_gain
from untold.plan import Plan

USELESS = 1.0  # an error of all that there is
WIDTH = 96


def answers_in_words(plan: Plan, people: int | None = None) -> list[str]:
    """Every question with its expected error, worst first, and what declaring it bought."""
    answers = expected_answers(plan, people)
    if not answers:
        return ["Nobody can foresee the errors of these questions: they group by public columns."]
    number = answers[0].people
    lines = [f"What to expect of {number:,} people, if values were spread evenly; worst first:"]
    for each in answers:
        lines += [f"  {_error(each)}", f"      {short(each.sql)}"]
    mean = mean_gain(answers)
    if mean is not None:
        fewer = f", so that 1 person tells what {mean**2:.1f} would" if mean > 1.05 else ""
        lines.append(f"Errors are {mean:.1f} times smaller than under a plan for everything (geometric mean){fewer}.")
    useless = sum(each.share > USELESS for each in answers)
    if useless:
        lines.append(
            f"{useless} of these numbers cannot be told from so few people: more people, a larger epsilon, or fewer groups."
        )
    return lines


def _error(each: ExpectedAnswer) -> str:
    column = each.column
    said = f"{column.name} ± {number_text(1.96 * column.se, column.se)}, error {_percent(each.share)} {each.of}"
    if each.gain is None:
        return f"{said}; a plan for everything cannot answer it"
    return f"{said}; {each.gain:.1f} times smaller than undeclared"


def _percent(share: float) -> str:
    return "more than 100%" if share > USELESS else f"{100 * share:.2g}%"


def short(sql: str) -> str:
    """A question on one line."""
    text = " ".join(sql.split())
    return text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."
