"""What reports say of a table, as normal draws around the truth: contrasts with the precision that the design gives them.

A collection costs no more than its noise. What it leaves out is what real collections are for (`--reports`): that counts of
messages are only nearly normal.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import numpy as np

from untold.ask.decoded.closest import orthonormal, solved
from untold.ask.decoded.combined import Set, designed, per_contrast, subsets
from untold.ask.decoded.products import contract
from untold.ask.decoded.sources import Source
from untold.ask.evidence.counted import NOTHING, DecodedCounts
from untold.ask.evidence.table_totals import attributes_of, read_product, values_of
from untold.ask.scores.grouped import GroupedQuestion, GroupedTerm
from untold.plan.designs import Design

Floats = np.ndarray


class DrawnCounts(DecodedCounts):
    """Counts of a made-up collection of `people`, whose true shares are those of `codes`."""

    def __init__(self, design: Design, codes: Mapping[int, Floats], people: float, seed: int) -> None:
        none = np.zeros((1, 0))
        super().__init__(design, (), int(people), np.zeros(0, dtype=np.uint32), ((),), none, {(0, 0): none})
        self.codes, self.people, self.seed = codes, people, seed
        self.closest_tables: dict[Set, Floats] = {}

    def truth(self, attributes: Set) -> Floats:
        """True shares of all padded leaves."""
        table = np.zeros([self.design.space.trees[a].padded for a in attributes])
        np.add.at(table, tuple(self.codes[a] for a in attributes), 1.0)
        return table / table.sum()

    def precision(self, attributes: Set) -> Floats:
        """How well one report tells each contrast; 0 for the total, which is known."""
        trees = [self.design.space.trees[a] for a in attributes]
        out = np.zeros([tree.padded for tree in trees])
        for subset, place in subsets(tuple(range(len(attributes)))):
            bands = designed(self.design).of(tuple(attributes[i] for i in subset))
            out[place] = per_contrast(bands, [trees[i] for i in subset])
        return out

    def contrasts(self, attributes: Set) -> tuple[Floats, Floats]:
        """In people, with their noise, and the precision of one report."""
        known = self.precision(attributes)
        w = self.people * known.size * known
        noise = np.random.default_rng([self.seed, *attributes]).standard_normal(w.shape)
        matrices = [orthonormal(self.design.space.trees[a]) for a in attributes]
        found = contract(self.truth(attributes), matrices) + noise / np.sqrt(np.where(w > 0, w, np.inf))
        known[(0,) * known.ndim] = 100 * known.max()
        return self.people * found, known

    def closest(self, attributes: Set) -> Floats:
        """The closest table, made once."""
        if attributes not in self.closest_tables:
            y, known = self.contrasts(attributes)
            trees = [self.design.space.trees[a] for a in attributes]
            self.closest_tables[attributes] = self.people * solved(y / self.people, known, trees, 60)
        return self.closest_tables[attributes]

    def _source(self, name: object, weight: Floats, plausible: bool) -> Source:
        def table(attributes: Set) -> Floats:
            matrices = [orthonormal(self.design.space.trees[a]).T for a in attributes]
            return (
                np.asarray(contract(self.contrasts(attributes)[0], matrices)) if attributes else np.array(self.people)
            )

        none: object = None
        return Source(self.people, table, none, self.closest, contrasts=self.contrasts)  # type: ignore[arg-type]

    def true_values(self, asked: GroupedQuestion) -> Floats:
        """Totals as they are."""
        attributes = attributes_of(*asked.totals)
        table = self.people * self.truth(attributes)
        return values_of(asked, lambda term: read_product(term.products[0] or NOTHING, table, attributes))

    def unbiased(self, asked: GroupedQuestion) -> tuple[Floats, Floats]:
        """Totals as estimated from the same draws, and their covariance, of a question without groups."""
        attributes = attributes_of(*asked.totals)
        y, known = self.contrasts(attributes)
        known[(0,) * known.ndim] = 0.0
        w = np.where(known > 0, self.people * known.size * known, np.inf)
        weights = np.stack([self._weights(total, attributes) for total in asked.totals])
        flat = weights.reshape(len(weights), -1)
        covariance = self.people**2 * (flat / w.reshape(-1)) @ flat.T
        return flat @ y.reshape(-1), covariance

    def _weights(self, total: tuple[GroupedTerm, ...], attributes: Set) -> Floats:
        """A total as weights of contrasts."""
        out = np.zeros([self.design.space.trees[a].padded for a in attributes])
        for term in total:
            product = term.products[0] or NOTHING
            rows = dict(zip(product.attributes, product.rows, strict=True))
            each = []
            for a in attributes:
                tree = self.design.space.trees[a]
                values = np.ones(tree.padded) if a not in rows else np.asarray(rows[a].values).reshape(-1)
                each.append(orthonormal(tree) @ values)
            out += term.coefficient * reduce(np.multiply.outer, each)
        return out
