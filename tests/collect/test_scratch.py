"""Scratch paper: large populations in little memory, and want of it in words."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.collect import scratch as scratches
from untold.collect.columns import key_reader
from untold.collect.population import open_population, refuse_repeated, write_people
from untold.collect.scratch import machine_megabytes, scratch, what_is_wanting
from untold.errors import BadRecord, UntoldError

PLAN = untold.Plan.from_dict(
    {
        "name": "poll",
        "user_key": "uid",
        "epsilon": 2.0,
        "services": {
            "visits": {
                "rows_per_user": {"max": 4, "report": 1},
                "attributes": {"minutes": {"kind": "ordinal", "low": 0, "high": 60, "bins": 6}},
            }
        },
    }
)
PEOPLE = 1_000_000
TIGHT = 44  # megabytes: grouping so many people with lists of their places took more than 48


def uids(people: int, text: bool) -> pa.Array:
    numbers = pa.array(np.random.default_rng(5).permutation(people))  # values of a test
    return numbers.cast(pa.string()) if text else numbers


@pytest.mark.parametrize("text", [False, True])
def test_a_population_need_not_fit_into_memory(text: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratches, "LEAST", TIGHT)
    monkeypatch.setattr(scratches, "MOST", TIGHT)
    rows = pa.table({"uid": uids(1000, text), "minutes": np.full(1000, 5)})
    made = untold.perturb(PLAN, "visits", rows, population=uids(PEOPLE, text), out=tmp_path / "r")
    assert (made.users, made.reports) == (PEOPLE, PEOPLE)


@pytest.mark.parametrize("text", [False, True])
def test_who_is_listed_twice_is_named_with_both_places(text: bool, tmp_path: Path) -> None:
    keys = [7, 8, 9, 8, 7]
    population = open_population([str(k) for k in keys] if text else keys, PLAN.service("visits"), "uid")
    assert population is not None
    with population:
        write_people(tmp_path / "p.parquet", population, key_reader("uid", population.schema.field("uid").type, "x"))
        with pytest.raises(BadRecord, match=r"population, row 4: user '?7'? was already in row 0"):
            refuse_repeated(tmp_path / "p.parquet", population)


def test_want_of_memory_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratches, "LEAST", 8)
    monkeypatch.setattr(scratches, "MOST", 8)
    with (
        pytest.raises(UntoldError, match=r"8 MB of memory are not enough.*\n.*\nHint: .*TMPDIR"),
        scratch() as (connection, _),
    ):
        connection.execute("SELECT list(range) FROM range(10000000)").fetchall()
    assert machine_megabytes() > 0


def test_a_full_disk_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratches, "LEAST", 32)
    monkeypatch.setattr(scratches, "MOST", 32)
    with (
        pytest.raises(UntoldError, match=r"the disk of .* is full.*\n.*offload"),
        scratch() as (connection, _),
    ):
        connection.execute(
            "SET max_temp_directory_size = '1MB'; SELECT hash(range)::VARCHAR, count(*) FROM range(2000000) GROUP BY 1"
        ).fetchall()


@pytest.mark.parametrize("free", [0, 1 << 40])
def test_only_a_full_disk_of_its_own_is_blamed(free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of reports may be on another disk, which is full."""
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(scratches, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert (what_is_wanting(full, 1, tmp_path / "x") is None) == (free > 0)
    assert what_is_wanting(OSError(5, "Input/output error"), 1, tmp_path) is None


def test_other_failures_keep_their_own_words() -> None:
    with pytest.raises(duckdb.IOException, match="No files found"), scratch() as (connection, _):
        connection.execute("FROM read_parquet('/nowhere/at/all.parquet')")
