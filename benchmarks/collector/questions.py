"""Analysts who ask slow questions without a pause, while reports come in."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from benchmarks.collector.server import Server

SLOW = "SELECT age, income, COUNT(*) AS n, SUM(income) AS s FROM people GROUP BY age, income"


@contextmanager
def asking(server: Server, analysts: int = 3) -> Iterator[list[int]]:
    """Yields a list that grows by the status of each answer."""
    token, ended, answers = server.tokens.role("analyst"), threading.Event(), list[int]()
    head = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}

    def ask() -> None:
        while not ended.is_set():
            with suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
                connection.request("POST", "/query", json.dumps({"sql": SLOW}), head)
                answers.append(connection.getresponse().status)
                connection.close()

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(analysts)]
    for thread in threads:
        thread.start()
    try:
        yield answers
    finally:
        ended.set()
