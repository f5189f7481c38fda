"""A network that can be cut: passes bytes on to a server, or drops its connections, or swallows what is sent."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

from benchmarks.collector.server import free_port


class Proxy:
    """Listens on a port of its own, and passes on to `target` (a port of this machine; 0: nobody)."""

    def __init__(self, target: int = 0) -> None:
        self.port, self.target = free_port(), target
        self._open: set[asyncio.StreamWriter] = set()
        self._flowing = threading.Event()
        self._flowing.set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()
        self._ready.wait()

    def cut(self) -> None:
        """Drop all connections; new ones are taken."""
        self._loop.call_soon_threadsafe(self._drop)

    def stall(self) -> None:
        """Swallow nothing and pass nothing on, until `flow`: whoever waits hears nothing at all."""
        self._flowing.clear()

    def flow(self) -> None:
        """Pass on again."""
        self._flowing.set()

    def _drop(self) -> None:
        for each in list(self._open):
            each.transport.abort()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", self.port))
        self._ready.set()
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        pairs = ((reader, there[1]), (there[0], writer))
        self._open |= {writer, there[1]}
        try:
            await asyncio.gather(*(self._pass(*pair) for pair in pairs))
        finally:
            for each in (writer, there[1]):
                self._open.discard(each)
                each.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                while not self._flowing.is_set():
                    await asyncio.sleep(0.05)
                writer.write(data)
                await writer.drain()
        writer.transport.abort()
