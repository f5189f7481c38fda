"""What an audit found, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, inf, isinf

from untold.auditing.power import least_bare_share, least_found, runs_needed
from untold.exact import at_most_text

COLUMNS = ("comparison", "allowed", "seen", "at least", "caught from", "by")


@dataclass(frozen=True)
class Finding:
    """How well two people could be told apart: log-ratios of the probabilities of the event that does it best."""

    words: str
    bound: float  # allowed by the plan; inf where it promises nothing
    seen: float = -inf  # the ratio of the counts
    least: float = -inf  # the true ratio is larger, with the confidence of the audit over all findings together
    event: str = ""
    counts: tuple[int, int] = (0, 0)
    of: int = 0  # runs in which it was counted, on either side; 0: too few runs to find anything here, only rules were checked
    catches: float = inf  # a client that spends this much is caught 8 times out of 10

    @property
    def over(self) -> bool:
        """Whether the client tells more than it may."""
        return self.least > self.bound


@dataclass(frozen=True)
class Audit:
    """The verdict, and what it rests on. `passed` means that nothing was found, not that there is nothing."""

    plan: str
    epsilon: float
    lifetime: float
    runs: int
    confidence: float
    findings: tuple[Finding, ...]
    broken: tuple[tuple[str, int], ...] = ()  # rules, and in how many runs
    tried: tuple[str, ...] = ()  # how much of the plan's domain, in words

    @property
    def passed(self) -> bool:
        """Whether no rule was broken and no ratio is surely above what the plan allows."""
        return not self.broken and not any(each.over for each in self.findings)

    @property
    def worst(self) -> Finding:
        """The finding that comes nearest to its bound, or exceeds it most."""
        counted = [each for each in self.findings if each.of and not isinf(each.bound)]
        return max(counted, key=lambda each: each.least - each.bound)

    @property
    def alpha(self) -> float:
        """The part of the audit's doubt that falls on one event."""
        return (1 - self.confidence) / (2 * len(self.findings))

    def __str__(self) -> str:
        head = (
            f"Plan '{self.plan}': epsilon {at_most_text(self.epsilon)} in one epoch, "
            f"{at_most_text(self.lifetime)} over a lifetime.\n"
            f"{len(self.findings)} comparisons, {self.runs:,} runs on either side of each. All bounds hold together with "
            f"confidence {100 * self.confidence:g}%."
        )
        return "\n\n".join([head, self._table(), self._verdict(), self._tried(), self._limits()])

    def _table(self) -> str:
        order = sorted(self.findings, key=lambda each: (not each.of, each.bound - each.least))
        return aligned([COLUMNS, *(_cells(each) for each in order)])

    def _verdict(self) -> str:
        lines = [f"BROKEN in {times:,} runs: {rule}." for rule, times in self.broken]
        lines += [
            f"EXCEEDED: {each.words}: the log-ratio is at least {_least(each.least)}, allowed is {_bound(each.bound)} "
            f"({each.event}: {each.counts[0]:,} against {each.counts[1]:,} of {each.of:,})."
            for each in self.findings
            if each.over
        ]
        if lines:
            return "\n".join([*lines, "This client does not keep the plan's promise."])
        worst = self.worst
        return (
            f"Nothing found. Nearest to its bound: {worst.words}, log-ratio {worst.seen:.3f}, at least {_least(worst.least)}, "
            f"allowed {_bound(worst.bound)}."
        )

    def _tried(self) -> str:
        return "\n".join(["Tried, half of it drawn for this audit alone:", *(f"  {each}." for each in self.tried)])

    def _limits(self) -> str:
        worst, unknown = self.worst, [each for each in self.findings if not each.of]
        goals = (("1.1 times", 1.1), ("1.5 times", 1.5), ("twice", 2.0))
        needs = [f"{words} {_runs(runs_needed(worst.bound * by, worst.bound, self.alpha))}" for words, by in goals]
        lines = [
            "What this can find: in a yes-or-no answer, a client that spends the number under `caught from` is caught 8 times "
            "out of 10; rarer events need more.",
            f"Runs to catch one that spends more than {at_most_text(worst.bound)}: {', '.join(needs)}.",
        ]
        few = least_bare_share(worst.bound, self.runs, self.alpha)
        if few is not None:
            lines.append(
                f"One that sends bare values for {100 * few:.0f}% of all records or more is caught 8 times out of 10, whichever "
                "they are; one that does so for fewer may not be."
            )
        if unknown:
            least = min(unknown, key=lambda each: each.bound)
            most = runs_needed(inf, least.bound, self.alpha)
            lines.append(
                f"In {len(unknown)} comparisons so many runs cannot catch even bare values; only rules were checked there. "
                f"From {_runs(most)} runs on some could be."
            )
        lines.append(
            "What it cannot find: leaks by time, network or memory, noise that an accomplice can foretell, events that nobody "
            "thought of, and a client that knows it is audited."
        )
        return "\n".join(lines)


def _runs(needed: int | None) -> str:
    return "millions" if needed is None else f"{needed:,}"


def _cells(each: Finding) -> tuple[str, ...]:
    allowed = "no promise" if isinf(each.bound) else _bound(each.bound)
    if not each.of:
        return each.words, allowed, "", "", "", "rules only"
    catches = "" if isinf(each.catches) else f"{each.catches:.2f}"
    return each.words, allowed, _number(each.seen), _least(each.least), catches, each.event


def _number(value: float) -> str:
    return f"{value:.3f}" if not isinf(value) else "all or none" if value > 0 else "none"


def _least(value: float) -> str:
    """What a ratio surely is: rounded down."""
    return _number(value if isinf(value) else floor(value * 1000) / 1000)


def _bound(value: float) -> str:
    """What a plan allows: rounded up."""
    return _number(ceil(Decimal(repr(value)) * 1000) / 1000)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Words to the left, numbers to the right, a rule below the heads."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    ruled = [rows[0], ["-" * width for width in widths], *rows[1:]]
    last = len(widths) - 1
    return "\n".join(
        "  ".join(
            c.ljust(w) if i in (0, last) else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in ruled
    )


def power_of(bound: float, runs: int, alpha: float) -> float:
    """What a client must spend to be caught, where something is promised."""
    return inf if isinf(bound) else least_found(bound, runs, alpha)
