"""What the plan that a device trusted first kept to itself. A later plan, signed by the same key, may not take it back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from untold.errors import UntrustedPlan
from untold.plan import Plan


@dataclass(frozen=True)
class Promised:
    """The exceptions from the promise that were known at first: all else stays within it."""

    public: tuple[str, ...]  # columns that leave as they are: "users.os"
    changes: tuple[str, ...]  # services whose reports show when a value changes

    @classmethod
    def by(cls, plan: Plan) -> Promised:
        """What a plan says."""
        services = plan.schema.services
        return cls(tuple(f"{s.name}.{column.name}" for s in services for column in s.public), plan.schema.changing)

    @classmethod
    def kept(cls, found: dict[str, Any] | None) -> Promised | None:
        """What was written as `entry`."""
        return None if found is None else cls(tuple(found["public"]), tuple(found["changes"]))

    @property
    def entry(self) -> dict[str, list[str]]:
        """As it is kept."""
        return {name: list(each) for name, each in asdict(self).items()}

    def widened(self, public: Collection[str] | None, changes: Collection[str] | None) -> Promised:
        """What the app says instead, where it does."""
        return Promised(
            self.public if public is None else tuple(public), self.changes if changes is None else tuple(changes)
        )

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
