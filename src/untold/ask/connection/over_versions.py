"""A question over several versions of a plan: each epoch is scored by the plan it was collected under, and totals add up.

Draws of epochs are independent, so values and covariances of totals add. What the versions do not have in common is refused, and
the refusal names the epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from untold.answers.result import Result
from untold.ask.connection.result import Wanted, result_of
from untold.ask.estimates.measured import Block, Blocks, Measured
from untold.ask.estimates.possible import Possible, PossibleInAny
from untold.ask.estimates.totals import Totals
from untold.ask.evidence.routes import Found, measure, most_rows
from untold.ask.question.epochs import epochs_asked
from untold.ask.question.formulas import has_quantile
from untold.ask.question.groups import is_across_public
from untold.ask.question.model import EstimateOutput, PublicKey, Question, SensitiveKey
from untold.ask.scores.compile import Compiled
from untold.errors import UnsupportedQuery, UntoldError
from untold.plan import Plan

if TYPE_CHECKING:
    from untold.ask.connection.connection import Connection

ONE = "Hint: ask for epochs of one version (WHERE epoch ...), or untold.connect(folder, version={})."


@dataclass(frozen=True, eq=False)
class VersionAsked:
    """A version, what it is asked, and the epochs of it that are."""

    con: Connection
    asked: Question
    epochs: tuple[int, ...]

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self.con.plan

    @property
    def words(self) -> str:
        """For messages."""
        return f"version {self.plan.version} ({'epochs' if len(self.epochs) > 1 else 'epoch'} {_listed(self.epochs)})"


def parts_of(connections: Sequence[Connection], ask: Callable[[Connection], Question]) -> list[VersionAsked]:
    """What each version is asked, of those that have an epoch that the question asks for, the latest last. A version that
    cannot be asked is no matter if none of its epochs is asked for."""
    read: list[tuple[Connection, Question | UntoldError]] = []
    for con in connections:
        try:
            read.append((con, ask(con)))
        except UntoldError as error:
            read.append((con, error))
    asked = [each for _, each in read if isinstance(each, Question)]
    if not asked:
        raise read[-1][1]  # type: ignore[misc]  # an error, as all are
    found = []
    for con, each in read:
        epochs = con.epochs_of(asked[-1].services)
        wanted = epochs_asked(asked[-1], epochs)
        if isinstance(each, Question):
            wanted = epochs_asked(each, con.epochs_of(each.services))
            found += [VersionAsked(con, each, wanted)] if wanted else []
        elif wanted:
            said, _, hint = str(each).partition("\nHint: ")
            where = f"in version {con.plan.version} of the plan (epochs {_listed(wanted)})"
            raise UnsupportedQuery(f"{said}\nThat is {where}.\nHint: {hint or 'ask for other epochs.'}") from each
    return found or [VersionAsked(read[-1][0], asked[-1], ())]


def check_common(parts: Sequence[VersionAsked], wanted: Wanted) -> None:
    """Refuse what cannot be added up."""
    last = parts[-1]
    one = ONE.format(last.plan.version)
    over = f"over {len(parts)} versions of the plan"
    if wanted.plausible:
        raise UnsupportedQuery(f"plausible=True {over} is not supported.\n{one}")
    if any(part.asked.things is not None for part in parts):
        raise UnsupportedQuery(f"a join with things {over} is not supported.\n{one}")
    formulas = [output.formula for output in last.asked.outputs if isinstance(output, EstimateOutput)]
    if any(has_quantile(formula) for formula in formulas):
        raise UnsupportedQuery(f"a quantile {over} is not supported.\n{one}")
    if any(total.frame is not None for total in last.asked.totals) or is_across_public(last.asked):
        raise UnsupportedQuery(f"a window over groups {over} is not supported.\n{one}")
    for part in parts[:-1]:
        same = part.asked.outputs == last.asked.outputs and len(part.asked.totals) == len(last.asked.totals)
        if not same or part.asked.having != last.asked.having:
            raise UnsupportedQuery(f"{part.words} and {last.words} compute this in different ways.\n{one}")
        for service in last.asked.services:
            if part.plan.service(service).repeat != last.plan.service(service).repeat:
                raise UnsupportedQuery(f"'{service}' repeats its reports in another way in {part.words}.\n{one}")
        for old, new in zip(_keys(part.asked), _keys(last.asked), strict=True):
            _check_labels(part, last, old, new)


def _check_labels(part: VersionAsked, last: VersionAsked, old: SensitiveKey, new: SensitiveKey) -> None:
    """A value that only one version has is nobody's in the other, unless that one takes every value: there somebody may have it."""
    if set(old.labels) == set(new.labels):
        return
    for own, other, key in ((part, last, new), (last, part, old)):
        attribute = own.plan.service(key.column.service).perturbed(key.column.attribute)
        lacking = [label for label in key.labels if label not in (old if own is part else new).labels]
        if lacking and (attribute.total or attribute.halves):
            shown = ", ".join(map(repr, lacking[:3])) + (", ..." if len(lacking) > 3 else "")
            raise UnsupportedQuery(
                f"GROUP BY {key.name}: {other.words} has {shown}, {own.words} has not, and counts whoever has it as something "
                "else.\nHint: group by what both have, such as CASE WHEN x IN (...) THEN x ELSE 'rest' END, or ask for epochs of "
                "one version."
            )


def over_versions(parts: Sequence[VersionAsked], wanted: Wanted, sample: bool) -> Callable[[], Result]:
    """The answer, when somebody looks at it."""
    check_common(parts, wanted)
    compiled = [part.con.reports.compile(part.asked, wanted.estimator, sample) for part in parts]

    def run() -> Result:
        began = perf_counter()
        found = [measure(part.con.reports, each) for part, each in zip(parts, compiled, strict=True)]
        asked = _with_all_labels([part.asked for part in parts])
        added = Found(
            _added(asked, compiled, found),
            sum(each.users for each in found),
            found[-1].source,
            tuple(dict.fromkeys([*(note for each in found for note in each.notes), *_notes(parts)])),
        )
        last = parts[-1]
        most = added.users * max(most_rows(each) for each in compiled)
        within = PossibleInAny(tuple(Possible(part.asked, most) for part in parts))
        result = result_of(last.con.reports, asked, compiled[-1], added, wanted, began, within)
        number = sum(part.con.reports.number(part.asked.services) for part in parts)
        return replace(result, reports=number, source=f"{added.source} of {number:,} reports")

    return run


def _with_all_labels(questions: Sequence[Question]) -> Question:
    """The last one, with the labels of all."""
    last = questions[-1]
    keys = list(last.keys)
    for place, key in enumerate(keys):
        if isinstance(key, SensitiveKey):
            every = dict.fromkeys(
                label
                for each in (last, *questions)
                if isinstance(own := each.keys[place], SensitiveKey)
                for label in own.labels
            )
            if len(every) > len(key.labels):
                more = np.zeros((len(every) - len(key.labels), key.indicators.shape[1]))
                # those of another version have no code here, and are possible all the same
                keys[place] = replace(key, labels=tuple(every), indicators=np.vstack([key.indicators, more]))
    return last if tuple(keys) == last.keys else replace(last, keys=tuple(keys), where=None)


def _added(asked: Question, compiled: Sequence[Compiled], found: Sequence[Found]) -> Blocks:
    """The groups of all versions, added up by public key and labels."""
    labels = list(product(*(key.labels for key in _keys(asked))))
    place = {each: number for number, each in enumerate(labels)}
    sums: dict[tuple[object, ...], list[list[Totals]]] = {}
    for each in found:
        for group in each.groups:
            assert isinstance(group, Measured)
            sums.setdefault(group.key, [[] for _ in labels])[place[group.labels]].append(group.totals)
    size = len(asked.totals)
    return Blocks(Block(key, labels, _stacked([_sum(each, size) for each in groups])) for key, groups in sums.items())


def _sum(parts: Sequence[Totals], size: int) -> Totals:
    """Independent totals, added up."""
    zero = np.zeros((size, size))
    return Totals(
        sum((each.values for each in parts), start=np.zeros(size)),
        sum((each.covariance for each in parts), start=zero),
        sum((zero if each.floor is None else each.floor for each in parts), start=zero),
        sum((each.variances for each in parts), start=np.zeros(size)),
    )


def _stacked(totals: Sequence[Totals]) -> Totals:
    from untold.ask.estimates.totals import stacked

    return stacked(totals)


def _notes(parts: Sequence[VersionAsked]) -> list[str]:
    notes = [f"Added up over versions of the plan: {', '.join(part.words for part in parts)}."]
    once = [s for s in parts[-1].asked.services if parts[-1].plan.service(s).repeat == "once"]
    if not once:
        notes.append("People who reported under several of them are counted in each.")
    touched = {
        factor.column
        for part in parts
        for total in part.asked.totals
        for term in total.terms
        for factor in term.factors
    } | {key.column for part in parts for key in _keys(part.asked)}
    for column in sorted(touched, key=lambda each: (each.service, each.attribute)):
        said = dict.fromkeys(part.plan.service(column.service).perturbed(column.attribute).describe() for part in parts)
        if len(said) > 1:
            notes.append(f"{column.attribute} is not the same in all of them: {'; then '.join(said)}.")
    return notes


def _keys(asked: Question) -> list[SensitiveKey]:
    return [key for key in asked.keys if not isinstance(key, PublicKey)]


def _listed(epochs: Sequence[int]) -> str:
    return ", ".join(map(str, epochs[:6])) + (", ..." if len(epochs) > 6 else "")
