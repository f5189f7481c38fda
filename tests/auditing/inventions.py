"""Clients that cheat on purpose, thought of before the auditor's code was read, as programs: python inventions.py NAME.

Each wraps the honest client and tells the bare value in a way that an accomplice can read.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

sys.path += [str(Path(__file__).parents[1])]

from untold.auditing import python_client
from untold.device.client import Client
from untold.device.encoder import Encoder
from untold.oracles import Message
from untold.plan import Plan
from untold.randomness import Randomness, Secure, Seeded

Steps = Any
NAMES: dict[str, Callable[..., Any]] = {}


def invention(function: Callable[..., Any]) -> Callable[..., Any]:
    """A cheat: what leaves the device of a person, from the plan, the key and the steps."""
    NAMES[function.__name__] = function
    return function


def honest(plan: Plan, user: str, steps: Steps, rng: Randomness) -> list[Any]:
    client = Client(plan, user, rng=rng)
    return [python_client.reply(client, step) for step in steps]


def code(plan: Plan, step: Any) -> int:
    """The bare value: the code of the first attribute of the first row; 0 without a row."""
    first = plan.service(step.service).sensitive[0]
    return first.position(step.rows[0].get(first.name))[0] if step.rows else 0


def bare(plan: Plan, step: Any, reply: Any) -> Any:
    """The report without noise: the message that speaks for the truth, whatever the view."""
    encoder = Encoder.of(plan, step.service)

    class Truthful(Secure):
        def tilted(self, heavy: int, light: int, sides: int, copies: int = 1) -> int:
            return self.below(copies) * sides

    slots = encoder.encode(step.rows, Truthful())
    return {**reply, "slots": [[as_json(m) for m in slot] for slot in slots]}


def as_json(message: Message) -> Any:
    return [message.index, *map(str, message.extra)] if message.extra else message.index


def wherever(condition: Callable[[Plan, Steps, int], bool]) -> Callable[..., Any]:
    """Bare in the steps where something holds, honest in all others."""

    def client(plan: Plan, user: str, steps: Steps, rng: Randomness) -> list[Any]:
        sent, told = honest(plan, user, steps, rng), dict[Any, Any]()
        for i, (step, reply) in enumerate(zip(steps, sent, strict=True)):
            if reply is not None and condition(plan, steps, i):
                sent[i] = told.setdefault((step.service, step.epoch), bare(plan, step, reply))
        return sent

    return client


@invention
def value_in_the_user_key(plan, user, steps, rng):
    """The first digit of the key says the value."""
    sent = honest(plan, user, steps, rng)
    return [r and {**r, "user": f"{code(plan, s) % 16:x}{user[1:]}"} for s, r in zip(steps, sent, strict=True)]


@invention
def value_in_the_epoch(plan, user, steps, rng):
    """Says the value as the epoch of the report."""
    sent = honest(plan, user, steps, rng)
    return [r and {**r, "epoch": code(plan, s)} for s, r in zip(steps, sent, strict=True)]


@invention
def value_in_the_order_of_fields(plan, user, steps, rng):
    """The order of the names in the report's JSON."""
    sent = honest(plan, user, steps, rng)
    return [r and (dict(reversed(r.items())) if code(plan, s) % 2 else r) for s, r in zip(steps, sent, strict=True)]


@invention
def value_in_a_public_column(plan, user, steps, rng):
    """An empty `public` for odd values."""
    sent = honest(plan, user, steps, rng)
    return [r and ({**r, "public": {}} if code(plan, s) % 2 else r) for s, r in zip(steps, sent, strict=True)]


@invention
def value_in_the_seed(plan, user, steps, rng):
    """Where there are seeds, the lowest bits of the first one."""
    sent = honest(plan, user, steps, rng)
    for step, reply in zip(steps, sent, strict=True):
        for message in (m for slot in (reply or {}).get("slots", ()) for m in slot):
            message[1] = str(int(message[1]) // 16 * 16 + code(plan, step) % 16)
    return sent


NAMES["bare_in_the_middle"] = wherever(
    lambda plan, steps, i: 1 < code(plan, steps[i]) < plan.service(steps[i].service).sensitive[0].size - 1
)
NAMES["bare_in_late_epochs"] = wherever(lambda plan, steps, i: steps[i].epoch > 50)
NAMES["bare_after_the_second_change"] = wherever(
    lambda plan, steps, i: sum(a.rows != b.rows for a, b in pairwise(steps[: i + 1])) > 1
)
NAMES["bare_where_two_columns_differ"] = wherever(
    lambda plan, steps, i: (
        len({plan.service(steps[i].service).sensitive[k].position(v)[0] for k, v in _values(plan, steps[i])}) - 1 > 0
        and all(plan.service(steps[i].service).sensitive[k].position(v)[0] > 0 for k, v in _values(plan, steps[i]))
    )
)


def _values(plan, step):
    names = [a.name for a in plan.service(step.service).sensitive]
    return [(k, step.rows[0].get(name)) for k, name in enumerate(names)] if step.rows else []


@invention
def one_noise_for_all_services(plan, user, steps, rng):
    """The same words again for every service of an epoch: the difference of two reports is the truth."""
    start = rng.word()
    return [reply for step in steps for reply in honest(plan, user, (step,), Seeded(start + step.epoch))]


@invention
def one_noise_for_all_epochs(plan, user, steps, rng):
    """The same words again in every epoch, paid for each time."""
    start = rng.word()

    class Same(Seeded):
        pass

    client, sent = Client(plan, user, rng=Same(0)), []
    for step in steps:
        client._rng = Same(start)
        sent.append(python_client.reply(client, step))
    return sent


@invention
def silent_for_one_value(plan, user, steps, rng):
    """Says nothing if the value is the third."""
    sent = honest(plan, user, steps, rng)
    return [None if code(plan, s) == 2 else r for s, r in zip(steps, sent, strict=True)]


@invention
def noise_for_an_accomplice(plan, user, steps, rng):
    """Draws by a secret and the user key: whoever has the secret computes the noise. Nobody else can."""
    word = int.from_bytes(hashlib.sha256(b"secret" + user.encode()).digest()[:8], "big")
    return honest(plan, user, steps, Seeded(word))


NAMES["bare_for_one_person_in_1000"] = lambda plan, user, steps, rng: (
    wherever(lambda *_: True)(plan, user, steps, rng)
    if int(hashlib.sha256(user.encode()).hexdigest(), 16) % 1000 == 0
    else honest(plan, user, steps, rng)
)


@invention
def knows_an_audit(plan, user, steps, rng):
    """User keys of 16 hexadecimal digits are made up: honest to those alone."""
    made_up = len(user) == 16 and set(user) <= set("0123456789abcdef")
    return honest(plan, user, steps, rng) if made_up else wherever(lambda *_: True)(plan, user, steps, rng)


def invented(plan: Plan, name: str) -> Callable[[str, Steps], Any]:
    """The cheat as a function for `untold.audit`, with repeatable draws."""
    return lambda user, steps: NAMES[name](
        plan, user, steps, Seeded(int(hashlib.sha256(user.encode()).hexdigest()[:15], 16))
    )


if __name__ == "__main__":
    chosen = NAMES[sys.argv[1]]
    with mock.patch.object(
        python_client, "replies", lambda plan, user, steps, client_type=Client: chosen(plan, user, steps, Secure())
    ):
        python_client.main(sys.stdin, sys.stdout)
