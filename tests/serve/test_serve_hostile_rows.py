"""Rows of the database that are not as a collector wrote them: told in words, never counted, and nobody dies of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest
from benchmarks.collector.bodies import name
from benchmarks.collector.server import PLAN

from helpers.inside import send, stored
from untold.errors import StoreError, UntoldError
from untold.serve.collector import collector_over
from untold.serve.postgres import drain_thread
from untold.serve.postgres.connection import connect
from untold.serve.postgres.existing_plan import plan_and_data
from untold.serve.postgres.schema import schema_of
from untold.serve.reports.jobs import LogLimits

LedgerOf = Callable[[Path], str]
FIRST = "number = (SELECT min(number) FROM batches)"
CHANGES = {
    "a changed bit": f"UPDATE batches SET body = set_bit(body, 3000, 1 - get_bit(body, 3000)) WHERE {FIRST}",
    "half of it": f"UPDATE batches SET body = substr(body, 1, length(body) / 2) WHERE {FIRST}",
    "nothing of it": f"UPDATE batches SET body = '' WHERE {FIRST}",
    "another service": f"UPDATE batches SET body = set_byte(body, 7, 9) WHERE {FIRST}",
    "a smaller number": f"UPDATE batches SET reports = 0, body = substr(body, 1, 90) WHERE {FIRST}",
    "no number of drains": "DELETE FROM drains",
    "records that are none": f"UPDATE batches SET body = %s, sum = %s WHERE {FIRST}",
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_batch_that_is_not_as_it_was_written_is_told_and_left(
    what: str, tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(drain_thread, "TICK", 0.02)
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    limits = LogLimits(log_seconds=1e9)
    with (
        collector_over(PLAN, path, url, limits=limits) as collector,
        closing(connect(url, schema_of(PLAN))) as connection,
    ):
        assert send(collector, range(20)).counted == 20
        assert send(collector, range(20, 30)).counted == 10
        drains = connection.execute("SELECT * FROM drains").fetchone()
        assert drains is not None
        (good,) = connection.execute(f"SELECT body FROM batches WHERE {FIRST}").fetchone() or (b"",)
        none = bytes(good[:60]) + bytes(len(good) - 60)  # by somebody who can compute a checksum
        connection.execute(CHANGES[what], (none, crc32(none)) if "%s" in CHANGES[what] else ())
        with pytest.raises(StoreError, match="database"):
            collector.flush().result(30)
        object.__setattr__(limits, "log_seconds", 0.0)  # now on its own, too
        capsys.readouterr()
        deadline = time.monotonic() + 30
        while "drain put off" not in capsys.readouterr().err:
            assert time.monotonic() < deadline, "the thread that makes segments says nothing more"
            time.sleep(0.02)
        assert stored(path).num_rows == 0
        assert send(collector, range(30, 35)).counted == 5  # it still takes reports
        if what == "no number of drains":
            connection.execute("INSERT INTO drains VALUES (%s, %s)", drains)
        else:
            connection.execute(f"DELETE FROM batches WHERE {FIRST}")
        collector.flush().result(30)
    there = sorted(stored(path)["uid"].to_pylist())
    assert there == [name(i) for i in range(0 if what == "no number of drains" else 20, 35)]


@pytest.mark.parametrize("fact", ["settings", "analysts", "secrets", "plan"])
@pytest.mark.parametrize("text", ["", "{}", "[" * 20_000, '{"open": ["\\ud800"]}', "\x01"])
def test_facts_of_nobody_are_refused_in_words(fact: str, text: str, tmp_path: Path, ledger_of: LedgerOf) -> None:
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with collector_over(PLAN, path, url):
        pass
    with closing(connect(url, schema_of(PLAN))) as connection:
        connection.execute(
            "INSERT INTO facts VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (fact, text)
        )
    if fact == "plan":  # read by commands alone
        with pytest.raises(UntoldError):
            plan_and_data(url)
        return
    with pytest.raises(StoreError, match="facts"), collector_over(PLAN, path, url):
        pass
