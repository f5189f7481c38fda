"""A question as a scan, group by group: a GROUP BY becomes score columns, and error bars get the sums they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import TYPE_CHECKING

from untold.ask.question.algebra import never_negative, product_of, restricted
from untold.ask.question.formulas import wanted_pairs
from untold.ask.question.model import Factor, PublicKey, SensitiveKey, Total
from untold.ask.scores.noise_floor import NoiseFloors, Publics
from untold.ask.scores.rounding_error import square, touches
from untold.ask.scores.scan import Moments, Scan, Shared, SharedProduct
from untold.ask.scores.score_columns import ScoreColumns

if TYPE_CHECKING:
    from untold.ask.scores.compile import Compiled


@dataclass(frozen=True, eq=False)
class Spelled:
    """A scan, group by group, and how to read it.

    groups    for each combination of sensitive labels: the labels, and where its totals are among the scan's
    squares   (i, j) and (j, i) -> the number of the total of w_i w_j; empty where only the spread between users is known
    several   i -> the number of the total of f^2 over rows, where a user may have several and no f is below zero
    public    products of public numbers -> the number of their total
    """

    scan: Scan
    groups: tuple[tuple[tuple[object, ...], tuple[int, ...]], ...]
    squares: dict[tuple[int, int], int]
    several: dict[int, int]
    public: dict[Publics, int]

    @cached_property
    def places(self) -> dict[tuple[int, int], int]:
        """(i, j) and (j, i) -> which of the scan's pairs they are."""
        found = {}
        for n, (i, j) in enumerate(self.scan.pairs):
            found[i, j] = found[j, i] = n
        return found

    @cached_property
    def floors(self) -> NoiseFloors:
        """What devices' noise alone brings to covariances."""
        return NoiseFloors(self.scan)

    def noise(self, pair: tuple[int, int], moments: Moments) -> float:
        """What the covariance of a pair of totals is at least. Public numbers that are not summed count as 0."""
        least = 0.0
        for name, share in self.floors.of(pair).items():
            if name == ():
                least += share * moments.users
            elif name in self.public:
                least += share * float(moments.first[self.public[name]])
        return least


def spelled(compiled: Compiled) -> Spelled:
    """Spell out groups, find the pairs of totals that formulas combine, and turn every total into score columns."""
    question, plan = compiled.question, compiled.plan
    build = ScoreColumns(question, plan, compiled.estimate)
    rounded = compiled.rounded
    squared = partial(square, rounded=rounded) if rounded else product_of
    wanted = wanted_pairs(question)
    sensitive = [key for key in question.keys if isinstance(key, SensitiveKey)]
    groups, pairs, squares, several = [], [], {}, {}
    products: dict[tuple[int, int], tuple[SharedProduct, ...]] = {}
    for choice in product(*(range(len(key.labels)) for key in sensitive)):
        own = {question.keys.index(key): (key, g) for key, g in zip(sensitive, choice, strict=True)}
        totals = [_within(total, own) for total in question.totals]
        numbers = tuple(build.total(total) for total in totals)
        groups.append((tuple(key.labels[g] for key, g in zip(sensitive, choice, strict=True)), numbers))
        for i, j in wanted:
            pair = (numbers[i], numbers[j])
            pairs.append(pair)
            if compiled.over_time.shared and pair not in products:
                products[pair] = build.shared(totals[i], totals[j], rounded)
            if compiled.exact:
                same = i == j and totals[i].is_count and not touches(totals[i], rounded)  # then w^2 = w
                both = numbers[i] if same else build.total(squared(totals[i], totals[j]))
                squares[pair] = squares[pair[::-1]] = both
            elif compiled.several and i == j and never_negative(totals[i]):
                same = totals[i].is_count and not touches(totals[i], rounded)
                several[numbers[i]] = numbers[i] if same else build.total(squared(totals[i], totals[i]))
    public = build.public_totals(pairs) if compiled.exact else {}
    scan = Scan(
        question.services,
        compiled.by_user,
        tuple(build.columns),
        tuple(build.totals),
        tuple(dict.fromkeys(pairs)),
        question.filter,
        tuple(key.expression for key in question.keys if isinstance(key, PublicKey)),
        _slots(compiled),
        compiled.parted_by,
        compiled.over_time.pooling,
        Shared(tuple(build.rows), tuple(products.values())) if any(products.values()) else None,
    )
    return Spelled(scan, tuple(groups), squares, several, public)


def _within(total: Total, own: Mapping[int, tuple[SensitiveKey, int]]) -> Total:
    """A total of one group, by the labels of its keys; of several groups where it is taken within fewer keys."""
    of_group = total
    for number, (key, label) in own.items():
        if (codes := total.codes_of(number, key)) is not None:
            of_group = restricted(of_group, Factor(key.column, codes[label]))
    return of_group


def _slots(compiled: Compiled) -> tuple[int, ...]:
    """Reports behind one joined row of a user, for each service: of one part where they are kept apart."""
    services = zip(map(compiled.plan.service, compiled.question.services), compiled.parted_by, strict=True)
    return tuple(service.slots // (service.parts if part else 1) for service, part in services)
