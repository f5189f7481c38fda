"""What an observer may look at: several views of all that a person's device sent, each a guess at where a client leaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from untold.auditing.histories import Comparison, Step
from untold.device.encoder import Encoder
from untold.oracles import Message
from untold.plan import Plan
from untold.randomness import Seeded

Reply = Any  # JSON: what left the device in a step; None if nothing did
Look = Callable[[Sequence[Reply]], Hashable]
MOST_STEPS = 4  # that are looked at alone


def looks(plan: Plan, compared: Comparison) -> dict[str, Look]:
    """By name. Whichever tells two people apart best is chosen on one half of the runs and counted on the other."""
    found: dict[str, Look] = {"all that was sent": lambda sent: tuple(map(content, sent)), "what repeats": repeats}
    for number in range(min(len(compared.one), MOST_STEPS)):
        found[f"answer {number + 1}"] = lambda sent, i=number: content(sent[i])  # type: ignore[misc]
    known = [_Cells(plan, a, b) for a, b in zip(compared.one, compared.other, strict=True)]
    found["which of the two is supported"] = lambda sent: sum(map(_lean, known, sent))
    found["views"] = lambda sent: tuple(map(_views, known, sent))
    return found


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
