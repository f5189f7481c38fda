"""Evidence of counts of messages: one service, one report of each user. Few groups: every message has a score in each of them,
and counts are multiplied by these. Many: views are decoded, and all groups read off.

Public numbers are weights of reports: the sum of a weight over the reports with each message is decoded as a count is, and so
is the sum of the product of two weights, which second moments need. In a join the scores of the other services are such
weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.message_scores import MessageScores, cell_order, message_scores
from untold.ask.decoded.products import Product
from untold.ask.decoded.sources import Source, counted_source
from untold.ask.estimates.totals import Evidence, MeanSize
from untold.ask.question.model import Floats
from untold.ask.scores.grouped import Grouped, GroupedQuestion, GroupedTerm
from untold.ask.scores.noise_floor import CAREFUL
from untold.plan.designs import Design

if TYPE_CHECKING:
    from untold.ask.sharp.best_table import BestTable

MOST_SCORES = 1 << 20  # of messages in all groups, up to which scores are quicker than decoded views
FEW_REPORTS = 20_000
NOTHING = Product((), ())  # a term that asks nothing of the reports: everybody counts


@dataclass(eq=False)
class DecodedCounts:
    """What the reports of one group of public keys say; views are decoded when they are needed, and stay so.

    weights    names of what a score is multiplied by: products of public numbers; () is 1
    sums       of each weight, (weights, messages)
    products   of two weights i <= j, by their numbers
    best       guesses of tables that were made of them
    """

    design: Design
    key: tuple[object, ...]
    users: int
    message: npt.NDArray[np.uint32]
    weights: tuple[object, ...]
    sums: Floats
    products: dict[tuple[int, int], Floats]
    best: dict[object, BestTable | None] = field(default_factory=dict)
    _sources: dict[object, Source] = field(default_factory=dict)

    def sum_of(self, weight: object) -> Source:
        """Sums of scores times a weight."""
        place = self.weights.index(weight)
        return self.product_of((), ()) if weight == () else self._source(place, self.sums[place], False)

    def product_of(self, left: object, right: object) -> Source:
        """Sums of products of scores times two weights."""
        i, j = self.weights.index(left), self.weights.index(right)
        pair = (i, j) if i <= j else (j, i)
        return self._source(pair, self.products[pair], i == j)

    def products_of(self, left: object, right: object) -> Floats:
        """The sum of the product of two weights, by message."""
        i, j = sorted((self.weights.index(left), self.weights.index(right)))
        return self.products[i, j]

    def _source(self, name: object, weight: Floats, plausible: bool) -> Source:
        if name not in self._sources:
            self._sources[name] = counted_source(self.design, self.message, weight, plausible)
        return self._sources[name]


@dataclass(eq=False)
class CountedEvidence:
    """Sums over the reports of one service; `weight_of` names the weight of a term."""

    asked: GroupedQuestion
    counts: DecodedCounts
    service: int = 0
    weight_of: Callable[[GroupedTerm], object] = attrgetter("publics")
    _first: dict[int, Floats] = field(default_factory=dict)

    @property
    def users(self) -> int:
        """Reports."""
        return self.counts.users

    def first(self, total: Grouped) -> Floats:
        """Read off the decoded table."""
        if id(total) not in self._first:
            out = np.zeros(self.asked.shape)
            for term in total:
                product = term.products[self.service] or NOTHING
                found = self.counts.sum_of(self.weight_of(term)).sums(product)
                out += term.coefficient * self.asked.placed(self.service, product.attributes, found)
            self._first[id(total)] = out.reshape(-1)
        return self._first[id(total)]

    def second(self, left: Grouped, right: Grouped) -> Floats:
        """Counted or in closed form, view by view."""
        return self._pairs(left, right, noise=False)

    def noise(self, left: Grouped, right: Grouped) -> Floats:
        """Careful, as hash functions are only nearly independent."""
        return CAREFUL * self._pairs(left, right, noise=True)

    def _pairs(self, left: Grouped, right: Grouped, noise: bool) -> Floats:
        out, together = np.zeros(self.asked.shape), self.asked.together_of(left)[self.service]
        for x in left:
            for y in right:
                a, b = x.products[self.service] or NOTHING, y.products[self.service] or NOTHING
                source = self.counts.product_of(self.weight_of(x), self.weight_of(y))
                found = source.second.noise(a, b, together) if noise else source.products(a, b, together)
                attributes = sorted({*a.attributes, *b.attributes})
                out += x.coefficient * y.coefficient * self.asked.placed(self.service, attributes, found)
        return out.reshape(-1)

    def between(self, totals: Sequence[Grouped], weights: Floats) -> Floats | None:
        """Too many groups."""
        return None

    def leaning(self, totals: Sequence[Grouped], weights: Floats) -> Floats | None:
        """Nor are there scores of messages."""
        return None

    def score_size(self, total: Grouped) -> Floats | None:
        """No few reports carry a number in so many groups."""
        return None


@dataclass(eq=False)
class ScoredEvidence:
    """The same for few groups.

    few      whether so few reports are there that the size of their scores matters
    scored   of each total, by weight: groups of public keys share them
    """

    asked: GroupedQuestion
    counts: DecodedCounts
    few: bool = False
    scored: dict[int, dict[object, MessageScores]] = field(default_factory=dict)
    _own: dict[int, dict[object, Floats]] = field(default_factory=dict)

    @property
    def users(self) -> int:
        """Reports."""
        return self.counts.users

    def first(self, total: Grouped) -> Floats:
        """Scores times sums of weights."""
        out = np.zeros(self.asked.count)
        for weight, scores in self._occurring(total).items():
            out += np.einsum("gm,m->g", scores, self.counts.sums[self.counts.weights.index(weight)])
        return out

    def second(self, left: Grouped, right: Grouped) -> Floats:
        """Products of scores times sums of products of weights."""
        out = np.zeros(self.asked.count)
        for a, x in self._occurring(left).items():
            for b, y in self._occurring(right).items():
                out += np.einsum("gm,gm,m->g", x, y, self.counts.products_of(a, b))
        return out

    def noise(self, left: Grouped, right: Grouped) -> Floats:
        """The same, of what the design leads one to expect: among few people no one may have picked a view that tells
        something. Careful, as hash functions are only nearly independent."""
        out, drawn = np.zeros(self.asked.count), cell_order(self.counts.design).drawn
        for a, x in self._scores(left).items():
            for b, y in self._scores(right).items():
                out += self.counts.products_of(a, b).sum() * np.einsum("gc,gc,c->g", x.cells, y.cells, drawn)
        return CAREFUL * out

    def between(self, totals: Sequence[Grouped], weights: Floats) -> Floats | None:
        """As second moments are, for all pairs of groups."""
        scores = self._weighted(totals, weights)
        out = np.zeros((self.asked.count, self.asked.count))
        for a, x in scores.items():
            for b, y in scores.items():
                out += (x * self.counts.products_of(a, b)) @ y.T
        return out

    def leaning(self, totals: Sequence[Grouped], weights: Floats) -> Floats | None:
        """Where no public number is added up: of these, no third powers are."""
        scores = self._weighted(totals, weights)
        if list(scores) != [()]:
            return None
        often = self.counts.products_of((), ())
        third, second = scores[()] ** 3 @ often, scores[()] ** 2 @ often
        return np.divide(third, second, out=np.zeros_like(third), where=second > 0)

    def _weighted(self, totals: Sequence[Grouped], weights: Floats) -> dict[object, Floats]:
        """Scores of the messages that occur, those of all totals together, by what reports count."""
        scores: dict[object, Floats] = {}
        for total, own in zip(totals, weights.T, strict=True):
            for weight, each in self._occurring(total).items() if own.any() else ():
                scores[weight] = scores.get(weight, 0.0) + own[:, None] * each
        return scores

    def score_size(self, total: Grouped) -> Floats | None:
        """Over all messages; public numbers count as 1."""
        every = [each.messages for each in self._scores(total).values()]
        if not self.few or not every:
            return None
        scores, sizes, design = np.add.reduce(every), MeanSize(), self.counts.design
        for number, view in enumerate(design.views):
            own = scores[:, view.offset : view.offset + view.oracle.indexes]
            sizes.add(own, float(design.probability(number)))
        return sizes.mean

    def _occurring(self, total: Grouped) -> dict[object, Floats]:
        """Scores of the messages that occur, by weight. They are added up without threads, which wait for each other."""
        if id(total) not in self._own:
            scores = self._scores(total).items()
            self._own[id(total)] = {weight: each.messages[:, self.counts.message] for weight, each in scores}
        return self._own[id(total)]

    def _scores(self, total: Grouped) -> dict[object, MessageScores]:
        if id(total) not in self.scored:
            found: dict[object, MessageScores] = {}
            for term in total:
                product = term.products[0] or NOTHING
                own = message_scores(self.counts.design, product)
                cells, messages = (self._placed(product, term.coefficient * each) for each in (own.cells, own.messages))
                before = found.get(term.publics)
                found[term.publics] = MessageScores(cells, messages) if before is None else before.plus(cells, messages)
            self.scored[id(total)] = found
        return self.scored[id(total)]

    def _placed(self, product: Product, variants: Floats) -> Floats:
        """One row for each group."""
        if not self.asked.keys:
            return variants
        placed = self.asked.placed(0, product.attributes, variants.reshape(*product.shape, -1))
        return np.broadcast_to(placed, (*self.asked.shape, variants.shape[-1])).reshape(self.asked.count, -1)


def evidence_of(asked: GroupedQuestion, groups: Sequence[DecodedCounts]) -> Sequence[Evidence]:
    """Of each group of public keys, by what is quicker; of a list of texts, by their own."""
    if groups and not groups[0].design.pure:
        from untold.ask.evidence.texts import TextEvidence

        return [TextEvidence(asked, group) for group in groups]
    scores = max((group.design.messages for group in groups), default=0) * asked.count * len(asked.totals)
    if scores > MOST_SCORES:
        return [CountedEvidence(asked, group) for group in groups]
    few, scored = sum(group.users for group in groups) <= FEW_REPORTS, dict[int, dict[object, MessageScores]]()
    return [ScoredEvidence(asked, group, few, scored) for group in groups]
