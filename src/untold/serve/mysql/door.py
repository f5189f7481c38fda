"""Listens for BI tools. `async with MysqlDoor(...)`; a collector has it in a process of its own."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mysql_mimic.constants import DEFAULT_SERVER_CAPABILITIES
from mysql_mimic.control import LocalControl
from mysql_mimic.types import Capabilities

from untold.errors import UntoldError
from untold.serve.events import note
from untold.serve.http.connection_limits import descriptors
from untold.serve.mysql.channel import Answering
from untold.serve.mysql.identity import Identities, Passwords
from untold.serve.mysql.session import AskingSession
from untold.serve.mysql.streams import BoundedConnection, BoundedStream
from untold.serve.mysql.visitors import Visitors

CAPABILITIES = DEFAULT_SERVER_CAPABILITIES & ~(
    Capabilities.CLIENT_DEPRECATE_EOF  # MariaDB's JDBC driver reads it otherwise
    | Capabilities.CLIENT_QUERY_ATTRIBUTES  # nothing is done with them, so nothing of them is read
)
PAUSE = 0.5  # seconds


@dataclass
class MysqlDoor:
    """A bound socket, who may enter, and how it is encrypted (None: not at all, for this machine alone)."""

    sock: socket.socket
    pool: Answering
    passwords: Passwords
    database: str  # the name of the plan
    tls: ssl.SSLContext | None = None
    visitors: Visitors = field(default_factory=lambda: Visitors(min(200, descriptors() // 2)))
    _accepting: asyncio.Task[None] | None = field(default=None, init=False)
    _control: Any = field(default_factory=LocalControl, init=False)

    async def __aenter__(self) -> MysqlDoor:
        logging.getLogger("mysql_mimic").setLevel(logging.CRITICAL + 1)  # it would quote analysts' texts
        self.sock.setblocking(False)
        self.sock.listen(self.visitors.most)
        self._accepting = asyncio.create_task(self._accept())
        host, port, *_ = self.sock.getsockname()
        note("listening", protocol="mysql", host=host, port=port, tls=self.tls is not None)
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [task for task in (self._accepting, *self.visitors.all()) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.sock.close()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(self.sock)
            except OSError as error:  # no file handle is left, say: others may go
                note("mysql connection refused", error=type(error).__name__)
                await asyncio.sleep(PAUSE)
                continue
            client.setblocking(False)
            self.visitors.arrive(loop.create_task(self._enter(client)))

    async def _enter(self, client: socket.socket) -> None:
        stream = BoundedStream(client, CAPABILITIES)
        try:
            await self._serve(stream)
        except Exception as error:  # of one client; its kind alone, since a message may quote a text
            note("mysql connection ended", error=type(error).__name__)
        finally:
            with suppress(Exception):
                stream.hang_up()

    async def _serve(self, stream: BoundedStream) -> None:
        here = asyncio.current_task()
        assert here is not None
        connection = BoundedConnection(
            stream=stream,
            session=AskingSession(self.pool, self.passwords, (self.database, "information_schema")),
            control=self._control,
            server_capabilities=CAPABILITIES,
            identity_provider=Identities(self.passwords),
            ssl=self.tls,
        )
        connection.room = lambda name: self.visitors.enter(here, name)
        connection.connection_id = await self._control.add(connection)
        try:
            await connection.start()
        finally:
            await self._control.remove(connection.connection_id)


def check_tls(cert: str | None, key: str | None, host: str) -> None:
    """Without a certificate and its key only this machine may connect."""
    if (cert is None) != (key is None):
        raise UntoldError("--sql-cert and --sql-key belong together: a certificate and its key, both PEM files.")
    if cert is None and host not in ("127.0.0.1", "::1", "localhost"):
        raise UntoldError(
            f"MySQL's protocol on {host} needs TLS: rows would cross the network in the clear.\n"
            "Hint: --sql-cert cert.pem --sql-key key.pem, or --host 127.0.0.1 behind a tunnel."
        )
    tls_from(cert, key)


def tls_from(cert: str | None, key: str | None) -> ssl.SSLContext | None:
    """TLS with a certificate and its key; None without them."""
    if cert is None or key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(Path(cert), Path(key))
    except (OSError, ssl.SSLError) as error:
        raise UntoldError(f"{cert} and {key} are no certificate and its key in PEM ({error}).") from error
    return context
