"""What a database's owner has made the default for transactions changes nothing of what collectors promise."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psycopg
import pytest
from benchmarks.collector.bodies import body
from benchmarks.collector.server import PLAN

from helpers.inside import ROOMY
from untold.kernels.runs import Status
from untold.kernels.siphash import Hashes
from untold.serve.collector import collector_over
from untold.serve.postgres import stored_settings
from untold.serve.postgres.arrays import teach
from untold.serve.postgres.claims import Claims
from untold.serve.postgres.connection import connect
from untold.serve.postgres.schema import lock_of, schema_of
from untold.serve.reports.jobs import Job
from untold.serve.reports.new_reports import count

LedgerOf = Callable[[Path], str]
WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read", "serializable"])
def test_a_report_that_waits_while_its_epoch_closes_is_refused(
    isolation: str, tmp_path: Path, ledger_of: LedgerOf
) -> None:
    """A group of reports waits for the lock while an epoch is closed. It must then see what was committed meanwhile."""
    url = ledger_of(tmp_path / "r")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(f"ALTER DATABASE {owner.info.dbname} SET default_transaction_isolation = '{isolation}'")
    with collector_over(PLAN, tmp_path / "r", url, limits=ROOMY) as collector, psycopg.connect(url) as other:
        other.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        other.execute(f'SET search_path TO "{schema_of(PLAN)}"')
        other.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of(PLAN, "reports"),))
        job = Job(collector.reader.read_binary(body(np.arange(3))).blocks)
        collector.committer.submit(job)
        deadline = time.monotonic() + 60
        while other.execute(WAITS).fetchone() == (0,) and time.monotonic() < deadline:
            time.sleep(0.01)
        stored_settings.write(other, stored_settings.SETTINGS, collector.settings.shut(0).to_json())
        other.commit()
        assert {code for _, code in job.done.result(60).refused} == {"epoch-closed"}


def test_epochs_are_claimed_in_one_order_by_everybody(tmp_path: Path, ledger_of: LedgerOf) -> None:
    """Two groups that name two epochs in different orders would wait for each other, until the database ends one of them."""
    claimed = []

    class Recording(Claims):
        def claim(self, log: int, epoch: int, prints: Hashes) -> Status:
            claimed.append(epoch)
            return super().claim(log, epoch, prints)

    with collector_over(PLAN, tmp_path / "r", ledger_of(tmp_path / "r"), limits=ROOMY) as collector:
        for epoch in (1, 2):
            collector.open_epoch(epoch).result(60)
        blocks = [
            block for epoch in (2, 0, 1) for block in collector.reader.read_binary(body(np.arange(3), epoch)).blocks
        ]
        with connect(ledger_of(tmp_path / "r"), schema_of(PLAN)) as connection:
            teach(connection)
            group = count([Job(blocks)], collector.settings, Recording(connection), 0, bytes.fromhex(PLAN.id))
    assert claimed == [0, 1, 2]
    assert group.outcomes[0][1].counted == 9
