"""What a design is: which views of a service's records are reported, how often, and by which oracle."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod
from operator import le

from untold.exact import NANO
from untold.oracles import GRR, Oracle, oracles_named
from untold.plan.designs.derived import Derived, TextColumn
from untold.plan.hierarchy import Levels, Space, Tree, factor
from untold.plan.schema import Sensitive, Service
from untold.randomness import WORD

MOST_MESSAGES = 1 << 24  # of all views together: a query makes one score for each
MOST_VIEWS = 1 << 16
HIDDEN = "rows"  # the hidden attribute of a service with many rows per user: 1 if the sampled row stands for r_max rows, else 0


class DesignError(ValueError):
    """This design cannot serve this service; the text says why and what would work."""


@dataclass(frozen=True)
class View:
    """One level per attribute, the oracle that reports a cell of it, and where its messages begin among all of the design."""

    levels: Levels
    oracle: Oracle
    offset: int


@dataclass(frozen=True)
class Group:
    """Some people, picked at random, whose reports speak of some columns of the space only: the next `views` views."""

    columns: tuple[int, ...]
    views: int


@dataclass(frozen=True)
class Design:
    """Sampled (`weights` sum to 2^64: a report picks one view) or split (`weights` is None: a report speaks of every view).

    The space has one tree for each attribute, then one for each derived column, then one for the hidden weight. Where
    there are `groups`,
    picking a view picks the group that it belongs to, and every group can be read as a design of its own.
    """

    name: str
    space: Space
    views: tuple[View, ...]
    weights: tuple[int, ...] | None
    hidden: bool  # whether the last attribute of the space is the hidden weight
    derived: tuple[Derived | TextColumn, ...] = ()
    groups: tuple[Group, ...] = ()
    notes: tuple[str, ...] = ()  # what the planner left out to keep within limits, each continuing "This design ..."

    def __post_init__(self) -> None:
        if self.groups and (self.weights is None or sum(group.views for group in self.groups) != len(self.views)):
            raise ValueError("groups divide the views of a sampled design")
        if self.weights is not None and (len(self.weights) != len(self.views) or sum(self.weights) != WORD):
            raise ValueError("the weights of a sampled design must be one for each view and sum to 2^64")
        if any(weight < 0 for weight in self.weights or ()):
            raise ValueError("a weight below zero")
        for tree in self.space.trees:
            if min(tree.fan_outs, default=0) < 1 or not 1 <= tree.size <= tree.padded:
                raise ValueError(f"a tree of {tree.fan_outs} cannot hold {tree.size} values")
        heights = self.space.leaves
        for view in self.views:
            if len(view.levels) != len(heights) or min(view.levels) < 0 or not all(map(le, view.levels, heights)):
                raise ValueError(f"view {view.levels}: one level of each tree is needed")
        ends = accumulate((view.oracle.indexes for view in self.views), initial=0)
        for view, start in zip(self.views, ends, strict=False):
            if view.oracle.domain_size != self.space.cells(view.levels) or view.offset != start:
                raise ValueError(f"view {view.levels}: its oracle or its offset does not fit its cells")
        if self.texts and (self.roundings or self.hidden or self.weights is None):
            raise ValueError(
                "texts are looked for in a sampled design, of one row for each person and without roundings"
            )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: a design is the key of several caches."""
        return hash((self.name, self.space, self.views, self.weights, self.hidden, self.derived, self.groups))

    @property
    def nano(self) -> int:
        """What one report costs, in billionths of epsilon: its dearest view, or all views together."""
        spent = [view.oracle.spent for view in self.views]
        return sum(spent) if self.weights is None else max(spent, default=0)

    @cached_property
    def listed(self) -> bool:
        """Whether all messages can be listed, so that a score is a lookup and counts of messages say all."""
        return all(view.oracle.listed for view in self.views)

    @cached_property
    def answers_sql(self) -> bool:
        """Whether reports tell of cells. Those of "ft" tell of Fourier coefficients, which serve marginals alone."""
        return all(view.oracle.tells_cells for view in self.views)

    @cached_property
    def extra_columns(self) -> tuple[str, ...]:
        """The columns that reports carry beside their message."""
        return tuple(dict.fromkeys(name for view in self.views for name in view.oracle.extra_columns))

    @property
    def attributes(self) -> int:
        """How many trees are those of the service's own attributes."""
        return len(self.space.trees) - len(self.derived) - self.hidden

    @cached_property
    def pure(self) -> bool:
        """Whether all views have cells of one kind: not a list of some and the rest."""
        return all(view.oracle.pure for view in self.views)

    @cached_property
    def texts(self) -> tuple[TextColumn, ...]:
        """The columns that are cells of a text: computed from the value itself, not from its code."""
        return tuple(column for column in self.derived if isinstance(column, TextColumn))

    @cached_property
    def roundings(self) -> tuple[Derived, ...]:
        """The columns that are computed from codes. No design has both."""
        return tuple(column for column in self.derived if isinstance(column, Derived))

    @property
    def separate(self) -> bool:
        """Whether every attribute is reported by itself: each message of a report speaks of one."""
        return self.weights is None and all(sum(map(bool, view.levels)) == 1 for view in self.views)

    @cached_property
    def cumulative(self) -> tuple[int, ...]:
        """Running sums of the weights, as `Randomness.choose` takes them."""
        return tuple(accumulate(self.weights or ()))

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """First message of every view."""
        return tuple(view.offset for view in self.views)

    @property
    def messages(self) -> int:
        """Number of different messages of the whole design."""
        return self.views[-1].offset + self.views[-1].oracle.indexes

    @property
    def messages_per_report(self) -> int:
        """1 if a report picks a view, else the number of views."""
        return len(self.views) if self.weights is None else 1

    def probability(self, view: int) -> Fraction:
        """pi, the chance that a report speaks of this view."""
        return Fraction(1) if self.weights is None else Fraction(self.weights[view], WORD)

    def view_of(self, message: int) -> int:
        """Which view a message belongs to."""
        return bisect_right(self.offsets, message) - 1


def space_of(service: Service, base: int) -> Space:
    """One tree per sensitive attribute, ordered ones with fan-outs near `base`, and the hidden weight last where there is one."""
    return Space((*attribute_trees(service, base), Tree(2, (2,))) if service.rows else attribute_trees(service, base))


def products_of_levels(space: Space) -> list[Levels]:
    """All views of HI and HIO: of one attribute its levels below the root [SIGMOD'19, Algorithm 1], of several all products
    of levels, roots included [Algorithm 2]."""
    levels = list(space.views())
    return [each for each in levels if any(each)] if len(space.trees) == 1 else levels


def attribute_trees(service: Service, base: int) -> tuple[Tree, ...]:
    """One tree per sensitive attribute."""
    return tuple(Tree(a.size, fan_outs(a, base)) for a in service.sensitive)


def fan_outs(attribute: Sensitive, base: int) -> tuple[int, ...]:
    """Of an attribute's tree: values side by side where they have no order; below classes their parts, and the bit as the last
    level; below groups their values."""
    inner = (*((2,) * (attribute.parts.bit_length() - 1) if attribute.ordered else (attribute.parts,)), 2)
    inner = tuple(each for each in (inner if attribute.halves else inner[:-1]) if each > 1)
    classes = -(-attribute.size // prod(inner))
    above = factor(classes, base) if attribute.ordered else (classes,)
    return (*(above if classes > 1 else ()), *inner) or (1,)


@lru_cache(maxsize=4096)
def oracle_for(name: str, nano: int, cells: int) -> Oracle:
    """The named oracle for a view; "auto" takes the one with the least noise. A single cell needs no noise at all."""
    epsilon = nano / NANO
    if cells == 1:
        return GRR(epsilon, 1)
    return min((oracle(epsilon, cells) for oracle in oracles_named(name)), key=lambda each: each.noise)


def assemble(
    name: str,
    service: Service,
    space: Space,
    levels: Iterable[Levels],
    nano: int,
    weights: Sequence[int] | None,
    oracle: str,
    derived: tuple[Derived, ...] = (),
    groups: tuple[Group, ...] = (),
) -> Design:
    """Number the messages of the chosen views one after the other, and refuse what would not fit."""
    chosen = list(levels)
    if len(chosen) > MOST_VIEWS:
        raise DesignError(f"needs {len(chosen):,} views, at most {MOST_VIEWS:,} are allowed; {REMEDY}")
    per_view = nano if weights is not None else nano // len(chosen)
    if per_view == 0:
        raise DesignError(f"divides epsilon over {len(chosen):,} views: less than 1e-9 for each; {REMEDY}")
    views, offset = [], 0
    for each in chosen:
        check_cells(space.cells(each), oracle)
        view = View(each, oracle_for(oracle, per_view, space.cells(each)), offset)
        views.append(view)
        offset += view.oracle.indexes
    if offset > MOST_MESSAGES:
        raise DesignError(f"has {offset:,} different messages, at most {MOST_MESSAGES:,} are allowed; {REMEDY}")
    hidden = len(space.trees) > len(service.sensitive) + len(derived)
    return Design(name, space, tuple(views), None if weights is None else tuple(weights), hidden, derived, groups)


REMEDY = 'use fewer bins or attributes, a larger fanout, design = "tuned" with a smaller max_active, or oracle = "olh"'


def most_cells(oracle: str) -> int:
    """How many cells a view may have: as many as its oracle allows."""
    return max(each.most_cells for each in oracles_named(oracle))


def check_cells(cells: int, oracle: str) -> None:
    """Bound the size of one view."""
    limit = most_cells(oracle)
    if cells > limit:
        raise DesignError(f"has a view of {cells:,} cells, at most {limit:,} are allowed; {REMEDY}")


def check_one_slot(service: Service) -> None:
    """Refuse several sampled rows per person where a conjunction multiplies messages: only those about the same row may be
    multiplied."""
    if service.slots > 1:
        raise DesignError(
            f"multiplies messages about one row, and cannot tell those of {service.slots} rows of a person apart; "
            "write rows_per_user with report = 1"
        )


def even_weights(count: int) -> tuple[int, ...]:
    """`count` integers as equal as can be with sum 2^64."""
    each, rest = divmod(WORD, count)
    return tuple(each + (i < rest) for i in range(count))


def to_weights(shares: Sequence[float | Fraction]) -> tuple[int, ...]:
    """Integers in proportion to positive shares, with sum 2^64; the largest share takes up the rounding."""
    total = sum(Fraction(s) for s in shares)
    weights = [int(Fraction(s) * WORD / total) for s in shares]
    weights[max(range(len(weights)), key=weights.__getitem__)] += WORD - sum(weights)
    return tuple(weights)
