"""The audit: for each comparison many runs of two people in a random order, an event chosen on one half of them, counted on
the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from math import inf, isinf
from pathlib import Path

from untold.auditing.bounds import least_log_ratio, log_ratio
from untold.auditing.choose import best_event
from untold.auditing.coverage import Tried
from untold.auditing.events import Reply, Told, looks
from untold.auditing.histories import Comparison, Steps, comparisons
from untold.auditing.power import finds, runs_needed
from untold.auditing.programs import Run, Sent, answers, checked
from untold.auditing.python_client import replies
from untold.auditing.rules import Rules
from untold.auditing.verdict import Audit, Finding, power_of
from untold.errors import UntoldError
from untold.exact import NANO, at_most_text
from untold.plan import Plan
from untold.randomness import Randomness, Secure

RUNS = 2000  # on either side of a comparison
CONFIDENCE = 0.999
FEW = 20  # runs where only rules are checked
AnyClient = Callable[[str, Steps], Sequence[Reply]]
Sides = tuple[list[Told], list[Told]]


def audit(
    plan: Plan | str | Path,
    client: str | AnyClient | None = None,
    runs: int = RUNS,
    confidence: float = CONFIDENCE,
    rng: Randomness | None = None,
) -> Audit:
    """Try to tell people apart by what a client sends, as a stranger to its code would.

    client      a command that speaks the protocol of docs/audit.md; or a function of a user key and steps that returns for
                each step the report as in docs/wire.md, or None for silence; by default untold's own client
    runs        people on either side of each comparison
    confidence  that no bound of this audit is wrong, all of them together

        print(untold.audit("shop.toml", "node client.js"))
    """
    plan = plan if isinstance(plan, Plan) else Plan.load(plan)
    if runs < 2 or not 0 < confidence < 1:
        raise UntoldError(
            f"an audit needs two runs or more and a confidence between 0 and 1, not {runs} and {confidence}."
        )
    rng = rng or Secure()
    compared = list(comparisons(plan, rng, runs))
    alpha = (1 - confidence) / (2 * len(compared))
    sizes = [runs if isinf(each.bound) or finds(inf, each.bound, runs, alpha) else min(runs, FEW) for each in compared]
    if not any(size == runs and not isinf(each.bound) for size, each in zip(sizes, compared, strict=True)):
        needed = runs_needed(inf, min(each.bound for each in compared), alpha)
        raise UntoldError(
            f"{runs:,} runs cannot catch even a client that sends bare values, where "
            f"epsilon {at_most_text(plan.epsilon)} is allowed.\n"
            f"Hint: {'no audit from outside can' if needed is None else f'--runs {needed}'}."
        )
    orders = [shuffled(size, rng) for size in sizes]
    people: list[Run] = [
        (f"{rng.word():016x}", each.pairs[i % len(each.pairs)][side])
        for each, order in zip(compared, orders, strict=True)
        for i, side in enumerate(order)
    ]
    sent, rules, findings, told = all_sent(plan, client, people), Rules(plan), [], iter(people)
    for each, order in zip(compared, orders, strict=True):
        sides = _sides(each, order, zip(told, sent, strict=False), rules)
        findings.append(_finding(plan, each, sides, runs, alpha))
    for _ in sent:
        pass  # lets a program end by itself
    return Audit(
        plan.name,
        plan.epsilon,
        plan.schema.lifetime_nano / NANO,
        runs,
        confidence,
        tuple(findings),
        tuple(rules.broken.items()),
        Tried.by(plan, people).lines(),
    )


def shuffled(size: int, rng: Randomness) -> list[int]:
    """Which of the two people runs when: `size` times each, in a random order."""
    order = [0] * size + [1] * size
    for i in range(len(order) - 1, 0, -1):
        j = rng.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def all_sent(plan: Plan, client: str | AnyClient | None, people: Sequence[Run]) -> Iterator[Sent]:
    """What the client sends for each person, in order."""
    if isinstance(client, str):
        return answers(client, plan, people)
    own: AnyClient = client or (lambda user, steps: replies(plan, user, steps))
    return (Sent(checked(own(*person), person)) for person in people)


def _sides(compared: Comparison, order: Sequence[int], runs: Iterable[tuple[Run, Sent]], rules: Rules) -> Sides:
    """All that the two people sent; rules are checked in passing."""
    sides: Sides = ([], [])
    for i, (side, (run, sent)) in enumerate(zip(order, islice(runs, len(order)), strict=True)):
        rules.check(run, sent)
        sides[side].append(Told(i % len(compared.pairs), sent.replies))
    return sides


def _finding(plan: Plan, compared: Comparison, sides: Sides, runs: int, alpha: float) -> Finding:
    """Choose on the first halves, count on the second ones; in both directions, of which the worse is kept."""
    if len(sides[0]) < runs:
        return Finding(compared.words, compared.bound)
    half, known = runs // 2, looks(plan, compared)
    found = []
    for one, other in (sides, sides[::-1]):
        event = best_event(known, one[:half], other[:half])
        k, against, of = event.count(one[half:]), event.count(other[half:]), runs - half
        least = least_log_ratio(k, against, of, alpha)
        found.append(
            Finding(
                compared.words,
                compared.bound,
                log_ratio(k, against, of),
                least,
                event.name,
                (k, against),
                of,
                power_of(compared.bound, runs, alpha),
            )
        )
    return max(found, key=lambda each: each.least)
