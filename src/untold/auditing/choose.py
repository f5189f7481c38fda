"""The event that tells two people apart best, chosen on one half of the runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt

from untold.auditing.events import Look, Told

CAUTION = 2.0  # standard errors by which a ratio on few runs is thought smaller than it looks

Transcripts = Sequence[Told]


@dataclass(frozen=True)
class Event:
    """A look, and the outcomes of it that count."""

    name: str
    look: Look
    outcomes: frozenset[Hashable]

    def count(self, runs: Transcripts) -> int:
        """In how many runs it happened."""
        return sum(self.look(told) in self.outcomes for told in runs)


def best_event(looks: Mapping[str, Look], one: Transcripts, other: Transcripts) -> Event:
    """The look and the set of outcomes whose ratio (more probable for `one`) is largest, cautiously estimated.

    Half of these runs sort the outcomes by their ratios, the others say where to stop and which look is best: a look with
    many outcomes would else win by chance.
    """
    half, found = len(one) // 2, []
    for name, look in looks.items():
        a, b = [look(told) for told in one], [look(told) for told in other]
        order = _sorted(Counter(a[:half]), Counter(b[:half]))
        score, stop = _stop(order, Counter(a[half:]), Counter(b[half:]))
        found.append((score, name, frozenset(order[:stop])))
    _, name, outcomes = max(found, key=lambda each: each[0])
    return Event(name, looks[name], outcomes)


def _sorted(a: Counter[Hashable], b: Counter[Hashable]) -> list[Hashable]:
    return sorted(a, key=lambda each: _cautious(a[each], b[each], 1.0), reverse=True)


def _stop(order: Sequence[Hashable], a: Counter[Hashable], b: Counter[Hashable]) -> tuple[float, int]:
    """How many of the sorted outcomes make the best event, and how good it is."""
    best, stop, seen, against = -inf, 1, 0, 0
    for number, outcome in enumerate(order, 1):
        seen, against = seen + a[outcome], against + b[outcome]
        score = _cautious(seen, against, CAUTION)
        if score > best:
            best, stop = score, number
    return best, stop


def _cautious(k: int, other: int, errors: float) -> float:
    return log((k + 0.5) / (other + 0.5)) - errors * sqrt(1 / (k + 0.5) + 1 / (other + 0.5))
