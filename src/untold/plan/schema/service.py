"""A service: the attributes that are collected together, and how often."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from untold.errors import BadRecord
from untold.plan.schema.kinds import Attribute, Coded, Each, Sensitive
from untold.plan.schema.names import DEFAULT_DESIGN, DEFAULT_ORACLE, DEFAULT_THETA, VIEW_RULES
from untold.plan.schema.over_time import DEFAULT_REPEAT
from untold.tables.near_miss import did_you_mean


@dataclass(frozen=True)
class Rows:
    """Zero to `max` rows of one person (t_max), of which always `report` reports are made (tau); in a service with an
    `each` attribute that is for every value of it."""

    max: int
    report: int = 1


@dataclass(frozen=True)
class Interest:
    """Sensitive attributes that queries touch together, and how much such queries matter."""

    attributes: tuple[str, ...]
    weight: float = 1.0


DEFAULT_UNDECLARED = 0.2


@dataclass(frozen=True)
class Declared:
    """A question that will be asked, in SQL, and how much it matters."""

    sql: str
    weight: float = 1.0


@dataclass(frozen=True)
class Marginals:
    """What the designs for marginals are chosen for: `ways` attributes at a time (k), from about `users` people (n).

    For "calm" alone: by which of VIEW_RULES views are chosen, with the target error `theta` of "published"; how many
    attributes each holds (l) and how many there are (m), where that is not left to the rule.
    """

    ways: int = 3
    users: int = 1 << 16
    views: str = VIEW_RULES[0]
    theta: float = DEFAULT_THETA
    length: int | None = None
    count: int | None = None


@dataclass(frozen=True)
class Service:
    """One table of the organisation, as its users' devices report it."""

    name: str
    attributes: tuple[Attribute, ...]
    max_active: int  # queries touch at most this many sensitive attributes
    rows: Rows | None = None  # None: exactly one row per person
    share: Fraction | None = None  # of the person's epsilon; None: an even part of what others leave
    design: str = DEFAULT_DESIGN
    oracle: str = DEFAULT_ORACLE
    fanout: int | None = None  # None: the planner chooses
    workload: tuple[Interest, ...] = ()  # empty: the design's own assumption
    marginals: Marginals = Marginals()  # only for the designs in MARGINAL_DESIGNS
    repeat: str = DEFAULT_REPEAT  # from epoch to epoch: one of REPEATS
    questions: tuple[Declared, ...] = ()  # that the design is made for; empty: for whatever people ask
    undeclared: float = DEFAULT_UNDECLARED  # the weight of all that is not declared, where questions are
    # how people are thought to be spread, by name: for forecasts alone, so that two services do not differ by it
    spread: tuple[tuple[str, tuple[float, ...]], ...] = field(default=(), compare=False)

    @cached_property
    def sensitive(self) -> tuple[Sensitive, ...]:
        """What is perturbed, in the order of the file."""
        return tuple(a for a in self.attributes if isinstance(a, Sensitive))

    @cached_property
    def public(self) -> tuple[Attribute, ...]:
        """What a device sends as it is, in the order of the file."""
        return tuple(a for a in self.attributes if a.role == "public")

    @property
    def beside(self) -> tuple[Attribute, ...]:
        """What is stored beside reports as it is: public attributes, and the one whose values the slots are about."""
        return tuple(a for a in self.attributes if a.role != "sensitive")

    @cached_property
    def each(self) -> Each | None:
        """The attribute whose every value is reported about, if there is one."""
        return next((a for a in self.attributes if isinstance(a, Each)), None)

    @cached_property
    def needed(self) -> dict[str, bool]:
        """The columns of a row, and whether it must have them."""
        return {a.name: isinstance(a, Coded) and not a.may_be_missing and not a.total for a in self.attributes}

    @cached_property
    def total(self) -> bool:
        """Whether no rows are refused, whatever they hold and however many there are: nobody falls silent."""
        return all(a.total for a in self.attributes if isinstance(a, Coded))

    @property
    def parts(self) -> int:
        """How many sets of rows a person has: one for each value of the `each` attribute, or one."""
        return 1 if self.each is None else self.each.size

    @property
    def slots(self) -> int:
        """Reports of one person in one epoch, whatever the data."""
        return 1 if self.rows is None else self.rows.report * self.parts

    def spoken_of(self, slot: int) -> object:
        """The value of the `each` attribute that the report in a slot is about."""
        assert self.each is not None
        assert self.rows is not None
        return self.each.values[slot // self.rows.report]

    def perturbed(self, name: str) -> Sensitive:
        """The sensitive attribute of this name, which is known to be one."""
        return next(a for a in self.sensitive if a.name == name)

    def attribute(self, name: str) -> Attribute:
        """The attribute of this name."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        names = [a.name for a in self.attributes]
        raise BadRecord(
            f"service '{self.name}' has no attribute '{name}'. {did_you_mean(name, names)}It has: {', '.join(names)}."
        )
