"""What a query's error will be, before anything is collected.

All probabilities of a design are known, so for any distribution of the records the exact mean and variance of a
user's score are, too. Without better knowledge the records are taken as evenly spread over their domains, and public
numbers as 1. Where somebody knows, roughly, how an attribute is spread, that takes the place of evenness; attributes
are taken as independent all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from untold.ask.question.model import Floats, PublicNumber
from untold.ask.scores.compile import Compiled
from untold.ask.scores.scan import Moments, Piece, Scan, ScoreColumn
from untold.oracles import Oracle
from untold.plan.designs import Design

Shares = tuple[tuple[float, ...] | None, ...]  # per attribute: shares of users over its codes; None or missing: even
Spreads = Mapping[int, Shares]  # by number of the service
MeanOf = Callable[[Sequence[PublicNumber]], float]  # the expected product of public numbers

FEW_MESSAGES = 4096  # of a view: so few are listed one by one, where supports of two cells are not quite independent

ASSUMPTIONS = (
    "assuming values spread evenly over their domains, independent of each other, and public numbers equal to 1"
)
HALF_THE_ROWS = "; people hold half of the most rows that the plan allows"


def equal_to_one(publics: Sequence[PublicNumber]) -> float:
    """What is not known of public numbers."""
    return 1.0


def expected_moments(
    compiled: Compiled, users: float, spreads: Spreads | None = None, mean_of: MeanOf = equal_to_one
) -> Moments:
    """The moments that a scan of this many users, spread as said or else evenly, would have on average."""
    scan, known = compiled.scan, spreads or {}
    mean = np.array([sum(mean_of(p.publics) * _mean(scan, p, known) for p in total) for total in scan.totals])
    pairs = [
        sum(
            mean_of((*a.publics, *b.publics)) * _product(scan, a, b, known)
            for a in scan.totals[i]
            for b in scan.totals[j]
        )
        for i, j in scan.pairs
    ]
    return Moments((), int(users), users * mean, users * np.array(pairs))


def _mean(scan: Scan, piece: Piece, spreads: Spreads) -> float:
    value = piece.coefficient
    for c in piece.columns:
        service = scan.columns[c].service
        value *= slots_of(scan, service) * column_mean(scan.columns[c], spreads.get(service, ()))
    return value


def slots_of(scan: Scan, service: int) -> int:
    """How many reports of a user are added up before anything is multiplied."""
    return scan.slots[service] if scan.slots else 1


def _product(scan: Scan, left: Piece, right: Piece, spreads: Spreads) -> float:
    """E of the product of two pieces: parts are perturbed independently, so it is a product over parts. The reports of a
    user in several
    slots are taken as independent, too: rows of one person as different as those of two."""
    value = left.coefficient * right.coefficient
    own, other = (
        {(scan.columns[c].service, first_view(scan.columns[c])): scan.columns[c] for c in p.columns}
        for p in (left, right)
    )
    for part in own.keys() | other.keys():
        a, b = own.get(part), other.get(part)
        shares, slots = spreads.get(part[0], ()), slots_of(scan, part[0])
        if a is None or b is None:
            value *= slots * column_mean(a or b, shares)  # type: ignore[arg-type]
        else:
            across = column_mean(a, shares) * column_mean(b, shares) if slots > 1 else 0.0
            value *= slots * (column_product(a, b, shares) + (slots - 1) * across)
    return value


def first_view(column: ScoreColumn) -> int:
    """Which part of a service's report a column belongs to: the number of its first view with a score."""
    if not column.design.separate:
        return 0
    return next(v for v, own in enumerate(column.coefficients.blocks) if own is not None)


def column_mean(column: ScoreColumn, shares: Shares = ()) -> float:
    """Mean score of a user, over all messages of one report."""
    return float(
        sum(
            float(column.design.probability(v))
            * (constant + (0.0 if cells is None else float(cells @ spread(column.design, v, shares))))
            for v, (cells, constant) in enumerate(
                zip(column.coefficients.cells, column.coefficients.constants, strict=True)
            )
        )
    )


def column_product(left: ScoreColumn, right: ScoreColumn, shares: Shares = ()) -> float:
    """Mean of the product of two scores of the same report."""
    design = left.design
    together, means = 0.0, []
    for v, view in enumerate(design.views):
        weight = float(design.probability(v))
        (a, alpha), (b, beta) = ((c.coefficients.cells[v], float(c.coefficients.constants[v])) for c in (left, right))
        mean_a, mean_b = (0.0 if cells is None else float(cells @ spread(design, v, shares)) for cells in (a, b))
        both = 0.0 if a is None or b is None else _mean_product(view.oracle, a, b, spread(design, v, shares))
        together += weight * (both + alpha * mean_b + beta * mean_a + alpha * beta)
        means.append((alpha + mean_a, beta + mean_b))
    if design.weights is not None:
        return together
    across = sum(m[0] for m in means) * sum(m[1] for m in means)  # a split report adds up independent messages
    return together + across - sum(m[0] * m[1] for m in means)


def _mean_product(oracle: Oracle, a: Floats, b: Floats, share: Floats) -> float:
    """Mean of a product of two scores: in closed form, from sums over cells, where there are many messages."""
    if oracle.indexes > FEW_MESSAGES:
        return Oracle.mean_product(oracle, a, b, share)
    return oracle.mean_product(a, b, share)


@lru_cache(maxsize=2048)
def spread(design: Design, view: int, shares: Shares = ()) -> Floats:
    """Share of users in each cell of a view: attributes independent, spread over their values as said or else evenly,
    roundings with the
    attribute that they come from."""
    trees, levels, own = design.space.trees, design.views[view].levels, design.attributes
    share, axes = np.ones(()), []
    for i, tree in enumerate(trees):
        if own <= i < own + len(design.roundings):
            continue
        rounded = [d for d, each in enumerate(design.roundings) if each.attribute == i and levels[own + d]]
        place = i if i < own else own
        known = shares[place] if place < len(shares) else None
        even = np.full(tree.size, 1 / tree.size) if known is None else np.array(known)
        places = [(np.arange(tree.size) // tree.block_size(levels[i]), even)]
        shape = [tree.blocks(levels[i])]
        axes.append(i)
        for d in rounded:
            other, level = trees[own + d], levels[own + d]
            axes.append(own + d)
            shape.append(other.blocks(level))
            cases = [(code // other.block_size(level), chance) for code, chance in design.roundings[d].cases(other)]
            places = [(at * shape[-1] + code, p * chance) for at, p in places for code, chance in cases]
        joint = sum(np.bincount(at, p, minlength=int(np.prod(shape))) for at, p in places)
        share = np.multiply.outer(share, np.asarray(joint).reshape(shape))
    rest = [own + d for d in range(len(design.roundings)) if own + d not in axes]
    full = share.reshape(*share.shape, *(1 for _ in rest))
    return np.asarray(full.transpose(np.argsort([*axes, *rest])).reshape(-1))
