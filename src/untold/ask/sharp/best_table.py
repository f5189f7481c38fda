"""The best guess of a table: a mixture of three guesses, each weighted by how far off it seems to be.

    independent   the product of the log-densities of single attributes: right where attributes have nothing to do with each other,
                  or where reports are too few to tell
    smooth        the log-density of all attributes together (`log_density`)
    closest       the nearest table to the reports without negative cells (`decoded.closest`): right where few cells hold all

How far off a guess x is, in units of noise, can be estimated without knowing the truth (Stein):

    risk = sum over contrasts of w (y - H x)^2 - (number of contrasts) + 2 (its degrees of freedom)

    y, w      what reports say: contrasts of the table, as shares of people, and the precision of each
    freedom   how much a guess follows the reports: sum of g / (1 + g) over the eigenvalues of the information for a log-density;
              the number of cells above 0, less 1, for the closest table

The same noise is in all three risks, so that their differences are known much better than each. The weights are
exp(-risk / 4) over their sum, for which the mixture is off by at most the best of them plus 4 log 3 (Leung and Barron 2006,
Information theory and mixing least-squares regressions). One attribute by itself has one guess, its log-density: all of its waves
are in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from untold.ask.decoded.closest import CERTAIN, STEPS, orthonormal, solved
from untold.ask.decoded.products import contract, outer
from untold.ask.sharp.blocks import SpreadDensity, fit_margin, fit_together, is_small_enough, margin_contrasts
from untold.ask.sharp.columns import MAX_COLUMNS
from untold.ask.sharp.roughness import roughness_of
from untold.kernels.arrays import Floats
from untold.plan.hierarchy import Tree

NOBODY = 1e-3  # of the mean of all cells
TEMPERATURE = 4.0
NEGLIGIBLE = 1e-4  # weight of a guess


@dataclass(frozen=True)
class Guess:
    """A table (padded leaves, shares of people that add up to 1), and how closely it follows the reports."""

    name: str
    table: Floats
    freedom: float


@dataclass(frozen=True)
class BestTable:
    """A mixture of guesses.

    table     shares of people in all padded leaves
    guesses   with the weight of each
    smooth    the log-density behind one of them, from which errors are worked out; None where the table is too large for it
    alone     the same of each attribute by itself
    roughness how far people are from being smooth (`roughness`)
    """

    table: Floats
    guesses: tuple[tuple[float, Guess], ...]
    smooth: SpreadDensity | None
    alone: tuple[SpreadDensity | None, ...] = ()
    roughness: float = 0.0

    @property
    def has_errors(self) -> bool:
        """Whether it is known how far off it may be: of lists of too many values it is not."""
        return all(each is not None for each in self.alone)

    def weight(self, name: str) -> float:
        """Of one of the guesses."""
        return sum(p for p, guess in self.guesses if guess.name == name)


def best_table(y: Floats, w: Floats, trees: Sequence[Tree], ordered: Sequence[bool]) -> BestTable:
    """From contrasts of the table, orthonormal, as shares of people, and the precision of each; 0: nothing is known.

    trees, ordered   of every attribute: the blocks that its contrasts compare, and whether its values have an order
    """
    w = w.copy()
    w[(0,) * w.ndim] = 0.0
    alone = [_margin(*margin_contrasts(y, w, i), tree, ordered[i]) for i, tree in enumerate(trees)]
    margins = [guess.table for guess, _ in alone]
    guesses = [Guess("independent", outer(margins), sum(guess.freedom for guess, _ in alone))]
    smooth = alone[0][1] if len(trees) == 1 else None
    if len(trees) > 1 and is_small_enough(trees, ordered):
        smooth = fit_together(y, w, trees, ordered, margins)
        guesses.append(Guess("smooth", smooth.table, smooth.density.freedom))
    if len(trees) > 1:
        guesses.append(_closest(y, w, trees))
    weights = _weights([_risk(guess, y, w, trees) for guess in guesses])
    kept = tuple((p, guess) for p, guess in zip(weights, guesses, strict=True) if p > NEGLIGIBLE)
    everything = sum(p for p, _ in kept)
    kept = tuple((p / everything, guess) for p, guess in kept)
    table = np.asarray(sum(p * guess.table for p, guess in kept))
    roughness = roughness_of(y, w, trees, ordered, table, smooth is not None)
    return BestTable(table, kept, smooth, tuple(each for _, each in alone), roughness)


def _margin(y: Floats, w: Floats, tree: Tree, ordered: bool) -> tuple[Guess, SpreadDensity | None]:
    """One attribute by itself; the closest table where it is a list of too many values for a log-density."""
    if not ordered and tree.size > MAX_COLUMNS:
        return _closest(y, w, [tree]), None
    found = fit_margin(y, w, tree, ordered)
    return Guess("alone", found.table, found.density.freedom), found


def _closest(y: Floats, w: Floats, trees: Sequence[Tree]) -> Guess:
    certain = w.copy()
    certain[(0,) * w.ndim] = CERTAIN * w.max(initial=1e-300)
    table = solved(y, certain, list(trees), STEPS)
    return Guess("closest", table, float((table > NOBODY / table.size).sum() - 1))


def _risk(guess: Guess, y: Floats, w: Floats, trees: Sequence[Tree]) -> float:
    apart = y - contract(guess.table, [orthonormal(tree) for tree in trees])
    return float((w * apart**2).sum() - (w > 0).sum() + 2 * guess.freedom)


def _weights(risks: Sequence[float]) -> list[float]:
    """exp(-risk / 4), adding up to 1.

    >>> [round(p, 3) for p in _weights([10.0, 14.0, 90.0])]
    [0.731, 0.269, 0.0]
    """
    each = np.exp(-(np.array(risks) - min(risks)) / TEMPERATURE)
    return [float(p) for p in each / each.sum()]
