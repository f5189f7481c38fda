"""The counts that a quantile is read from: how many lie at or below each value, for many values and all groups at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from untold.ask.estimates.measured import numbers_of, totals_of
from untold.ask.evidence.reports import Reports
from untold.ask.evidence.routes import Found, FromCounts, measure
from untold.ask.question.groups import question_below
from untold.ask.question.model import Floats, Quantile
from untold.ask.scores.compile import Compiled

MOST_COUNTED = 4096  # values times groups that are asked at once from counts
MOST_SCANNED = 64  # and by a scan, in which each is a column of scores
LEAST_SCANNED = 16  # values that a scan looks at, however many groups there are

Place = tuple[tuple[object, ...], int, int]  # public key, number of the sensitive group, code


@dataclass(eq=False)
class Below:
    """D(x) = (tuples at or below x) - p (all tuples) and its error, of any group, at any value: asked for many values at once."""

    reports: Reports
    compiled: Compiled
    formula: Quantile
    plausible: bool = False
    _known: dict[Place, tuple[float, float]] = field(default_factory=dict)
    _best: dict[Place, tuple[float, float]] = field(default_factory=dict)

    def at(self, key: tuple[object, ...], group: int, code: int) -> tuple[float, float]:
        """The estimate and its standard error; -1 is the code below all values."""
        if (key, group, code) not in self._known:
            self._ask(code)
        return self._known[key, group, code]

    def best_at(self, key: tuple[object, ...], group: int, code: int) -> tuple[float, float]:
        """The best guess of the same and its typical error, where messages are counted."""
        self.at(key, group, code)
        return self._best[key, group, code]

    @property
    def has_best(self) -> bool:
        """Whether there is a best guess."""
        return self.plausible and self._counted

    @cached_property
    def _size(self) -> int:
        column = self.formula.column
        return self.reports.plan.service(column.service).perturbed(column.attribute).size

    @cached_property
    def _counted(self) -> bool:
        return FromCounts().why_not(self.compiled) is None

    @property
    def step(self) -> int:
        """Every so-manieth value is looked at: all of them where messages are counted, as many as a scan can take where not."""
        return 1 if self._counted else -(-self._size // max(MOST_SCANNED // len(self.compiled.labels), LEAST_SCANNED))

    def _ask(self, code: int) -> None:
        """For the code and those around it, as many as one question can well be about; of a scan first those at every step."""
        many = max(1, (MOST_COUNTED if self._counted else MOST_SCANNED) // len(self.compiled.labels))
        first, size = (code + 1) // many * many - 1, self._size
        codes: Sequence[int] = range(first, min(first + many, size))
        if self.step > 1 and not self._known:
            every = range(self.step - 1, size, self.step), range(size - self.step, -1, -self.step)
            codes = sorted({-1, *every[0], *every[1], size - 1, code})
        asked = question_below(self.compiled.question, self.formula, size, codes)
        compiled = self.reports.compile(asked, self.compiled.estimate, self.compiled.sample)
        measured = measure(self.reports, compiled, counted=self.has_best)
        found = measured.groups
        totals = totals_of(found)
        values, errors = totals.values[:, 0], _errors(totals.variances[:, 0])
        keys = [group.key for group in found]
        for key, number, value, error in zip(keys, numbers_of(found), values.tolist(), errors.tolist(), strict=True):
            group, place = divmod(number, len(codes))
            self._known[key, group, codes[place]] = value, error
        if self.has_best:
            self._guess(compiled, measured, codes)

    def _guess(self, compiled: Compiled, measured: Found, codes: Sequence[int]) -> None:
        """Best guesses for the groups that were measured, from the table behind them."""
        from untold.ask.evidence.best_guess import best_guess
        from untold.ask.evidence.plausible import INEXACT

        asked = compiled.grouped
        assert asked is not None
        for counts in measured.counts:
            guess = best_guess(asked, counts, compiled.plan)
            known = np.array([self._known[counts.key, *_place(n, codes)][1] for n in range(len(guess.values))])
            errors = np.sqrt(guess.covariance[:, 0, 0] + (INEXACT * known) ** 2)
            errors = np.where(np.isfinite(errors), errors, known)
            for number, (value, error) in enumerate(zip(guess.values[:, 0].tolist(), errors.tolist(), strict=True)):
                self._best[counts.key, *_place(number, codes)] = value, error


def _place(number: int, codes: Sequence[int]) -> tuple[int, int]:
    """The group and the code of a number among the groups of a question below."""
    group, place = divmod(number, len(codes))
    return group, codes[place]


def _errors(variances: Floats) -> Floats:
    return np.sqrt(np.maximum(variances, 0.0))
