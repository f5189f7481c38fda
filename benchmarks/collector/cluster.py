"""Several collectors over one database with a synchronous standby, behind networks that can be cut."""

from __future__ import annotations

import shutil
import time
from contextlib import closing
from pathlib import Path

from benchmarks.collector.postgres import Postgres, scratch
from benchmarks.collector.proxy import Proxy
from benchmarks.collector.server import PLAN, Server
from benchmarks.collector.warm import Nursery
from untold.serve.postgres import stored_settings
from untold.serve.postgres.connection import connect
from untold.serve.postgres.schema import schema_of
from untold.wire.tokens import Tokens

KILLING = ("-m", "benchmarks.collector.killing")
STANDBY = "standby"


class OverDatabase(Server):
    """One collector of many."""

    def __init__(self, folder: Path, number: int, url: str, direct: str, options: tuple[str, ...] = ()) -> None:
        super().__init__(folder, ("--ledger", url, *options), KILLING)
        self.errors = folder.with_name(f"collector{number}.err")
        self.direct = direct

    @property
    def tokens(self) -> Tokens:
        """Those of the database."""
        if not hasattr(self, "_tokens"):
            with closing(connect(self.direct, schema_of(PLAN))) as connection:
                self._tokens = stored_settings.secrets_of(connection).tokens
        return self._tokens


class Cluster:
    """A primary, its standby if asked, and collectors that reach the database through proxies, or directly: a proxy is a thread
    of this process and costs time of its own."""

    def __init__(
        self, folder: Path, collectors: int, standby: bool = True, options: tuple[str, ...] = (), direct: bool = False
    ) -> None:
        self.folder, self.data = scratch(), folder / "reports"
        self._made = 0
        self.primary = self._server()
        self.primary.create().start()
        self.proxies = [Proxy(self.primary.port), Proxy()]
        self.standby: Postgres | None = None
        if standby:
            self.follow()
        hosts = ",".join(f"127.0.0.1:{each.port}" for each in self.proxies)
        url = self.primary.url if direct else f"postgresql://untold@{hosts}/postgres"
        self.collectors = [OverDatabase(self.data, i, url, self.primary.url, options) for i in range(collectors)]
        self.nursery: Nursery | None = None

    def warm_up(self) -> None:
        """From now on collectors start in a moment."""
        self.nursery = Nursery()
        for each in self.collectors:
            each.nursery = self.nursery

    def _server(self) -> Postgres:
        self._made += 1
        return Postgres(self.folder / f"pg{self._made}", {"synchronous_commit": "on"})

    def follow(self) -> None:
        """A new standby of the primary, for which it waits from now on."""
        self._made += 1
        self.standby = self.primary.standby(self.folder / f"pg{self._made}", STANDBY)
        self.standby.start()
        if "synchronous_standby_names" not in self.primary.settings:
            self.primary.wait_for(STANDBY)
        self.standby.settings["synchronous_standby_names"] = STANDBY  # from its promotion on
        deadline = time.perf_counter() + 600
        while self.primary.ask("SELECT sync_state FROM pg_stat_replication WHERE sync_state <> 'async'") == []:
            assert time.perf_counter() < deadline, "the standby does not follow"
            time.sleep(0.05)

    def fail_over(self) -> tuple[float, float]:
        """Kill the primary, promote its standby, and give that one a standby of its own. Returns the seconds until the new
        primary takes writes, and from there until its standby follows: before that, it acknowledges nothing."""
        assert self.standby is not None
        began = time.perf_counter()
        old, self.primary = self.primary, self.standby
        old.kill()
        self.primary.promote()
        self.primary.wait_for(STANDBY)  # before collectors find it: nothing is acknowledged by one machine alone
        self.proxies.reverse()
        self.proxies[0].target = self.primary.port
        self.proxies[1].target = 0
        for each in self.proxies:
            each.cut()
        for collector in self.collectors:
            collector.direct = self.primary.url
        promoted = time.perf_counter()
        self.follow()
        followed = time.perf_counter()
        shutil.rmtree(old.folder)
        return promoted - began, followed - promoted

    def database_cpu(self) -> float:
        """Seconds of processor time of the primary and its standby."""
        return self.primary.cpu() + (0.0 if self.standby is None else self.standby.cpu())

    def stop(self) -> None:
        """End everything, without ceremony."""
        for each in self.collectors:
            each.kill()
        if self.nursery is not None:
            self.nursery.stop()
        for server in (self.standby, self.primary):
            if server is not None:
                server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
