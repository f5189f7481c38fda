"""Bytes of one client: from its socket, and from TLS once the client asks for it.

Before TLS, exactly what was asked for is taken from the socket. A reader with a buffer of its own would swallow the client's
first TLS message, which often comes in the same moment.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import Any

SENDING = 60.0  # seconds that a client may take for what it has asked for, piece by piece


class RawSocket:
    """A reader and a writer as asyncio has them, without a buffer for what comes in."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock, self._out, self._loop = sock, bytearray(), asyncio.get_running_loop()

    async def readexactly(self, size: int) -> bytes:
        """So many bytes, or `IncompleteReadError`."""
        data = bytearray()
        while len(data) < size:
            part = await self._loop.sock_recv(self.sock, min(size - len(data), 1 << 16))
            if not part:
                raise asyncio.IncompleteReadError(bytes(data), size)
            data += part
        return bytes(data)

    def write(self, data: bytes) -> None:
        """Later, with `drain`."""
        self._out += data

    async def drain(self) -> None:
        """Now."""
        out, self._out = self._out, bytearray()
        async with asyncio.timeout(SENDING):
            await self._loop.sock_sendall(self.sock, out)

    def get_extra_info(self, name: str) -> Any:
        """Nothing: it is not encrypted."""
        return None

    def close(self) -> None:
        """Hang up."""
        self.sock.close()


async def over_tls(sock: socket.socket, tls: ssl.SSLContext, patience: float) -> tuple[Any, Any]:
    """A reader and a writer of what goes through TLS from here on."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 16, loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    transport, _ = await loop.connect_accepted_socket(lambda: protocol, sock, ssl=tls, ssl_handshake_timeout=patience)
    return reader, Patient(transport, protocol, reader, loop)


class Patient(asyncio.StreamWriter):
    """Waits for who reads, but not for ever."""

    async def drain(self) -> None:
        """Until most of it is sent."""
        async with asyncio.timeout(SENDING):
            await super().drain()
