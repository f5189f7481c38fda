"""Whole tables: equal whatever they come in, refused with the row and the reason, all or nothing."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from shop import PLAN, SALES, USERS, declare, everything, users, with_column, with_value

import untold
from untold.collect import pool, sources
from untold.collect.bulk import round_at_random
from untold.collect.collected import Collected
from untold.collect.perturb import perturb
from untold.collect.progress import Progress
from untold.errors import AlreadyReported, BadRecord, StoreError
from untold.oracles import Message
from untold.plan.schema import Knots
from untold.randomness import Seeded
from untold.store import Folder, files

TABLE = users(1000)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Several batches from small tables; and whatever happens, no temporary file stays."""
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(sources.Source.batches, "__defaults__", (256,))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    yield
    assert everything(temporary) == []


def test_reports_name_the_user_and_nothing_true(tmp_path: Path) -> None:
    collected = perturb(PLAN, "users", TABLE, out=tmp_path / "r")
    assert (collected.reports, collected.users, collected.dropped, collected.insecure) == (1000, 1000, 0, False)
    assert "1,000 reports of 1,000 users in" in str(collected)
    folder = Folder.open(tmp_path / "r")
    folder.verify()
    assert folder.plan == PLAN
    assert collected.segment == folder.paths("users")[0]
    reports = pq.read_table(collected.segment)
    assert reports.schema.names == ["uid", "epoch", "slot", "message", "os"]
    assert reports.schema.types == [pa.string(), pa.int32(), pa.int16(), pa.uint32(), pa.string()]
    assert sorted(reports["uid"].to_pylist()) == sorted(TABLE["uid"].to_pylist())
    systems = dict(zip(TABLE["uid"].to_pylist(), TABLE["os"].to_pylist(), strict=True))
    assert reports["os"].to_pylist() == [systems[uid] for uid in reports["uid"].to_pylist()]
    design = PLAN.design("users")
    views = [design.view_of(m) for m in reports["message"].to_pylist()]
    assert views == sorted(views)
    assert max(reports["message"].to_pylist()) < design.messages


def test_all_libraries_give_the_same_reports(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "users.parquet", row_group_size=123)
    frame = pl.from_arrow(TABLE)
    kinds = [
        TABLE,
        TABLE.to_pandas(),
        frame,
        frame.with_columns(pl.col("state").cast(pl.Categorical), pl.col("age").cast(pl.Int8)),  # type: ignore[union-attr]
        frame.lazy(),  # type: ignore[union-attr]
        TABLE.to_reader(max_chunksize=7),
        tmp_path / "users.parquet",
    ]
    reports = [perturb(PLAN, "users", kind, seed=7).table for kind in kinds]
    assert all(each.equals(reports[0]) for each in reports)
    assert not perturb(PLAN, "users", TABLE, seed=8).table.equals(reports[0])
    first, second = (perturb(PLAN, "users", TABLE, ledger={}).table for _ in range(2))
    assert not first.equals(second)


def test_a_seed_fixes_every_byte_whatever_the_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segments = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(pool, "threads", lambda threads=threads: threads)
        collected = perturb(PLAN, "users", TABLE, out=tmp_path / str(threads), seed=3)
        assert collected.segment is not None
        segments.append((collected.segment.name, collected.segment.read_bytes()))
    assert segments[0] == segments[1] == segments[2]
    assert Folder.open(tmp_path / "1").insecure
    assert pq.read_schema(collected.segment).metadata[b"insecure"] == b"true"
    assert "insecure" in str(collected)


def test_a_split_design_reports_every_view(tmp_path: Path) -> None:
    plan = declare(ages={"design": "hi", "attributes": {"age": {"kind": "ordinal", "low": 1, "high": 125}}})
    table = TABLE.select(["uid", "age"])
    views = len(plan.design("ages").views)
    collected = perturb(plan, "ages", table, out=tmp_path / "r")
    assert views > 1
    assert (collected.users, collected.reports) == (1000, 1000 * views)
    with pytest.raises(BadRecord, match="user 'u5' was already in table, row 5"):
        perturb(plan, "ages", pa.concat_tables([table, table.slice(5, 1)]), ledger={})


def test_olh_carries_its_seeds(tmp_path: Path) -> None:
    plan = declare(users={**USERS, "oracle": "olh"})
    collected = perturb(plan, "users", TABLE, out=tmp_path / "r")
    assert collected.segment is not None
    seeds = plan.design("users").views[-1].oracle.extra_columns
    assert len(seeds) == 2
    assert pq.read_schema(collected.segment).names == ["uid", "epoch", "slot", "message", *seeds, "os"]


def test_seeds_of_two_widths_in_one_design_keep_all_their_bits(tmp_path: Path) -> None:
    """Small views hash with 32 bits, the largest with 64: each report of it must support its cell as often as p says."""
    zips = {"kind": "ordinal", "low": 0, "high": 69_999}
    declared = {"name": "wide", "user_key": "uid", "epsilon": 4.0, "design": "hio", "oracle": "olh", "fanout": 64}
    plan = untold.Plan.from_dict({**declared, "services": {"places": {"attributes": {"zip": zips}}}})
    table = pa.table({"uid": np.arange(2_000), "zip": np.full(2_000, 777)})
    collected = perturb(plan, "places", table, out=tmp_path / "r", seed=1)
    assert collected.segment is not None
    view = plan.design("places").views[-1]
    assert [each.oracle.seed_bits for each in plan.design("places").views] == [32, 32, 64]
    rows = [row for row in pq.read_table(collected.segment).to_pylist() if row["message"] >= view.offset]
    sent = [Message(row["message"] - view.offset, (row["seed_a"], row["seed_b"])) for row in rows]
    supported = sum(view.oracle.supports(message, 777) for message in sent)
    n, p = len(sent), float(view.oracle.p)
    assert n > 400
    assert abs(supported - n * p) < 5 * (n * p * (1 - p)) ** 0.5  # false alarms: one in a million runs; by chance 1 / g


BAD_TABLES: dict[str, tuple[pa.Table, str]] = {
    "range": (
        with_value(TABLE, "age", 517, 300),
        r"table, row 517, column 'age': 300 is not allowed \(integers 1..125\)",
    ),
    "fraction": (with_value(TABLE, "age", 3, 31.5), "row 3, column 'age': 31.5 is not allowed"),
    "null": (with_value(TABLE, "age", 999, None), "row 999, column 'age': a missing value is not allowed"),
    "nan": (
        with_value(TABLE, "income", 0, float("nan")),
        r"row 0, column 'income': nan is not allowed \(numbers 0..250000",
    ),
    "unknown": (with_value(TABLE, "state", 300, "TX"), r"row 300, column 'state': 'TX' is not allowed \(one of 'NY'"),
    "key": (with_value(TABLE, "uid", 400, None), "row 400, column 'uid': a missing value is not allowed .*user key"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_row_is_named_or_dropped(case: str, tmp_path: Path) -> None:
    table, complaint = BAD_TABLES[case]
    with pytest.raises(BadRecord, match=complaint) as refusal:
        perturb(PLAN, "users", table, out=tmp_path / "r")
    assert 'on_invalid="drop"' in str(refusal.value)
    assert everything(tmp_path) == []
    collected = perturb(PLAN, "users", table, out=tmp_path / "r", on_invalid="drop")
    assert (collected.users, collected.reports, collected.dropped) == (999, 999, 1)
    assert "1 invalid rows left out" in str(collected)


def test_the_first_bad_row_is_named_whatever_the_threads(tmp_path: Path) -> None:
    table = with_value(with_value(TABLE, "age", 900, 300), "income", 10, -1.0)
    pq.write_table(table, tmp_path / "users.parquet")
    with pytest.raises(BadRecord, match=r"users\.parquet, row 10, column 'income': -1\.0"):
        perturb(PLAN, "users", tmp_path / "users.parquet", ledger={})


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (
            TABLE.rename_columns(["user", "age", "income", "state", "os"]),
            "no column 'uid', the user key of plan 'shop'",
        ),
        (
            TABLE.rename_columns(["uid", "age", "incme", "state", "os"]),
            "no column 'income'.*\nHint: Did you mean 'incme'",
        ),
        (TABLE.drop_columns(["os"]), "no column 'os'"),
        (with_column(TABLE, "age", ["31"] * 1000), "column 'age': values of type string"),
        (TABLE.to_pandas().set_index("uid"), r"no column 'uid'.*\n.*reset_index"),
        (TABLE.slice(0, 0), "has no rows: nothing to report"),
        ([1, 2], "a list is not a table"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(table: Any, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=complaint):
        perturb(PLAN, "users", table, out=tmp_path / "r")
    assert everything(tmp_path) == []


def test_other_columns_are_left_aside_and_others_may_have_other_names() -> None:
    plain = perturb(PLAN, "users", TABLE, seed=1)
    wider = perturb(PLAN, "users", TABLE.append_column("stat", TABLE["state"]), seed=1)
    assert wider.table.equals(plain.table)
    assert wider.left_aside == ("stat",)
    assert "left aside: column stat, which the plan does not have" in str(wider)
    other = TABLE.rename_columns(["user", "age", "Yearly pay", "state", "os"]).append_column("income", TABLE["age"])
    renamed = perturb(PLAN, "users", other, seed=1, columns={"uid": "user", "income": "Yearly pay"})
    assert renamed.table.equals(plain.table)
    assert renamed.left_aside == ("income",)


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"incme": "age"}, "columns: service 'users' has no 'incme'. Did you mean 'income'"),
        ({"income": "age"}, "columns: 'age' and 'income' would both be column 'age'"),
        ({"income": "pay"}, "columns: table has no column 'pay'.* It has uid, age"),
    ],
)
def test_columns_that_cannot_be_chosen(columns: dict[str, str], complaint: str) -> None:
    with pytest.raises(BadRecord, match=complaint):
        perturb(PLAN, "users", TABLE, columns=columns, seed=1)


def test_options_are_checked(tmp_path: Path) -> None:
    for options, complaint in [
        ({"epoch": -1}, "epoch = -1"),
        ({"epoch": True}, "epoch = True"),
        ({"seed": "x"}, "seed = 'x'"),
        ({"on_invalid": "ignore"}, "on_invalid = 'ignore'"),
        ({"population": ["u1"]}, "exactly one row per person.*\n.*rows_per_user"),
    ]:
        with pytest.raises(BadRecord, match=complaint):
            perturb(PLAN, "users", TABLE, out=tmp_path / "r", **options)  # type: ignore[arg-type]
    with pytest.raises(BadRecord, match="no service 'user'. Did you mean 'users'"):  # noqa: RUF043
        perturb(PLAN, "user", TABLE)
    assert everything(tmp_path) == []


def test_repeated_users_are_refused_naming_both_rows(tmp_path: Path) -> None:
    for repeated in (
        with_value(TABLE, "uid", 900, "u17"),
        with_column(TABLE, "uid", [*range(900), 17, *range(901, 1000)]),
    ):
        with pytest.raises(
            BadRecord, match=r"table, row 900, column 'uid': user '?u?17'? was already in table, row 17"
        ):
            perturb(PLAN, "users", repeated, out=tmp_path / "r")
        with pytest.raises(BadRecord, match="row 900"):
            perturb(PLAN, "users", repeated, ledger={})
    assert everything(tmp_path) == []
    once_bad = with_value(with_value(TABLE, "uid", 900, "u17"), "age", 17, 0)
    assert perturb(PLAN, "users", once_bad, on_invalid="drop", ledger={}).users == 999


def test_epochs_are_appended_and_nobody_reports_twice_in_one(tmp_path: Path) -> None:
    perturb(PLAN, "users", TABLE.slice(0, 600), out=tmp_path)
    perturb(PLAN, "users", TABLE.slice(600), out=tmp_path)
    perturb(PLAN, "users", TABLE, out=tmp_path, epoch=1)
    before = everything(tmp_path)
    with pytest.raises(AlreadyReported, match="user 'u599' has already reported in epoch 0"):
        perturb(PLAN, "users", TABLE.slice(599, 1), out=tmp_path)
    assert everything(tmp_path) == before
    folder = Folder.open(tmp_path)
    folder.verify()
    assert (folder.rows("users", [0]), folder.users("users", 1), folder.epochs("users")) == (1000, 1000, (0, 1))


def test_user_keys_of_a_folder_are_of_one_type(tmp_path: Path) -> None:
    perturb(PLAN, "users", TABLE, out=tmp_path)
    numbers = with_column(TABLE, "uid", list(range(1000)))
    with pytest.raises(BadRecord, match="column 'uid': user keys are int64 here, but string in"):
        perturb(PLAN, "users", numbers, out=tmp_path, epoch=1)


def test_another_plan_is_refused(tmp_path: Path) -> None:
    perturb(PLAN, "users", TABLE, out=tmp_path)
    other = declare(users={**USERS, "max_active": 1}, sales=SALES)
    with pytest.raises(StoreError, match=f"(?s){PLAN.id}.*{other.id}"):
        perturb(other, "users", TABLE, out=tmp_path, epoch=1)


def test_a_plan_may_be_a_path(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(PLAN.to_json())
    assert perturb(tmp_path / "plan.json", "users", TABLE, seed=1) == perturb(PLAN, "users", TABLE, seed=1)


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()], ids=["disk", "ctrl-c"])
@pytest.mark.parametrize("step", ["create", "write", "sync", "rename", "sync_folder"])
def test_a_failure_leaves_nothing_behind(
    step: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(files, step, fail)
        with pytest.raises(type(error)):
            perturb(PLAN, "users", TABLE, out=tmp_path / "r")
    assert everything(tmp_path) == []
    perturb(PLAN, "users", TABLE, out=tmp_path / "r")


def test_a_file_that_does_not_count_is_told_before_anybody_is_drawn_again(tmp_path: Path) -> None:
    perturb(PLAN, "users", TABLE, out=tmp_path / "r")
    listed = Folder.open(tmp_path / "r").paths("users")[0]
    (left := listed.with_name("0-0123456789abcdef.parquet")).write_bytes(listed.read_bytes())
    with pytest.raises(StoreError, match=r"does not list(.|\n)*epsilon twice(.|\n)*Hint") as refused:
        perturb(PLAN, "users", TABLE, out=tmp_path / "r", epoch=1)
    assert left.name in str(refused.value)
    left.unlink()
    perturb(PLAN, "users", TABLE, out=tmp_path / "r", epoch=1)


def test_ctrl_c_between_batches_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = threading.active_count()

    def interrupt(self: Progress, rows: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "advance", interrupt)
    with pytest.raises(KeyboardInterrupt):
        perturb(PLAN, "users", TABLE, out=tmp_path / "r")
    assert everything(tmp_path) == []
    assert threading.active_count() == threads


def rounding_z(shift: float) -> float:
    """How far the mean of rounded codes is from the mean of the numbers, in standard errors."""
    attribute = Knots("x", 0, 10, bins=4)
    values = np.linspace(0.0, 10.0, 200_001)
    x = values / attribute.step
    codes = round_at_random(attribute.positions(np.clip(values + shift, 0, 10))[0], Seeded(5).words(values.shape))
    fraction = x - np.floor(x)
    return float((codes - x).sum() / np.sqrt((fraction * (1 - fraction)).sum()))


def test_rounding_keeps_the_mean() -> None:
    """|z| < 4.5: a false alarm in 150,000 runs, and the seed is fixed."""
    assert abs(rounding_z(0.0)) < 4.5
    assert abs(rounding_z(0.02)) > 4.5


def test_reports_agree_with_the_declared_probabilities() -> None:
    """GRR over three values: chi-square on 6 degrees beyond 27.9 has probability 1e-4. The seed is fixed."""
    plan = declare(votes={"attributes": {"choice": {"kind": "categorical", "values": ["a", "b", "c"]}}})
    oracle = plan.design("votes").views[0].oracle
    n = 30_000
    choices = np.arange(n) % 3
    table = pa.table({"uid": np.arange(n), "choice": np.array(["a", "b", "c"])[choices].tolist()})
    reports = perturb(plan, "votes", table, seed=11).table
    message, truth = reports["message"].to_numpy(), choices[reports["uid"].to_numpy()]
    counts = np.array([[np.sum((truth == t) & (message == m)) for m in range(3)] for t in range(3)])
    for factor, passes in ((1.0, True), (1.05, False)):
        p, q = float(oracle.p) * factor, (1 - float(oracle.p) * factor) / 2
        expected = n / 3 * np.where(np.eye(3) == 1, p, q)
        assert (((counts - expected) ** 2 / expected).sum() < 27.9) == passes


def test_progress_waits_a_second_and_shows_on_demand(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("untold.collect.progress.PATIENCE", -1.0)
    perturb(PLAN, "users", TABLE, ledger={})
    assert capsys.readouterr().err == ""
    line = Progress("perturb", 10, shown=True)
    line.advance(5)
    assert line._bar is not None
    line.close()
    monkeypatch.setattr("untold.collect.progress.PATIENCE", 60.0)
    patient = Progress("perturb", 10, shown=True)
    patient.advance(5)
    assert patient._bar is None


def test_collected_reads_well() -> None:
    assert str(Collected(1, 1, segment=Path("r/users/0-ab.parquet"))) == "1 reports of 1 users in r/users/0-ab.parquet"


def test_more_epochs_than_the_lifetime_allows_are_refused(tmp_path) -> None:
    declared = {
        "name": "p",
        "user_key": "uid",
        "epsilon": 1.0,
        "lifetime": 2.0,
        "services": {"s": {"attributes": {"x": {"kind": "ordinal", "low": 0, "high": 3}}}},
    }
    plan = untold.Plan.from_dict(declared)
    rows = pa.table({"uid": [1, 2], "x": [0, 3]})
    for epoch in (0, 1):
        untold.perturb(plan, "s", rows, out=tmp_path / "r", epoch=epoch)
    with pytest.raises(untold.BudgetExceeded, match="beyond the plan's lifetime of 2"):
        untold.perturb(plan, "s", rows, out=tmp_path / "r", epoch=2)


def test_a_plan_without_a_lifetime_allows_one_epoch(tmp_path: Path) -> None:
    services = {"s": {"attributes": {"x": {"kind": "ordinal", "low": 0, "high": 3}}}}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": services})
    rows = pa.table({"uid": [1, 2], "x": [0, 3]})
    untold.perturb(plan, "s", rows, out=tmp_path / "r", epoch=3)
    with pytest.raises(untold.BudgetExceeded, match="a plan without `lifetime` allows one epoch"):
        untold.perturb(plan, "s", rows, out=tmp_path / "r", epoch=4)


LASTING = {
    "name": "p",
    "user_key": "uid",
    "epsilon": 1.0,
    "lifetime": 2.0,
    "services": {"s": {"attributes": {"x": {"kind": "ordinal", "low": 0, "high": 3}}}},
}
TWO = pa.table({"uid": [1, 2], "x": [0, 3]})


def test_without_a_folder_a_ledger_is_needed() -> None:
    """Every call draws anew: without a ledger nobody would count a second one."""
    with pytest.raises(BadRecord, match="without out= a ledger= is needed"):
        untold.perturb(untold.Plan.from_dict(LASTING), "s", TWO)
    with pytest.raises(BadRecord, match="a folder is its own ledger"):
        untold.perturb(untold.Plan.from_dict(LASTING), "s", TWO, out="r", ledger={})


def test_a_ledger_lets_an_epoch_be_drawn_once_and_keeps_the_lifetime(tmp_path: Path) -> None:
    plan, file = untold.Plan.from_dict(LASTING), tmp_path / "deep" / "spent.json"
    for epoch in (0, 5):
        assert untold.perturb(plan, "s", TWO, epoch=epoch, ledger=file).reports == 2
        with pytest.raises(AlreadyReported, match=f"'s' was drawn in epoch {epoch} before, says .*spent.json"):
            untold.perturb(plan, "s", TWO, epoch=epoch, ledger=str(file))
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 2 remains"):
        untold.perturb(plan, "s", TWO, epoch=1, ledger=file)
    other = untold.Plan.from_dict({**LASTING, "name": "other", "lifetime": 50.0})
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 2 remains"):
        untold.perturb(other, "s", TWO, ledger=file)  # no later plan raises what was promised
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text(file.read_text()[:-9])
    with pytest.raises(untold.StoreError, match="is damaged"):
        untold.perturb(plan, "s", TWO, epoch=1, ledger=file)


def test_what_fails_costs_nothing_in_a_ledger() -> None:
    ledger: dict[str, str] = {}
    with pytest.raises(BadRecord, match="x"):
        untold.perturb(untold.Plan.from_dict(LASTING), "s", pa.table({"uid": [1, 2], "x": [0, 9]}), ledger=ledger)
    assert untold.perturb(untold.Plan.from_dict(LASTING), "s", TWO, ledger=ledger).reports == 2


def test_once_is_drawn_once_in_a_ledger() -> None:
    services = {"s": {**LASTING["services"]["s"], "repeat": "once"}}  # type: ignore[index]
    plan, ledger = untold.Plan.from_dict({**LASTING, "services": services}), {}
    untold.perturb(plan, "s", TWO, ledger=ledger)
    with pytest.raises(AlreadyReported, match="'s' was drawn before"):
        untold.perturb(plan, "s", TWO, ledger=ledger)


def test_people_report_once_to_a_service_that_says_so(tmp_path: Path) -> None:
    services = {"s": {"repeat": "once", "attributes": {"x": {"kind": "ordinal", "low": 0, "high": 3}}}}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": services})
    untold.perturb(plan, "s", pa.table({"uid": [1, 2], "x": [0, 3]}), out=tmp_path / "r")
    untold.perturb(plan, "s", pa.table({"uid": [3], "x": [1]}), out=tmp_path / "r")
    with pytest.raises(AlreadyReported, match="user 2 has already reported"):
        untold.perturb(plan, "s", pa.table({"uid": [2, 4], "x": [1, 1]}), out=tmp_path / "r")
    with pytest.raises(BadRecord, match="reports once for all epochs; its reports belong to none"):
        untold.perturb(plan, "s", pa.table({"uid": [4], "x": [1]}), out=tmp_path / "r", epoch=1)
