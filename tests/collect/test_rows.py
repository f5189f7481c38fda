"""Services with many rows per user: tau reports for everybody, rows drawn uniformly, weights that keep the mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from shop import PLAN, SALES, declare, everything

from untold.collect import pool, rows
from untold.collect.draws import below_many
from untold.collect.perturb import perturb
from untold.collect.rows import by_people, sample
from untold.errors import AlreadyReported, BadRecord
from untold.plan.schema import Rows as Limits
from untold.randomness import Replayed, Seeded
from untold.store import Folder

PEOPLE = [f"u{i}" for i in range(50)]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Several batches of people; and whatever happens, no temporary file stays."""
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(rows, "ROWS_AT_ONCE", 28)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    yield
    assert everything(temporary) == []


def sales(owners: list[Any]) -> pa.Table:
    n = len(owners)
    return pa.table(
        {
            "uid": owners,
            "amount": [float(i % 501) for i in range(n)],
            "category": [("sports", "food", "other")[i % 3] for i in range(n)],
        }
    )


TABLE = sales([f"u{i % 17}" for i in range(60)])  # 3 or 4 rows for 17 of the people


@pytest.mark.parametrize("on_invalid", ["refuse", "drop"])
def test_everybody_sends_exactly_tau_reports(on_invalid: str, tmp_path: Path) -> None:
    collected = perturb(PLAN, "sales", TABLE, population=PEOPLE, out=tmp_path / "r", on_invalid=on_invalid)
    assert (collected.users, collected.reports, collected.dropped) == (50, 100, 0)
    assert collected.segment is not None
    reports = pq.read_table(collected.segment)
    assert reports.schema.names == ["uid", "epoch", "slot", "message"]
    sent = sorted(zip(reports["uid"].to_pylist(), reports["slot"].to_pylist(), strict=True))
    assert sent == sorted((uid, slot) for uid in PEOPLE for slot in (0, 1))
    Folder.open(tmp_path / "r").verify()


def test_a_population_comes_in_any_form(tmp_path: Path) -> None:
    column = pa.array(PEOPLE)
    pq.write_table(pa.table({"uid": column}), tmp_path / "people.parquet")
    kinds = [
        PEOPLE,
        tuple(PEOPLE),
        np.array(PEOPLE),
        column,
        pa.chunked_array([column[:20], column[20:]]),
        pd.Series(PEOPLE),
        pl.Series(PEOPLE),
        pa.table({"uid": column, "city": column}),
        pl.LazyFrame({"uid": PEOPLE}),
        str(tmp_path / "people.parquet"),
    ]
    reports = [perturb(PLAN, "sales", TABLE, population=kind, seed=2).table for kind in kinds]
    assert all(each.equals(reports[0]) for each in reports)


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = []
    for threads in (1, 4):
        monkeypatch.setattr(pool, "threads", lambda threads=threads: threads)
        reports.append(perturb(PLAN, "sales", TABLE, population=PEOPLE, seed=2).table)
    assert reports[0].equals(reports[1])


def test_present_is_the_explicit_way_to_ask_only_those_with_a_row() -> None:
    collected = perturb(PLAN, "sales", TABLE, population="present", ledger={})
    assert collected.users == 17
    with pytest.raises(BadRecord, match=r"people without a row must report too(?s:.*)population=\"present\""):
        perturb(PLAN, "sales", TABLE)


def test_nobody_has_rows() -> None:
    assert perturb(PLAN, "sales", TABLE.slice(0, 0), population=PEOPLE, ledger={}).reports == 100


@pytest.mark.parametrize(
    ("table", "population", "complaint", "dropped"),
    [
        (sales(["u1", "u2", "x"]), PEOPLE, "table, row 2, column 'uid': user 'x' is not in the population", 1),
        (sales(["u3", *["u1"] * 6]), PEOPLE, "table, row 5: user 'u1' has 6 rows, at most 4 are allowed", 2),
        (sales(["u1", None]), PEOPLE, "row 1, column 'uid': a missing value", 1),
        (
            TABLE.set_column(1, "amount", pa.array([501.0] + [1.0] * 59)),
            PEOPLE,
            r"row 0, column 'amount': 501.0 is not allowed \(numbers 0..500",
            1,
        ),
    ],
)
def test_bad_rows_are_named_or_dropped(
    table: pa.Table, population: Any, complaint: str, dropped: int, tmp_path: Path
) -> None:
    with pytest.raises(BadRecord, match=complaint):
        perturb(PLAN, "sales", table, population=population, out=tmp_path / "r")
    assert everything(tmp_path) == []
    collected = perturb(PLAN, "sales", table, population=population, out=tmp_path / "r", on_invalid="drop")
    assert (collected.users, collected.reports, collected.dropped) == (50, 100, dropped)


@pytest.mark.parametrize(
    ("population", "complaint"),
    [
        ([*PEOPLE, "u7"], "population: population, row 50: user 'u7' was already in row 7"),
        ([*PEOPLE, None], "population: population, row 50 has no user key"),
        ([], "population: "),
        (pa.array([], pa.string()), "population: nobody is in it"),
        (list(range(50)), "user keys are int64, but string in the table"),
        ([1.5], "user key of type double"),
        (["a", 1], "population: .*\nHint: give user keys of one type"),
        (pa.table({"user": PEOPLE}), "has no column 'uid'"),
        ("nowhere.parquet", "does not exist"),
        (7, "a int is not a table"),
    ],
)
def test_a_bad_population_is_refused(population: Any, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=complaint):
        perturb(PLAN, "sales", TABLE, population=population, out=tmp_path / "r", on_invalid="drop")
    assert everything(tmp_path) == []


def test_nobody_reports_twice_in_one_epoch(tmp_path: Path) -> None:
    perturb(PLAN, "sales", TABLE, population=PEOPLE, out=tmp_path)
    with pytest.raises(AlreadyReported, match="user 'u49'"):
        perturb(PLAN, "sales", TABLE.slice(0, 0), population=["u49", "w"], out=tmp_path)
    perturb(PLAN, "sales", TABLE, population=PEOPLE, out=tmp_path, epoch=1)
    assert Folder.open(tmp_path).epochs("sales") == (0, 1)


def test_by_people_keeps_persons_whole() -> None:
    person = np.repeat(np.arange(10), [1, 5, 1, 1, 2, 7, 1, 1, 1, 3])
    whole = pa.RecordBatch.from_pydict({"person": person})
    cut = [whole.slice(i, 4) for i in range(0, len(person), 4)]
    batches = [b.column("person").to_pylist() for b in by_people(iter(cut), 3)]
    assert [sorted(set(b)) for b in batches] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert [x for b in batches for x in b] == person.tolist()


def sampled(people: int, held: int, limits: Limits, seed: int) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    """Which of their rows people with `held` rows send, and the weights."""
    service = declare(s={**SALES, "rows_per_user": {"max": limits.max, "report": limits.report}}).service("s")
    rows_each = max(held, 1)
    absent = held == 0
    n = people * rows_each
    batch = pa.RecordBatch.from_pydict(
        {
            "person": np.repeat(np.arange(people), rows_each),
            "key": pa.array(np.repeat(np.arange(people), rows_each)),
            "row": pa.nulls(n, pa.int64()) if absent else pa.array(np.arange(n)),
            "c0": pa.nulls(n, pa.float64())
            if absent
            else pa.array(np.tile(np.arange(rows_each), people).astype(float)),
            "c1": pa.nulls(n, pa.uint32()) if absent else pa.array(np.zeros(n, dtype=np.uint32)),
        }
    )
    chosen, slots = sample(batch, service, Seeded(seed))
    assert slots.tolist() == list(range(limits.report)) * people
    assert chosen.keys.to_pylist() == np.repeat(np.arange(people), limits.report).tolist()
    return chosen.sensitive[0], chosen.sensitive[2]


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:  # type: ignore[type-arg]
    return float(((counts - expected) ** 2 / expected).sum())


def test_rows_are_drawn_uniformly_and_weights_keep_the_mean() -> None:
    """Chi-square on 4 degrees beyond 23.5 has probability 1e-4; |z| beyond 4.5 has 7e-6. The seed is fixed."""
    n = 20_000
    pick, weight = sampled(n, 5, Limits(8, 2), seed=1)
    counts = np.bincount(pick.astype(int), minlength=5)
    assert chi_square(counts, np.full(5, 2 * n / 5)) < 23.5
    assert chi_square(counts, 2 * n * np.array([0.21, 0.2, 0.2, 0.2, 0.19])) > 23.5
    z = (weight.sum() - 2 * n * 5 / 8) / np.sqrt(2 * n * 5 / 8 * 3 / 8)
    assert abs(z) < 4.5
    assert abs((weight.sum() - 2 * n * 4.8 / 8) / np.sqrt(2 * n * 5 / 8 * 3 / 8)) > 4.5


def test_dummies_have_code_zero_and_no_weight_and_full_baskets_always_have_one() -> None:
    pick, weight = sampled(100, 0, Limits(8, 3), seed=1)
    assert pick.tolist() == weight.tolist()[:300] == [0] * 300
    _, weight = sampled(100, 8, Limits(8, 3), seed=1)
    assert weight.tolist() == [1] * 300


def test_surplus_rows_are_never_sent() -> None:
    pick, weight = sampled(500, 9, Limits(3, 2), seed=1)
    assert set(pick.tolist()) == {0.0, 1.0, 2.0}
    assert weight.tolist() == [1] * 1000


def test_below_many_is_below() -> None:
    bounds = np.array([1, 2, 3, 10, 2**16, 2**31 - 1] * 50, dtype=np.uint64)

    class Recorder(Seeded):
        def words(self, shape: tuple[int, ...]) -> Any:
            self.drawn = super().words(shape)
            self.calls = getattr(self, "calls", 0) + 1
            return self.drawn

    rng = Recorder(3)
    drawn = below_many(bounds, rng)
    assert rng.calls == 1
    assert drawn.tolist() == [Replayed([word]).below(int(n)) for word, n in zip(rng.drawn, bounds, strict=True)]
    half = np.full(1000, 2**63 + 1, dtype=np.uint64)  # almost every second word is beyond the only full stretch
    assert (below_many(half, rng) < half).all()
    assert rng.calls > 2
