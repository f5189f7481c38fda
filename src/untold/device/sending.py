"""Sends what waits in a queue, and takes the answers into account."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from untold.device.answers import read_answer
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
        known = (
            answer.refused if answer.refused in CODES else "unknown"
        )  # what is counted by name is not the sender's to choose
        (sent.refused if known in FORGET else sent.kept)[known] += 1
        return known in FORGET
    sent.counted += answer.counted
    sent.repeated += answer.repeated
    return True
