"""What a query's error will be, before anything is collected.

All probabilities of a design are known, so for any distribution of the records the exact mean and variance of a
user's score are, too. Without better knowledge the records are taken as evenly spread over their domains, and public
numbers as 1.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tacit.ask.compile import Compiled
from tacit.ask.model import Floats
from tacit.ask.scan import Moments, Piece, Scan, ScoreColumn
from tacit.designs import Design
from tacit.oracles import FiniteOracle, Oracle

ASSUMPTIONS = (
    "assuming values spread evenly over their domains, independent of each other, and public numbers equal to 1"
)


def expected_moments(compiled: Compiled, users: float) -> Moments:
    """The moments that a scan of this many evenly spread users would have on average."""
    scan = compiled.scan
    mean = np.array([sum(_mean(scan, piece) for piece in total) for total in scan.totals])
    pairs = [sum(_product(scan, a, b) for a in scan.totals[i] for b in scan.totals[j]) for i, j in scan.pairs]
    return Moments((), int(users), users * mean, users * np.array(pairs))


def _mean(scan: Scan, piece: Piece) -> float:
    value = piece.coefficient
    for c in piece.columns:
        value *= column_mean(scan.columns[c])
    return value


def _product(scan: Scan, left: Piece, right: Piece) -> float:
    """E of the product of two pieces: parts are perturbed independently, so it is a product over parts."""
    value = left.coefficient * right.coefficient
    own, other = (
        {(scan.columns[c].service, first_view(scan.columns[c])): scan.columns[c] for c in p.columns}
        for p in (left, right)
    )
    for part in own.keys() | other.keys():
        a, b = own.get(part), other.get(part)
        if a is None or b is None:
            value *= column_mean(a or b)  # type: ignore[arg-type]
        else:
            value *= column_product(a, b)
    return value


def first_view(column: ScoreColumn) -> int:
    """Which part of a service's report a column belongs to: the number of its first view with a score."""
    if not column.design.separate:
        return 0
    return next(v for v, cells in enumerate(column.coefficients.cells) if cells is not None)


def column_mean(column: ScoreColumn) -> float:
    """Mean score of a user, over all messages of one report."""
    return float(
        sum(
            float(column.design.probability(v))
            * (constant + (0.0 if cells is None else float(cells @ spread(column.design, v))))
            for v, (cells, constant) in enumerate(zip(column.coefficients.cells, column.coefficients.constants))
        )
    )


def column_product(left: ScoreColumn, right: ScoreColumn) -> float:
    """Mean of the product of two scores of the same report."""
    design = left.design
    together, means = 0.0, []
    for v, view in enumerate(design.views):
        share, weight = spread(design, v), float(design.probability(v))
        (a, alpha), (b, beta) = (
            (blank(c.coefficients.cells[v], len(share)), float(c.coefficients.constants[v])) for c in (left, right)
        )
        mean_a, mean_b = float(a @ share), float(b @ share)
        both = mean_product(view.oracle, a, b, share) if a.any() and b.any() else mean_a * mean_b
        together += weight * (both + alpha * mean_b + beta * mean_a + alpha * beta)
        means.append((alpha + mean_a, beta + mean_b))
    if design.weights is not None:
        return together
    across = sum(m[0] for m in means) * sum(m[1] for m in means)  # a split report adds up independent messages
    return together + across - sum(m[0] * m[1] for m in means)


def blank(cells: Floats | None, size: int) -> Floats:
    """Coefficients, zeros where there are none."""
    return np.zeros(size) if cells is None else cells


def mean_product(oracle: Oracle, a: Floats, b: Floats, share: Floats) -> float:
    """Mean of (sum_c a_c phi_c)(sum_c b_c phi_c) when users are spread over cells by `share`."""
    if isinstance(oracle, FiniteOracle):
        return float((oracle.scores(a) * oracle.scores(b)) @ message_chances(oracle, share))
    p, q = oracle.floats  # local hashing: two cells are supported independently
    return q * (1 - q) / (p - q) ** 2 * float(a @ b) + (1 + (1 - p - q) / (p - q)) * float((a * b) @ share)


def message_chances(oracle: FiniteOracle, share: Floats) -> Floats:
    """Probability of each message when users are spread over cells by `share`: each message supports equally many cells in turn."""
    if oracle.domain_size == 1:
        return np.full(oracle.indexes, 1 / oracle.indexes)
    supporters = oracle.supports_from_counts(np.ones(oracle.indexes))[0]
    p = oracle.floats[0]
    inside, outside = p / supporters, (1 - p) / (oracle.indexes - supporters)
    return np.asarray(outside + (inside - outside) * oracle.gather(share))


@lru_cache(maxsize=2048)
def spread(design: Design, view: int) -> Floats:
    """Share of users in each cell of a view when every attribute is evenly spread over the values that occur, and the hidden weight
    is 0 as often as 1. Roundings go with the attribute that they come from."""
    trees, levels, own = design.space.trees, design.views[view].levels, design.attributes
    share, axes = np.ones(()), []
    for i, tree in enumerate(trees):
        if own <= i < own + len(design.derived):
            continue
        rounded = [d for d, each in enumerate(design.derived) if each.attribute == i and levels[own + d]]
        places = [(np.arange(tree.size) // tree.block_size(levels[i]), np.full(tree.size, 1 / tree.size))]
        shape = [tree.blocks(levels[i])]
        axes.append(i)
        for d in rounded:
            other, level = trees[own + d], levels[own + d]
            axes.append(own + d)
            shape.append(other.blocks(level))
            cases = [(code // other.block_size(level), chance) for code, chance in design.derived[d].cases(other)]
            places = [(at * shape[-1] + code, p * chance) for at, p in places for code, chance in cases]
        joint = sum(np.bincount(at, p, minlength=int(np.prod(shape))) for at, p in places)
        share = np.multiply.outer(share, np.asarray(joint).reshape(shape))
    rest = [own + d for d in range(len(design.derived)) if own + d not in axes]
    full = share.reshape(*share.shape, *(1 for _ in rest))
    return np.asarray(full.transpose(np.argsort([*axes, *rest])).reshape(-1))
