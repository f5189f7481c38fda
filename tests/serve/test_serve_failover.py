"""The primary is killed and its synchronous standby promoted, under load: what was acknowledged is there, once."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from benchmarks.collector.bodies import body, name
from benchmarks.collector.postgres import Postgres, available, scratch
from benchmarks.collector.proxy import Proxy
from benchmarks.collector.server import PLAN

from helpers.inside import stored
from untold.serve.collector import Collector, collector_over
from untold.serve.postgres import commit
from untold.serve.reports.jobs import Away, Job, LogLimits
from untold.store import Folder


@pytest.fixture
def pair() -> Iterator[tuple[Postgres, Postgres]]:
    """A primary that acknowledges nothing which its standby has not on its disk."""
    if not available():
        pytest.skip("PostgreSQL is not installed")
    folder = scratch()
    primary = Postgres(folder / "a").create()
    standby: Postgres | None = None
    try:
        primary.start()
        standby = primary.standby(folder / "b", "standby")
        standby.start()
        primary.wait_for("standby")
        while not primary.ask("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"):
            time.sleep(0.05)
        yield primary, standby
    finally:
        for server in (standby, primary):
            if server is not None:
                server.kill()
        shutil.rmtree(folder)


class Senders:
    """Threads that send until they are told to stop, and note who was acknowledged."""

    def __init__(self, collectors: list[Collector]) -> None:
        self.acknowledged: set[int] = set()
        self._collectors, self._stop = collectors, threading.Event()
        self._threads = [threading.Thread(target=self._send, args=(seed,)) for seed in range(4)]
        for thread in self._threads:
            thread.start()

    def _send(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        while not self._stop.is_set():
            users = rng.choice(200_000, int(rng.integers(1, 100)), replace=False)
            collector = self._collectors[int(rng.integers(len(self._collectors)))]
            job = Job(collector.reader.read_binary(body(users)).blocks)
            collector.committer.submit(job)
            try:
                assert not job.done.result(120).refused
            except Away:
                continue
            self.acknowledged.update(users.tolist())

    def more(self, count: int) -> None:
        """Wait until so many more were acknowledged."""
        wanted, deadline = len(self.acknowledged) + count, time.monotonic() + 120
        while len(self.acknowledged) < wanted:
            assert time.monotonic() < deadline, "nothing is acknowledged any more"
            time.sleep(0.02)

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def test_a_failover_and_cut_networks_lose_and_double_nothing(
    pair: tuple[Postgres, Postgres], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit, "PATIENCE", 1.0)
    monkeypatch.setattr(commit, "SLOWEST", 1.5)
    primary, standby = pair
    proxies = Proxy(primary.port), Proxy(standby.port)
    url = f"postgresql://untold@127.0.0.1:{proxies[0].port},127.0.0.1:{proxies[1].port}/postgres"
    limits = LogLimits(log_seconds=0.5)
    path = tmp_path / "r"
    with (
        collector_over(PLAN, path, url, limits=limits) as first,
        collector_over(PLAN, path, url, limits=limits) as second,
    ):
        senders = Senders([first, second])
        try:
            senders.more(2000)
            proxies[0].cut()
            senders.more(500)
            proxies[0].stall()  # a network that swallows everything: only a deadline of our own tells
            time.sleep(2.5)
            proxies[0].cut()
            proxies[0].flow()
            senders.more(500)
            primary.kill()
            standby.promote()
            senders.more(2000)
        finally:
            senders.stop()
        assert first.error is None
        assert second.error is None
        second.flush().result(120)
    there = stored(path)["uid"].to_pylist()
    assert len(there) == len(set(there))
    assert {name(user) for user in senders.acknowledged} <= set(there)
    Folder.open(path).verify()


def test_a_wait_for_the_standby_that_somebody_cancels_is_no_acknowledgement(
    pair: tuple[Postgres, Postgres],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server then says that it has committed, with a warning."""
    monkeypatch.setattr(commit, "PATIENCE", 300.0)
    monkeypatch.setattr(commit, "SLOWEST", 300.0)
    primary, standby = pair
    with collector_over(PLAN, tmp_path / "r", primary.url, limits=LogLimits(log_seconds=1e9)) as collector:
        standby.stop()
        job = Job(collector.reader.read_binary(body(np.arange(3))).blocks)
        collector.committer.submit(job)
        waits = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'COMMIT%'"
        while not primary.ask(f"SELECT 1 {waits}"):
            time.sleep(0.05)
        assert not job.done.done()
        primary.ask(f"SELECT pg_cancel_backend(pid) {waits}")
        while "database away" not in capsys.readouterr().err:
            time.sleep(0.05)
        assert not job.done.done()
        standby.start()
        outcome = job.done.result(60)
        assert (outcome.counted, outcome.repeated) == (0, 3)
