"""The score of every message of a design, for all variants of a product: where they are few, nothing has to be decoded.

A report of view l has the score alpha + sum over cells of beta_c phi_c, with alpha the mean of w, and beta = gain_l g_l of sum
zero (see closed.py). Views that report by the same oracle are scored together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from untold.ask.decoded.closed import inverse_precisions, slab_values, variants_first
from untold.ask.decoded.combined import designed
from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.lattice import lattice
from untold.ask.decoded.products import Product
from untold.oracles import Oracle
from untold.plan.designs import Design


@dataclass(frozen=True, eq=False)
class MessageScores:
    """One row for each group.

    cells      beta of the cells of all views, those of equal oracles side by side
    messages   the score of every message of the design
    """

    cells: Floats
    messages: Floats

    def plus(self, cells: Floats, messages: Floats) -> MessageScores:
        """The sum of these and others."""
        return MessageScores(self.cells + cells, self.messages + messages)


@dataclass(frozen=True, eq=False)
class CellOrder:
    """Where the cells of views are among those of all.

    start    of each view
    alike    oracles, and the views that report by them
    drawn    of each cell, the noise of a report and its chance: no variance is below the sum of beta^2 times these
    """

    start: tuple[int, ...]
    alike: tuple[tuple[Oracle, tuple[int, ...]], ...]
    drawn: Floats


@lru_cache(maxsize=32)
def cell_order(design: Design) -> CellOrder:
    """Of a design; made once."""
    views, alike, start, at = lattice(design), dict[Oracle, list[int]](), [0] * len(design.views), 0
    for number, view in enumerate(design.views):
        if views.gain[number]:
            alike.setdefault(view.oracle, []).append(number)
    drawn = np.empty(sum(oracle.domain_size * len(own) for oracle, own in alike.items()))
    for oracle, own in alike.items():
        for number in own:
            start[number] = at
            drawn[at : at + oracle.domain_size] = views.chance[number] * views.noise[0][number]
            at += oracle.domain_size
    return CellOrder(tuple(start), tuple((oracle, tuple(own)) for oracle, own in alike.items()), drawn)


def message_scores(design: Design, product: Product) -> MessageScores:
    """Of every variant: (variants, ...)."""
    views, order = lattice(design), cell_order(design)
    mean = product.mean.reshape(-1, 1)
    cells, cuts = np.zeros((len(mean), len(order.drawn))), views.cuts(product.attributes)
    inverse = inverse_precisions(designed(design).bands(product.attributes))
    slabs = [variants_first(g) for g in slab_values(product, cuts.levels, inverse)]
    touched = set(cuts.views.tolist())
    for number, place in zip(cuts.views.tolist(), cuts.place.tolist(), strict=True):
        shape, narrow = [], []
        for i, level in enumerate(design.views[number].levels):
            if level:
                shape.append(views.trees[i].blocks(level))
                narrow.append(shape[-1] if i in product.attributes else 1)
        start, size = order.start[number], design.views[number].oracle.domain_size
        wide = cells[:, start : start + size].reshape(-1, *shape)
        np.multiply(slabs[place].reshape(-1, *narrow), views.gain[number], out=wide)
    scores = np.empty((len(mean), design.messages))
    scores[:] = mean
    for oracle, own in order.alike:
        told = [place for place, number in enumerate(own) if number in touched]
        if not told:
            continue
        at, (p, q), listed = order.start[own[0]], oracle.floats, oracle.listed
        assert listed is not None
        rows = cells[:, at : at + len(own) * oracle.domain_size].reshape(len(mean), len(own), -1)
        gathered = listed.gather_many(rows[:, told].reshape(-1, oracle.domain_size))
        found = (gathered / (p - q)).reshape(len(mean), len(told), -1)
        for row, place in enumerate(told):
            offset = design.views[own[place]].offset
            scores[:, offset : offset + oracle.indexes] += found[:, row]
    return MessageScores(cells, scores)
