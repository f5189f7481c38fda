"""All groups of a join at once: the service that is grouped by is counted by message, weighted by what the others say.

A joined user's score is s(message) z, s of the grouped service and z the product of the other services' scores. Summed over the
users of each message, z and its square are all that is needed of the others:

    sum over users of s z = sum over messages of s(message) (sum of z),        sum of (s z)^2 = sum of s(message)^2 (sum of z^2)

so the grouped service is decoded from sums of z as it is from counts, however many groups there are.

The noise that devices add is known from below: Var(s z) >= E[z^2] (noise of s). A scan multiplies the noise of all services
instead. Both are floors of the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from untold.connection.reports import Reports
from untold.decoded.products import Product
from untold.engines.base import pairs_of
from untold.estimates.counted_groups import DecodedCounts
from untold.question.model import PublicKey, PublicNumber
from untold.scores.coefficients import Factors, blue
from untold.scores.compile import Compiled
from untold.scores.grouped import GroupedQuestion, GroupedTerm
from untold.scores.over_time import OverTime
from untold.scores.report_parts import Choice
from untold.scores.scan import Piece, Scan, ScoreColumn
from untold.scores.spelled import parted_by
from untold.sql.names import column_node

FEW_GROUPS = 4  # a scan looks up so few scores faster
MOST_MESSAGES = 1 << 16  # of the grouped service: sums come back for each that occurs


@dataclass(frozen=True, eq=False)
class JoinedGroups:
    """A join whose keys are attributes of one service, by its number."""

    compiled: Compiled
    asked: GroupedQuestion
    service: int

    def weight_of(self, term: GroupedTerm) -> tuple[object, ...]:
        """Names what the other services, and public numbers, multiply a score by."""
        others = tuple(id(product) for s, product in enumerate(term.products) if s != self.service)
        return (term.publics, others)

    def decoded(self, reports: Reports) -> DecodedCounts:
        """Sums of weights, and of products of two, for every message of the grouped service."""
        asked, question = self.asked, self.compiled.question
        sums = (*asked.totals, *asked.squares.values(), *asked.several.values())
        terms = [term for total in sums for term in total]
        weights = {self.weight_of(term): term for term in terms}
        columns: dict[Product, int] = {}
        made: list[ScoreColumn] = []
        totals = []
        for term in weights.values():
            for s, product in enumerate(term.products):
                if s != self.service and product is not None and product not in columns:
                    columns[product] = len(made)
                    choice = asked.designs[s]
                    made.append(ScoreColumn(s, choice.design, blue(choice.design, _factors(choice, product))))
            own = [p for s, p in enumerate(term.products) if s != self.service and p is not None]
            totals.append((Piece(1.0, term.publics, tuple(columns[p] for p in own)),))
        node = column_node(question.services[self.service], "message")
        pairs = pairs_of(len(weights))
        scan = Scan(
            question.services,
            self.compiled.by_user,
            tuple(made),
            tuple(totals),
            tuple(pairs),
            question.filter,
            (PublicNumber(node.sql(dialect="duckdb", identify=True), node),),
        )
        found = sorted(reports.engine.moments(scan), key=lambda each: int(str(each.key[0])))
        first = np.array([each.first for each in found]).reshape(len(found), len(weights))
        second = np.array([each.second for each in found]).reshape(len(found), len(pairs))
        return DecodedCounts(
            asked.designs[self.service].design,
            (),
            sum(each.users for each in found),
            np.array([each.key[0] for each in found], dtype=np.uint32),
            tuple(weights),
            first.T,
            dict(zip(pairs, second.T, strict=True)),
        )


def joined_groups(compiled: Compiled) -> JoinedGroups | None:
    """The join in this form; None where it has too few groups, or keys in several services, or reports are not one per user.
    See `scores.over_time` for those that are not independent."""
    asked, question = compiled.grouped, compiled.question
    if (
        compiled.over_time != OverTime()
    ):  # a panel, or a report that serves several epochs: rows of a user hang together
        return None
    if asked is None or len(question.services) < 2 or any(compiled.by_user) or any(parted_by(question, compiled.plan)):
        return None
    if any(isinstance(key, PublicKey) for key in question.keys) or prod(asked.shape) <= FEW_GROUPS:
        return None
    grouped = {key.column.service for key in asked.keys}
    if len(grouped) != 1:
        return None
    service = question.services.index(grouped.pop())
    design = asked.designs[service].design
    if not design.listed or design.messages > MOST_MESSAGES:
        return None
    return JoinedGroups(compiled, asked, service)


def _factors(choice: Choice, product: Product) -> Factors:
    """A product without variants, as one function per attribute of the whole design."""
    known = dict(zip(product.attributes, product.rows, strict=True))
    trees = choice.design.space.trees
    return [known[i].values[0] if i in known else np.ones(tree.padded) for i, tree in enumerate(trees)]
