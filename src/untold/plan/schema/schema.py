"""What a plan file declares: the services of one organisation and the one epsilon that bounds them all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from untold.errors import BadRecord
from untold.plan.schema.budget import Budget, split_epsilon
from untold.plan.schema.mix import Mix
from untold.plan.schema.over_time import Panel
from untold.plan.schema.service import Service
from untold.tables.near_miss import did_you_mean


@dataclass(frozen=True)
class Schema:
    """What a plan file declares. `read_schema` makes it, and lets none through that cannot be."""

    name: str
    user_key: str
    epsilon: float
    nano: int  # epsilon in billionths
    lifetime_nano: int  # over all epochs, in billionths; one epoch's epsilon where the file does not say
    services: tuple[Service, ...]
    panel: Panel | None = None  # None: everybody takes part in every epoch
    mix: Mix | None = None  # None: devices report to the collector itself
    people: int | None = None  # how many are expected to report
    version: int = 1  # of the plans of this name; devices take none that is lower than one they have seen

    def service(self, name: str) -> Service:
        """The service of this name."""
        for service in self.services:
            if service.name == name:
                return service
        names = [s.name for s in self.services]
        raise BadRecord(
            f"plan '{self.name}' has no service '{name}'. {did_you_mean(name, names)}It has: {', '.join(names)}."
        )

    @cached_property
    def budget(self) -> Budget:
        """Epsilon, divided over services and their slots."""
        return split_epsilon(self.nano, [(s.name, s.slots, s.share) for s in self.services])

    @property
    def once_nano(self) -> int:
        """What the reports cost that a person sends once for all epochs."""
        return sum(self.budget.service_nano(s.name) for s in self.services if s.repeat == "once")

    @property
    def fresh_nano(self) -> int:
        """What the reports cost that a person draws anew in every epoch."""
        return sum(self.budget.service_nano(s.name) for s in self.services if s.repeat == "fresh")

    def cost_nano(self, epochs: int) -> int:
        """What a person spends who takes part in this many epochs, with new values in each."""
        return self.once_nano + epochs * (self.budget.total - self.once_nano)

    def aside_nano(self, service: str, lifetime: int) -> int:
        """What of a lifetime belongs to a service that repeats `changes`: the same share of it as of an epoch.

        Everything else keeps what it needs for as many epochs as the lifetime covers.
        """
        each = self.budget.total - self.once_nano
        return max(lifetime - self.once_nano, 0) * self.budget.service_nano(service) // each

    @cached_property
    def clips(self) -> bool:
        """Whether values beyond the ends of some attribute count as those of the ends."""
        return any(attribute.beyond for service in self.services for attribute in service.sensitive)

    @cached_property
    def changing(self) -> tuple[str, ...]:
        """The services that pay for new values instead of epochs."""
        return tuple(s.name for s in self.services if s.repeat == "changes")

    @property
    def epochs_covered(self) -> int | None:
        """For how many epochs the lifetime lasts, those of a panel included in which a person is silent; None: for all."""
        each = self.budget.total - self.once_nano
        if each == 0:
            return None
        reports = (self.lifetime_nano - self.once_nano) // each
        return reports if self.panel is None else reports // self.panel.report * self.panel.epochs
