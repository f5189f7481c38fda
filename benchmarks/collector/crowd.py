"""People who report to a collector that may die at any moment: what was acknowledged is noted, what was not is sent again."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.collector.bodies import body, records
from benchmarks.collector.server import Server
from untold.store import Folder


class Crowd:
    """Several threads that send bodies of random users below `users`, again and again, until told to stop."""

    def __init__(
        self,
        server: Server | Sequence[Server],
        users: int,
        senders: int = 4,
        seed: int = 0,
        largest: int = 200,
        again: float = 0.0,
    ) -> None:
        self.servers = [server] if isinstance(server, Server) else list(server)
        self.users, self.largest, self.again = users, largest, again
        self.pause = 0.0  # seconds before the next request
        self.heard: list[float] = []  # when something was acknowledged
        self.acknowledged = np.zeros(users, dtype=bool)
        self.counted = self.answers = self.wrong = 0
        self._senders, self._seed = senders, seed
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to send."""
        token = self.servers[0].tokens.role("gateway")
        self._threads = [
            threading.Thread(target=self._send, args=(i, token), daemon=True) for i in range(self._senders)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Send no more."""
        self._stop.set()
        for thread in self._threads:
            thread.join(60)

    def _send(self, sender: int, token: str) -> None:
        rng = np.random.default_rng((self._seed, sender))
        headers = {"Content-Type": "application/vnd.untold.reports", "Authorization": f"Bearer {token}"}
        connection, some = self._connect(rng), rng.choice(self.users, 1)
        while not self._stop.is_set():
            if rng.random() > self.again:
                some = rng.choice(self.users, int(rng.integers(1, self.largest)), replace=False)
            try:
                connection.request("POST", "/reports", body(some), headers)
                response = connection.getresponse()
                status, answer = response.status, response.read()
            except (OSError, http.client.HTTPException):  # it died, or is about to be started again
                connection.close()
                self._stop.wait(0.02)
                connection = self._connect(rng)
                continue
            self._stop.wait(0.05 if status == 503 else self.pause)
            with self._lock:
                self._note(some, status, answer)
        connection.close()

    def _connect(self, rng: np.random.Generator) -> http.client.HTTPConnection:
        """To any of the collectors, as a proxy before them would."""
        port = self.servers[int(rng.integers(len(self.servers)))].port
        return http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def _note(self, some: np.ndarray, status: int, answer: bytes) -> None:
        self.answers += 1
        if status != 200:
            self.wrong += status not in (429, 503)
            return
        said = json.loads(answer)
        self.wrong += len(said["refused"])
        self.counted += said["counted"]
        self.heard.append(time.perf_counter())
        self.acknowledged[some] = True

    def check(self, path: Path) -> dict[str, int]:
        """What is in the segments against what was acknowledged: how many are lost, doubled or changed."""
        folder = Folder.open(path)
        folder.verify()
        tables = [pq.read_table(each) for each in folder.paths("people")]
        table = pa.concat_tables(tables) if tables else pa.table({"uid": pa.array([], pa.string()), "message": []})
        there = np.array([int(uid) for uid in table["uid"].to_pylist()], dtype=np.int64)
        times = np.bincount(there, minlength=self.users)
        messages = records(np.arange(self.users))["message"]
        return {
            "stored": len(there),
            "acknowledged": int(self.acknowledged.sum()),
            "lost": int((self.acknowledged & (times == 0)).sum()),
            "doubled": int((times > 1).sum()),
            "changed": int((messages[there] != table["message"].to_numpy()).sum()),
            "wrong answers": self.wrong,
        }
