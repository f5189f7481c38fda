"""What a query asks of finer attributes than devices tell, written in the classes and steps that they do tell.

A condition or key that cuts a class takes an even share of it. What is certain of the true count lies between two others: that of
all classes wholly inside, and that of all classes that are touched (`TotalOf.between`). There are no such bounds for sums
and means, nor for quantiles: these are refused, as is what cuts most of what it touches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from untold.ask.question.algebra import vanishes
from untold.ask.question.formulas import (
    cut_totals,
    formulas_of,
    is_bent,
    is_linear,
    parts,
    rewritten,
    rewritten_in,
    rewritten_side,
)
from untold.ask.question.model import (
    Apply,
    Column,
    EstimateOutput,
    Factor,
    Floats,
    Formula,
    GroupKey,
    Output,
    Quantile,
    Question,
    SensitiveKey,
    SortKey,
    Term,
    Total,
    TotalOf,
)
from untold.ask.sql.one_attribute.finer import Cut, Finer, FinerClasses, finer_of
from untold.ask.sql.refusals import Refusal
from untold.plan.schema import Sensitive
from untold.plan.schema.words import plain

CLOSE = 1e-9
FEW_CUT = 2  # classes, as a range cuts
MOST_CUT = 6  # totals of one formula that cut classes
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class InClasses:
    """Functions of an attribute, in the codes that devices tell: an even share of cut classes, and the least and the most."""

    share: Floats
    least: Floats
    most: Floats
    cut: Bools  # by function and class


def in_classes(attribute: Sensitive, values: Floats) -> InClasses:
    """Functions (rows) of a finer attribute in the classes of the one that is kept. A straight line over a class, as sums have
    it, stays one."""
    finer = finer_of(attribute)
    assert finer is not None
    own, missing = values[:, : attribute.known], values[:, attribute.known :]
    if isinstance(finer, FinerClasses):
        share, least, most, cut = _of_numbers(finer, own)
    else:
        starts = np.flatnonzero(np.diff(finer.members, prepend=-1))
        share = np.add.reduceat(own, starts, axis=1) / np.diff(starts, append=own.shape[1])
        least, most = np.minimum.reduceat(own, starts, axis=1), np.maximum.reduceat(own, starts, axis=1)
        cut = most > least
    share, least, most = (np.hstack([each, missing]) for each in (share, least, most))
    return InClasses(share, least, most, cut)


def _of_numbers(finer: FinerClasses, values: Floats) -> tuple[Floats, Floats, Floats, Bools]:
    starts = np.flatnonzero(np.diff(finer.members, prepend=-1))
    ends = np.append(starts[1:], len(finer.members))
    each = values.reshape(len(values), -1, 2)
    first, last = each[:, starts, 0], each[:, ends - 1, 1]
    low, high, _ = np.array(finer.kept.pieces).T
    place = (finer.numbers.reshape(-1, 2) - low[finer.members, None]) / np.where(high > low, high - low, 1.0)[
        finer.members, None
    ]
    line = first[:, finer.members, None] + (last - first)[:, finer.members, None] * place
    off = np.abs(each - line).max(axis=2) > CLOSE * np.abs(values).max(axis=1, initial=1.0)[:, None]
    cut = np.maximum.reduceat(off, starts, axis=1)
    if not finer.kept.rounded:  # devices do not tell the bit, and so no slope
        cut |= first != last
    widths = finer.widths / np.add.reduceat(finer.widths, starts)[finer.members]
    mean = np.add.reduceat(each.mean(axis=2) * widths, starts, axis=1)
    least = np.minimum.reduceat(each.min(axis=2), starts, axis=1)
    most = np.maximum.reduceat(each.max(axis=2), starts, axis=1)
    straight = np.stack([first, last], axis=2)

    def of(found: Floats) -> Floats:
        told = np.where(cut[:, :, None], found[:, :, None], straight).reshape(len(values), -1)
        return np.asarray(told[:, finer.kept.held])

    every = np.zeros((len(values), len(finer.kept.starts)), dtype=np.bool_)  # nobody is in a part without a number
    every[:, [at for _, _, at in finer.kept.pieces]] = cut
    return of(mean), of(least), of(most), every


@dataclass(eq=False)
class _Cuts:
    question: Question
    finer: Mapping[Column, Cut]
    totals: list[Total] = field(default_factory=list)
    bounds: dict[int, tuple[Total, Total]] = field(default_factory=dict)  # by the number of the total between them
    cut: dict[Column, None] = field(default_factory=dict)  # columns whose classes are cut, in order

    def key(self, key: GroupKey) -> GroupKey:
        """A key in classes."""
        if not isinstance(key, SensitiveKey) or key.column not in self.finer:
            return key
        found = self.functions(key.column, key.indicators)
        return replace(key, indicators=found.share, bounds=(found.least, found.most) if found.cut.any() else None)

    def functions(self, column: Column, values: Floats) -> InClasses:
        """Functions of a column in its classes, unless they cut too many of them."""
        attribute = self.finer[column].attribute
        found = in_classes(attribute, values)
        cut = found.cut.sum(axis=1)
        if cut.any():
            self.cut.setdefault(column)
            classes = found.most[:, : found.cut.shape[1] * (2 if attribute.halves else 1)]
            touched = classes.reshape(len(values), found.cut.shape[1], -1).any(axis=2).sum(axis=1)
            if (cut > np.maximum(FEW_CUT, touched - cut)).any():
                raise self.refused(column, "this depends on what is inside of {}, of which nothing is known")
        return found

    def refused(self, column: Column, why: str) -> Refusal:
        """The refusal of something that cuts classes, with the nearest limits."""
        attribute, tree = self.finer[column].attribute, self.finer[column].tree
        finer = finer_of(attribute)
        assert finer is not None
        classes = _classes(finer)
        return Refusal(
            tree,
            f"'{column.attribute}' is kept {_kept(finer)}: {why.format(classes)}.",
            f"Ask by whole {classes}{_nearest(finer, column)}; '{column.attribute}' has {attribute.describe()}.",
            code="aggregate",
        )

    def total(self, total: Total, keys: tuple[GroupKey, ...]) -> None:
        """A total in classes, and those that it lies between."""
        sides: tuple[list[Term], list[Term], list[Term]] = ([], [], [])
        cut: list[Column] = []
        for term in total.terms:
            found = {f.column: self.functions(f.column, f.values[None]) for f in term.factors if f.column in self.finer}
            cut += [column for column, each in found.items() if each.cut.any()]
            rising = term.coefficient > 0
            for side, names in zip(sides, (("share", "share"), ("least", "most"), ("most", "least")), strict=True):
                name = names[0 if rising else 1]
                factors = tuple(
                    Factor(f.column, getattr(found[f.column], name)[0]) if f.column in found else f
                    for f in term.factors
                )
                side.append(replace(term, factors=factors))
        within = range(len(keys)) if total.within is None else total.within
        own = [key.column for i in within if isinstance(key := keys[i], SensitiveKey) and key.bounds is not None]
        point, inside, touched = (tuple(term for term in side if not vanishes(term)) for side in sides)
        if not cut and not own:
            self.totals.append(replace(total, terms=point))
            return
        if not total.is_count:
            raise self.refused(
                (cut or own)[0], "this cuts some of its {}, and sums and means over a part of one have no bounds"
            )
        self.bounds[len(self.totals)] = (
            replace(total, terms=inside, side="inside"),
            replace(total, terms=touched, is_count=len(touched) <= 1, side="touched"),
        )
        self.totals.append(replace(total, terms=point, is_count=False))

    def rule(self, total: TotalOf) -> Formula:
        """A total with the numbers of its bounds, which stand behind all other totals."""
        if total.index not in self.bounds:
            return total
        first = len(self.totals) + 2 * list(self.bounds).index(total.index)
        return replace(total, between=(first, first + 1))


def written_in_classes(question: Question, finer: Mapping[Column, Cut]) -> Question:
    """A question about finer attributes, in the classes that devices tell; Refusal where that has no honest answer."""
    cuts = _Cuts(question, finer)
    keys = tuple(cuts.key(key) for key in question.keys)
    for total in question.totals:
        cuts.total(total, keys)
    where = None
    if question.where is not None:
        terms = (_touched(term, cuts) for term in question.where.terms)
        where = replace(question.where, terms=tuple(term for term in terms if not vanishes(term)))
    found = replace(
        question,
        keys=keys,
        totals=(*cuts.totals, *(each for pair in cuts.bounds.values() for each in pair)),
        outputs=tuple(_output(output, cuts) for output in question.outputs),
        having=None if question.having is None else rewritten_in(question.having, cuts.rule),
        order=tuple(SortKey(rewritten_side(key.side, cuts.rule), key.descending) for key in question.order),
        where=where,
        notes=(*question.notes, *(_note(column, finer[column].attribute) for column in cuts.cut)),
    )
    for formula in formulas_of(found):
        _check_formula(formula, cuts)
    return found


def _touched(term: Term, cuts: _Cuts) -> Term:
    factors = tuple(
        Factor(f.column, in_classes(cuts.finer[f.column].attribute, f.values[None]).most[0])
        if f.column in cuts.finer
        else f
        for f in term.factors
    )
    return replace(term, factors=factors)


def _output(output: Output, cuts: _Cuts) -> Output:
    if not isinstance(output, EstimateOutput):
        return output
    return replace(output, formula=rewritten(output.formula, cuts.rule))


def _check_formula(formula: Formula, cuts: _Cuts) -> None:
    """The ends of a formula are found at the ends of its totals: it must only rise or only fall with each of them."""
    for part in parts(formula):
        if isinstance(part, Quantile) and part.total in cuts.bounds:
            raise cuts.refused(
                next(iter(cuts.cut)), "this cuts some of its {}, and quantiles over a part of one have no bounds"
            )
    for part in _unbent(formula):
        used = cut_totals(part)
        often = len(set(used)) < len(used) and not _is_fraction(part)
        if often or len(set(used)) > MOST_CUT or (used and any(_is_size(each) for each in parts(part))):
            raise cuts.refused(next(iter(cuts.cut)), "this cuts some of its {} in a formula that has no bounds then")


def _unbent(formula: Formula) -> Iterator[Formula]:
    """The parts of a formula whose intervals are made by themselves (estimates/bent.py)."""
    if isinstance(formula, Apply) and is_bent(formula):
        for each in formula.arguments:
            yield from _unbent(each)
    elif not is_bent(formula):
        yield formula


def _is_size(formula: Formula) -> bool:
    return isinstance(formula, Apply) and formula.operation == "abs"


def _is_fraction(formula: Formula) -> bool:
    """A linear combination of totals, or one divided by another: each total moves it one way."""
    if isinstance(formula, Apply) and formula.operation == "div":
        return all(map(is_linear, formula.arguments))
    return is_linear(formula)


def _classes(finer: Finer) -> str:
    return "classes" if isinstance(finer, FinerClasses) else f"{finer.kept.step}s"


def _kept(finer: Finer) -> str:
    return "in classes" if isinstance(finer, FinerClasses) else f"by {finer.kept.step}"


def _nearest(finer: Finer, column: Column) -> str:
    """The limits around the cuts, or the function that keeps to them."""
    if not isinstance(finer, FinerClasses):
        return f", such as date_trunc('{finer.kept.step}', {column.attribute})"
    kept = finer.kept
    limits = (kept.low, *kept.limits, kept.high)
    added = sorted({*finer.cuts} - {*kept.limits})[:2]
    near = sorted({limits[np.searchsorted(limits, cut) + step] for cut in added for step in (-1, 0)})
    return f", such as at the limits {', '.join(map(plain, near))}"


def _note(column: Column, attribute: Sensitive) -> str:
    finer = finer_of(attribute)
    assert finer is not None
    return (
        f"{column.attribute} is kept {_kept(finer)}, and this cuts some of its {_classes(finer)}: an even share of them is shown, "
        "and the interval reaches from none of what is cut to all of it."
    )
