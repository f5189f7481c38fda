"""From which share of people on a text is found: known before anything is collected.

    share = FOUND_FROM sqrt(v / (w n)),    v = 4 e^eps / (e^eps - 1)^2

w is the share of people in the thinnest prefix view that the text needs, n how many report. Above it nine texts in ten are found
(benchmarks/accuracy/texts.py measures it).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

from untold.errors import UnsupportedQuery
from untold.plan import Plan
from untold.plan.designs import Design
from untold.plan.designs.texts import COUNTED, text_views
from untold.plan.schema.kinds.text import Text

FOUND_FROM = 5.4  # standard errors of a share by the thinnest view
BITS_A_LETTER = {"words": 4.2, "codes": 6.0}  # END included, in job titles
FEWEST_VIEWS = 2  # that a text of a few letters needs


@dataclass(frozen=True)
class FoundFrom:
    """Texts whose code has at most so many bits are found from this share on."""

    bits: int
    letters: int  # about as many as that
    share: float


def reach_of(design: Design, text: Text, people: float) -> tuple[FoundFrom, ...]:
    """For short texts, and for those that need thinner views."""
    prefixes = [view for view in text_views(design) if view.column.bits]
    if not prefixes or not people:
        return ()
    epsilon = prefixes[0].view.oracle.epsilon
    v = 4 * exp(epsilon) / (exp(epsilon) - 1) ** 2
    found: dict[float, FoundFrom] = {}
    for many in range(min(FEWEST_VIEWS, len(prefixes)), len(prefixes) + 1):
        thinnest = min(float(design.probability(view.number)) for view in prefixes[:many])
        bits = prefixes[many - 1].column.bits
        letters = int(bits / BITS_A_LETTER[text.letters])
        found[round(thinnest, 9)] = FoundFrom(bits, letters, FOUND_FROM * sqrt(v / (thinnest * people)))
    return tuple(found.values())


def error_of_share(design: Design, people: float) -> float | None:
    """The standard error of the share of a rare text by those who count; None if nobody does."""
    view = next((view for view in text_views(design) if view.column.name == COUNTED), None)
    if view is None or not people:
        return None
    p, q = view.view.oracle.floats
    return sqrt(q * (1 - q) / (people * float(design.probability(view.number)))) / (p - q)


def reach_in_words(found: tuple[FoundFrom, ...]) -> list[str]:
    """One line for each length."""
    return [
        f"Found nine times in ten, if they are there: texts of up to about {each.letters} letters from "
        f"{100 * each.share:.2g}% of people on."
        for each in found
    ]


def forecast_in_words(plan: Plan, service: str, text: Text, people: int) -> str:
    """What so many people's reports will show."""
    design = plan.design(service)
    found = reach_of(design, text, people)
    if not found:
        raise UnsupportedQuery(f"'{text.name}' is not looked for in '{service}'.")
    lines = [f"{service}.{text.name}, {people:,} people:", *reach_in_words(found)]
    error = error_of_share(design, people)
    if error is not None:
        lines.append(f"The share of a text that is found will have a standard error of {100 * error:.2g}% of people.")
    lines.append("With a list of what may be there (--candidates) rarer ones are found.")
    return "\n".join(lines)
