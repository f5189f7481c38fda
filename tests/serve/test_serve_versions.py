"""Tables that another version of the program made: earlier ones are brought up to date, later ones are refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from benchmarks.collector.server import PLAN

from helpers.forks import exit_code_of
from helpers.inside import ROOMY, send, stored
from untold import cli
from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.collector import Collector, collector_over
from untold.serve.postgres import stored_settings, versions
from untold.serve.postgres.connection import connect
from untold.serve.postgres.schema import schema_of

LedgerOf = Callable[[Path], str]


def over(path: Path, url: str) -> Collector:
    return collector_over(PLAN, path, url, limits=ROOMY)


def ask(url: str, *statements: str) -> Any:
    with closing(connect(url, schema_of(PLAN))) as connection:
        for statement in statements:
            found = connection.execute(statement)
        return found.fetchall() if found.description else None


def collect_and_die(path: Path, url: str) -> None:
    """A collector that acknowledges and ends before there is a segment."""
    import os

    with over(path, url) as collector:
        assert send(collector, range(50)).counted == 50
        os._exit(0)


@pytest.mark.parametrize("row", [True, False])
def test_tables_without_sums_are_brought_up_to_date(row: bool, tmp_path: Path, ledger_of: LedgerOf) -> None:
    """What an earlier version has acknowledged is counted once, and damage to it is noticed from then on."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    exit_code_of(collect_and_die, path, url)
    early = "INSERT INTO facts VALUES ('schema', '1') ON CONFLICT (name) DO UPDATE SET value = '1'"
    ask(url, "ALTER TABLE batches DROP COLUMN sum, DROP COLUMN version", "DELETE FROM facts WHERE name = 'root'")
    ask(url, early if row else "DELETE FROM facts WHERE name = 'schema'")
    assert ask(url, "SELECT sum(reports) FROM batches") == [(50,)]
    with over(path, url) as collector:
        assert ask(url, "SELECT value FROM facts WHERE name = 'schema'") == [(str(versions.VERSION),)]
        assert send(collector, range(60)).counted == 10
        collector.flush().result(60)
    assert stored(path).num_rows == 60


@pytest.mark.parametrize(
    ("told", "said"), [("4", "knows versions 1 to 3"), ("0", "1 to 3"), ("x", "versions are numbers")]
)
def test_other_versions_are_refused_and_left_alone(
    told: str, said: str, tmp_path: Path, ledger_of: LedgerOf, capsys: pytest.CaptureFixture[str]
) -> None:
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with over(path, url):
        pass
    ask(url, f"UPDATE facts SET value = '{told}' WHERE name = 'schema'")
    with pytest.raises(StoreError, match=said), over(path, url):
        pass
    assert cli.main(["serve", "token", "gateway", "--ledger", url]) == 2
    assert said in capsys.readouterr().err
    with closing(connect(url, schema_of(PLAN))) as connection:
        assert stored_settings.read(connection, versions.SCHEMA) == told


def test_an_edited_plan_is_refused_at_the_start(tmp_path: Path, ledger_of: LedgerOf) -> None:
    """Before, it was healthy, acknowledged reports that could never be delivered, and every command failed from then on."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with over(path, url) as collector:
        send(collector, range(5))
    edited = Plan.from_dict({**json.loads(PLAN.to_json())["declared"], "lifetime": 99.0})
    with (
        pytest.raises(
            StoreError, match=r"(?s)this database collects version 1 of plan .*write version = 2 into the plan"
        ),
        collector_over(edited, path, url, limits=ROOMY),
    ):
        pass
    assert cli.main(["serve", "flush", "--ledger", url]) == 0
    assert stored(path).num_rows == 5


def test_another_place_for_segments_is_refused_at_the_start(tmp_path: Path, ledger_of: LedgerOf) -> None:
    """Before, it acknowledged, and every drain failed."""
    path, url = tmp_path / "r", ledger_of(tmp_path / "r")
    with over(path, url) as collector:
        send(collector, range(5))
    with pytest.raises(StoreError, match=rf"(?s)other is not where.*that is {path}"), over(tmp_path / "other", url):
        pass
    assert not (tmp_path / "other").exists()
