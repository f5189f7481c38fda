"""What an observer may look at: several views of all that a person's device sent, each a guess at where a client leaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from untold.auditing.histories import Comparison, Pair, Step
from untold.device.encoder import Encoder
from untold.oracles import Message
from untold.plan import Plan
from untold.randomness import Seeded

Reply = Any  # JSON: what left the device in a step; None if nothing did
MOST_STEPS = 4  # that are looked at alone


@dataclass(frozen=True)
class Told:
    """All that one person's device sent, and which pair of a comparison the person is of."""

    pair: int
    sent: Sequence[Reply]


Look = Callable[[Told], Hashable]


def looks(plan: Plan, compared: Comparison) -> dict[str, Look]:
    """By name. Whichever tells two people apart best is chosen on one half of the runs and counted on the other."""
    found: dict[str, Look] = {"what repeats": lambda told: repeats(told.sent)}
    if len(compared.pairs) == 1:
        found["all that was sent"] = lambda told: tuple(map(content, told.sent))
        for number in range(min(len(compared.pairs[0][0]), MOST_STEPS)):
            found[f"answer {number + 1}"] = lambda told, i=number: content(told.sent[i])  # type: ignore[misc]

    @cache
    def known(number: int) -> Sequence[_Cells]:
        return _known(plan, compared.pairs[number])

    found["which of the two is supported"] = lambda told: sum(map(_lean, known(told.pair), told.sent))
    if any(view.oracle.seed_bits for step in compared.pairs[0][0] for view in plan.design(step.service).views):
        for place, words in enumerate(("first", "second")):
            found[f"low digit of the {words} seed"] = lambda told, i=place: _seed_digit(told.sent, i, low=True)  # type: ignore[misc]
            found[f"high digit of the {words} seed"] = lambda told, i=place: _seed_digit(told.sent, i, low=False)  # type: ignore[misc]
    found["views"] = lambda told: tuple(map(_views, known(told.pair), told.sent))
    return found


def _known(plan: Plan, pair: Pair) -> Sequence[_Cells]:
    return [_Cells(plan, a, b) for a, b in zip(*pair, strict=True)]


def content(reply: Reply) -> str:
    """A report as one text, without what it is named by."""
    named = {k: v for k, v in reply.items() if k not in ("user", "epoch")} if isinstance(reply, Mapping) else reply
    return json.dumps(named, sort_keys=True)


def repeats(sent: Sequence[Reply]) -> Hashable:
    """Silence, the number of messages, and for each answer the first one that is the same."""
    texts = [content(reply) for reply in sent]
    return tuple(
        None if reply is None else (texts.index(text), len(messages_of(reply)))
        for reply, text in zip(sent, texts, strict=True)
    )


def messages_of(reply: Reply) -> list[Message]:
    """The messages of a report as docs/wire.md writes them; none of what cannot be read so."""
    try:
        return [
            Message(m, ()) if isinstance(m, int) else Message(int(m[0]), (int(m[1]), int(m[2])))
            for slot in reply["slots"]
            for m in slot
        ]
    except (TypeError, ValueError, LookupError):
        return []


class _Cells:
    """Where the rows of two people lie in every view of a service."""

    def __init__(self, plan: Plan, one: Step, other: Step) -> None:
        self.encoder = Encoder.of(plan, one.service)
        self.codes = [self._codes(step) for step in (one, other)]

    def _codes(self, step: Step) -> Sequence[int]:
        """Of the first row; random roundings as they may fall."""
        rng = Seeded(0)
        codes = self.encoder.codes(step.rows[0] if step.rows else None, rng)
        return self.encoder.derived([*codes, int(bool(step.rows))] if self.encoder.service.rows else codes, rng)

    def lean(self, message: Message) -> int:
        """1 if a message supports the cell of the first person and not that of the second, -1 if the other way round."""
        design = self.encoder.design
        if not 0 <= message.index < design.messages:
            return 0
        view = design.views[design.view_of(message.index)]
        own = Message(message.index - view.offset, message.extra)
        try:
            one, other = (view.oracle.supports(own, design.space.cell(view.levels, codes)) for codes in self.codes)
        except (ValueError, LookupError, TypeError):
            return 0
        return int(one) - int(other)


def _lean(known: _Cells, reply: Reply) -> int:
    return sum(map(known.lean, messages_of(reply)))


def _views(known: _Cells, reply: Reply) -> Hashable:
    return tuple(known.encoder.design.view_of(message.index) for message in messages_of(reply))


def _seed_digit(sent: Sequence[Reply], place: int, low: bool) -> Hashable:
    """A hexadecimal digit of a seed of the first message: a seed is public, and must not depend on the value."""
    first = next((m for reply in sent for m in messages_of(reply)), None)
    if first is None or not first.extra:
        return None
    seed = first.extra[place]
    return seed % 16 if low else seed >> 28
