"""What the covariance of two totals is at least, whatever people hold: the noise that devices add.

Given a user's true cell t, the score of a report of view l, z = alpha + sum_c beta_c phi_c, has the second moment

    (alpha + beta_t)^2 + A |beta - mean beta|^2 + (something not negative)        A = `Oracle.second_moment[0]`

and the mean over views of the first part is w^2 or more. So Var z >= sum_l pi_l A_l |beta_l - mean beta_l|^2: the variance of a
total of zero to which no view that was picked adds a cell of its own. The same holds for every combination of totals, so
that these floors make a matrix that no covariance matrix falls below. Reports that are multiplied (services of a join,
attributes reported by themselves) have second moments that multiply.

Linear hash functions (AGR) are only nearly independent: A is off by up to 15% for some small views, so that CAREFUL A is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from untold.ask.question.model import PublicNumber
from untold.ask.scores.scan import Piece, Scan, ScoreColumn

Publics = tuple[PublicNumber, ...]
CAREFUL = 0.8
Floors = dict[Publics, float]  # products of public numbers -> what a user for whom that product is 1 adds


@dataclass
class NoiseFloors:
    """Floors of pairs of totals of a scan, each worked out once."""

    scan: Scan
    _pairs: dict[tuple[int, int], Floors] = field(default_factory=dict)
    _columns: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)

    def of(self, pair: tuple[int, int]) -> Floors:
        """By the public numbers that a user's share is multiplied by; () for 1."""
        if pair not in self._pairs:
            found: Floors = {}
            for a in self.scan.totals[pair[0]]:
                for b in self.scan.totals[pair[1]]:
                    share = a.coefficient * b.coefficient * self._pieces(a, b)
                    if share:
                        name = both_publics(a.publics, b.publics)
                        found[name] = found.get(name, 0.0) + share
            self._pairs[pair] = found
        return self._pairs[pair]

    def _pieces(self, a: Piece, b: Piece) -> float:
        """The product over reports; nothing where no report is noisy, or where one speaks in one piece only."""
        parts = self.scan.columns
        own, other = ({_part(parts[c]): c for c in piece.columns} for piece in (a, b))
        if own.keys() != other.keys():
            return 0.0
        out, noisy = 1.0, False
        for part, c in own.items():
            noise, steady = self._column(c, other[part])
            slots = self.scan.slots[part[0]] if self.scan.slots else 1
            noisy |= noise != 0
            out *= slots * noise if noise else steady
        return out if noisy else 0.0

    def _column(self, a: int, b: int) -> tuple[float, float]:
        """Mean product of the noise of two scores of a report; and of their constants, where neither is noisy."""
        key = (min(a, b), max(a, b))
        if key not in self._columns:
            left, right = self.scan.columns[a], self.scan.columns[b]
            noise = _noise(left, right)
            quiet = not noise and not _noise(left, left) and not _noise(right, right)
            self._columns[key] = noise, _steady(left, right) if quiet else 0.0
        return self._columns[key]


def both_publics(a: Publics, b: Publics) -> Publics:
    """A product of public numbers, in an order of its own."""
    return tuple(sorted((*a, *b), key=lambda public: public.sql))


def _part(column: ScoreColumn) -> tuple[int, int]:
    """Which part of which service's report a column speaks of."""
    if not column.design.separate:
        return column.service, 0
    return column.service, next((v for v, each in enumerate(column.coefficients.blocks) if each is not None), 0)


def _noise(left: ScoreColumn, right: ScoreColumn) -> float:
    out = 0.0
    for v, (a, b) in enumerate(zip(left.coefficients.blocks, right.coefficients.blocks, strict=True)):
        if a is not None and b is not None and a.cells > 1:
            near = CAREFUL * left.design.views[v].oracle.second_moment[0]
            out += float(left.design.probability(v)) * near * a.deviations(b)
    return out


def _steady(left: ScoreColumn, right: ScoreColumn) -> float:
    def level(column: ScoreColumn, v: int) -> float:
        own = column.coefficients.blocks[v]
        return float(column.coefficients.constants[v]) + (0.0 if own is None else float(own.narrow.mean()))

    views = range(len(left.design.views))
    if left.design.weights is None:  # every view is reported: the constants add up
        return sum(level(left, v) for v in views) * sum(level(right, v) for v in views)
    return sum(float(left.design.probability(v)) * level(left, v) * level(right, v) for v in views)
