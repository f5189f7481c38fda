"""What a relay that mixes reports adds to the promise, and when that holds."""

from __future__ import annotations

from untold.answers.numbers import count_text
from untold.exact import at_most_text, percent_range
from untold.plan import Plan
from untold.plan.in_words.promise import GUESS, after_seeing
from untold.plan.mixing.promise import Promise


def mixing_in_words(plan: Plan, people: float | None = None, epochs: int = 1) -> tuple[str, ...]:
    """Both promises side by side, who sees what, and what a collusion leaves."""
    if plan.mixing_objections:
        return (
            f"As it stands, this plan cannot be mixed: {' '.join(plan.mixing_objections)}",
            "Until then the local promise is all there is.",
        )
    promise, mix = plan.promise(people, epochs=epochs), plan.schema.mix
    by = f" for each value of {', '.join(mix.by)}" if mix is not None and mix.by else ""
    return (
        f"A relay mixes the reports of at least {promise.people:,} people{by} before the collector sees any. "
        f"Towards the collector alone that is epsilon {at_most_text(promise.central, 2)} at delta {at_most_text(promise.delta)}"
        f"{_over(promise.epochs)}: {odds_in_words(promise.central)}. "
        f"delta bounds the chance of more than that.",
        f"It holds while relay and collector do not work together, and while {promise.people:,} of the people in a batch "
        "are honest: accounts that somebody made up do not count.",
        f"If the two work together, the local promise is left: "
        f"epsilon {at_most_text(promise.local_over_epochs)}{_over(promise.epochs)}, "
        f"{odds_in_words(promise.local_over_epochs)}.",
        "The relay sees who reports and when, never a value. The collector sees mixed bundles, never a person.",
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
        f"times or order. The collector opens them. If that many are honest, and not made up by somebody, it cannot tell "
        f"whose is whose: {odds_in_words(promise.central)} (epsilon {at_most_text(promise.central, 2)} at delta "
        f"{at_most_text(promise.delta)}). If the two worked together, what is written below "
        f"about your report would be left: {odds_in_words(promise.local)} (epsilon {at_most_text(promise.local)})."
    )


ADVERTISED = 4.0  # a larger local epsilon promises too little once two parties collude


def odds_in_words(epsilon: float, guess: float = GUESS) -> str:
    """What somebody may come to believe, as a clause.

    >>> odds_in_words(0.05)
    'a guess of 10% becomes 9.5% to 10.5%'
    """
    low, high = percent_range(*after_seeing(epsilon, guess))
    return f"a guess of {guess:.0%} becomes {low} to {high}"


def _over(epochs: int) -> str:
    return "" if epochs == 1 else f" over {count_text(epochs, 'epoch')}"


def _warning(promise: Promise) -> str:
    return (
        f"A local epsilon of {at_most_text(promise.local)} promises next to nothing to a person whose relay and collector collude: "
        f"{ADVERTISED:g} or less is advised, however small the mixed one is."
    )
