"""Marginals from counted reports: unbiased tables with their errors, consistent ones, and rows drawn from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from untold.ask.decoded.contrasts import Floats, forward, inverse
from untold.ask.decoded.norm_sub import norm_sub
from untold.marginals.family import Family, PlausibleFamily
from untold.marginals.linear import Linear
from untold.marginals.maximum_entropy import Margin, jacobian, maximum_entropy
from untold.marginals.releases import Released, Unbiased
from untold.marginals.spread import delta_variances, linear_variances
from untold.marginals.working import largest, working_sets

MOST_GUESSED, MOST_GUESSED_CELLS = 3, 1 << 16  # attributes and cells of a table that is guessed as a whole
MOST_DELTA_CELLS = 2048  # of a marginal put together from parts: the error of a larger one takes too long


@dataclass(eq=False)
class Releaser:
    """Marginals over attributes by number, from what was counted in views."""

    linear: Linear
    sizes: tuple[int, ...]
    users: int
    sampled: bool  # every user reported about one view, not about all
    nonnegative: Callable[[Floats], Floats]
    counted: Callable[[tuple[int, ...]], Unbiased | None] | None = None  # as SQL counts them; None where it does not
    guessed: Callable[[tuple[int, ...]], Floats | None] | None = None  # as SQL guesses them; None where it does not
    _fits: dict[tuple[int, ...], tuple[Floats, float]] = field(default_factory=dict)

    @cached_property
    def family(self) -> Family:
        """The sets that all releases are read from; a set counts by the views that report just it, or by its cells."""
        sets = working_sets(self.linear.views, self.sizes)
        own: dict[tuple[int, ...], float] = {}
        for view in self.linear.views:
            if all(level == tree.height for tree, level in zip(view.trees, view.levels, strict=True)):
                own[view.attributes] = own.get(view.attributes, 0.0) + self.linear.weight(view)
        whole = all(each in own for each in sets)
        weights = [own[each] if whole else 1 / prod(self.sizes[a] for a in each) for each in sets]
        return Family(sets, self.sizes, np.array(weights))

    @cached_property
    def consistent(self) -> dict[tuple[int, ...], Floats]:
        """The plausible table of every set of the family."""
        return dict(zip(self.family.sets, self.family.unstacked(self._plausible.tables), strict=True))

    @property
    def mixed(self) -> float:
        """The share of the uniform table in all of them, mixed in against the last negative cells."""
        return self._plausible.mixed

    @cached_property
    def _plausible(self) -> PlausibleFamily:
        tables = [self._inside(each, self._known(each)) for each in self.family.sets]
        return self.family.plausible(self.family.stacked(tables), self.nonnegative)

    def tells_of(self, attribute: int) -> bool:
        """Whether any report speaks of an attribute."""
        return bool(self.linear.holding((attribute,)))

    def holds(self, attributes: tuple[int, ...]) -> bool:
        """Maximum entropy puts anything together."""
        return True

    @cached_property
    def _holders(self) -> dict[int, list[tuple[int, ...]]]:
        return {a: [each for each in self.family.sets if a in each] for a in range(len(self.sizes))}

    def unbiased(self, attributes: tuple[int, ...]) -> Unbiased | None:
        """The best linear estimate over sorted attributes; None where no view covers them."""
        known = None if self.counted is None else self.counted(attributes)
        if known is not None:
            return known
        table = self.linear.table(attributes)
        if table is None:
            return None
        inside = self._inside(attributes, table)
        variance = self._inside(attributes, linear_variances(self.linear, attributes))
        share = np.clip(inside, 0.0, 1.0)
        return Unbiased(inside, self._errors(variance, share * (1 - share)))

    def release(self, attributes: tuple[int, ...]) -> Released:
        """The plausible marginal over sorted attributes, with its errors."""
        table, deviation = self.table(attributes)
        known = self.unbiased(attributes)
        if known is not None:
            return Released(table, known.errors, known.table, True, deviation)
        return Released(table, self._delta_errors(attributes, table), table, False, deviation)

    def table(self, attributes: tuple[int, ...]) -> tuple[Floats, float]:
        """The plausible marginal alone, and by how much it misses its parts."""
        held = [each for each in self._holders[attributes[0]] if set(attributes) <= set(each)]
        if held:
            out = tuple(i for i, a in enumerate(held[0]) if a not in attributes)
            return np.asarray(self.consistent[held[0]].sum(axis=out)), 0.0
        if attributes not in self._fits:
            self._fits[attributes] = self._put_together(attributes)
        return self._fits[attributes]

    def guess(self, attributes: tuple[int, ...]) -> Floats:
        """The best guess that SQL reads answers from, of up to three attributes; else the plausible marginal."""
        cells = prod(self.linear.trees[a].padded for a in attributes)
        if self.guessed is not None and len(attributes) <= MOST_GUESSED and cells <= MOST_GUESSED_CELLS:
            found = self.guessed(attributes)
            if found is not None:
                return found
        return self.table(attributes)[0]

    def _put_together(self, attributes: tuple[int, ...]) -> tuple[Floats, float]:
        """Maximum entropy with all margins that the family gives, relative to the direct estimate where there is one."""
        shape = tuple(self.sizes[a] for a in attributes)
        direct = self.linear.table(attributes)
        start = None
        if direct is not None:
            start = norm_sub(self._inside(attributes, direct)[None])[0]
            start = (start / start.sum() + 1e-6 / start.size) / (1 + 1e-6)
        parts = largest({tuple(a for a in each if a in attributes) for each in self._near(attributes)})
        margins = [Margin(tuple(attributes.index(a) for a in part), self.table(part)[0]) for part in parts]
        fitted = maximum_entropy(shape, margins, start)
        return fitted.table / fitted.table.sum(), fitted.deviation

    def _near(self, attributes: tuple[int, ...]) -> set[tuple[int, ...]]:
        return {each for a in attributes for each in self._holders[a]}

    def _known(self, attributes: tuple[int, ...]) -> Floats:
        table = self.linear.table(attributes)
        assert table is not None, "a working set is covered by a view"
        return table

    def _inside(self, attributes: tuple[int, ...], table: Floats) -> Floats:
        """Without the leaves that nobody can hold."""
        return table[tuple(slice(0, self.sizes[a]) for a in attributes)]

    def _errors(self, variance: Floats, among_people: Floats) -> Floats:
        """See spread.py. Where users report about every view, what is subtracted is not known: slightly too wide."""
        within = among_people / self.users if self.sampled else 0.0
        return np.asarray(np.sqrt(np.maximum(variance - within, 0.0)))

    def _delta_errors(self, attributes: tuple[int, ...], table: Floats) -> Floats:
        """To first order, at the table with one standard error added to every cell, and scaled back to a total of one.

            p' = (p + s) / (1 + k s)        s: of a typical cell, were the coefficients that no view tells zero

        A cell that non-negativity has cut to zero has a margin of zero, with which to first order it would not move.
        """
        if table.size > MOST_DELTA_CELLS:
            return np.full(table.shape, np.nan)
        trees = [self.linear.trees[a] for a in attributes]
        units = np.zeros((table.size, *(tree.padded for tree in trees)))
        inside = (slice(None), *(slice(0, self.sizes[a]) for a in attributes))
        units[inside] = np.eye(table.size).reshape(-1, *table.shape)
        basis = forward(units, trees, [tree.height for tree in trees])
        known = self.linear.assembled(attributes)[1]

        def errors(moves: Floats) -> Floats:
            """Of a table that moves with the known coefficients as these cells do."""
            wide = np.zeros((table.size, *known.shape))
            wide[:, known] = moves
            score = moves @ basis[:, known].T  # of each person's cell
            among_people = score**2 @ table.reshape(-1) - (score @ table.reshape(-1)) ** 2
            return self._errors(delta_variances(self.linear, attributes, wide), among_people)

        single = np.zeros((int(known.sum()), *known.shape))
        single[:, known] = np.eye(len(single))
        spread = inverse(single, trees, [tree.height for tree in trees])[inside].reshape(len(single), -1)
        typical = float(np.sqrt((errors(spread.T) ** 2).mean()))
        near = (table + typical) / (1 + table.size * typical)
        return errors(jacobian(near, basis[:, known].T)).reshape(table.shape)
