"""Limits what a connection may take before it has asked anything: how many there are, how long and how large a head may be,
how many requests may wait for the one before them.

uvicorn has no limit on any of these. The doorkeeper keeps descriptors free for the log: without one, what was acknowledged
could not be turned into segments, and the collector would have to stop.
"""

from __future__ import annotations

import asyncio
import resource
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

RESERVED = 160  # descriptors for the log, segments, runs, query processes, and connections that wait to be turned away
BACKLOG = 1024  # connections that may wait to be accepted, and may be accepted in one go


@dataclass
class Doorkeeper:
    """Knows all connections of a server, and in which order those wait that have no request under way."""

    most: int = 4096  # connections
    backlog: int = BACKLOG
    head_bytes: int = 16 << 10  # of a request: its line and its headers
    head_lines: int = 100
    head_seconds: float = 10.0  # until a head is there
    request_seconds: float = 600.0  # until its answer is sent
    ahead: int = 32  # requests of a connection that wait for the one before them; what comes after them is not read
    close_seconds: float = 30.0  # for what is still to be sent when a connection is closed
    open: int = 0
    turned_away: int = 0
    waiting: dict[Guarded, None] = field(default_factory=dict)  # the one that waits longest is the first

    @classmethod
    def within(cls, descriptors: int) -> Doorkeeper:
        """As many connections as leave descriptors in reserve.

        >>> Doorkeeper.within(300).most, Doorkeeper.within(100).most, Doorkeeper.within(1 << 20).most
        (150, 50, 4096)
        """
        most = min(cls.most, max(descriptors - RESERVED, descriptors // 2))
        return cls(most, min(BACKLOG, (descriptors - most) // 2))

    def make_room(self) -> bool:
        """Whether one more connection may stay: the one that has said nothing for longest goes for it."""
        if self.open <= self.most:
            return True
        self.turned_away += 1
        for oldest in self.waiting:
            oldest.hang_up()
            return True
        return False


def descriptors() -> int:
    """How many files and connections this process may have open; as many as the system lets it ask for."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class Guarded(HttpToolsProtocol):
    """One connection under the eyes of a doorkeeper."""

    def __init__(self, keeper: Doorkeeper, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._keeper = keeper
        self._timer: asyncio.TimerHandle | None = None
        self._in_head = self._deaf = False
        self._fed = self._lines = 0  # bytes since a head began; its headers

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected."""
        super().connection_made(transport)
        self._keeper.open += 1
        if self._keeper.make_room():
            self._wait_for_head()
        else:
            self._refuse(b"503 Service Unavailable", b"retry-after: 1\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._keeper.open -= 1
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes of a request."""
        if self.transport.is_closing() or self._deaf:
            return
        self._fed += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._in_head and self._fed > self._keeper.head_bytes:
            self._refuse_head()
        elif self._idle and self._timer is None:  # empty lines before a request: not yet one
            self._wait_for_head()

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._in_head, self._lines = True, 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header of it."""
        self._lines += 1
        if self._lines > self._keeper.head_lines:
            self._refuse_head()
            raise ValueError("too many headers")  # ends the parser
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there."""
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > self._keeper.head_bytes:
            self._refuse_head()
            raise ValueError("a head that is too large")
        self._in_head, self._fed = False, 0
        if len(self.pipeline) >= self._keeper.ahead:
            self._hear_no_more()
        self._stop_waiting()
        self._timer = self.loop.call_later(self._keeper.request_seconds, self.hang_up)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """It is answered; the next one may come."""
        self._stop_waiting()
        super().on_response_complete()
        if self.transport.is_closing():
            self._timer = self.loop.call_later(self._keeper.close_seconds, self.transport.abort)
        elif self._deaf or self.pipeline:  # uvicorn would read on, and keep ever more requests
            self.flow.pause_reading()
            self._timer = self.loop.call_later(self._keeper.request_seconds, self.hang_up)
        elif self._idle:
            self._keeper.waiting[self] = None  # until uvicorn closes it, or bytes come
        else:  # one that had come meanwhile
            self._timer = self.loop.call_later(self._keeper.request_seconds, self.hang_up)

    def timeout_keep_alive_handler(self) -> None:
        """No further request came. Who does not take what was sent either is not waited for."""
        super().timeout_keep_alive_handler()
        self._stop_waiting()
        self._timer = self.loop.call_later(self._keeper.close_seconds, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        """For what is not HTTP, unless it was refused already."""
        if not self.transport.is_closing() and not self._deaf:
            super().send_400_response(msg)

    def hang_up(self) -> None:
        """End the connection without another word."""
        self._stop_waiting()
        self.transport.abort()

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._keeper.waiting[self] = None
        self._timer = self.loop.call_later(self._keeper.head_seconds, self.hang_up)

    def _stop_waiting(self) -> None:
        self._keeper.waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hear_no_more(self) -> None:
        """Too many requests at once: those that wait are answered, with the last of them the connection ends. Raises, which ends
        the parser."""
        self._deaf, self.cycle.keep_alive = True, False
        self.flow.pause_reading()
        raise ValueError("too many requests at once")

    def _refuse_head(self) -> None:
        self._refuse(b"431 Request Header Fields Too Large", b"")

    def _refuse(self, status: bytes, header: bytes) -> None:
        self._stop_waiting()
        self.transport.write(
            b"HTTP/1.1 " + status + b"\r\n" + header + b"content-length: 0\r\nconnection: close\r\n\r\n"
        )
        self.transport.close()
        self._timer = self.loop.call_later(self._keeper.close_seconds, self.transport.abort)
