"""What the plan that a device trusted first kept to itself. A later plan, signed by the same key, may not take it back."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from untold.device.domains import Domains, added_in_part, domains_of, left_out, together
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
        for rule in RULES:
            if names := rule.broken(self, now):
                why = rule.why.format(plan=plan.name, names=", ".join(names))
                raise UntrustedPlan(f"{why} Nothing was reported.\nHint: {rule.hint}")


@dataclass(frozen=True)
class Rule:
    """What a later plan may not do, with the columns or services by which it does."""

    name: str  # in docs/changes.md and in `untold plan diff`
    broken: Callable[[Promised, Promised], list[str]]
    why: str
    hint: str


RULES = (
    Rule(
        "shown",
        lambda before, now: [name for name in now.public if name not in before.public],
        "plan '{plan}' would send {names} as it is; this device was not asked to before.",
        "if that is meant, the app says so: public=[...], all columns that may leave as they are.",
    ),
    Rule(
        "changes",
        lambda before, now: [name for name in now.changes if name not in before.changes],
        "plan '{plan}' would show when a value of {names} changes; this device was not asked to before.",
        "if that is meant, the app says so: changes=[...], all services that may.",
    ),
    Rule(
        "narrower",
        lambda before, now: left_out(before.domains, now.domains),
        "plan '{plan}' leaves out rows of {names} that were allowed before: whoever has one would fall silent, and that would "
        "tell it.",
        "with other or clip a column takes every value. If it is meant, the app says so: plan_id=..., the one plan to follow.",
    ),
    Rule(
        "added in part",
        lambda before, now: added_in_part(before.domains, now.domains),
        "plan '{plan}' adds {names} and does not take every value there: whoever has another would fall silent, and that would "
        "tell it.",
        "a column that comes later needs other or clip. If it is meant, the app says so: plan_id=..., the one plan to follow.",
    ),
)
