"""The plan: what is declared (schema), and how each service's reports are made (designs), frozen together under one id."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from untold.designs import Design, DesignError
from untold.designs.derived import covers
from untold.errors import PlanError, UntoldError
from untold.estimator_names import EstimatorName
from untold.exact import NANO
from untold.plan import cache
from untold.plan.frozen import FORMAT, design_from_dict, design_to_dict
from untold.schema import USUAL_DELTA, Panel, Schema, Service, read_schema, schema_to_dict

if TYPE_CHECKING:
    from untold.estimates.forecast import Forecast
    from untold.estimates.lift import LiftForecast
    from untold.mixing.promise import Promise


@dataclass(frozen=True)
class Plan:
    """Drives clients, collector and queries alike. Two plans are the same plan if and only if their ids are equal.

    >>> plan = Plan.from_dict({"name": "poll", "user_key": "uid", "epsilon": 1.0,
    ...                        "services": {"votes": {"attributes": {"choice": {"kind": "categorical", "values": ["yes", "no"]}}}}})
    >>> Plan.from_json(plan.to_json()) == plan
    True
    """

    schema: Schema
    designs: tuple[Design, ...]  # in the order of schema.services

    def __post_init__(self) -> None:
        for service, design in zip(self.schema.services, self.designs, strict=True):
            sizes = [tree.size for tree in design.space.trees[: design.attributes]]
            weighted = design.hidden or any(d.kind == "weighted-round" for d in design.derived)
            fits = sizes == [a.size for a in service.sensitive] and weighted == (service.rows is not None)
            if not fits or any(
                d.attribute >= len(sizes) or d.size != sizes[d.attribute] or not covers(d, tree)
                for d, tree in zip(design.derived, design.space.trees[design.attributes :], strict=False)
            ):
                raise PlanError([f"services.{service.name}: its design is made for other attributes than it declares"])
            allowed = self.schema.budget.slot_nano(service.name)
            if design.nano > allowed:
                raise PlanError(
                    [
                        f"services.{service.name}: a report would cost {design.nano} nano-epsilon, its budget is {allowed}"
                    ]
                )

    def __repr__(self) -> str:
        told = ", ".join(
            f"{s.name} ({', '.join(a.name for a in s.attributes[:8])}{', ...' * (len(s.attributes) > 8)})"
            for s in self.schema.services[:8]
        )
        more = f" and {len(self.services) - 8} more" if len(self.services) > 8 else ""
        return f"untold.Plan '{self.name}', epsilon {self.epsilon:g}, id {self.id[:12]}: {told}{more}"

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan file: TOML as people write it, or the frozen JSON. What took long to compile is kept (cache.py)."""
        path = Path(path)
        if path.suffix == ".json":
            return cls.from_json(path.read_text(encoding="utf-8"))
        from untold.schema.load import load_toml

        schema = read_schema(load_toml(path), path.name)
        found = cls._kept(schema)
        if found is not None:
            return found
        start = perf_counter()
        plan = cls._compiled(schema, path.name)
        if perf_counter() - start > cache.WORTH_KEEPING:
            cache.write(schema, plan.to_json())
        return plan

    @classmethod
    def _kept(cls, schema: Schema) -> Plan | None:
        """The compiled plan from the user's cache folder, read as strictly as any frozen one."""
        text = cache.read(schema)
        if text is not None:
            with suppress(
                UntoldError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError
            ):
                plan = cls.from_json(text)
                return cls(schema, plan.designs) if plan.schema == schema else None  # with its `spread`
        return None

    @classmethod
    def from_dict(cls, declared: Mapping[str, Any], source: str = "plan") -> Plan:
        """Check a declaration and compile the design of every service; all mistakes are reported at once."""
        return cls._compiled(read_schema(dict(declared), source), source)

    @classmethod
    def _compiled(cls, schema: Schema, source: str) -> Plan:
        from untold.designs.recipes import BY_NAME  # what is frozen needs none of them

        mistakes, designs = [], []
        for service in schema.services:
            recipe = BY_NAME.get(service.design)
            try:
                if recipe is None:
                    raise DesignError(f"has no recipe; there are: {', '.join(BY_NAME)}")
                designs.append(recipe.build(service, schema.budget.slot_nano(service.name)))
            except DesignError as reason:
                mistakes.append(f"services.{service.name}: design '{service.design}' {reason}")
        if mistakes:
            raise PlanError(mistakes, source)
        return cls(schema, tuple(designs))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read the frozen form. Designs are taken as they stand there, not made anew."""
        try:
            frozen = json.loads(text)
            version = frozen["format"]
        except (json.JSONDecodeError, KeyError, TypeError, RecursionError) as error:
            raise PlanError([f"not a frozen plan: {error}; make one with `untold plan show --json`"]) from error
        if version != FORMAT:
            raise PlanError(
                [
                    f"frozen in format {version}, this version of untold reads format {FORMAT}; "
                    + ("update untold" if str(version) > str(FORMAT) else "freeze it anew from the plan file")
                ]
            )
        schema = read_schema(frozen["declared"])
        return cls(schema, tuple(design_from_dict(frozen["designs"][service.name]) for service in schema.services))

    @cached_property
    def _json(self) -> str:
        frozen = {
            "format": FORMAT,
            "declared": schema_to_dict(self.schema),
            "budget": {s.name: str(self.schema.budget.slot_nano(s.name)) for s in self.schema.services},
            "designs": {s.name: design_to_dict(d) for s, d in zip(self.schema.services, self.designs, strict=True)},
        }
        return json.dumps(frozen, separators=(",", ":"), ensure_ascii=True, allow_nan=False)

    def to_json(self) -> str:
        """The canonical frozen form: everything that a client in another language needs, integers beyond 2^53 as strings."""
        return self._json

    @cached_property
    def id(self) -> str:
        """SHA-256 of the frozen form."""
        return sha256(self._json.encode()).hexdigest()

    @property
    def name(self) -> str:
        """The plan's name."""
        return self.schema.name

    @property
    def user_key(self) -> str:
        """The column that names a person."""
        return self.schema.user_key

    @property
    def epsilon(self) -> float:
        """User-level epsilon of one epoch: all services, all reports of one person."""
        return self.schema.epsilon

    @property
    def panel(self) -> Panel | None:
        """Who takes part in which epochs; None: everybody in all. `panel.fraction` is the share in any one epoch."""
        return self.schema.panel

    @property
    def services(self) -> tuple[str, ...]:
        """Names of the services."""
        return tuple(service.name for service in self.schema.services)

    def service(self, name: str) -> Service:
        """The declaration of a service."""
        return self.schema.service(name)

    def design(self, name: str) -> Design:
        """How the reports of a service are made."""
        self.schema.service(name)
        return self.designs[self.services.index(name)]

    def promise(self, people: float | None = None, delta: float | None = None, epochs: int = 1) -> Promise:
        """What a person gives up towards a collector that sees only mixed batches of so many people (default: what the plan
        declares as `mix`), in this many epochs together, and what is left if relay and collector work together."""
        from untold.mixing.promise import promise_of
        from untold.mixing.variation import parts_of, total_variation_at_most

        mix = self.schema.mix
        if people is None and mix is None:
            raise PlanError(["mix: this plan does not say how many people are mixed. Call promise(people=1e6)"])
        parts = [
            part
            for service, design in zip(self.schema.services, self.designs, strict=True)
            for part in parts_of(design) * service.slots
        ]
        variation = total_variation_at_most(parts)
        local = sum(nano for nano, _ in parts) / NANO
        least = mix.people if people is None and mix is not None else people or 0
        return promise_of(local, least, delta or (mix.delta if mix else USUAL_DELTA), epochs, variation)

    def forecast(
        self,
        sql: str,
        users: float | None = None,
        error: float | None = None,
        estimator: EstimatorName = "blue",
        shares: Mapping[str, Sequence[float]] | None = None,
        epochs: Sequence[int] | None = None,
        top: int = 2,
    ) -> Forecast:
        """The error that a query will have with this many users, or the users that an error needs. Nothing is collected
        for it; `shares` says of some attributes how people are thought to be spread over their values, and `epochs` in
        which epochs they report (default: 0 up to the last one that the query names)."""
        from untold.estimates.forecast import forecast  # a door to the floors above, opened only when somebody knocks

        return forecast(self, sql, users, error, estimator, shares=shares, epochs=epochs, top=top)

    def forecast_lift(
        self,
        sql: str,
        lift: float,
        split: float = 0.5,
        power: float = 0.8,
        confidence: float = 0.95,
        shares: Mapping[str, Sequence[float]] | None = None,
    ) -> LiftForecast:
        """The users that an experiment with two groups needs, to see a difference of `lift` in what `sql` asks of one group.

        split   the share of users in the smaller or larger of the groups, as you like; the other has the rest
        power   how probably a difference of this size is seen: that its interval does not include 0
        """
        from untold.estimates.lift import forecast_lift

        return forecast_lift(self, sql, lift, split, power, confidence, shares)
