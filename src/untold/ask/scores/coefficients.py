"""Coefficients: for every collected view, one number per cell, such that the scores of reports add up to the answer.

    score of a message of view l = alpha_l + sum_c beta_(l,c) phi_c(message),    sum_l pi_l (alpha_l + beta_(l, cell_l(t))) = w(t)

for every tuple t: unbiased whatever the data are. Three ways to choose beta, by name; `blue`, the default, has the
least variance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Protocol

import numpy as np

from untold.ask.decoded.closed import inverse_precisions, slab_values
from untold.ask.decoded.combined import designed
from untold.ask.decoded.lattice import lattice
from untold.ask.decoded.products import Product, Rows
from untold.ask.limits import MAX_VIEW_CELLS
from untold.ask.question.model import Floats
from untold.ask.scores.blocks import SpelledCells, ViewBlocks
from untold.errors import UnsupportedQuery, UntoldError
from untold.plan.designs import Design
from untold.plan.estimator_names import EstimatorName
from untold.plan.hierarchy import Levels
from untold.plan.schema import DEFAULT_DESIGN, MARGINAL_DESIGNS


class TooManyTogether(UnsupportedQuery):
    """`places` are the columns of a design's space that are touched; `most` is what its reports speak of at a time."""

    def __init__(self, design: str, places: Sequence[int], most: int, instead: str, names: Sequence[str] = ()) -> None:
        self.design, self.places, self.most, self.instead = design, tuple(places), most, instead
        them = f" ({', '.join(names)})" if names else ""
        super().__init__(
            f"The query touches {len(self.places)} sensitive attributes of one service together{them}, but its reports "
            f"(design '{design}') speak of at most {most} at a time.\n"
            f"Hint: ask about fewer attributes at once, or {instead}.",
            code="not-collected",
        )


class WithNames(Protocol):
    """Something that knows the names of a design's columns."""

    @property
    def names(self) -> Sequence[str]: ...


@contextmanager
def naming(columns: WithNames) -> Iterator[None]:
    """Within it, such a refusal says the names of columns: a design only knows their places."""
    try:
        yield
    except TooManyTogether as far:
        touched = [columns.names[place] for place in far.places]
        raise TooManyTogether(far.design, far.places, far.most, far.instead, touched) from None


if TYPE_CHECKING:
    from untold.ask.scores.decompose import Decomposition

Factors = Sequence[Floats]  # one per attribute of the design's space, over its leaves


@dataclass(frozen=True, eq=False)
class Coefficients:
    """`cells[l]` has beta for each cell of view l (None: nothing), `constants[l]` is alpha."""

    blocks: tuple[ViewBlocks | None, ...]
    constants: Floats

    @property
    def cells(self) -> SpelledCells:
        """The blocks, spelled out one view after the other."""
        return SpelledCells(self.blocks)

    def times(self, scale: float) -> Coefficients:
        """All of them scaled."""
        if scale == 1:
            return self
        return Coefficients(tuple(each and each.times(scale) for each in self.blocks), scale * self.constants)

    def plus(self, other: Coefficients) -> Coefficients:
        """The sum of both."""

        def add(a: ViewBlocks | None, b: ViewBlocks | None) -> ViewBlocks | None:
            return a or b if a is None or b is None else a.plus(b)

        blocks = tuple(add(a, b) for a, b in zip(self.blocks, other.blocks, strict=True))
        return Coefficients(blocks, self.constants + other.constants)


def blue(design: Design, factors: Factors) -> Coefficients:
    """Generalised least squares over all views, in closed form (docs/how_it_works.md).

    Lambda_j = sum over views l >= j of pi_l s_l / v_l
    beta_l = (1/v_l) sum over bands 0 != j <= l of A_l P_j w / Lambda_j,        alpha = mean of w / messages per report
    """
    trees = design.space.trees
    every = [Rows(tree, factor[None, :]) for tree, factor in zip(trees, factors, strict=True)]
    touched = tuple(i for i, rows in enumerate(every) if any(rows.reached[1:]))
    product = Product(touched, tuple(every[i] for i in touched))
    refuse_out_of_reach(design, product)
    inverse = inverse_precisions(designed(design).bands(touched))
    blocks: list[ViewBlocks | None] = [None] * len(
        design.views
    )  # a view without a touched attribute has a constant score
    views = lattice(design)
    asked = views.by_levels(views.touching(touched), touched)
    cells = sum(design.views[v].oracle.domain_size for _, own in asked for v in own)
    refuse_too_wide(cells, 'estimator="greedy" reads fewer views')
    every_slab = slab_values(product, [levels for levels, _ in asked], inverse)
    for (levels, own), found in zip(asked, every_slab, strict=True):
        active = [i for i, level in zip(touched, levels, strict=True) if level]
        slabs = found.reshape([trees[i].blocks(level) for i, level in zip(touched, levels, strict=True) if level])
        for v in own:
            spoken = [(i, trees[i].blocks(level)) for i, level in enumerate(design.views[v].levels) if level]
            axes = tuple(place for place, (i, _) in enumerate(spoken) if i in active)
            blocks[v] = ViewBlocks(slabs, axes, tuple(n for _, n in spoken), float(views.gain[v]))
    mean = float(prod(factor.mean() for factor in factors))
    return Coefficients(tuple(blocks), np.full(len(blocks), mean / design.messages_per_report))


def refuse_out_of_reach(design: Design, product: Product) -> None:
    """Refuse a function with energy in a band that no view reaches: nothing collected tells it."""
    bands = designed(design).bands(product.attributes)
    for band in np.argwhere(bands == 0):
        if all(rows.reached[j] for rows, j in zip(product.rows, band, strict=True)):
            levels = [0] * len(design.space.trees)
            for attribute, j in zip(product.attributes, band, strict=True):
                levels[attribute] = int(j)
            raise _out_of_reach(design, tuple(levels))


def refuse_too_wide(cells: int, hint: str) -> None:
    """Refuse what would not fit into memory: hashed views may have more cells than anybody can add up."""
    if cells > MAX_VIEW_CELLS:
        raise UnsupportedQuery(
            f"this question needs the views of {cells:,} cells; at most {MAX_VIEW_CELLS:,} are read at once.\nHint: {hint}.",
            code="too-large",
        )


def from_nodes(design: Design, decompositions: Sequence[Decomposition]) -> Coefficients:
    """Products of the attributes' nodes, each put into the collected view of its levels, or, where that view is not collected,
    into the cells of the finer view that tells most about it. How many people there are is known without any view."""
    blocks: list[ViewBlocks | None] = [None] * len(design.views)
    constant = 0.0
    for levels in product(*(sorted(d) for d in decompositions)):
        node_values = [decomposition[level] for decomposition, level in zip(decompositions, levels, strict=True)]
        if not any(levels) and all(any(view.levels) for view in design.views):
            constant += float(np.prod([values[0] for values in node_values])) / design.messages_per_report
            continue
        place = carrier(design, tuple(levels))
        refuse_too_wide(design.views[place].oracle.domain_size, "ask about fewer attributes at once")
        spread = [
            np.repeat(values, tree.blocks(to) // tree.blocks(level))
            for values, tree, level, to in zip(
                node_values, design.space.trees, levels, design.views[place].levels, strict=True
            )
        ]
        added = _outer(spread, levels).times(1 / float(design.probability(place)))
        before = blocks[place]
        blocks[place] = added if before is None else before.plus(added)
    return Coefficients(tuple(blocks), np.full(len(blocks), constant))


def _outer(vectors: Sequence[Floats], levels: Levels) -> ViewBlocks:
    """A product of one vector for each attribute; it is the same number all along where the level is 0."""
    values: Floats = np.ones(())
    axes: list[int] = []
    for place, (vector, level) in enumerate(zip(vectors, levels, strict=True)):
        if level:
            values, axes = np.multiply.outer(values, vector), [*axes, place]
        else:
            values = values * vector[0]
    return ViewBlocks(values, tuple(axes), tuple(map(len, vectors)))


@lru_cache(maxsize=4096)
def carrier(design: Design, levels: Levels) -> int:
    """The collected view that estimates a node of these levels with the least variance: finer views add up several cells."""
    fit = [i for i, view in enumerate(design.views) if all(a >= b for a, b in zip(view.levels, levels, strict=True))]
    if not fit:
        raise _out_of_reach(design, levels)
    cells = design.space.cells(levels)

    def cost(i: int) -> float:
        oracle = design.views[i].oracle
        return oracle.noise * (oracle.domain_size / cells) / float(design.probability(i))

    return min(fit, key=cost)


def made_for_marginals(design: Design) -> bool:
    """Whether the views of a design were chosen for marginals."""
    return design.name in MARGINAL_DESIGNS


def _out_of_reach(design: Design, levels: Levels) -> UnsupportedQuery:
    places = [i for i, level in enumerate(levels[: design.attributes]) if level]
    most = max(sum(level > 0 for level in view.levels[: design.attributes]) for view in design.views)
    if len(places) > most:
        return TooManyTogether(design.name, places, most, _instead(design, len(places)))
    if made_for_marginals(design):
        return UnsupportedQuery(
            f"no view of this service (design '{design.name}') holds all attributes that the query touches.\n"
            "Hint: con.marginal([...]) puts such marginals together by maximum entropy.",
            code="not-collected",
        )
    sizes = _blocks_together(design, places)
    if sizes:
        blocks = ", ".join(f"{size:,}" for size in sizes)
        return UnsupportedQuery(
            f"reports of this service (design '{design.name}') speak of the attributes that the query touches together "
            f"only in blocks of {blocks} values, counted from the first value.\n"
            "Hint: ask for ranges of whole blocks, or collect with a smaller max_active or fewer bins.",
            code="not-collected",
        )
    return UnsupportedQuery(
        f"no report of this service (design '{design.name}') speaks of what the query touches: the plan's workload "
        "or its questions leave it out.\n"
        "Hint: collect with a workload or a question that names these attributes together (untold plan improve).",
        code="not-collected",
    )


def _instead(design: Design, touched: int) -> str:
    if made_for_marginals(design):
        return "put a marginal together by con.marginal([...])"
    noisier = f"max_active = {touched}, which makes all answers noisier (`untold plan show` says how much)"
    return f"collect with {'' if design.name == DEFAULT_DESIGN else f'design {DEFAULT_DESIGN!r} and '}{noisier}"


def _blocks_together(design: Design, touched: Sequence[int]) -> list[int]:
    """The smallest blocks in which a view speaks of all these attributes, one size for each; empty if none does."""
    found = [view.levels for view in design.views if all(view.levels[i] for i in touched)]
    return [design.space.trees[i].block_size(max(levels[i] for levels in found)) for i in touched if found]


def greedy(design: Design, factors: Factors) -> Coefficients:
    """The fewest nodes that cover each range: the papers' HIO."""
    from untold.ask.scores import decompose

    return from_nodes(design, [decompose.greedy(tree, f) for tree, f in zip(design.space.trees, factors, strict=True)])


def rdc(design: Design, factors: Factors, top: int = 2) -> Coefficients:
    """The papers' `top` decompositions of the whole predicate, with subtraction, averaged."""
    from untold.ask.scores import decompose

    ways = [decompose.shortest(tree, f, top) for tree, f in zip(design.space.trees, factors, strict=True)]
    own = [from_nodes(design, nodes).times(weight) for weight, nodes in decompose.of_predicate(ways, top)]
    return reduce(Coefficients.plus, own)


Estimator = Callable[[Design, Factors], Coefficients]
ESTIMATORS: dict[EstimatorName, Estimator] = {"blue": blue, "greedy": greedy, "rdc": rdc}


def estimator_named(name: EstimatorName, top: int = 2) -> Estimator:
    """The estimator of this name; `top` is how many decompositions of a predicate rdc averages."""
    if name not in ESTIMATORS:
        raise UntoldError(f"estimator = {name!r}: one of {', '.join(ESTIMATORS)} is needed.")
    return partial(rdc, top=top) if name == "rdc" else ESTIMATORS[name]
