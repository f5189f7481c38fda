"""More attributes than were reported together: a best guess that is put together from pairs, and what pairs guarantee.

Of all tables with the pairs' tables it is the one with the most entropy: no three attributes act together in it. Reports cannot
check that, so there is no unbiased number. Values of an attribute that the question does not tell apart are one class, so that few
cells are needed. The typical error is how far answers move when the pairs' tables move as far as they may be off. For a count of
people who meet several conditions, pairs also guarantee something (Frechet):

    each pair's count   >=   the count   >=   a pair's count + all other conditions' counts - (number of them) x everybody

with intervals that hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import inf, nan
from time import perf_counter

import numpy as np
import pyarrow as pa

from untold.answers.answer import Answer
from untold.answers.result import OutputColumn, Result
from untold.ask.decoded.products import Product, Rows
from untold.ask.estimates.estimate import estimate
from untold.ask.estimates.gradients import value_and_gradient
from untold.ask.estimates.possible import possible
from untold.ask.estimates.simultaneous import sidak
from untold.ask.estimates.totals import Totals
from untold.ask.evidence.best_guess import guessed_pair
from untold.ask.evidence.reports import Reports
from untold.ask.evidence.routes import Found, measure
from untold.ask.question.formulas import formulas_of, has_quantile
from untold.ask.question.model import Column, EstimateOutput, Factor, Floats, Question, Term, Total, TotalOf
from untold.ask.scores.coefficients import blue
from untold.ask.scores.compile import Compiled
from untold.errors import UnsupportedQuery
from untold.randomness import Seeded

MAX_CELLS = 1 << 14
REDRAWN = 32
SWEEPS = 60
NOTE = (
    "best guess put together from pairs: it takes it that no three attributes act together, which these reports cannot check. The "
    "typical error is the noise of the pairs alone. There is no unbiased number; the interval is what pairs and single attributes "
    "allow."
)
HINT = "plausible=True gives a best guess that is put together from pairs."


def can_be_put_together(asked: Question, reports: Reports) -> bool:
    """Whether a question is about single numbers of one service, whose people report once each."""
    if len(asked.services) != 1 or asked.keys or asked.filter or asked.having or asked.things or not asked.outputs:
        return False
    service = reports.plan.service(asked.services[0])
    terms = [term for total in asked.totals for term in total.terms]
    plain = all(isinstance(output, EstimateOutput) for output in asked.outputs)
    return (
        plain
        and service.rows is None
        and not reports.several_epochs
        and reports.plan.panel is None
        and not any(term.publics for term in terms)
        and not any(has_quantile(formula) for formula in formulas_of(asked))
    )


def put_together(sql: str, reports: Reports, asked: Question, confidence: float, far: UnsupportedQuery) -> Answer:
    """The answer, worked out when it is looked at. What pairs do not tell is refused at once."""
    columns = _columns(asked)
    classes = [_Classes.of(asked, column) for column in columns]
    if np.prod([float(len(each.values)) for each in classes]) > MAX_CELLS:
        raise far
    sizes = [reports.plan.service(c.service).perturbed(c.attribute).size for c in columns]
    if any(each.place.size != size for each, size in zip(classes, sizes, strict=True)):
        raise far
    compiled: dict[tuple[Column, ...], Compiled] = {
        pair: reports.compile(_count(asked, pair), blue) for pair in combinations(columns, 2)
    }
    return Answer(sql, partial(_run, reports, asked, classes, compiled, confidence))


@dataclass(frozen=True, eq=False)
class _Classes:
    """Values of an attribute that a question does not tell apart.

    place    the class of every code
    values   what a class stands for in every term of every total: (classes, terms)
    """

    column: Column
    place: np.ndarray[tuple[int], np.dtype[np.intp]]
    values: Floats

    @staticmethod
    def of(asked: Question, column: Column) -> _Classes:
        known = [
            {f.column: f.values for f in term.factors}.get(column) for total in asked.totals for term in total.terms
        ]
        size = next(len(each) for each in known if each is not None)
        every = np.stack([np.ones(size) if each is None else each for each in known], axis=1)
        values, place = np.unique(every, axis=0, return_inverse=True)
        return _Classes(column, place.reshape(-1), values)

    @property
    def indicators(self) -> Floats:
        """(classes, codes)."""
        return np.asarray(np.arange(len(self.values))[:, None] == self.place, dtype=np.float64)


def _columns(asked: Question) -> tuple[Column, ...]:
    return tuple(sorted({f.column for total in asked.totals for term in total.terms for f in term.factors}))


def _count(asked: Question, columns: Sequence[Column]) -> Question:
    """How many people meet the conditions on some columns, if it is conditions that the question is about."""
    factors = [f for f in asked.totals[0].terms[0].factors if f.column in columns]
    known = {f.column for f in factors}
    size = {f.column: len(f.values) for total in asked.totals for term in total.terms for f in term.factors}
    factors += [Factor(column, np.ones(size[column])) for column in columns if column not in known]
    indicators = all(np.isin(f.values, (0.0, 1.0)).all() for f in factors)
    if not indicators:
        factors = [Factor(f.column, (f.values != 0).astype(np.float64)) for f in factors]
    total = Total((Term(1.0, tuple(factors)),), is_count=True)
    output = EstimateOutput("n", TotalOf(0), "COUNT(*)")
    return replace(asked, totals=(total,), outputs=(output,), order=(), limit=None, offset=0, where=None)


def _run(
    reports: Reports,
    asked: Question,
    classes: Sequence[_Classes],
    compiled: dict[tuple[Column, ...], Compiled],
    confidence: float,
) -> Result:
    began = perf_counter()
    found = {pair: measure(reports, each, counted=True) for pair, each in compiled.items()}
    users = next(iter(found.values())).users
    values = _guesses(reports, asked, classes, found, users)
    ends = _ends(reports, asked, found, users, confidence)
    none = np.zeros((len(asked.totals), len(asked.totals)))
    columns: dict[str, pa.Array] = {}
    outputs = []
    for output in asked.outputs:
        assert isinstance(output, EstimateOutput)
        each = [float(value_and_gradient(output.formula, Totals(one, none))[0]) for one in values]
        best, typical = each[0], float(np.sqrt(np.mean((np.array(each[1:]) - each[0]) ** 2)))
        limits = possible(output.formula, asked, users)
        is_count = isinstance(output.formula, TotalOf) and output.formula.index == 0 and ends is not None
        low, high = ends if is_count and ends is not None else limits
        best = min(max(best, limits[0]), limits[1])
        names = [output.name + suffix for suffix in ("", "_se", "_low", "_high", "_best", "_typical")]
        numbers = (nan, nan, low, high, best, typical)
        columns |= {name: pa.array([number]) for name, number in zip(names, numbers, strict=True)}
        outputs.append(OutputColumn(output.name, "estimate", possible=limits, has_best=True))
    number = reports.number(asked.services)
    source = f"counts of {number:,} reports"
    notes = (*asked.notes, NOTE)
    took = perf_counter() - began
    return Result(tuple(outputs), pa.table(columns), confidence, notes, number, users, took, source)


def _guesses(
    reports: Reports,
    asked: Question,
    classes: Sequence[_Classes],
    found: dict[tuple[Column, ...], Found],
    users: int,
) -> list[Floats]:
    """All totals: as guessed, then as they would be with the tables of the pairs moved."""
    from untold.marginals.maximum_entropy import Margin, maximum_entropy  # a door to the floor above

    place, rng = {each.column: i for i, each in enumerate(classes)}, Seeded(REDRAWN)
    tables = {pair: _pair(reports, [classes[place[c]] for c in pair], each) for pair, each in found.items()}
    shape = tuple(len(each.values) for each in classes)

    def totals(margins: Sequence[Margin]) -> Floats:
        table = users * maximum_entropy(shape, margins, tolerance=1e-7, sweeps=SWEEPS).table
        out, term = [], 0
        for total in asked.totals:
            value = 0.0
            for each in total.terms:
                weights = [one.values[:, term] for one in classes]
                left = table
                for own in weights:
                    left = np.tensordot(left, own, axes=([0], [0]))
                value += each.coefficient * float(left)
                term += 1
            out.append(value)
        return np.array(out)

    def margin(pair: tuple[Column, ...], table: Floats) -> Margin:
        table = np.maximum(table, 0.0)
        return Margin(tuple(place[c] for c in pair), table / max(float(table.sum()), 1e-300))

    values = [totals([margin(pair, table) for pair, (table, _) in tables.items()])]
    signs = {
        pair: np.where(rng.words((REDRAWN // 2, off.shape[-1])) >> np.uint64(63), 1.0, -1.0)
        for pair, (_, off) in tables.items()
    }
    for number in range(REDRAWN // 2):
        for sign in (1.0, -1.0):
            moved = [margin(p, table + sign * off @ signs[p][number]) for p, (table, off) in tables.items()]
            values.append(totals(moved))
    return values


def _pair(reports: Reports, classes: Sequence[_Classes], found: Found) -> tuple[Floats, Floats]:
    """The best guess of a pair's classes, and the directions in which it may be off, along a last axis."""
    (counts,) = found.counts
    service = reports.plan.service(classes[0].column.service)
    names = [each.name for each in service.sensitive]
    own = sorted((names.index(each.column.attribute), each) for each in classes)
    rows = []
    for number, each in own:
        tree = counts.design.space.trees[number]
        values = np.zeros((len(each.values), tree.padded))
        values[:, : each.place.size] = each.indicators
        rows.append(Rows(tree, values))
    product = Product(tuple(number for number, _ in own), tuple(rows))
    table, off = guessed_pair(counts, product, tuple(service.sensitive[number].ordered for number, _ in own))
    if [each for _, each in own] != list(classes):
        table, off = table.T, off.transpose(1, 0, 2)
    return table, off


def _ends(
    reports: Reports,
    asked: Question,
    found: dict[tuple[Column, ...], Found],
    users: int,
    confidence: float,
) -> tuple[float, float] | None:
    """What pairs and single attributes guarantee of the first total; None where it is no count of people who meet conditions."""
    (first, *more) = asked.totals[0].terms
    columns = _columns(asked)
    plain = all(np.isin(f.values, (0.0, 1.0)).all() for f in first.factors)
    if (
        more
        or first.coefficient != 1.0
        or not asked.totals[0].is_count
        or not plain
        or len(first.factors) < len(columns)
    ):
        return None
    each = sidak(confidence, len(found) + len(columns))

    def interval(own: Found) -> tuple[float, float]:
        known = estimate(TotalOf(0), own.groups[0].totals, each)
        return known.low, known.high

    pairs = {pair: interval(own) for pair, own in found.items()}
    alone = {c: interval(measure(reports, reports.compile(_count(asked, (c,)), blue))) for c in columns}
    high = min(users, *(end for _, end in (*pairs.values(), *alone.values())))
    low = max(0.0, sum(low for low, _ in alone.values()) - (len(columns) - 1) * users)
    for pair, (least, _) in pairs.items():
        others = [alone[c][0] for c in columns if c not in pair]
        low = max(low, least + sum(others) - len(others) * users)
    return (low, max(high, low)) if high > -inf else None
