"""A socket that is given up at a fixed time, however often the other side sends one more byte before a timeout."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any


@dataclass(frozen=True)
class Deadline:
    """A time after which nothing is waited for."""

    at: float
    step: float  # seconds that one wait may take
    clock: Callable[[], float] = monotonic

    @classmethod
    def after(cls, seconds: float, step: float, clock: Callable[[], float] = monotonic) -> Deadline:
        """So many seconds from now."""
        return cls(clock() + seconds, step, clock)

    def left(self) -> float:
        """Seconds that the next wait may take; TimeoutError if there are none."""
        left = self.at - self.clock()
        if left <= 0:
            raise TimeoutError("the answer took too long")
        return min(left, self.step)


@dataclass(frozen=True, eq=False)
class TimedSocket:
    """As much of a socket as `http.client` uses, under a deadline."""

    sock: socket.socket
    deadline: Deadline

    def sendall(self, data: Any) -> None:
        """Send everything."""
        self.sock.settimeout(self.deadline.left())
        self.sock.sendall(data)

    def makefile(self, mode: str = "rb", *rest: Any) -> io.BufferedReader:
        """What comes back."""
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        """Nothing: `http.client` closes before it has read the answer. Who opened the socket hangs up."""


class _Reader(io.RawIOBase):
    def __init__(self, timed: TimedSocket) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._timed.sock.settimeout(self._timed.deadline.left())
        return self._timed.sock.recv_into(buffer)
