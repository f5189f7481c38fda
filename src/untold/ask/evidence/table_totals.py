"""Totals of a question, read from a table over all attributes that it touches."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from untold.ask.decoded.combined import Set
from untold.ask.decoded.products import Product
from untold.ask.evidence.counted import NOTHING
from untold.ask.question.model import Floats
from untold.ask.scores.grouped import Grouped, GroupedQuestion, GroupedTerm
from untold.plan.designs import Design


def attributes_of(*totals: Grouped) -> Set:
    """All that one of some totals touches."""
    products = [term.products[0] for total in totals for term in total]
    return tuple(sorted({a for each in products if each is not None for a in each.attributes}))


def count_cells(design: Design, attributes: Set) -> int:
    """Of the table over some attributes."""
    return prod(design.space.trees[a].padded for a in attributes)


def read_product(product: Product, table: Floats, attributes: Set) -> Floats:
    """Of every variant, from a table over these attributes, of which the product touches some. A further axis comes first."""
    return product.read(table.sum(tuple(i for i, a in enumerate(attributes) if a not in product.attributes)))


def values_of(asked: GroupedQuestion, read: Callable[[GroupedTerm], Floats]) -> Floats:
    """Every total of every group: (groups, totals), and further axes that `read` may give after the variants of a term."""
    keys, columns = len(asked.shape), []
    for total in asked.totals:
        out = np.zeros(asked.shape)
        for term in total:
            found = asked.placed(0, (term.products[0] or NOTHING).attributes, read(term))
            further = tuple(range(out.ndim, found.ndim))
            out = np.expand_dims(out, further) + term.coefficient * found
        columns.append(out.reshape(asked.count, *out.shape[keys:]))
    if not columns:
        return np.zeros((asked.count, 0))
    most = max(each.ndim for each in columns)
    # A total without terms is 0 in all further places, too.
    wide = [np.expand_dims(each, tuple(range(each.ndim, most))) for each in columns]
    return np.stack(np.broadcast_arrays(*wide), axis=1)
