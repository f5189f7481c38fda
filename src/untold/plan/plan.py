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

from untold.errors import PlanError, UntoldError
from untold.exact import NANO, at_most_text
from untold.plan import cache
from untold.plan.designs import Design, DesignError
from untold.plan.designs.derived import covers
from untold.plan.designs.texts import looked_for, refuse_text, with_text_views
from untold.plan.estimator_names import EstimatorName
from untold.plan.frozen import FORMAT, READ, design_from_dict, design_to_dict
from untold.plan.schema import USUAL_DELTA, Mix, Panel, Schema, Service, read_schema, schema_to_dict
from untold.plan.schema.mix import FEWEST, check_mix
from untold.plan.schema.table import Table

if TYPE_CHECKING:
    from untold.ask.planning import Forecast, LiftForecast
    from untold.plan.designs.asked import AskedOf
    from untold.plan.mixing.promise import Promise


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
    format: int = FORMAT  # of the frozen form: that of an older plan stays, and with it the id

    def __post_init__(self) -> None:
        for service, design in zip(self.schema.services, self.designs, strict=True):
            sizes = [tree.size for tree in design.space.trees[: design.attributes]]
            weighted = design.hidden or any(d.kind == "weighted-round" for d in design.roundings)
            fits = sizes == [a.size for a in service.sensitive] and weighted == (service.rows is not None)
            if not fits or any(
                d.attribute >= len(sizes) or d.size != sizes[d.attribute] or not covers(d, tree)
                for d, tree in zip(design.derived, design.space.trees[design.attributes :], strict=False)
            ):
                raise PlanError([f"services.{service.name}: its design is made for other attributes than it declares"])
            if any(looked_for(service) != column.attribute for column in design.texts):
                raise PlanError([f"services.{service.name}: its design looks for texts that it does not declare"])
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
        return f"untold.Plan '{self.name}', epsilon {at_most_text(self.epsilon)}, id {self.id[:12]}: {told}{more}"

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan file: TOML as people write it, or the frozen JSON. What took long to compile is kept (cache.py)."""
        path = Path(path)
        if path.suffix == ".json":
            return cls.from_json(path.read_text(encoding="utf-8"))
        from untold.plan.schema.load import load_toml

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
        from untold.plan.designs import tuned  # what is frozen needs none of them
        from untold.plan.designs.recipes import BY_NAME

        mistakes, designs = [], []
        asked = cls._asked(schema, source) if any(service.questions for service in schema.services) else {}
        for service in schema.services:
            recipe, nano = BY_NAME.get(service.design), schema.budget.slot_nano(service.name)
            try:
                if recipe is None:
                    raise DesignError(f"has no recipe; there are: {', '.join(BY_NAME)}")
                searched = looked_for(service)
                if searched is not None:
                    refuse_text(service)
                base: Design | None = None
                if service.name in asked:
                    base = tuned.build(service, nano, asked[service.name])
                elif searched is None or service.sensitive[searched].size > 1:
                    base = recipe.build(service, nano)
                if searched is not None:
                    base = with_text_views(schema.name, service, base, nano)
                assert base is not None
                designs.append(base)
            except DesignError as reason:
                mistakes.append(f"services.{service.name}: design '{service.design}' {reason}")
        if mistakes:
            raise PlanError(mistakes, source)
        return cls(schema, tuple(designs))

    @classmethod
    def _asked(cls, schema: Schema, source: str) -> Mapping[str, AskedOf]:
        """What declared questions ask of each service that has some: read by the floor above, opened only where there are any."""
        from untold.ask.planning import questions_of

        try:
            return questions_of(schema)
        except PlanError as refused:
            raise PlanError(refused.mistakes, source) from None

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read the frozen form. Designs are taken as they stand there, not made anew."""
        try:
            frozen = json.loads(text)
            version = frozen["format"]
        except (json.JSONDecodeError, KeyError, TypeError, RecursionError) as error:
            raise PlanError([f"not a frozen plan: {error}; make one with `untold plan show --json`"]) from error
        if type(version) is not int or version not in READ:
            raise PlanError(
                [
                    f"frozen in format {version}, this version of untold reads formats {' and '.join(map(str, READ))}; "
                    + ("update untold" if str(version) > str(FORMAT) else "freeze it anew from the plan file")
                ]
            )
        try:
            schema = read_schema(frozen["declared"])
            designs = tuple(design_from_dict(frozen["designs"][service.name]) for service in schema.services)
            return cls(schema, designs, version)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise PlanError([f"not a frozen plan: {error}; make one with `untold plan show --json`"]) from error

    @cached_property
    def _json(self) -> str:
        frozen = {
            "format": self.format,
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

    @cached_property
    def services(self) -> tuple[str, ...]:
        """Names of the services."""
        return tuple(service.name for service in self.schema.services)

    @cached_property
    def _declared(self) -> Mapping[str, tuple[Service, Design]]:
        return {own.name: (own, design) for own, design in zip(self.schema.services, self.designs, strict=True)}

    def service(self, name: str) -> Service:
        """The declaration of a service."""
        return self._declared[name][0] if name in self._declared else self.schema.service(name)

    def design(self, name: str) -> Design:
        """How the reports of a service are made."""
        if name not in self._declared:
            self.schema.service(name)  # refuses it, with the names that there are
        return self._declared[name][1]

    @property
    def version(self) -> int:
        """Which one of the plans of this name it is: 1, 2, 3, ..."""
        return self.schema.version

    def mechanism(self, name: str) -> str:
        """SHA-256 of what decides how the reports of a service are drawn, in whatever version of the plan: the plan's name,
        the columns that are perturbed, the rows, the cost and the design. Other services and public columns do not."""
        return self._mechanisms[name]

    @cached_property
    def _mechanisms(self) -> Mapping[str, str]:
        return {service.name: self._mechanism(service) for service in self.schema.services}

    def _mechanism(self, service: Service) -> str:
        drawn = {
            "plan": self.name,
            "service": service.name,
            "columns": {a.name: a.declared() for a in service.attributes if a.role != "public"},
            "rows": None if service.rows is None else [service.rows.max, service.rows.report],
            "nano": str(self.schema.budget.slot_nano(service.name)),
            "design": {k: v for k, v in design_to_dict(self.design(service.name)).items() if k != "notes"},
        }
        return sha256(json.dumps(drawn, separators=(",", ":"), sort_keys=True).encode()).hexdigest()

    def promise(self, people: float | None = None, delta: float | None = None, epochs: int = 1) -> Promise:
        """What a person gives up towards a collector that sees only mixed batches of so many people (default: what the plan
        declares as `mix`), in this many epochs together, and what is left if relay and collector work together. A plan whose
        reports cannot be mixed is refused: nothing holds for it."""
        from untold.plan.mixing.promise import promise_of
        from untold.plan.mixing.variation import parts_of, total_variation_at_most

        mix = self.schema.mix
        if people is None and mix is None:
            raise PlanError(["mix: this plan does not say how many people are mixed. Call promise(people=1e6)"])
        if objections := self.mixing_objections:
            raise PlanError(objections)
        least = mix.people if people is None and mix is not None else people or 0
        if delta is None:
            delta = mix.delta if mix else USUAL_DELTA
        if not 0 < delta < 1:
            raise PlanError([f"delta: {delta} is not above 0 and below 1. Call promise(delta=1e-8)"])
        parts = [
            part
            for service, design in zip(self.schema.services, self.designs, strict=True)
            for part in parts_of(design) * service.slots
        ]
        variation = total_variation_at_most(parts)
        return promise_of(sum(nano for nano, _ in parts) / NANO, least, delta, epochs, variation)

    @property
    def mixing_objections(self) -> tuple[str, ...]:
        """Why reports of this plan cannot be mixed as it stands: no central epsilon can be promised then."""
        mistakes: list[str] = []
        if self.schema.mix is None:
            check_mix(Table({}, "", mistakes), Mix(FEWEST), self.schema.services)
        return tuple(mistakes)

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
        from untold.ask.planning import forecast

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
        from untold.ask.planning import forecast_lift

        return forecast_lift(self, sql, lift, split, power, confidence, shares)
