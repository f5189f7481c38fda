"""POST /reports: the path that every report takes, without a web framework."""

from __future__ import annotations

import asyncio
import json
import re
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

from untold.serve.collector import Collector
from untold.serve.http.concurrency import Gate, Visit
from untold.serve.http.refusals import Refusal, bearer
from untold.serve.reports.blocks import Body
from untold.serve.reports.jobs import Away, Job, Outcome, Outcomes, deliver
from untold.wire.contract import BINARY_TYPE, CODES, DEVICE_BYTES, JSON_TYPE, LONGEST_TEXT, MOST_BYTES
from untold.wire.layout import Layout
from untold.wire.strict_json import BadBody

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

TOKEN = re.compile("[0-9a-f]{64}", re.ASCII)
SLOW = 30.0  # seconds that a body may take to arrive
LARGE = 1 << 15  # bytes from which a body is read on another thread
RETRY_AFTER = 1
AWAY = "what keeps the reports does not answer; this was not acknowledged. Send the same again later."
STOPPING = "the collector stops; this was not acknowledged. Send the same again later."


class Ingest:
    """Takes reports in for one collector."""

    def __init__(self, collector: Collector, gate: Gate | None = None) -> None:
        self.collector, self.gate = collector, gate or Gate()
        self._readers = {BINARY_TYPE: collector.reader.read_binary, JSON_TYPE: collector.reader.read_json}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._device_bytes = max([DEVICE_BYTES, *(4 * longest_report(each) for each in collector.layouts)])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        began = perf_counter()
        await self._answer(scope, receive, send)
        self.collector.counts.observe("untold_request_seconds", perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            headers = dict(scope["headers"])
            with self.gate.visit() as visit:
                token, most = self._enter(scope["method"], headers)
                data = await _read_body(receive, visit, most, self._is_gateway(token))
                if _is_gzip(headers):
                    data = unpack(data, most)
                    if not visit.hold(len(data)):
                        raise _busy()
                if not visit.enter():
                    raise _busy()
                outcome = await self._count(self._readers[_type_of(headers)], data, token)
        except BadBody as error:
            await self._refuse(send, Refusal(error.code, str(error)))
            return
        except Refusal as refusal:
            await self._refuse(send, refusal)
            return
        status = 200
        if outcome.refused:
            if outcome.counted + outcome.repeated + len(outcome.refused) == 1:
                status = CODES[outcome.refused[0][1]].status
            for _, code in outcome.refused:
                self.collector.counts.add("untold_reports_refused_total", label=code)
        refused = json.dumps(outcome.refused) if outcome.refused else "[]"
        text = f'{{"counted":{outcome.counted},"repeated":{outcome.repeated},"refused":{refused}}}'
        await self._send(send, status, text.encode(), [])

    def _enter(self, method: str, headers: dict[bytes, bytes]) -> tuple[str, int]:
        """Whether the request may be read at all, from its headers alone; returns its token and how large its body may be."""
        if method != "POST":
            raise Refusal("bad-method", "reports are sent with POST.")
        if self.collector.plan.schema.mix is not None:
            raise Refusal(
                "bad-request", "reports of this plan are mixed: they are sent to a relay, which hands them over."
            )
        if self.collector.error is not None:
            raise Refusal("stopping", STOPPING)
        token = bearer(headers.get(b"authorization", b"").decode("latin-1"))
        if not TOKEN.fullmatch(token):
            raise Refusal("bad-token", "reports need a token of 64 hexadecimal digits as 'Authorization: Bearer ...'.")
        if _type_of(headers) not in self._readers:
            raise Refusal("bad-type", f"reports come as {JSON_TYPE} or {BINARY_TYPE}.")
        _is_gzip(headers)  # or something that we cannot read
        length = headers.get(b"content-length", b"")
        if not length.isdigit() or len(length) > 12:
            raise Refusal("no-length", "Content-Length is needed.")
        if int(length) > MOST_BYTES:
            raise _too_large(MOST_BYTES)
        most = MOST_BYTES if self._is_gateway(token) else self._device_bytes
        if int(length) > most:
            raise _too_large(most)
        if self.gate.full:
            raise _busy()
        return token, most

    async def _count(self, read: Callable[[bytes], Body], data: bytes, token: str) -> Outcome:
        """Read a body, see that its sender may send it, and have it counted."""
        body = read(data) if len(data) < LARGE else await asyncio.to_thread(read, data)
        self._check_sender(body, token)
        if not body.blocks:
            return Outcome(refused=tuple(body.refused))
        outcome = await self._commit(Job(body.blocks, asyncio.get_running_loop().create_future()))
        if not body.refused:
            return outcome
        return Outcome(outcome.counted, outcome.repeated, tuple(sorted([*outcome.refused, *body.refused])))

    def _check_sender(self, body: Body, token: str) -> None:
        if self._is_gateway(token):
            return
        if not body.blocks:
            return  # every report is refused anyway, and nothing that is stored is told
        users = {(block.layout.key, user) for block in body.blocks for user in block.users()}
        if len(users) != 1:
            raise Refusal("other-user", "a device sends reports of its own user only.")
        kind, user = next(iter(users))
        text = user.decode() if kind == "text" else str(int.from_bytes(user, "little", signed=True))
        if not self.collector.may_report(kind, text, token):
            raise Refusal("bad-token", "this is not the token of the user whose reports these are.")

    def _is_gateway(self, token: str) -> bool:
        return self.collector.holds("gateway", token)

    async def _commit(self, job: Job) -> Outcome:
        committer = self.collector.committer
        if self._loop is None:
            loop = self._loop = asyncio.get_running_loop()

            def hand_over(outcomes: Outcomes) -> None:
                if not loop.is_closed():  # else nobody waits any more
                    loop.call_soon_threadsafe(deliver, outcomes)

            committer.deliver = hand_over
        committer.submit(job)
        try:
            outcome: Outcome = await job.done
        except asyncio.CancelledError:
            raise
        except Away as error:
            raise Refusal("busy", AWAY, RETRY_AFTER) from error
        except BaseException as error:
            raise Refusal("stopping", STOPPING) from error
        return outcome

    async def _refuse(self, send: Send, refusal: Refusal) -> None:
        self.collector.counts.add("untold_requests_refused_total", label=refusal.code)
        body = json.dumps({"error": refusal.code, "message": refusal.message}).encode()
        headers = [(name.lower().encode(), value.encode()) for name, value in refusal.headers.items()]
        await self._send(send, refusal.status, body, headers)

    async def _send(self, send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        self.collector.counts.add("untold_requests_total", label=str(status))
        sent = [(b"content-type", JSON_TYPE.encode()), (b"content-length", str(len(body)).encode()), *headers]
        await send({"type": "http.response.start", "status": status, "headers": sent})
        await send({"type": "http.response.body", "body": body})


def longest_report(layout: Layout) -> int:
    """Bytes that a report of a service may take as JSON, generously: seeds of 20 digits, text of 1,000 letters escaped."""
    return 64 * int(layout.shape[0]) + 6 * LONGEST_TEXT * (len(layout.public) + 1)


def _type_of(headers: dict[bytes, bytes]) -> str:
    """The content type, without its parameters."""
    return headers.get(b"content-type", b"").decode("latin-1").split(";")[0].strip().lower()


def _is_gzip(headers: dict[bytes, bytes]) -> bool:
    encoding = headers.get(b"content-encoding", b"identity").strip().lower()
    if encoding not in (b"gzip", b"identity"):
        raise Refusal("bad-type", "Content-Encoding is gzip, or there is none.")
    return encoding == b"gzip"


def _busy() -> Refusal:
    return Refusal("busy", "too many requests are under way. Send the same again later.", RETRY_AFTER)


def _too_large(most: int) -> Refusal:
    who = "a body has at most" if most == MOST_BYTES else "only a gateway sends more than"
    return Refusal("too-large", f"{who} {most} bytes; send several.")


async def _read_body(receive: Receive, visit: Visit, most: int, known: bool) -> bytes:
    """A body, which takes room as it arrives: one that is only announced takes none."""
    parts, total, more = [], 0, True
    try:
        now = asyncio.get_running_loop().time
        async with asyncio.timeout(SLOW) as wait:
            with visit.arriving(known, lambda: wait.reschedule(now())):
                while more:
                    message = await receive()
                    more = bool(message.get("more_body"))
                    parts.append(_piece(message))
                    total += len(parts[-1])
                    if total > most:
                        raise _too_large(most)
                    if not visit.hold(len(parts[-1])):
                        raise _busy()
    except TimeoutError as error:
        if visit.gave_up:
            raise _busy() from error
        raise Refusal("slow", f"the body took longer than {SLOW:g} seconds.") from error
    return b"".join(parts)


def _piece(message: MutableMapping[str, Any]) -> bytes:
    if message["type"] == "http.disconnect":
        raise Refusal("gone", "the sender went away.")
    data: bytes = message.get("body", b"")
    return data


def unpack(data: bytes, most: int = MOST_BYTES) -> bytes:
    """One gzip member, refused as soon as it grows beyond what a body may be."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        out = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise BadBody("bad-gzip", "the body is not gzip.") from error
    if len(out) > most or unpacker.unconsumed_tail:
        raise _too_large(most)
    if not unpacker.eof or unpacker.unused_data:
        raise BadBody("bad-gzip", "the body is not one whole gzip member.")
    return out
