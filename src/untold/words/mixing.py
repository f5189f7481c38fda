"""What a relay that mixes reports adds to the promise, and when that holds."""

from __future__ import annotations

from untold.mixing.promise import Promise
from untold.plan import Plan
from untold.results.numbers import count_text
from untold.schema.mix import Mix, check_mix
from untold.schema.table import Table
from untold.words.promise import GUESS, after_seeing


def mixing_in_words(plan: Plan, people: float | None = None, epochs: int = 1) -> tuple[str, ...]:
    """Both promises side by side, who sees what, and what a collusion leaves."""
    promise, mix = plan.promise(people, epochs=epochs), plan.schema.mix
    by = f" for each value of {', '.join(mix.by)}" if mix is not None and mix.by else ""
    return (
        f"A relay mixes the reports of at least {promise.people:,} people{by} before the collector sees any. "
        f"Towards the collector alone that is epsilon {promise.central:.2g} at delta {promise.delta:g}"
        f"{_over(promise.epochs)}: {odds_in_words(promise.central)}. "
        f"delta bounds the chance of more than that.",
        f"It holds while relay and collector do not work together, and while {promise.people:,} of the people in a batch "
        "are honest: accounts that somebody made up do not count.",
        f"If the two work together, the local promise is left: epsilon {promise.local_over_epochs:g}{_over(promise.epochs)}, "
        f"{odds_in_words(promise.local_over_epochs)}.",
        "The relay sees who reports and when, never a value. The collector sees mixed bundles, never a person.",
        *_objections(plan, promise.people),
        *([_warning(promise)] if promise.local > ADVERTISED else []),
    )


def mixing_on_a_page(plan: Plan) -> str:
    """The same for a person who takes part, as one paragraph."""
    promise, mix = plan.promise(), plan.schema.mix
    by = f" whose {' and '.join(mix.by)} is yours" if mix is not None and mix.by else ""
    return (
        f"Your report is sealed on this device and goes to a relay, which is not the collector. The relay sees that you "
        f"report, and when{', and your ' + ' and '.join(mix.by) if mix is not None and mix.by else ''}; it cannot open it. "
        f"It waits for at least {promise.people:,} people{by}, mixes their reports, and hands them over without names, "
        f"times or order. The collector opens them, and cannot tell whose is whose: {odds_in_words(promise.central)} "
        f"(epsilon {promise.central:.2g} at delta {promise.delta:g}). If the two worked together, what is written below "
        f"about your report would be left: {odds_in_words(promise.local)} (epsilon {promise.local:g})."
    )


ADVERTISED = 4.0  # a larger local epsilon promises too little once two parties collude


def odds_in_words(epsilon: float, guess: float = GUESS) -> str:
    """What somebody may come to believe, as a clause.

    >>> odds_in_words(0.05)
    'a guess of 10% becomes 9.6% to 10.5%'
    """
    low, high = after_seeing(epsilon, guess)
    return f"a guess of {guess:.0%} becomes {low:.1%} to {high:.1%}"


def _objections(plan: Plan, people: int) -> list[str]:
    """Why a plan that does not declare any mixing could not be mixed as it stands."""
    mistakes: list[str] = []
    if plan.schema.mix is None:
        check_mix(Table({}, "", mistakes), Mix(people), plan.schema.services)
    return [f"As it stands, this plan cannot be mixed: {' '.join(mistakes)}"] if mistakes else []


def _over(epochs: int) -> str:
    return "" if epochs == 1 else f" over {count_text(epochs, 'epoch')}"


def _warning(promise: Promise) -> str:
    return (
        f"A local epsilon of {promise.local:g} promises next to nothing to a person whose relay and collector collude: "
        f"{ADVERTISED:g} or less is advised, however small the mixed one is."
    )
