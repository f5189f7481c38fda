"""Which plan a device follows: one signed by the key that it trusts, for no more epsilon than it accepts."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from untold.device.promised import Promised
from untold.errors import BudgetExceeded, UntrustedPlan
from untold.exact import NANO, at_most_text, nano_text, to_nano
from untold.plan import Plan
from untold.store import files
from untold.store.sealed import sealed, unsealed
from untold.wire.chain import Link, reach
from untold.wire.contract import LAST_EPOCH
from untold.wire.layout import KINDS
from untold.wire.signing import SignedPlan
from untold.wire.tokens import KEY_KINDS


@dataclass(frozen=True)
class Offer:
    """What a collector publishes: the signed plan, and how it stores what is not secret."""

    signed: SignedPlan
    user_key: str = "text"
    public: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    open: tuple[int, ...] = ()
    chain: tuple[Link, ...] = ()  # of the keys that have signed, up to this one

    @classmethod
    def read(cls, data: bytes) -> Offer:
        """The answer to GET /plan."""
        try:
            found: dict[str, Any] = json.loads(data)
            about = found.get("collector", {})
            signed = SignedPlan(_text(found["plan"]), _text(found["key"]), _text(found["signature"]))
            public = {
                _text(s): {_text(c): _one_of(KINDS, k) for c, k in each.items()}
                for s, each in about.get("public", {}).items()
            }
            key = _one_of(KEY_KINDS, about.get("user_key", "text"))
            return cls(signed, key, public, tuple(map(_epoch, about.get("open", ()))), _links(found.get("chain", ())))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UntrustedPlan("the collector's answer is not a signed plan. Nothing was reported.") from error


def _links(told: Any) -> tuple[Link, ...]:
    return tuple(Link(_text(each["key"]), _text(each["next"]), _text(each["signature"])) for each in told)


def _epoch(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= LAST_EPOCH:
        raise ValueError("an epoch is an integer in 0..2^31 - 1")
    return value


def _one_of(allowed: tuple[str, ...], value: Any) -> str:
    if value not in allowed:
        raise ValueError(f"one of {', '.join(allowed)} is needed")
    return str(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text is needed")
    return value


@dataclass(frozen=True)
class Accepted:
    """A plan that a device may follow, the most epsilon that it accepts for one epoch, and what is new to remember."""

    plan: Plan
    most: float
    entry: Mapping[str, Any] | None


@dataclass(frozen=True)
class Trust:
    """Kept in a file: the key that was trusted first, the most epsilon that was accepted, and the last good offer."""

    path: Path
    key: str | None = None  # given by the app; else the first one that is seen
    plan_id: str | None = None  # given by the app; else any plan of that key
    ceiling: float | None = None  # given by the app; else the epsilon of the first plan
    people: int | None = None  # given by the app: the least in a batch; else that of the first plan that mixes
    mixed: bool = False  # whether it is for plans that mix alone; else for those alone that do not
    public: Collection[str] | None = (
        None  # given by the app: columns that may leave as they are; else those of the first plan
    )
    changes: Collection[str] | None = None  # likewise: services that may repeat `changes`

    def check(self, offer: Offer) -> Accepted:
        """What following an offer means; or a refusal. Nothing is remembered."""
        kept = self._read()
        passed: list[str] = kept.get("keys", [])  # that were trusted, the last one is
        given = self.key is not None and self.key.lower() not in passed
        trusted = self.key if given else kept.get("key")
        key, following = reach(
            offer.chain, trusted or offer.signed.key, None if given else kept.get("next"), offer.signed.key
        )
        plan = offer.signed.open(key, self.plan_id)
        first = kept.get("ceiling", plan.schema.nano)
        most = to_nano(self.ceiling) if self.ceiling is not None else first
        if plan.schema.nano > most:
            raise BudgetExceeded(
                f"plan '{plan.name}' asks for epsilon {at_most_text(plan.epsilon)} per epoch; this device accepts at most "
                f"{nano_text(most)}. Nothing was reported."
            )
        versions = self._check_version(plan, kept.get("versions", {}))
        people = self._check_mix(plan, kept.get("people"))
        promised = Promised.kept(kept.get("promised")) or Promised.by(plan)
        if self.plan_id is None:
            promised.widened(self.public, self.changes).check(plan)
            promised = promised.grown(plan)
        now = {"key": key, "ceiling": first, "promised": promised.entry, "offer": asdict(offer)}
        if following is not None:
            known = (*([] if given else passed), trusted or key, key)
            now |= {"next": following, "keys": list(dict.fromkeys(each.lower() for each in known))}
        if versions:
            now["versions"] = versions
        if people is not None:
            now["people"] = people
        return Accepted(plan, most / NANO, now if now != kept else None)

    def keep(self, accepted: Accepted) -> None:
        """Remember it, once its lifetime binds the device."""
        if accepted.entry is not None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.replace_durably(self.path, sealed(json.dumps(accepted.entry)).encode(), mode=0o600)

    def _check_version(self, plan: Plan, seen: Mapping[str, int]) -> dict[str, int]:
        """The highest version that was followed of each name; refused is a lower one, which somebody may have kept and offers
        again."""
        highest = seen.get(plan.name, 1)
        if self.plan_id is None and plan.version < highest:
            raise UntrustedPlan(
                f"plan '{plan.name}' is of version {plan.version}; this device has followed version {highest}. Nothing was "
                "reported.\nHint: to go back, offer what the plan was under a higher version."
            )
        return dict(seen) if plan.version <= highest else {**seen, plan.name: plan.version}

    def _check_mix(self, plan: Plan, before: int | None) -> int | None:
        """How many people are promised in a batch; refused is a plan that promises fewer than before, or none."""
        mix, least = plan.schema.mix, self.people if self.people is not None else before
        if mix is None:
            if least is None and not self.mixed:
                return None
            raise UntrustedPlan(
                f"plan '{plan.name}' does not have its reports mixed, as was promised. Nothing was reported."
            )
        if mix.key is None:
            raise UntrustedPlan(f"plan '{plan.name}' names no key to seal reports to. Nothing was reported.")
        if least is not None and mix.people < least:
            raise UntrustedPlan(
                f"plan '{plan.name}' mixes the reports of {mix.people:,} people, {least:,} were promised. Nothing was reported."
            )
        if not self.mixed:
            raise UntrustedPlan(
                f"plan '{plan.name}' has its reports mixed by a relay; they are not sent to the collector itself.\n"
                "Hint: untold.MixedClient takes the relay's address."
            )
        return mix.people if before is None else before

    def last(self) -> Offer | None:
        """The last offer that was accepted."""
        kept = self._read().get("offer")
        if kept is None:
            return None
        links = _links(kept.get("chain", ()))
        return Offer(SignedPlan(**kept["signed"]), kept["user_key"], kept["public"], tuple(kept["open"]), links)

    def _read(self) -> dict[str, Any]:
        if not self.path.exists():
            return {}
        found: dict[str, Any] = json.loads(unsealed(self.path.read_text(encoding="utf-8", errors="replace"), self.path))
        for name in ("open", "chain"):
            found.get("offer", {})[name] = tuple(found.get("offer", {}).get(name, ()))
        return found
