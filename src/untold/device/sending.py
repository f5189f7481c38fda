"""Sends what waits in a queue, and takes the answers into account.

Only an answer in the collector's own form (docs/wire.md) says that a report is stored or refused: a hotel's log-in page, an
error page of a proxy or an empty object does not, and the report is kept.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from untold.device.patience import Patience
from untold.device.queue import Queue
from untold.device.transport import Reply, Transport, Unreachable
from untold.randomness import Secure
from untold.wire.contract import BINARY_TYPE, CODES, FORGET, try_later


@dataclass
class Sent:
    """What became of the reports that waited."""

    counted: int = 0
    repeated: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by code: will never be taken
    kept: Counter[str] = field(default_factory=Counter)  # by code: tried again later; bad-token wants a new token
    damaged: int = 0  # changed on this disk and so not sent, though paid for: kept aside; report the same values again
    waiting: int = 0  # still in the queue
    wait: float = 0.0  # seconds until it makes sense to try again


def send_all(queue: Queue, patience: Patience, transport: Transport, token: str) -> Sent:
    """Send every body, unless the last failure was too recent. Never raises for a collector or relay that is away."""
    sent = Sent(damaged=queue.damaged, waiting=len(queue), wait=patience.wait())
    if sent.wait > 0 or not sent.waiting:
        return sent
    headers = {"Content-Type": BINARY_TYPE, "Authorization": f"Bearer {token}"}
    kept = 0
    for path in queue.waiting():
        body = queue.read(path)
        if body is None:
            continue
        try:
            reply = transport.ask("POST", "/reports", body, headers)
            done = _settle(reply, sent)
        except Unreachable:
            reply, done = Reply(503, b""), False
        if done:
            queue.drop(path)
            continue
        kept += 1
        if try_later(reply.status):
            sent.wait = patience.failed(reply.retry_after, Secure())
            break
    if not sent.wait:
        if kept:
            sent.wait = patience.failed(0, Secure())
        else:
            patience.worked()
    sent.damaged, sent.waiting = queue.damaged, len(queue)
    return sent


def _settle(reply: Reply, sent: Sent) -> bool:
    """Take an answer into account; whether the report is done with."""
    if try_later(reply.status):
        return False
    answer = read_answer(reply)
    if answer.refused is not None:
        # what is counted by name is not the sender's to choose
        known = answer.refused if answer.refused in CODES else "unknown"
        (sent.refused if known in FORGET else sent.kept)[known] += 1
        return known in FORGET
    sent.counted += answer.counted
    sent.repeated += answer.repeated
    return True


@dataclass(frozen=True)
class Answer:
    """What became of the one report that was sent."""

    counted: int = 0
    repeated: int = 0
    refused: str | None = None  # the code


def read_answer(reply: Reply) -> Answer:
    """The answer to a body of one report, or Unreachable if it is not one that a collector gives."""
    try:
        said: Any = json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise _foreign() from error
    if not isinstance(said, dict):
        raise _foreign()
    code = _refusal(said)
    if code is not None and reply.status >= 400:
        return Answer(refused=code)
    for answer in (Answer(counted=1), Answer(repeated=1)):
        if reply.status == 200 and code is None and _numbers(said) == (answer.counted, answer.repeated, []):
            return answer
    raise _foreign()


def _refusal(said: dict[str, Any]) -> str | None:
    """The code of {"error": code, "message": text} or of {"counted": 0, "repeated": 0, "refused": [[0, code]]}."""
    if isinstance(said.get("error"), str) and isinstance(said.get("message"), str):
        return str(said["error"])
    numbers = _numbers(said)
    if numbers is None or numbers[:2] != (0, 0) or len(numbers[2]) != 1:
        return None
    match numbers[2][0]:
        case [0, str() as code]:
            return code
    return None


def _numbers(said: dict[str, Any]) -> tuple[int, int, list[Any]] | None:
    counted, repeated, refused = said.get("counted"), said.get("repeated"), said.get("refused")
    if type(counted) is int and type(repeated) is int and isinstance(refused, list):
        return counted, repeated, refused
    return None


def _foreign() -> Unreachable:
    return Unreachable("the answer is not one of a collector.")
