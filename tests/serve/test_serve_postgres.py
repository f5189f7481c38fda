"""Many collectors over one database: none knows of the others, none keeps anything, and nothing is lost or doubled."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from benchmarks.collector.bodies import body, name
from benchmarks.collector.postgres import FAST, Postgres, scratch
from benchmarks.collector.server import PLAN

import untold
from helpers.inside import BINARY, ROOMY, asked, eventually, open_collector, send, stored
from untold import cli
from untold.errors import StoreError, UntoldError
from untold.serve.analysts import Analysts
from untold.serve.collector import Collector, collector_over
from untold.serve.postgres import commit, connection, drain, drain_thread, epochs, storage, stored_settings
from untold.serve.postgres.arrays import teach
from untold.serve.postgres.connection import Doubtful, Doubts
from untold.serve.postgres.schema import lock_of, schema_of
from untold.serve.reports import segment_rows
from untold.serve.reports.steps import DRAIN_STEPS
from untold.store import Folder

LedgerOf = Callable[[Path], str]


def over(path: Path, url: str, **options: Any) -> Collector:
    return collector_over(PLAN, path, url, limits=ROOMY, **options)


def test_two_collectors_count_every_person_once(tmp_path: Path, ledger_of: LedgerOf) -> None:
    """Both get the same 3,000 people at the same time, in orders of their own; each person is counted by one of them."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    rng = np.random.default_rng(3)
    with over(path, url) as first, over(path, url) as second, ThreadPoolExecutor(8) as threads:
        assert first.tokens == second.tokens
        orders = [(each, rng.permutation(3000)) for each in (first, second)]
        work = [
            threads.submit(send, each, some)
            for each, order in orders
            for some in np.array_split(order, 20)
            if len(some)
        ]
        outcomes = [each.result(60) for each in work]
        assert sum(each.counted for each in outcomes) == sum(each.repeated for each in outcomes) == 3000
        assert send(second, [5], salt=1).refused == ((0, "conflict"),)
        first.close_epoch(0).result(60)
        assert send(second, [9999]).refused == ((0, "epoch-closed"),)
        assert send(second, range(3000)).repeated == 3000  # from what is left of the partitions
        second.open_epoch(1).result(60)
        assert send(first, [5], epoch=1).counted == 1
    table = stored(path)
    assert table.num_rows == 3000 == pc.count_distinct(table["uid"]).as_py()
    with untold.connect(path) as con:
        assert con.sql("SELECT COUNT(*) AS n FROM people").df()["n"].tolist() == [3000.0]


@pytest.mark.parametrize("step", [*DRAIN_STEPS, "segment finished", "segment listed"])
def test_a_drain_that_dies_is_repeated_by_another_collector(
    step: str, tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")

    def die(at: str) -> None:
        if at == step:
            raise KeyboardInterrupt  # stands for the end of the process: nothing after it runs

    with over(path, url) as first:
        assert send(first, range(50)).counted == 50
        with monkeypatch.context() as patch:
            patch.setattr(drain if step in DRAIN_STEPS else segment_rows, "reached", die)
            with pytest.raises(KeyboardInterrupt):
                first.flush().result(30)
        with over(path, url) as second:
            assert send(second, range(60)).repeated == 50
            second.flush().result(30)
    assert sorted(stored(path)["uid"].to_pylist()) == [name(i) for i in range(60)]
    Folder.open(path).verify()


def test_a_database_and_segments_that_do_not_belong_together_are_refused(tmp_path: Path, ledger_of: LedgerOf) -> None:
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with over(path, url) as collector:
        send(collector, range(5))
        collector.flush().result(30)
        shutil.copytree(path, tmp_path / "earlier")
        send(collector, range(5, 9))
        collector.flush().result(30)
        send(collector, [10])
        with over(tmp_path / "earlier", url) as other, pytest.raises(StoreError, match="ahead of the segments"):
            other.flush().result(30)
    with over(tmp_path / "new", ledger_of(tmp_path / "new")) as collector:
        send(collector, [1])
        shutil.copytree(path, tmp_path / "ahead")
    with (
        over(tmp_path / "ahead", ledger_of(tmp_path / "new")) as other,
        pytest.raises(StoreError, match="ahead of the database"),
    ):
        other.flush().result(30)


def test_nobody_else_writes_where_a_database_knows_who_has_reported(tmp_path: Path, ledger_of: LedgerOf) -> None:
    path = tmp_path / "r"
    with open_collector(path) as collector:  # a collector of the folder alone, which then moves to a database
        send(collector, range(7))
        tokens = collector.tokens
    with over(path, ledger_of(path)) as moved:
        assert moved.tokens == tokens
        assert (again := send(moved, range(9))).counted == 2
        assert again.repeated == 7
    with pytest.raises(StoreError, match="belongs to collectors over a database"), open_collector(path):
        pass
    with pytest.raises(StoreError, match="belongs to collectors over a database"):
        untold.perturb(PLAN, "people", pa.table({"uid": ["x"], "age": [1], "income": [1]}), out=path)


def test_a_commit_that_the_server_doubts_is_sent_again(
    tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wait for the standby that was cancelled: the server says that it committed, with a warning."""
    with over(tmp_path / "r", ledger_of(tmp_path / "r")) as collector:
        doubts = iter([True, False])

        def check(self: Doubts) -> None:
            if next(doubts):
                raise Doubtful("canceling wait for synchronous replication")

        monkeypatch.setattr(Doubts, "check", check)
        outcome = send(collector, [1, 2])
        assert (outcome.counted, outcome.repeated) == (0, 2)  # it was there, and is sure to be by now
        assert next(doubts, None) is None


def test_a_database_that_is_away_is_told_and_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "PATIENCE", 0.5)
    folder = scratch()
    server = Postgres(folder / "data", FAST).create()
    try:
        server.start()
        with over(tmp_path / "r", server.url) as collector:
            head = {"Content_Type": BINARY, "Authorization": f"Bearer {collector.tokens.role('gateway')}"}
            assert asked(collector, [(body(np.arange(3)), head)])[0][0] == 200
            server.kill()
            ((status, said),) = asked(collector, [(body(np.arange(5)), head)])
            assert (status, said["error"]) == (503, "busy")
            assert not collector.ready
            server.start()
            ((status, said),) = asked(collector, [(body(np.arange(5)), head)])
            assert (status, said["counted"], said["repeated"]) == (200, 2, 3)
            assert collector.ready
            assert collector.error is None
    finally:
        server.kill()
        shutil.rmtree(folder)


def test_forgotten_epochs_leave_nothing_behind(tmp_path: Path, ledger_of: LedgerOf) -> None:
    """Segments, fingerprints and all; what is left still belongs together, also for a collector that starts later."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with over(path, url) as collector:
        collector.open_epoch(1).result(60)
        assert send(collector, range(30), epoch=1).counted == 30
        collector.flush().result(60)
        assert send(collector, range(40)).counted == 40
        with pytest.raises(StoreError, match="epoch 0 is not closed"):
            collector.forget_epochs([0]).result(60)
        collector.close_epoch(0).result(60)
        assert send(collector, range(40)).repeated == 40
        collector.forget_epochs([0]).result(60)
        assert {code for _, code in send(collector, range(40)).refused} == {"epoch-closed"}
        assert stored(path).num_rows == 30
        assert len(list(path.glob("people/*.parquet"))) == 1
    with over(path, url) as collector:
        assert send(collector, range(31), epoch=1).counted == 1
        collector.flush().result(60)
    assert stored(path).num_rows == 31


def test_commands_need_nothing_but_the_database(
    tmp_path: Path, ledger_of: LedgerOf, capsys: pytest.CaptureFixture[str]
) -> None:
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")

    def said(*words: str) -> str:
        assert cli.main(["serve", *words, "--ledger", url]) == 0
        return capsys.readouterr().out.strip()

    assert cli.main(["serve", "token", "gateway", "--ledger", url]) != 0
    assert "no reports yet" in capsys.readouterr().err
    with over(path, url) as collector:
        assert said("token", "gateway") == collector.tokens.role("gateway")
        token = said("tokens", "add", "ada")
        assert eventually(lambda: collector.analysts.now.who(token, collector.tokens) == "ada")
        assert said("tokens", "list") == "analyst\nada"
        said("tokens", "revoke", "ada")
        assert eventually(lambda: collector.analysts.now.who(token, collector.tokens) is None)
        send(collector, range(3))
    assert said("flush") == "no report waits; 1 segments"
    assert said("epoch", "open", "1", "--from", "2026-11-01") == "open: 0, 1; closed: none"
    assert said("epoch", "close", "0") == "open: 1; closed: 0"
    assert Folder.open(path).epoch_dates()[1].isoformat() == "2026-11-01"


def test_analysts_are_not_believed_for_ever_while_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    there = stored_settings.AnalystsThere(Analysts())
    assert there.now.names == ("analyst",)
    monkeypatch.setattr(stored_settings, "BELIEVED", -1.0)
    assert there.now.names == ()


def test_an_address_that_is_none_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(UntoldError, match="such as postgresql://"):
        collector_over(PLAN, str(tmp_path), "mysql://x")


@pytest.mark.parametrize(("asked", "beats", "cut"), [(False, False, False), (True, True, False), (True, False, True)])
def test_only_an_answer_that_does_not_come_is_cut(
    asked: bool, beats: bool, cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that nothing is asked of, while segments are written, is none; nor is one with many short answers."""
    ended: list[Any] = []
    looks = [0]

    def is_asked(connection: Any) -> bool:
        looks[0] += 1
        return asked

    monkeypatch.setattr(connection, "is_asked", is_asked)
    monkeypatch.setattr(connection, "cut", ended.append)
    now = [0.0]
    monkeypatch.setattr(connection, "monotonic", lambda: now[0])
    dog = connection.Watchdog(0.04)
    line: Any = object()
    dog.begin(line)
    for _ in range(8):
        now[0] += 0.03
        if beats:
            dog.beat()
        before = looks[0]
        while looks[0] < before + 2 and not ended:  # whatever it saw before, it has seen this
            time.sleep(0.001)
    dog.stop()
    assert ended == ([line] if cut else [])


def test_a_drain_ends_while_reports_keep_coming(
    tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went on until nothing waited: under load never, with a segment for every few reports, and operators waited for it."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with over(path, url) as collector:
        send(collector, range(5))
        came = iter(range(5, 30))

        def keep_coming(step: str) -> None:
            if step == "drain finished" and (user := next(came, None)) is not None:
                send(collector, [user])

        with monkeypatch.context() as patch:
            patch.setattr(drain, "reached", keep_coming)
            collector.flush().result(60)
            assert stored(path).num_rows == 5
            assert collector.segments == 1
            collector.close_epoch(0).result(60)
        assert stored(path).num_rows == 6
    assert next(came) == 7


def test_a_backlog_is_drained_in_turns(tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done every second is one drain of bounded size, so that operators of other collectors get the lock in between."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    monkeypatch.setattr(drain, "MOST", 2)
    with over(path, url) as collector:
        for user in range(6):
            send(collector, [user])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'SET search_path TO "{schema_of(PLAN)}"')
            teach(connection)
            collector.storage._drain(connection, once=True)  # type: ignore[attr-defined]
            assert stored(path).num_rows == 2
        collector.flush().result(60)
        assert stored(path).num_rows == 6


def test_closing_an_epoch_takes_its_own_reports_alone(tmp_path: Path, ledger_of: LedgerOf) -> None:
    """Whoever closes one waits for its stragglers, not for all that comes for the next one."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with over(path, url) as collector:
        collector.open_epoch(1).result(60)
        send(collector, range(5))
        send(collector, range(9), epoch=1)
        collector.close_epoch(0).result(60)
        assert [(s.epoch, s.rows) for s in Folder.open(path).segments("people")] == [(0, 5)]
        collector.flush().result(60)
        assert [(s.epoch, s.rows) for s in Folder.open(path).segments("people")] == [(0, 5), (1, 9)]


def test_operators_do_not_wait_until_closed_epochs_are_tidy(
    tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Merging and forgetting who reported are done by collectors, a little in each of their turns."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    monkeypatch.setattr(storage, "TIDYING", 0.0)
    monkeypatch.setattr(drain_thread, "TICK", 600.0)  # it has no turn but those below
    with over(path, url) as collector:
        for some in np.array_split(np.arange(3000), 3):
            send(collector, some)
            collector.flush().result(60)
        collector.close_epoch(0).result(60)
        assert collector.segments == 3
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'SET search_path TO "{schema_of(PLAN)}"')
            turns = 0
            while collector.storage._untidy():  # type: ignore[attr-defined]
                assert send(collector, range(3000)).repeated == 3000
                collector.storage._tidy(connection)  # type: ignore[attr-defined]
                turns += 1
            assert connection.execute("SELECT to_regclass('reports_0')").fetchone() == (None,)
            assert connection.execute("SELECT sum(length(prints)) FROM closed").fetchone() == (3000 * 24,)
        assert turns > epochs.PIECES
        assert collector.segments == 1
        assert send(collector, range(3001)).repeated == 3000


def test_operators_get_the_lock_before_who_only_tries(
    tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three busy collectors took it in turns, and whoever asked for it now and then came too late each time."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with over(path, url) as collector, psycopg.connect(url, autocommit=True) as busy:
        send(collector, range(5))
        lock = lock_of(PLAN, "drain")
        monkeypatch.setattr(drain_thread, "WAIT", 50)  # it waits several times
        busy.execute("SELECT pg_advisory_lock(%s)", (lock,))
        flushed = collector.flush()
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        assert eventually(lambda: busy.execute(waiting).fetchone() == (1,))
        time.sleep(0.2)
        assert eventually(lambda: busy.execute(waiting).fetchone() == (1,))
        busy.execute("SELECT pg_advisory_unlock(%s)", (lock,))
        flushed.result(60)
        assert stored(path).num_rows == 5


def test_a_role_that_the_database_does_not_know_is_told_at_once(tmp_path: Path, ledger_of: LedgerOf) -> None:
    url = ledger_of(tmp_path / "r").replace("://", "://nobody_of_that_name@", 1)
    url = re.sub(r"://nobody_of_that_name@[^/@]*@", "://nobody_of_that_name@", url)
    began = time.monotonic()
    with pytest.raises(StoreError, match="nobody_of_that_name"), over(tmp_path / "r", url):
        pass
    assert time.monotonic() - began < 5
