"""While a collector opens its storage, which can take minutes: whoever asks is told that it lives and is not ready yet."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType

LIVE = b"/health/live"
HEAD = 16 << 10  # bytes of a request that are read
PATIENCE = 2.0  # seconds that a visitor has to ask
TICK = 0.1
BUSY = {"error": "busy", "message": "the collector starts; its log says how far it is. Try again in a while."}


class Starting:
    """Answers on a socket that is bound, one visitor at a time, until `stop`; the server takes it over from there."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock, self._stop = sock, Event()
        self._thread = Thread(target=self._answer_all, name="starting", daemon=True)

    def __enter__(self) -> Starting:
        self._sock.listen(128)
        self._sock.settimeout(TICK)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Leave the socket to somebody else."""
        if not self._stop.is_set():
            self._stop.set()
            self._thread.join()
            self._sock.settimeout(None)

    def _answer_all(self) -> None:
        while not self._stop.is_set():
            with suppress(OSError):
                visitor, _ = self._sock.accept()
                with visitor:
                    visitor.settimeout(PATIENCE)
                    visitor.sendall(reply(visitor.recv(HEAD)))


def reply(request: bytes) -> bytes:
    """It lives; to everything else, that it is not ready.

    >>> reply(b"GET /health/live HTTP/1.1").split()[1], reply(b"POST /reports HTTP/1.1").split()[1]
    (b'200', b'503')
    """
    path = request.split(b" ", 2)[1] if request.count(b" ") > 1 else b""
    live = path.partition(b"?")[0] == LIVE
    body = json.dumps({"status": "ok"} if live else BUSY).encode()
    status = b"200 OK" if live else b"503 Service Unavailable\r\nRetry-After: 1"
    length = str(len(body)).encode()
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\nConnection: close\r\n\r\n"
    return head % (status, length) + body
