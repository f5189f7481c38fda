"""What the door's process and its collector say to each other over a pair of sockets: who may enter, and what they ask.

The frames are those of query processes. Nothing is unpickled, every length is bounded, and at most `MOST_AT_ONCE` requests are
under way: whatever an analyst does to the door, the collector only passes bytes on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from itertools import count
from typing import Any, Protocol

from untold.serve.mysql.identity import Passwords
from untold.serve.queries.frames import LENGTHS, LONGEST, Reply, packed

LONGEST_HEAD = 1 << 16  # bytes
LONGEST_QUESTION = 4 << 20  # bytes of a statement and of what its session has set, as JSON
MOST_AT_ONCE = 200


class Answering(Protocol):
    """Whatever answers statements: query processes, or a way to them."""

    async def ask(self, kind: str, asked: Mapping[str, Any], who: str = "") -> Reply: ...


class Upstream:
    """The door's end: asks the collector, and hands each reply to who waits for it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[tuple[dict[str, Any], bytes]]] = {}

    async def listen(self) -> None:
        """Until the collector has gone."""
        try:
            while True:
                head, body = await read_frame(self._reader, LONGEST)
                waiting = self._waiting.pop(head["number"], None)
                if waiting is not None and not waiting.done():
                    waiting.set_result((head, body))
        except asyncio.IncompleteReadError:
            return

    async def ask(self, kind: str, asked: Mapping[str, Any], who: str = "") -> Reply:
        """The reply of a query process."""
        head, body = await self._request({"what": "ask", "kind": kind, "who": who}, json.dumps(asked).encode())
        return Reply(head["status"], head["type"], body)

    async def mark(self, name: str) -> str | None:
        """What the password of a name is compared by."""
        head, _ = await self._request({"what": "mark", "who": name})
        found: str | None = head["mark"]
        return found

    async def _request(self, head: dict[str, Any], body: bytes = b"") -> tuple[dict[str, Any], bytes]:
        number, waiting = next(self._numbers), asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            self._writer.write(packed({**head, "number": number}, body))
            await self._writer.drain()
            found: tuple[dict[str, Any], bytes] = await waiting
            return found
        finally:
            self._waiting.pop(number, None)


async def answer_door(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pool: Answering, passwords: Passwords
) -> None:
    """The collector's end: answers until the door has gone, which ends all that is under way with an exception."""
    room, writing = asyncio.Semaphore(MOST_AT_ONCE), asyncio.Lock()

    async def answer(head: dict[str, Any], body: bytes) -> None:
        if head["what"] == "mark":
            told: dict[str, Any] = {"mark": await passwords.mark(head["who"])}
            reply = b""
        else:
            found = await pool.ask(head["kind"], json.loads(body), head["who"])
            told, reply = {"status": found.status, "type": found.type}, found.body
        async with writing:
            writer.write(packed({"number": head["number"], **told}, reply))
            await writer.drain()

    async with asyncio.TaskGroup() as tasks:
        while True:
            await room.acquire()
            request = await read_frame(reader, LONGEST_QUESTION)
            tasks.create_task(answer(*request)).add_done_callback(lambda _: room.release())


async def read_frame(reader: asyncio.StreamReader, most: int) -> tuple[dict[str, Any], bytes]:
    """One frame; ValueError if it is larger than any may be."""
    head, body = LENGTHS.unpack(await reader.readexactly(LENGTHS.size))
    if head > LONGEST_HEAD or body > most:
        raise ValueError("a frame that is too large")
    found: dict[str, Any] = json.loads(await reader.readexactly(head))
    return found, await reader.readexactly(body)
