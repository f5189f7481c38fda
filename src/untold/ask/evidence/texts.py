"""Evidence of texts that a search found: of the reports that count, how often each text on the list is supported, and each two.

With w_i what a total adds for text i and w_0 for the rest, and m of n reports counting, a report's score is

    z = w_0 + (n / m) sum over i of (w_i - w_0) phi_i    if it counts, else w_0

Whether a report counts is drawn without regard to the text, so given m the mean of z is that of w. All second moments are those
of 1 and phi: a matrix of the list's size. Sums over reports without a weight take the mean off, as which of them count is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from untold.ask.evidence.counted import NOTHING, DecodedCounts
from untold.ask.question.model import Floats
from untold.ask.scores.grouped import Grouped, GroupedQuestion
from untold.ask.scores.noise_floor import CAREFUL
from untold.oracles.chosen import Chosen
from untold.plan.designs import Design


def counting_view(design: Design) -> int | None:
    """The view that tells of a list of texts; None if no view does."""
    return next((i for i, view in enumerate(design.views) if not view.oracle.pure), None)


@dataclass(eq=False)
class SupportMoments:
    """Of one weight of reports: its sum over all, over those that count, and of phi and of products of phi over these."""

    total: float
    counting: float
    first: Floats
    second: Floats


@dataclass(eq=False)
class TextEvidence:
    """Sums over the reports of one service."""

    asked: GroupedQuestion
    counts: DecodedCounts
    _moments: dict[object, SupportMoments] = field(default_factory=dict)

    @property
    def users(self) -> int:
        """Reports."""
        return self.counts.users

    @cached_property
    def oracle(self) -> Chosen:
        """Of the view that counts."""
        found = self.counts.design.views[self._view].oracle
        assert isinstance(found, Chosen)
        return found

    @cached_property
    def _view(self) -> int:
        found = counting_view(self.counts.design)
        assert found is not None
        return found

    @cached_property
    def scale(self) -> float:
        """n / m; what the plan says where reports are not counted."""
        known = self._two((), ()) if () in self.counts.weights else None
        return known.total / known.counting if known is not None and known.counting else 1 / self._chance

    @property
    def _chance(self) -> float:
        return float(self.counts.design.probability(self._view))

    def _counted(self, name: object, number: Floats) -> SupportMoments:
        """SupportMoments of a sum over reports with each message."""
        if name not in self._moments:
            view = self.counts.design.views[self._view]
            own = (self.counts.message >= view.offset) & (self.counts.message < view.offset + view.oracle.indexes)
            spelled = np.bincount(
                self.counts.message[own].astype(np.int64) - view.offset,
                weights=number[own],
                minlength=view.oracle.indexes,
            ).astype(np.float64)
            (p, q), m = self.oracle.floats, float(number[own].sum())
            pairs = self.oracle.pair_supports(spelled)
            single = np.diag(pairs)
            first = (single - q * m) / (p - q)
            second = (pairs - q * (single[:, None] + single[None]) + q * q * m) / (p - q) ** 2
            self._moments[name] = SupportMoments(float(number.sum()), m, first, second)
        return self._moments[name]

    def _one(self, weight: object) -> SupportMoments:
        return self._counted(("one", weight), self.counts.sums[self.counts.weights.index(weight)])

    def _two(self, left: object, right: object) -> SupportMoments:
        i, j = sorted((self.counts.weights.index(left), self.counts.weights.index(right)))
        return self._counted(("two", i, j), self.counts.products[i, j])

    def _asked(self, total: Grouped) -> dict[object, tuple[Floats, Floats]]:
        """What a total adds, by weight: w_0 and w_i - w_0 in every group."""
        found: dict[object, tuple[Floats, Floats]] = {}
        for term in total:
            product = term.products[0] or NOTHING
            values = product.rows[0].values if product.rows else np.ones((1, len(self.oracle.cells) + 1))
            own = term.coefficient * values
            if self.asked.keys:
                own = self.asked.placed(0, product.attributes, own)
                own = np.broadcast_to(own, (*self.asked.shape, own.shape[-1])).reshape(self.asked.count, -1)
            rest, more = own[:, -1], own[:, :-1] - own[:, -1:]
            before = found.get(term.publics)
            found[term.publics] = (rest, more) if before is None else (before[0] + rest, before[1] + more)
        return found

    def first(self, total: Grouped) -> Floats:
        """Sums of scores."""
        out = np.zeros(self.asked.count)
        for weight, (rest, more) in self._asked(total).items():
            known = self._one(weight)
            out += rest * known.total + self.scale * (more @ known.first)
        return out

    def second(self, left: Grouped, right: Grouped) -> Floats:
        """Sums of products of scores."""
        out = np.zeros(self.asked.count)
        for a, (rest, more) in self._asked(left).items():
            for b, (other, many) in self._asked(right).items():
                known, scale = self._two(a, b), self.scale
                x, y = more @ known.first, many @ known.first
                out += rest * other * known.total + scale * (rest * y + other * x)
                out += scale**2 * np.einsum("gi,ij,gj->g", more, known.second, many)
                if a == b == () and known.counting:
                    out -= (scale - 1) * scale * x * y / known.counting
        return out

    def noise(self, left: Grouped, right: Grouped) -> Floats:
        """What devices add though nobody holds a text of the list. Careful, as hash functions are only nearly independent."""
        out, (p, q) = np.zeros(self.asked.count), self.oracle.floats
        for a, (_, more) in self._asked(left).items():
            for b, (_, many) in self._asked(right).items():
                of_all = self._two(a, b).total
                out += self.scale * of_all * q * (1 - q) / (p - q) ** 2 * np.einsum("gi,gi->g", more, many)
        return CAREFUL * out

    def between(self, totals: Sequence[Grouped], weights: Floats) -> Floats | None:
        """Of two groups each, where no public number is added up."""
        rests, mores = np.zeros(self.asked.count), np.zeros((self.asked.count, len(self.oracle.cells)))
        for total, own in zip(totals, weights.T, strict=True):
            for weight, (rest, more) in self._asked(total).items() if own.any() else ():
                if weight != ():
                    return None
                rests, mores = rests + own * rest, mores + own[:, None] * more
        known, scale = self._two((), ()), self.scale
        x = mores @ known.first
        out = known.total * np.outer(rests, rests) + scale * (np.outer(rests, x) + np.outer(x, rests))
        out += scale**2 * mores @ known.second @ mores.T
        return out - ((scale - 1) * scale / known.counting * np.outer(x, x) if known.counting else 0.0)

    def leaning(self, totals: Sequence[Grouped], weights: Floats) -> Floats | None:
        """Third powers are not counted."""
        return None

    def score_size(self, total: Grouped) -> Floats | None:
        """No few reports carry a number: a quarter of them count."""
        return None
