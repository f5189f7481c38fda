"""What a data protection officer needs to know of a plan, made from the plan: Markdown, HTML, and an entry for a register."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from untold.exact import NANO, at_most_text
from untold.plan import Plan
from untold.plan.in_words.expected_errors import errors_in_words
from untold.plan.in_words.mixing import mixing_in_words
from untold.plan.in_words.plan import REPEATS, price_in_words, promise_in_words, rows_in_words

SEEN = (
    "The device sees true values. They do not leave it, but for columns that are public.",
    "The collector and its analysts see user keys, epochs and noisy reports. Nobody can tell from a report what is true.",
    "Whoever watches the network sees who reports and when, not what.",
)
SEEN_MIXED = (
    "The relay sees who reports and when; bundles are encrypted for the collector.",
    "The collector sees the noisy reports of an epoch in a drawn order, without user keys.",
    "If relay and collector work together, the noise of each report is what protects a person.",
)
NOT_PROTECTED = (
    "That somebody takes part at all, and their user key.",
    "Conclusions about groups: what holds for many people like a person is learned with or without that person.",
    "Within the lifetime, the operator may choose each version of the plan after looking at earlier answers. The lifetime bounds "
    "what a person gives up, not the operator's good manners.",
)
RETAINED = (
    "Reports are kept until the operator removes their epoch, or the person (`untold serve forget`).",
    "A device keeps what it has spent for as long as it reports.",
    "To fill in: how long reports, backups and published answers are kept here.",
)


@dataclass(frozen=True)
class Dossier:
    """Headed lists of sentences, and the entry for a register."""

    title: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    entry: dict[str, Any]

    def markdown(self) -> str:
        """For a file or a ticket."""
        parts = ["\n".join([f"## {head}", "", *(f"- {each}" for each in told)]) for head, told in self.sections]
        return "\n\n".join([f"# {self.title}", *parts]) + "\n"

    def html(self) -> str:
        """A page by itself."""
        body = "\n".join(
            f"<h2>{escape(head)}</h2>\n<ul>\n" + "\n".join(f"<li>{escape(each)}</li>" for each in told) + "\n</ul>"
            for head, told in self.sections
        )
        title = escape(self.title)
        return (
            f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title></head>\n<body>\n'
            f"<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
        )

    def json(self) -> str:
        """The entry."""
        return json.dumps(self.entry, indent=2, ensure_ascii=False)


def dossier(plan: Plan) -> Dossier:
    """The dossier of a plan. It says what the plan says; what only the organisation knows is marked to be filled in."""
    public = [f"{s.name}.{a.name}" for s in plan.schema.services for a in s.public]
    changing = plan.schema.changing
    open_points = [*NOT_PROTECTED]
    if public:
        open_points.insert(0, f"Public columns, which leave the device as they are: {', '.join(public)}.")
    if changing:
        open_points.insert(0, f"When a value of {', '.join(changing)} changes: such reports show it.")
    mix = plan.schema.mix
    mixed = mixing_in_words(plan) if mix is not None else ()
    sections = (
        ("What is collected, and from whom", tuple(_collected(plan))),
        ("What a person gives up", (*promise_in_words(plan), *mixed)),
        ("Who sees what", SEEN if mix is None else (SEEN[0], *SEEN_MIXED)),
        ("How long it is kept", RETAINED),
        ("What is not protected", tuple(open_points)),
        ("Errors to expect", tuple(_errors(plan))),
    )
    title = f"Data protection dossier of plan '{plan.name}', version {plan.version}"
    return Dossier(title, sections, _entry(plan, public))


def _collected(plan: Plan) -> Sequence[str]:
    found = [f"A person is one '{plan.user_key}'. Plan id {plan.id}."]
    for service in plan.schema.services:
        found.append(
            f"{service.name}: {rows_in_words(service)}; {price_in_words(plan, service.name)}; {REPEATS[service.repeat]}."
        )
        found += [f"{service.name}.{a.name}: {a.in_words()}." for a in service.attributes]
    return found


def _errors(plan: Plan) -> Sequence[str]:
    found = [f"{name}: {text}" for name in plan.services for text in errors_in_words(plan, name).values()]
    return found or ["See `untold forecast`."]


def _entry(plan: Plan, public: Sequence[str]) -> dict[str, Any]:
    """As registers of deployments ask for it; empty texts are for the organisation to fill in."""
    schema, mix = plan.schema, plan.schema.mix
    entry: dict[str, Any] = {
        "organisation": "",
        "deployment": plan.name,
        "version": plan.version,
        "plan_id": plan.id,
        "purpose": "",
        "software": "untold",
        "model": "local" if mix is None else "shuffle",
        "privacy_unit": f"person, by '{plan.user_key}', over all services",
        "neighbours": "all rows of one person replaced by any others",
        "definition": "pure differential privacy, epsilon, at the device",
        "epsilon_per_epoch": at_most_text(schema.budget.total / NANO),
        "epsilon_lifetime": at_most_text(schema.lifetime_nano / NANO),
        "delta": 0,
        "composition": "basic, exact, in integers of 1e-9, kept on the device",
        "mechanisms": {s.name: {"design": s.design, "oracle": s.oracle, "repeat": s.repeat} for s in schema.services},
        "not_protected": {"public_columns": list(public), "changes_of": list(schema.changing)},
    }
    if mix is not None:
        entry["mixing"] = {"people": mix.people, "delta": mix.delta}
    return entry
