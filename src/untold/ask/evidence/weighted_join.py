"""All groups of a join at once: the service that is grouped by is counted by message, weighted by what the others say.

A joined user's score is s(message) z, s of the grouped service and z the product of the other services' scores. Summed over the
users of each message, z and its square are all that is needed of the others:

    sum over users of s z = sum over messages of s(message) (sum of z),        sum of (s z)^2 = sum of s(message)^2 (sum of z^2)

so the grouped service is decoded from sums of z as it is from counts, however many groups there are.

The noise that devices add is known from below: Var(s z) >= E[z^2] (noise of s). A scan multiplies the noise of all services
instead. Both are floors of the error.
"""

from __future__ import annotations

import numpy as np

from untold.ask.decoded.products import Product
from untold.ask.engines.base import pairs_of
from untold.ask.evidence.counted import CountedEvidence, DecodedCounts
from untold.ask.evidence.reports import Reports
from untold.ask.question.model import PublicKey, PublicNumber
from untold.ask.scores.coefficients import Factors, blue
from untold.ask.scores.compile import Compiled
from untold.ask.scores.grouped import GroupedTerm
from untold.ask.scores.over_time import OverTime
from untold.ask.scores.report_parts import Choice
from untold.ask.scores.scan import Piece, Scan, ScoreColumn
from untold.ask.sql.names import column_node

MOST_MESSAGES = 1 << 16  # of the grouped service: sums come back for each that occurs


def why_not_weighted(compiled: Compiled) -> str | None:
    """Why a join is not answered in this form. See `scores.over_time` for reports that are not independent."""
    asked, question = compiled.grouped, compiled.question
    # a panel, or a report that serves several epochs: rows of a user hang together
    if compiled.over_time != OverTime():
        return "a person's reports of several epochs hang together"
    if asked is None:
        return "its tables are too large, or reports speak of attributes apart"
    if any(compiled.by_user) or any(compiled.parted_by):
        return "a person has several reports"
    if any(isinstance(key, PublicKey) for key in question.keys):
        return "it is grouped by a public column"
    grouped = {key.column.service for key in asked.keys}
    if len(grouped) != 1:
        return "it is grouped by attributes of several services"
    design = asked.designs[question.services.index(grouped.pop())].design
    few = design.listed and design.messages <= MOST_MESSAGES
    return None if few else "the grouped service has too many different messages"


def weighted_evidence(reports: Reports, compiled: Compiled) -> CountedEvidence:
    """Sums of weights, and of products of two, for every message of the grouped service."""
    asked, question = compiled.grouped, compiled.question
    assert asked is not None
    service = question.services.index(asked.keys[0].column.service)

    def weight_of(term: GroupedTerm) -> tuple[object, ...]:
        """Names what the other services, and public numbers, multiply a score by."""
        return term.publics, tuple(id(product) for s, product in enumerate(term.products) if s != service)

    every = (*asked.totals, *asked.squares.values(), *asked.several.values())
    weights = {weight_of(term): term for total in every for term in total}
    columns: dict[Product, int] = {}
    made: list[ScoreColumn] = []
    totals = []
    for term in weights.values():
        own = [(s, p) for s, p in enumerate(term.products) if s != service and p is not None]
        for s, product in own:
            if product not in columns:
                columns[product] = len(made)
                choice = asked.designs[s]
                made.append(ScoreColumn(s, choice.design, blue(choice.design, _factors(choice, product))))
        totals.append((Piece(1.0, term.publics, tuple(columns[p] for _, p in own)),))
    node = column_node(question.services[service], "message")
    key = PublicNumber(node.sql(dialect="duckdb", identify=True), node)
    pairs = tuple(pairs_of(len(weights)))
    scan = Scan(question.services, compiled.by_user, tuple(made), tuple(totals), pairs, question.filter, (key,))
    found = sorted(reports.engine.moments(scan), key=lambda each: int(str(each.key[0])))
    first = np.array([each.first for each in found]).reshape(len(found), len(weights))
    second = np.array([each.second for each in found]).reshape(len(found), len(pairs))
    counts = DecodedCounts(
        asked.designs[service].design,
        (),
        sum(each.users for each in found),
        np.array([each.key[0] for each in found], dtype=np.uint32),
        tuple(weights),
        first.T,
        dict(zip(pairs, second.T, strict=True)),
    )
    return CountedEvidence(asked, counts, service, weight_of)


def _factors(choice: Choice, product: Product) -> Factors:
    """A product without variants, as one function per attribute of the whole design."""
    known = dict(zip(product.attributes, product.rows, strict=True))
    trees = choice.design.space.trees
    return [known[i].values[0] if i in known else np.ones(tree.padded) for i, tree in enumerate(trees)]
