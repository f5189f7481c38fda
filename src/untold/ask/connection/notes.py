"""Notes for the reader of an answer about the reports behind it."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import cast

from sqlglot import exp

from untold.ask.estimates.estimate import Estimates, normal_quantile
from untold.ask.estimates.possible import Ends, are_unknown
from untold.ask.estimates.rows import AnswerRows
from untold.ask.evidence.reports import Reports
from untold.ask.question.epochs import EPOCH, epochs_asked
from untold.ask.question.formulas import cut_totals, wanted_pairs
from untold.ask.question.model import EstimateOutput, PublicKey, Question
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import Compiled
from untold.ask.scores.over_time import Pooling
from untold.ask.sql.parameters import Words, written_out
from untold.errors import UntoldError
from untold.randomness import SEEDED

WORTH_SAYING = 1.5  # times fewer people
SHOWN = 12  # epochs that are listed
SPREAD = (
    "Errors include the spread between users, as several rows of a user leave no better estimate: slightly too wide."
)

NOBODY = (
    "Nobody has reports of all joined services in one epoch: this is a sum over nothing, and says nothing about people. "
    "Services are joined epoch by epoch (docs/guides/joins.md)."
)
SAMPLE = "Errors include who happened to report: people are taken as a sample of others like them."


WRONG = {
    1: " The numbers that chose them tend to be too large.",
    -1: " The numbers that chose them tend to be too small.",
}


def choice_notes(rows: AnswerRows, shown: Mapping[str, Estimates]) -> list[str]:
    """What it means for a reader that estimates choose rows, or that intervals hold together."""
    choice, many = rows.choice, 0 if rows.family is None else len(rows.family)
    if all((found.se == 0).all() for found in shown.values()):
        return []
    wider = max(map(normal_quantile, rows.joint.values()), default=0.0) / normal_quantile(rows.confidence)
    together = f"hold for all {many:,} together: {wider:.2f} times as wide as for one row by itself"
    if choice is None or not choice.cut:
        return [f"The intervals of these rows {together}."] if many > 1 else []
    told = f"Estimates decide which of {choice.rows:,} rows are shown."
    if many > 1:
        told += f" Their intervals {together} (simultaneous=False)."
    elif choice.rows > 1:
        told += " Each interval is for a row by itself: those of the rows shown hold less often than they say."
    return [told + WRONG.get(choice.direction, "")]


def notes_of(reports: Reports, compiled: Compiled, users: int) -> list[str]:
    """Remarks on an answer about so many (joined) users."""
    notes = [SEEDED] if reports.folder.insecure else []
    services = compiled.question.services
    if len(services) > 1 and users == 0:
        notes.append(NOBODY)
    public = any(isinstance(key, PublicKey) for key in compiled.question.keys)
    everybody = compiled.question.filter is None and not public and not reports.several_epochs
    if len(services) > 1 and everybody:
        counted = {service: reports.users(service) for service in services}
        notes += [
            f"{own - users:,} of {own:,} users of '{service}' have no report in another joined service; left out."
            for service, own in counted.items()
            if own > users
        ]
    panel = reports.plan.panel
    if _names_epochs(compiled.question) and not epochs_asked(compiled.question, compiled.epochs):
        more = ", ..." if len(compiled.epochs) > SHOWN else ""
        there = ", ".join(map(str, compiled.epochs[:SHOWN]))
        notes.append(f"WHERE keeps none of the epochs that have reports, which are: {there}{more}.")
    if panel is not None and any(reports.plan.service(service).repeat != "once" for service in services):
        notes.append(
            f"The plan has a panel: in an epoch {panel.report} of {panel.epochs} people take part. Counts and sums are scaled to "
            "everybody, and errors include the draw."
        )
    if len(compiled.epochs) > 1 and compiled.over_time.pooling != Pooling():
        asked = epochs_asked(compiled.question, compiled.epochs)
        notes += (
            []
            if len(asked) < 2
            else [f"People who reported in several of the {len(asked)} epochs are counted in each."]
        )
    if compiled.sample:
        notes.append(SAMPLE)
    elif not compiled.exact and wanted_pairs(compiled.question):
        notes.append(SPREAD)
    return notes


def _names_epochs(asked: Question) -> bool:
    return asked.filter is not None and any(column.name == EPOCH for column in asked.filter.tree.find_all(exp.Column))


def unknown_notes(
    reports: Reports,
    asked: Question,
    users: int,
    rows: AnswerRows,
    shown: Mapping[str, Estimates],
    ends: Mapping[str, Ends],
) -> list[str]:
    """What is only noise, and how many people would change that."""
    notes = []
    for i, (name, found) in enumerate(shown.items()):
        blank, many = are_unknown(found.low, found.high, ends[name]), len(found.value)
        if not blank.any():
            continue
        from untold.ask.estimates.unknown import people_for

        (formula,) = [each.formula for each in asked.outputs if isinstance(each, EstimateOutput) and each.name == name]
        width, se = float(rows.widths(formula)[blank].max()), _expected_error(reports, asked, users, i)
        people = people_for(users, width, se, normal_quantile(rows.confidence), ends[name])
        where = "" if many == 1 else f" in {blank.sum():,} of {many:,} rows"
        more = (
            ""
            if people is None or cut_totals(formula)  # what lies inside of a class is not told by more people
            else f" About {float(f'{people:.1e}'):,.0f} people would begin to tell; here are {users:,}."
        )
        made = "" if people is None else _made_for(reports, asked, users, i, people)
        notes.append(f"{name} is unknown{where}: the interval spans everything that is possible.{more}{made}")
    return notes


def _made_for(reports: Reports, asked: Question, users: int, column: int, people: float) -> str:
    """How many people would do under a plan made for this question, where these are far fewer."""
    if asked.grouping is not None:  # the text asks for several groupings: it is not this question's alone
        return ""
    from untold.ask.dashboard.improved import fewer_people

    name = written_out(asked.sql, dict(cast("tuple[tuple[int, Words], ...]", asked.parameters))), None, users
    if name not in reports.expected:
        reports.expected[name] = fewer_people(reports.plan, name[0], users)
    found = reports.expected[name]
    if column >= len(found) or not found[column] >= WORTH_SAYING:
        return ""
    return (
        f" Under a plan made for this question alone about {float(f'{people / found[column]:.1e}'):,.0f} would "
        "(untold plan improve)."
    )


def _expected_error(reports: Reports, asked: Question, users: int, column: int) -> float:
    """Of one row, by forecast; infinite where there is none. A question is forecast once, however often it is asked."""
    from untold.ask.forecast.forecast import forecast_question

    name = asked.sql, asked.parameters, asked.grouping, users
    if name not in reports.expected:
        try:
            expected = forecast_question(reports.plan, asked, max(users, 1), None, ESTIMATORS["blue"])
            reports.expected[name] = tuple(each.se for each in expected.columns)
        except UntoldError:
            reports.expected[name] = ()
    found = reports.expected[name]
    return found[column] if found else inf
