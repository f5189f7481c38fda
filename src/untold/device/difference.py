"""What another version of a plan changes: for people, for devices and for analysts, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from untold.device.domains import is_total
from untold.device.promised import RULES, Promised
from untold.exact import at_most_text, nano_text
from untold.plan import Plan
from untold.plan.schema import Service


@dataclass(frozen=True)
class Difference:
    """Sentences, and whether installed devices follow the second plan."""

    people: tuple[str, ...]
    devices: tuple[str, ...]
    analysts: tuple[str, ...]
    followed: bool

    def __str__(self) -> str:
        parts = (("For people", self.people), ("For devices", self.devices), ("For analysts", self.analysts))
        return "\n\n".join(
            "\n".join([f"{head}:", *(f"  - {each}" for each in told or ("Nothing changes.",))]) for head, told in parts
        )


def difference(before: Plan, now: Plan) -> Difference:
    """Of a plan that devices have followed, and one that they are offered."""
    refused = tuple(_refusals(before, now))
    kept = tuple(_kept(before, now))
    devices = refused or ("Devices that have followed the first plan follow the second one.",)
    return Difference(tuple(_people(before, now)), (*devices, *kept), tuple(_analysts(before, now)), not refused)


def _refusals(before: Plan, now: Plan) -> Iterator[str]:
    """Why installed devices refuse it, with the name of the rule (docs/changes.md)."""
    if before.name != now.name:
        yield f"'{now.name}' is another plan than '{before.name}', not another version of it."
    elif now.version < before.version or (now.version == before.version and now.id != before.id):
        yield f"Version {now.version} is not above {before.version}: write version = {before.version + 1}."
    if now.schema.nano > before.schema.nano:
        yield (
            f"Refused above the ceiling: epsilon {nano_text(now.schema.nano)} where {nano_text(before.schema.nano)} was the first. "
            "An app that gave a higher ceiling= follows."
        )
    mixed, mixes = before.schema.mix, now.schema.mix
    if mixed is not None and (mixes is None or mixes.people < mixed.people):
        yield "Refused: reports were to be mixed with those of so many people, and would not be any more."
    if mixed is None and mixes is not None:
        yield "Refused by devices that report to the collector itself: the plan is for a relay."
    for rule in RULES:
        if names := rule.broken(Promised.by(before), Promised.by(now)):
            yield f"Refused by the rule `{rule.name}`: {', '.join(names)}."


def _kept(before: Plan, now: Plan) -> Iterator[str]:
    if now.schema.lifetime_nano > before.schema.lifetime_nano:
        yield f"The lifetime stays {nano_text(before.schema.lifetime_nano)} on devices that have seen the first plan."
    changed = [
        name
        for name in before.services
        if name in now.services
        and before.service(name).repeat == "once"
        and before.mechanism(name) != now.mechanism(name)
    ]
    if changed:
        yield f"{', '.join(changed)} reports once and is drawn in another way: collectors refuse this version."


def _people(before: Plan, now: Plan) -> Iterator[str]:
    """What people give up, and what becomes public."""
    if before.schema.nano != now.schema.nano:
        yield f"Epsilon in an epoch is {at_most_text(now.epsilon)}, before {at_most_text(before.epsilon)}."
    if before.schema.lifetime_nano != now.schema.lifetime_nano:
        yield (
            f"The lifetime is {nano_text(now.schema.lifetime_nano)}, before {nano_text(before.schema.lifetime_nano)}."
        )
    old, new = _columns(before), _columns(now)
    for name in [name for name in new if name not in old]:
        yield f"{name} is new: {new[name][1]}{'' if new[name][0] == 'public' else ', under noise'}."
    for name in [name for name in old if name not in new]:
        yield f"{name} is not asked any more."
    for name in [name for name in old if name in new and old[name] != new[name]]:
        if old[name][0] != "public" and new[name][0] == "public":
            yield f"{name} becomes public: it would leave as it is."
        else:
            yield f"{name} is {new[name][1]}, before {old[name][1]}."
    for service in now.schema.services:
        if service.name in before.services and service.repeat != before.service(service.name).repeat:
            yield f"{service.name} repeats `{service.repeat}`, before `{before.service(service.name).repeat}`."


def _columns(plan: Plan) -> dict[str, tuple[str, str]]:
    return {f"{s.name}.{a.name}": (a.role, a.in_words()) for s in plan.schema.services for a in s.attributes}


def _analysts(before: Plan, now: Plan) -> Iterator[str]:
    """Which questions have an answer over both."""
    for service in before.schema.services:
        if service.name not in now.services:
            yield f"{service.name}: in epochs of the first plan only."
            continue
        yield from _over_both(service, now.service(service.name))
    for name in now.services:
        if name not in before.services:
            yield f"{name}: in epochs of the second plan only."


def _over_both(old: Service, new: Service) -> Iterator[str]:
    own, later = ({a.name: a for a in service.attributes} for service in (old, new))
    for name in dict.fromkeys([*own, *later]):
        where = f"{old.name}.{name}"
        if name not in later or name not in own:
            yield f"{where}: in epochs of the {'first' if name in own else 'second'} plan only."
            continue
        first, second = own[name].declared(), later[name].declared()
        if first == second or own[name].role == "public" or later[name].role == "public":
            continue
        if first.get("kind") != second.get("kind"):
            yield f"{where}: of another kind; ask each plan by itself."
        elif "values" in first:
            same = [value for value in first["values"] if value in second["values"]]
            said = ", ".join(map(repr, same[:6])) + (", ..." if len(same) > 6 else "")
            rest = "what is not listed is somebody's, so group by these alone" if is_total(first) else "others are 0"
            yield f"{where}: {said or 'no value'} can be asked over both; {rest}."
        else:
            yield f"{where}: conditions and groups at limits that both plans have can be asked over both."
