"""A queue before the query processes in which everybody gets their turn, however much others ask."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

Worker = TypeVar("Worker")


class Full(Exception):
    """There is no room to wait."""


class FairQueue(Generic[Worker]):
    """Hands out workers: to each name in turn, and to the requests of a name in the order in which they came.

    At most `most` requests wait. When there are more, the last one of the name that has most of them makes way.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._free: deque[Worker] = deque()
        self._waiting: dict[str, deque[asyncio.Future[Worker]]] = {}  # the name whose turn is next is the first

    def put(self, worker: Worker) -> None:
        """A worker is free."""
        while self._waiting:
            name, requests = next(iter(self._waiting.items()))
            request = requests.popleft()
            del self._waiting[name]
            if requests:
                self._waiting[name] = requests  # behind all others
            if not request.done():
                request.set_result(worker)
                return
        self._free.append(worker)

    async def take(self, name: str, patience: float) -> Worker:
        """A worker for a request of this name; `TimeoutError` if none is free after so many seconds, `Full` if too many wait."""
        if self._free:
            return self._free.popleft()
        self._make_room(name)
        request: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, deque()).append(request)
        try:
            async with asyncio.timeout(patience):
                return await request
        except BaseException:
            if request.done() and not request.cancelled() and request.exception() is None:
                self.put(request.result())
            raise
        finally:
            self._forget(name, request)

    def _make_room(self, name: str) -> None:
        if sum(map(len, self._waiting.values())) < self.most:
            return
        greedy = max(self._waiting, key=lambda each: len(self._waiting[each]))
        if len(self._waiting[greedy]) <= len(self._waiting.get(name, ())) + 1:
            raise Full
        last = self._waiting[greedy].pop()
        if not last.done():
            last.set_exception(Full())

    def _forget(self, name: str, request: asyncio.Future[Worker]) -> None:
        if request in (left := self._waiting.get(name, deque())):
            left.remove(request)
        if not left:
            self._waiting.pop(name, None)
