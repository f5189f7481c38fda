"""What the plan that a device trusted first kept to itself. A later plan, signed by the same key, may not take it back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from untold.device.domains import Domains, domains_of, left_out, together
from untold.errors import UntrustedPlan
from untold.plan import Plan


@dataclass(frozen=True)
class Promised:
    """The exceptions from the promise that were known at first, and which rows were allowed: all else stays within it."""

    public: tuple[str, ...]  # columns that leave as they are: "users.os"
    changes: tuple[str, ...]  # services whose reports show when a value changes
    domains: Domains

    @classmethod
    def by(cls, plan: Plan) -> Promised:
        """What a plan says."""
        services = plan.schema.services
        public = tuple(f"{s.name}.{column.name}" for s in services for column in s.public)
        return cls(public, plan.schema.changing, domains_of(plan.schema))

    @classmethod
    def kept(cls, found: dict[str, Any] | None) -> Promised | None:
        """What was written as `entry`."""
        return None if found is None else cls(tuple(found["public"]), tuple(found["changes"]), found["domains"])

    @property
    def entry(self) -> dict[str, Any]:
        """As it is kept."""
        return {"public": list(self.public), "changes": list(self.changes), "domains": self.domains}

    def widened(self, public: Collection[str] | None, changes: Collection[str] | None) -> Promised:
        """What the app says instead, where it does."""
        given = (self.public if public is None else tuple(public), self.changes if changes is None else tuple(changes))
        return Promised(*given, self.domains)

    def grown(self, plan: Plan) -> Promised:
        """With the rows that a plan allows beside those that were: it has passed `check`, so its domains hold the others."""
        return Promised(self.public, self.changes, together(self.domains, domains_of(plan.schema)))

    def check(self, plan: Plan) -> None:
        """Refuse a plan with another exception."""
        now = Promised.by(plan)
        if bare := [name for name in now.public if name not in self.public]:
            raise UntrustedPlan(
                f"plan '{plan.name}' would send {', '.join(bare)} as it is; this device was not asked to before. Nothing was "
                "reported.\nHint: if that is meant, the app says so: public=[...], all columns that may leave as they are."
            )
        if shown := [name for name in now.changes if name not in self.changes]:
            raise UntrustedPlan(
                f"plan '{plan.name}' would show when a value of {', '.join(shown)} changes; this device was not asked to before. "
                "Nothing was reported.\nHint: if that is meant, the app says so: changes=[...], all services that may."
            )
        if silent := left_out(self.domains, now.domains):
            raise UntrustedPlan(
                f"plan '{plan.name}' leaves out rows of {', '.join(silent)} that were allowed before: whoever has one would fall "
                "silent, and that would tell it. Nothing was reported.\n"
                "Hint: if that is meant, the app says so: plan_id=..., the one plan to follow."
            )
