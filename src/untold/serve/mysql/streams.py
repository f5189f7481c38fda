"""The library's streams and connections with bounds: on packets, on waiting, on what one client can make us keep."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import Callable
from typing import Any

from mysql_mimic.connection import Connection
from mysql_mimic.errors import ErrorCode, MysqlError
from mysql_mimic.stream import ConnectionClosed, MysqlStream
from mysql_mimic.types import Capabilities

from untold.serve.mysql.greeting import is_whole
from untold.serve.mysql.wire import RawSocket, over_tls

SMALL, QUERY = (
    4 << 10,
    256 << 10,
)  # bytes of a packet: the library's parsers take time with the square of a text, so only queries,
# which it does not parse, may be long, and only once a client has said who it is
COM_QUERY = 0x03
HANDSHAKE, IDLE = 30.0, 8 * 3600.0  # seconds
NO_TLS, TOO_MANY = 3159, 1040
NOT_PREPARED = 1295


class BoundedStream:
    """Reads packets up to a size, and waits up to a time. All else is the library's stream, which is compiled and has no
    children."""

    def __init__(self, sock: socket.socket, abilities: Capabilities) -> None:
        self.abilities = abilities  # of the server
        self.most, self.patience, self.greeting, self._sock = SMALL, HANDSHAKE, True, sock
        self._encrypted = False
        raw = RawSocket(sock)
        self._stream = MysqlStream(raw, raw)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def start_tls(self, tls: ssl.SSLContext) -> None:
        """The packets go on counting inside."""
        self._encrypted = True
        inside = MysqlStream(*await over_tls(self._sock, tls, HANDSHAKE))
        inside.seq = self._stream.seq
        self._stream = inside

    def hang_up(self) -> None:
        """End the connection. TLS has the last word on its socket: the next client could get its number too early."""
        if self._encrypted:
            self.writer.close()
        else:
            self._sock.close()

    async def read(self) -> bytes:
        """One packet."""
        data = b""
        try:
            async with asyncio.timeout(self.patience):
                while True:
                    (head,) = struct.unpack("<I", await self.reader.readexactly(4))
                    size, number = head & 0xFFFFFF, head >> 24
                    if number != next(self.seq):
                        raise MysqlError("A packet came out of order.", ErrorCode.MALFORMED_PACKET)
                    if len(data) + size > self.most:
                        raise ConnectionClosed
                    data += await self.reader.readexactly(size)
                    if size < 0xFFFFFF:
                        return self._checked(data)
        except (asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            raise ConnectionClosed from None

    def _checked(self, data: bytes) -> bytes:
        if self.greeting and not is_whole(data, self.abilities):
            raise MysqlError("A packet is not whole.", ErrorCode.MALFORMED_PACKET)
        if len(data) > SMALL and data[0] != COM_QUERY:
            raise ConnectionClosed
        return data or b"\0"  # no command: COM_SLEEP, which is refused


class BoundedConnection(Connection):  # type: ignore[misc]
    """Larger packets and more patience for those who have entered; no prepared statements."""

    room: Callable[[str], bool]  # whether there is room for one who has entered

    async def handle_change_user(self, data: bytes) -> None:
        """Refused: its parser, too, waits for ever for the end of a text. Whoever wants to be somebody else connects anew."""
        raise MysqlError("Users are not changed here: connect anew.", ErrorCode.UNKNOWN_COM_ERROR)

    async def handle_field_list(self, data: bytes) -> None:
        """The columns of a table, as old clients ask for them."""
        if b"\0" not in data:
            raise MysqlError("A packet is not whole.", ErrorCode.MALFORMED_PACKET)
        await super().handle_field_list(data)

    async def authenticate(self, *args: Any, **named: Any) -> None:
        """Nobody enters without TLS where there is TLS."""
        self.stream.greeting = False
        if self.ssl is not None and self.stream.writer.get_extra_info("ssl_object") is None:
            await self.stream.write(
                self.error(msg="This server wants TLS (mariadb --ssl, sslMode=trust).", code=NO_TLS)
            )
            raise ConnectionClosed
        await super().authenticate(*args, **named)

    async def command_phase(self) -> None:
        """Only reached by who has entered: `AskingSession.init` turns all others away."""
        if not self.room(self.session.username or ""):
            await self.stream.read()  # the first command: a client takes an error for an answer alone
            await self.stream.write(self.error(msg="Too many connections", code=TOO_MANY))
            raise ConnectionClosed
        self.stream.most, self.stream.patience = QUERY, IDLE
        await super().command_phase()

    async def handle_stmt_prepare(self, data: bytes) -> None:
        """Refused: the library puts parameters into the text unquoted, and looks for their places by a pattern whose time
        grows with the square of the text. Clients fill in parameters themselves, as most do unless told otherwise."""
        raise MysqlError("Statements are not prepared here: let the client fill in parameters.", NOT_PREPARED)
