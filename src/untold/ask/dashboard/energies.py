"""What questions ask of each band of a service's trees: exact energies, output by output.

An output is a formula over totals. Near the totals that are expected it moves like a total itself, w = sum_k grad_k w_k, a sum
of products of one factor per attribute. With P_j the projection on band j (hierarchy/bands.py), c the coefficients of the
products and f their factors,

    |P_j w|^2 = sum over pairs of products (a, b) of c_a c_b prod over attributes i of <P_ji f_ai, P_ji f_bi>

so no table over all cells is needed. Of a question with groups it is the mean over groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from untold.ask.dashboard.reading import ReadQuestion
from untold.ask.estimates.gradients import value_and_gradient
from untold.ask.estimates.totals import Totals
from untold.ask.question.formulas import has_quantile, has_rank, parts, totals_in
from untold.ask.question.model import (
    Column,
    EstimateOutput,
    Floats,
    Formula,
    Quantile,
    Question,
    SensitiveKey,
    Term,
)
from untold.plan.designs.asked import Asked, AskedOf
from untold.plan.hierarchy import Space, Tree, extend_rows
from untold.plan.schema import Schema, Sensitive, Service

MOST_GROUPS = 256  # that are looked at; of more, so many evenly
MOST_QUANTILES = 32  # places at which a quantile may lie
MOST_PRODUCTS = 64  # of one output that are multiplied out exactly; of more, each counts by itself
NEGLIGIBLE = 1e-12  # of an output's energy: rounding


@dataclass(frozen=True, eq=False)
class ProductOfFactors:
    """Coefficients of one product in all groups, and its factor of each column: (groups, codes), or (1, codes) for all."""

    coefficients: Floats
    factors: dict[Column, Floats]


def asked_of(schema: Schema, service: Service, declared: Sequence[ReadQuestion]) -> AskedOf:
    """What all questions ask of a service, for any trees of its attributes."""
    named = [
        (question, asked)
        for question in declared
        for asked in question.selects
        if service.name in asked.services and question.weight > 0
    ]
    outputs = [
        (found, question.weight / len(question.selects) / len(every))
        for question, asked in named
        for every in [[found for formula in _formulas(asked) for found in _outputs(schema, asked, formula)]]
        for found in every
    ]

    def of_space(space: Space) -> tuple[Asked, ...]:
        made = [(_energy(schema, service, space, pieces), weight) for pieces, weight in outputs]
        some = [(found, weight) for found, weight in made if found is not None]
        total = sum(weight for _, weight in some)
        return tuple(Asked(attributes, energy, weight / total) for (attributes, energy), weight in some)

    return of_space


def _formulas(asked: Question) -> Iterator[Formula]:
    yield from (output.formula for output in asked.outputs if isinstance(output, EstimateOutput))


def _outputs(schema: Schema, asked: Question, formula: Formula) -> Iterator[list[ProductOfFactors]]:
    """What a formula asks: its own straight line near what is expected; of bent ones each total by itself; of quantiles the
    counts at or below values."""
    groups = _groups(asked)
    for part in dict.fromkeys(each for each in parts(formula) if isinstance(each, Quantile)):
        yield _quantile_pieces(schema, asked, part, groups)
    if has_quantile(formula):
        return
    numbers = sorted(totals_in(formula))
    if has_rank(formula):  # as well as what is ranked is known
        for k in numbers:
            yield _pieces_of(asked, k, np.ones(len(groups)), groups)
        return
    values = np.zeros((len(groups), len(asked.totals)))
    for k in numbers:
        pieces = _pieces_of(asked, k, np.ones(len(groups)), groups)
        values[:, k] = sum((_expected(schema, piece) for piece in pieces), np.zeros(len(groups)))
    totals = Totals(values, np.zeros((*values.shape, values.shape[1])), known=True)
    _, gradient = value_and_gradient(formula, totals)
    sound = np.asarray(np.isfinite(gradient).all(axis=1))
    if sound.any():
        gradient = np.where(sound[:, None], gradient, 0.0)
        yield [piece for k in numbers for piece in _pieces_of(asked, k, gradient[:, k], groups)]
    else:
        for k in numbers:
            yield _pieces_of(asked, k, np.ones(len(groups)), groups)


def _groups(asked: Question) -> list[tuple[int, ...]]:
    """Combinations of labels of the sensitive keys; of many, some."""
    keys = [key for key in asked.keys if isinstance(key, SensitiveKey)]
    many = prod(len(key.labels) for key in keys)
    if many <= MOST_GROUPS:
        return list(product(*(range(len(key.labels)) for key in keys)))
    at = np.unique(np.linspace(0, many - 1, MOST_GROUPS).astype(np.int64))
    return list(zip(*(axis.tolist() for axis in np.unravel_index(at, [len(key.labels) for key in keys])), strict=True))


def _pieces_of(
    asked: Question, k: int, coefficients: Floats, groups: Sequence[tuple[int, ...]]
) -> list[ProductOfFactors]:
    """Total number k in all groups, times a coefficient in each."""
    total = asked.totals[k]
    keys = [(n, key) for n, key in enumerate(asked.keys) if isinstance(key, SensitiveKey)]
    labels = np.array(groups, dtype=np.int64).reshape(len(groups), len(keys))
    shown = [
        (key, labels[:, place]) for place, (n, key) in enumerate(keys) if total.within is None or n in total.within
    ]
    return [_piece(term, coefficients, shown) for term in total.terms]


def _piece(
    term: Term, coefficients: Floats, shown: Sequence[tuple[SensitiveKey, npt.NDArray[np.int64]]]
) -> ProductOfFactors:
    factors: dict[Column, Floats] = {factor.column: factor.values[None, :] for factor in term.factors}
    for key, labels in shown:
        own = key.indicators[labels]
        factors[key.column] = factors[key.column] * own if key.column in factors else own
    return ProductOfFactors(coefficients * term.coefficient, factors)


def _quantile_pieces(
    schema: Schema, asked: Question, quantile: Quantile, groups: Sequence[tuple[int, ...]]
) -> list[ProductOfFactors]:
    """1[value <= x] - p for values x all over the domain, each as if it were a group."""
    attribute = schema.service(quantile.column.service).perturbed(quantile.column.attribute)
    codes = np.arange(1, attribute.known, 2) if attribute.halves else np.arange(attribute.known - 1)
    at = codes[np.unique(np.linspace(0, len(codes) - 1, MOST_QUANTILES).astype(np.int64))]
    steps = np.where(np.arange(attribute.size) <= at[:, None], 1 - quantile.probability, -quantile.probability)
    few = groups[:: max(1, len(groups) * len(at) // MOST_GROUPS)]
    out = []
    for piece in _pieces_of(asked, quantile.total, np.ones(len(few)), few):
        wide = {c: f.repeat(len(at), axis=0) if len(f) > 1 else f for c, f in piece.factors.items()}
        below = np.tile(steps, (len(few), 1))
        wide[quantile.column] = wide[quantile.column] * below if quantile.column in wide else below
        out.append(ProductOfFactors(piece.coefficients.repeat(len(at)), wide))
    return out


def _expected(schema: Schema, piece: ProductOfFactors) -> Floats:
    """What a product comes to per person, values spread as the plan says or else evenly."""
    out = piece.coefficients.copy()
    for column, factor in piece.factors.items():
        out = out * (factor @ _spread(schema, column))
    return out


def _spread(schema: Schema, column: Column) -> Floats:
    service = schema.service(column.service)
    attribute = service.perturbed(column.attribute)
    known = dict(service.spread).get(attribute.name, attribute.even)
    if known is not None:
        return np.array(known) / sum(known)
    return np.full(attribute.size, 1 / attribute.size)


def _energy(
    schema: Schema, service: Service, space: Space, pieces: Sequence[ProductOfFactors]
) -> tuple[tuple[int, ...], Floats] | None:
    """The energy of a sum of products at every level of the service's attributes that it touches, the mean over groups; None if
    it touches none."""
    names = [a.name for a in service.sensitive]
    columns = sorted({column for piece in pieces for column in piece.factors})
    own = sorted(names.index(c.attribute) for c in columns if c.service == service.name)
    if not own:
        return None
    coefficients = np.array([piece.coefficients for piece in pieces])  # (products, groups)
    together = np.einsum("ag,bg->gab", coefficients, coefficients)
    if len(pieces) > MOST_PRODUCTS:
        together = together * np.eye(len(pieces))
    for column in columns:
        if column.service != service.name:
            attribute = schema.service(column.service).perturbed(column.attribute)
            rows = _rows(pieces, column, attribute)
            together = together * np.einsum("gai,gbi,i->gab", rows, rows, _spread(schema, column))
    out = together
    for i in own:
        column, tree = Column(service.name, names[i]), space.trees[i]
        out = out[..., None, :, :, :] * _products(tree, _rows(pieces, column, service.sensitive[i]))
    energy = out.sum(axis=(-1, -2)).mean(axis=-1)
    energy = np.where(energy > NEGLIGIBLE * energy.sum(), energy, 0.0)
    energy[(0,) * energy.ndim] = 0.0
    total = float(energy.sum())
    return (tuple(own), energy / total) if total > 0 else None


def _rows(pieces: Sequence[ProductOfFactors], column: Column, attribute: Sensitive) -> Floats:
    """The factors of all products in one column: (groups or 1, products, codes)."""
    whole = np.ones((1, attribute.size))
    every = [piece.factors.get(column, whole) for piece in pieces]
    groups = max(map(len, every))
    return np.stack([np.broadcast_to(each, (groups, attribute.size)) for each in every], axis=1)


def _products(tree: Tree, rows: Floats) -> Floats:
    """<P_j f_a, P_j f_b> per leaf: (levels, groups or 1, products, products)."""
    groups, many, codes = rows.shape
    flat = extend_rows(tree, rows.reshape(groups * many, codes)).reshape(groups, many, tree.padded)
    levels = []
    for level in range(tree.height + 1):
        sums = flat.reshape(groups, many, tree.blocks(level), tree.block_size(level)).sum(axis=-1)
        levels.append(np.einsum("gai,gbi->gab", sums, sums) / tree.block_size(level) / tree.padded)
    return np.diff(np.array(levels), axis=0, prepend=0.0)


def touched(asked: Question) -> set[Column]:
    """All columns that the outputs of a question depend on."""
    found = {factor.column for total in asked.totals for term in total.terms for factor in term.factors}
    found |= {key.column for key in asked.keys if isinstance(key, SensitiveKey)}
    quantiles = (part for formula in _formulas(asked) for part in parts(formula) if isinstance(part, Quantile))
    return found | {part.column for part in quantiles}
