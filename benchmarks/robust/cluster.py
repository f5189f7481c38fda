"""Four collectors over PostgreSQL with a synchronous standby, in a bad week. Lines to hold:

collectors killed at random 100 times, and at each step of a commit and of a drain; the primary killed and its standby promoted
10 times; the network to the database cut and stalled: of a million acknowledged reports none is lost, none counts twice, and
none is changed. How long nothing was acknowledged at each failover is printed.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from benchmarks.collector.cluster import Cluster, OverDatabase
from benchmarks.collector.crowd import Crowd
from benchmarks.table import Value, show

STEPS = ("claimed", "written", "synced", "drain numbered", "segment finished", "segment listed", "drain listed",
         "drain finished")  # fmt: skip
COLUMNS = (
    "test",
    "kills",
    "failovers",
    "cuts",
    "acknowledged",
    "stored",
    "lost",
    "doubled",
    "wrong",
    "seconds",
    "held",
)
OUTAGES = ("failover", "s until promoted", "s until it has a standby", "s without an acknowledgement")
AHEAD, BEHIND = (
    (30, 0.05),
    (1500, 0.0),
)  # largest body and pause of senders who have, or have not, sent their share so far


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench robust cluster")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--failovers", type=int, default=10)
    parser.add_argument("--cuts", type=int, default=10)
    parser.add_argument("--reports", type=float, default=1e6)
    parser.add_argument("--collectors", type=int, default=4)
    parser.add_argument("--steps", type=int, default=len(STEPS), help="how many of the steps to die at")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers are ended, too
    with tempfile.TemporaryDirectory(prefix="untold-bench-") as scratch:
        cluster = Cluster(Path(scratch), options.collectors, options=("--segment-seconds", "2"))
        try:
            row, outages = Trial(cluster, options).run()
        finally:
            cluster.stop()
    show("robust_cluster", "What many collectors over one database survive", COLUMNS, [row])
    show("robust_cluster_outages", "Time without service", OUTAGES, outages)


class Trial:
    """Events in an order drawn at random, beside senders that never give up."""

    def __init__(self, cluster: Cluster, options: argparse.Namespace) -> None:
        self.cluster, self.options = cluster, options
        self.rng = np.random.default_rng(options.seed)
        self.outages: list[list[Value]] = []
        self.restarting: list[threading.Thread] = []
        self.kills = 0

    def run(self) -> tuple[list[Value], list[list[Value]]]:
        """All events, then as many reports as are still wanted, then the count."""
        began = time.perf_counter()
        self.cluster.warm_up()
        for each in self.cluster.collectors:
            each.start()
        crowd = self.crowd = Crowd(
            self.cluster.collectors, max(10**7, int(5 * self.options.reports)), senders=6, largest=1500, again=0.2
        )  # so many that there are new ones to the end
        crowd.start()
        try:
            events: list[Callable[[], None]] = [self.kill] * self.options.kills
            events += [self.fail_over] * self.options.failovers + [self.cut] * self.options.cuts
            events += [lambda step=step: self.die_at(step) for step in STEPS[: self.options.steps]]  # type: ignore[misc]
            for number, place in enumerate(self.rng.permutation(len(events))):
                time.sleep(float(self.rng.uniform(0, 1)))
                events[place]()
                share = (number + 1) / len(events) * 1.1 * self.options.reports
                crowd.largest, crowd.pause = AHEAD if crowd.acknowledged.sum() > share else BEHIND
                if number % 10 == 0:
                    print(f"{number} of {len(events)} events, {crowd.acknowledged.sum():,} acknowledged", flush=True)
            crowd.largest, crowd.pause = BEHIND
            while crowd.acknowledged.sum() < self.options.reports:
                time.sleep(1)
        finally:
            crowd.stop()
            for thread in self.restarting:
                thread.join()
        self.cluster.collectors[0].operate("/flush")
        found = crowd.check(self.cluster.data)
        wrong = found["changed"] + found["wrong answers"]
        enough = found["acknowledged"] >= self.options.reports
        held = enough and found["lost"] == found["doubled"] == wrong == 0
        counts: list[Value] = [self.kills, self.options.failovers, self.options.cuts]
        results: list[Value] = [found[name] for name in ("acknowledged", "stored", "lost", "doubled")]
        took = time.perf_counter() - began
        return ["a bad week", *counts, *results, wrong, took, "yes" if held else "NO"], self.outages

    def kill(self) -> None:
        """One collector, at any moment; it is started again while the others go on."""
        living = [each for each in self.cluster.collectors if not getattr(each, "busy", False)]
        if not living:
            time.sleep(1)
            return self.kill()
        one = living[int(self.rng.integers(len(living)))]
        one.kill()
        self.kills += 1
        self.again(one)
        return None

    def die_at(self, step: str) -> None:
        """All collectors die at a step of their own when they reach it: one of them makes the segments."""
        for thread in self.restarting:
            thread.join()
        for one in self.cluster.collectors:
            one.kill()
            with suppress(RuntimeError):  # it may reach the step before it has answered
                one.start(environment={"KILL_AT": step, "KILL_AFTER": str(int(self.rng.integers(3)))})
        deadline = time.perf_counter() + 600
        while not any(one.process and one.process.poll() is not None for one in self.cluster.collectors):
            assert time.perf_counter() < deadline, f"nobody has reached '{step}'"
            time.sleep(0.05)
        for one in self.cluster.collectors:
            self.kills += one.process is not None and one.process.poll() is not None
            one.kill()
            one.start()

    def again(self, one: OverDatabase) -> None:
        """Start a collector beside what else happens."""
        one.busy = True  # type: ignore[attr-defined]

        def start() -> None:
            for _ in range(5):  # over a failover it may give up, as systemd knows
                with suppress(RuntimeError):
                    one.start()
                    break
                one.kill()
            one.busy = False  # type: ignore[attr-defined]

        self.restarting.append(threading.Thread(target=start))
        self.restarting[-1].start()

    def fail_over(self) -> None:
        """The primary dies, its standby takes over; how long is nothing acknowledged?"""
        before = len(self.crowd.heard)
        parts = self.cluster.fail_over()
        deadline = time.perf_counter() + 600
        while not self.crowd.heard or time.perf_counter() - self.crowd.heard[-1] > 0.5:
            assert time.perf_counter() < deadline, "nothing is acknowledged after a failover"
            time.sleep(0.05)
        heard = np.array(self.crowd.heard[max(0, before - 1) :])
        self.outages.append([len(self.outages) + 1, *parts, float(np.diff(heard).max())])
        print(f"failover {self.outages[-1]}", flush=True)

    def cut(self) -> None:
        """The network to the database breaks, or is silent for a while."""
        proxy = self.cluster.proxies[0]
        if self.rng.random() < 0.5:
            proxy.cut()
            return
        proxy.stall()
        time.sleep(float(self.rng.uniform(0.5, 4)))
        proxy.flow()


if __name__ == "__main__":
    main(sys.argv[1:])
