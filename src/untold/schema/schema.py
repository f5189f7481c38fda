"""What a plan file declares: the services of one organisation and the one epsilon that bounds them all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from untold.errors import BadRecord
from untold.near_miss import did_you_mean
from untold.schema.budget import Budget, split_epsilon
from untold.schema.service import Service


@dataclass(frozen=True)
class Schema:
    """What a plan file declares. `read_schema` makes it, and lets none through that cannot be."""

    name: str
    user_key: str
    epsilon: float
    nano: int  # epsilon in billionths
    lifetime_nano: int | None  # over all epochs; None: no limit
    services: tuple[Service, ...]

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
