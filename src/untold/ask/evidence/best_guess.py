"""Totals of all groups, read from the best guess of the table behind a question (`sharp.best_table`), and how far off they are.

All numbers of an answer are read from one table over exactly the attributes that it touches, so that they agree. With t the totals,
t_k those of the guesses that are mixed with weights p_k, a_r and b_r the totals of the directions in which the log-densities of all
attributes together and of each by itself may be off, and p the weight of independence,

    covariance of the errors of t = (1 - p) sum a_r a_r'  +  p sum b_r b_r'  +  sum over k of p_k (t_k - t)(t_k - t)'  +  R

R is what cells are off by since people are no smooth density (`sharp.roughness`).

A sum of public numbers w over reports is as noisy as a count of (sum w)^2 / sum w^2 reports, and is guessed as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from untold.ask.decoded.combined import Set
from untold.ask.decoded.products import Product, contract
from untold.ask.evidence.counted import NOTHING, DecodedCounts
from untold.ask.evidence.table_totals import attributes_of, read_product, values_of
from untold.ask.question.model import Floats
from untold.ask.scores.grouped import GroupedQuestion, GroupedTerm, Publics
from untold.ask.sharp.best_table import BestTable, best_table
from untold.ask.sharp.roughness import rough_directions
from untold.plan import Plan


@dataclass(frozen=True, eq=False)
class BestGuess:
    """Totals of all groups.

    values       (groups, totals)
    covariance   of their errors, (groups, totals, totals); nan where it is not known
    """

    values: Floats
    covariance: Floats


def best_guess(asked: GroupedQuestion, counts: DecodedCounts, plan: Plan) -> BestGuess:
    """Of a question about one service, among the reports of one group of public keys."""
    attributes = attributes_of(*asked.totals)
    ordered = tuple(_is_ordered(asked, plan, place) for place in attributes)
    weights = dict.fromkeys(term.publics for total in asked.totals for term in total)
    tables = {each: _table(counts, each, attributes, ordered) for each in weights}

    def value(term: GroupedTerm) -> Floats:
        product, source, found = term.products[0] or NOTHING, counts.sum_of(term.publics), tables[term.publics]
        if found is None:
            return source.sums(product)
        return source.total * read_product(product, found.table, attributes)

    values = values_of(asked, value)
    covariance = np.zeros((*values.shape, values.shape[1]))
    if not attributes:
        return BestGuess(values, covariance)
    for publics, found in tables.items():
        if found is None or not found.has_errors:
            return BestGuess(values, np.full(covariance.shape, np.nan))
        total = counts.sum_of(publics).total

        def errors(
            term: GroupedTerm, found: BestTable = found, total: float = total, publics: Publics = publics
        ) -> Floats:
            read = total * _read_errors(term.products[0] or NOTHING, found, attributes)
            return read if term.publics == publics else np.zeros_like(read)

        each = values_of(asked, errors)
        covariance += each @ each.transpose(0, 2, 1)
    return BestGuess(values, covariance)


def best_shares(counts: DecodedCounts, plan: Plan, service: str, attributes: Set) -> Floats | None:
    """The best guess of a table over some attributes of a service, as shares of people; None where nobody reported."""
    own = [plan.service(service).sensitive[a] for a in attributes]
    found = _table(counts, (), attributes, tuple(each.ordered for each in own))
    return None if found is None else found.table[tuple(slice(0, each.size) for each in own)]


def guessed_pair(counts: DecodedCounts, product: Product, ordered: tuple[bool, ...]) -> tuple[Floats, Floats]:
    """What a product says of the best guess over its attributes, as shares of people, and in which directions it may be off, along
    a last axis; none where that is not known."""
    found = _table(counts, (), product.attributes, ordered)
    if found is None:
        return np.zeros(product.shape), np.zeros((*product.shape, 0))
    off = _read_errors(product, found, product.attributes) if found.has_errors else np.zeros((*product.shape, 0))
    return read_product(product, found.table, product.attributes), off


def _is_ordered(asked: GroupedQuestion, plan: Plan, place: int) -> bool:
    """Whether the values of an attribute of the design have an order."""
    column = asked.designs[0].columns[place].value
    return column is not None and plan.service(column.service).perturbed(column.attribute).ordered


def _table(counts: DecodedCounts, publics: Publics, attributes: Set, ordered: tuple[bool, ...]) -> BestTable | None:
    """The best guess over some attributes, made once; None where a weight is below 0, or nobody counts."""
    name = publics, attributes, ordered
    if name not in counts.best:
        source = counts.sum_of(publics)
        counts.best[name] = None
        if source.contrasts is not None and source.total > 0 and attributes:
            y, precision = source.contrasts(attributes)
            squares = counts.product_of(publics, publics).total
            people = source.total**2 / squares if squares > 0 else source.total
            trees = [counts.design.space.trees[a] for a in attributes]
            counts.best[name] = best_table(y / source.total, people * y.size * precision, trees, ordered)
    return counts.best[name]


def _read_errors(product: Product, found: BestTable, attributes: Set) -> Floats:
    """The totals of all directions of error: variants of the product, then directions."""
    apart = np.stack([np.sqrt(p) * (guess.table - found.table) for p, guess in found.guesses], axis=-1)
    parts = [read_product(product, apart, attributes)]
    if found.smooth is None:
        rough = rough_directions(found.table, found.roughness).reshape(*found.table.shape, -1)
        parts += [read_product(product, rough, attributes), *_alone(product, found, attributes, {})]
        return np.moveaxis(np.concatenate(parts), 0, -1)
    independent = found.weight("independent") if len(attributes) > 1 else 0.0
    density, inside = found.smooth.density, dict(zip(attributes, found.smooth.inside, strict=True))
    directions = density.directions.reshape(*density.table.shape, -1)
    directions = directions.sum(tuple(i for i, a in enumerate(attributes) if a not in product.attributes))
    rows = [own.values @ inside[a].T for a, own in zip(product.attributes, product.rows, strict=True)]
    parts.append(np.sqrt(1 - independent) * contract(directions, rows))
    if len(attributes) > 1:
        rough = rough_directions(density.table, found.roughness).reshape(*density.table.shape, -1)
        rough = rough.sum(tuple(i for i, a in enumerate(attributes) if a not in product.attributes))
        parts.append(contract(rough, rows))
        # Inside of the blocks on which all are fitted together, each attribute is spread as by itself, and as wrong.
        parts += [np.sqrt(1 - independent) * each for each in _alone(product, found, attributes, inside)]
        parts += [np.sqrt(independent) * each for each in _alone(product, found, attributes, {})]
    return np.moveaxis(np.concatenate(parts), 0, -1)


def _alone(product: Product, found: BestTable, attributes: Set, inside: Mapping[int, Floats]) -> list[Floats]:
    """The same of a table of independent attributes: one of them is off, the others are as they are. The directions of an
    attribute that the product does not touch move nothing, and are there so that all totals have the same ones.

    inside   how blocks of an attribute are spread: what is off inside of them alone is meant
    """
    known = {a: each for a, each in zip(attributes, found.alone, strict=True) if each is not None}
    if len(known) < len(attributes):
        return []
    values = {a: own.values for a, own in zip(product.attributes, product.rows, strict=True)}
    shares = {a: (own @ known[a].table)[None] for a, own in values.items()}
    out = []
    for off in attributes:
        moved = known[off].inside[0].T @ known[off].density.directions
        if off in inside:
            moved = moved - inside[off].T @ ((inside[off] > 0) @ moved)
        if off in values:
            out.append(_outer_of([(own @ moved).T if a == off else shares[a] for a, own in values.items()]))
        else:
            out.append(np.zeros((moved.shape[1], *product.shape)))
    return out


def _outer_of(rows: list[Floats]) -> Floats:
    """(directions, variants of each axis) from (directions or 1, variants) of every axis."""
    out = rows[0]
    for row in rows[1:]:
        out = out[..., None] * row.reshape(len(row), *(1,) * (out.ndim - 1), row.shape[1])
    return out
