"""How much of what people can hold an audit has tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod

from untold.auditing.programs import Run
from untold.plan import Plan


@dataclass
class Tried:
    """The records and epochs of all people of an audit."""

    plan: Plan
    records: dict[str, set[tuple[int, ...]]] = field(default_factory=dict)
    epochs: set[int] = field(default_factory=set)

    @classmethod
    def by(cls, plan: Plan, people: Iterable[Run]) -> Tried:
        """What these people held."""
        found = cls(plan, {service: set() for service in plan.services})
        seen = set()
        for _, steps in people:
            for step in steps:
                found.epochs.add(step.epoch)
                # the same steps are those of thousands of people
                if id(step) in seen:
                    continue
                seen.add(id(step))
                sensitive = plan.service(step.service).sensitive
                for row in step.rows:
                    found.records[step.service].add(tuple(a.position(row.get(a.name))[0] for a in sensitive))
        return found

    def lines(self) -> tuple[str, ...]:
        """In words: values of each attribute, and whole records."""
        told = []
        for name, records in self.records.items():
            sensitive = self.plan.service(name).sensitive
            values = ", ".join(
                f"{a.name} {len({record[i] for record in records}):,} of {a.size:,}" for i, a in enumerate(sensitive)
            )
            every = prod(a.size for a in sensitive)
            told.append(f"{name}: values of {values}; {len(records):,} of {every:,} different records")
        return (*told, f"{len(self.epochs):,} different epochs, up to {max(self.epochs):,}")
