"""The answer: lazy, run once, and the same table whichever way it is taken."""

from __future__ import annotations

import csv
import json
import sys
import threading
import time
from math import isnan
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from helpers.made_up import SQL, answer, by_state, one_number, result
from untold.answers.answer import Answer
from untold.answers.optional import MissingLibrary
from untold.answers.result import OutputColumn, Result
from untold.errors import UnsupportedQuery, UntoldError

NAMES = ["state", "n", "n_se", "n_low", "n_high"]


def test_nothing_runs_until_asked_and_then_once() -> None:
    runs = []

    def run() -> Result:
        runs.append(1)
        return by_state()

    lazy = Answer(SQL, run)
    assert runs == []
    assert lazy.sql == SQL
    assert len(lazy) == 4
    repr(lazy), lazy.df(), lazy._repr_html_(), lazy.columns, lazy.fetchall()
    assert runs == [1]


def test_threads_share_one_run() -> None:
    runs = []

    def run() -> Result:
        time.sleep(0.05)
        runs.append(1)
        return by_state()

    lazy = Answer(SQL, run)
    threads = [threading.Thread(target=lazy.arrow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert runs == [1]


def test_a_failure_is_not_kept() -> None:
    outcomes = iter([UnsupportedQuery("LIKE on a sensitive column"), None])

    def run() -> Result:
        if error := next(outcomes):
            raise error
        return by_state()

    lazy = Answer(SQL, run)
    with pytest.raises(UnsupportedQuery, match="LIKE"):
        lazy.show()
    assert len(lazy) == 4


def test_every_form_holds_the_same_numbers(tmp_path: Path) -> None:
    asked = answer(by_state())
    asked.to_parquet(tmp_path / "n.parquet")
    asked.to_csv(tmp_path / "n.csv")
    tables = {
        "arrow": asked.arrow(),
        "pandas": pa.Table.from_pandas(asked.df()),
        "polars": asked.pl().to_arrow(),
        "parquet": pq.read_table(tmp_path / "n.parquet"),
        "csv": pyarrow.csv.read_csv(tmp_path / "n.csv"),
        "stream": pa.table(asked),
        "polars from the stream": pl.DataFrame(asked).to_arrow(),
    }
    for form, table in tables.items():
        assert table.column_names == NAMES == asked.columns, form
        assert table.column("n_high").to_pylist()[:3] == asked.arrow().column("n_high").to_pylist()[:3], form
        assert table.num_rows == 4, form


def test_the_confidence_travels_with_the_file(tmp_path: Path) -> None:
    answer(by_state(["Biased: clamped."])).to_parquet(tmp_path / "n.parquet")
    about = json.loads(pq.read_schema(tmp_path / "n.parquet").metadata[b"untold"])
    assert about == {"sql": SQL, "confidence": 0.95, "notes": ["Biased: clamped."]}


def test_keys_of_a_dictionary_type_are_written_as_text(tmp_path: Path) -> None:
    base = by_state()
    table = base.table.set_column(0, "state", base.table.column("state").dictionary_encode())
    asked = answer(Result(base.columns, table, 0.95))
    asked.to_csv(tmp_path / "n.csv")
    assert '"NY"' in (tmp_path / "n.csv").read_text()
    assert asked.fetchall()[0][0] == "NY"


@pytest.mark.parametrize("encoded", [False, True])
def test_a_spreadsheet_runs_nothing_of_what_was_sent(encoded: bool, tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1", "plain = text", "", None, "a\n=1"]
    keys = pa.chunked_array([pa.array(texts)])
    numbers = pa.array([-float(n) for n in range(len(texts))])
    names = ["=key", "n", "n_se", "n_low", "n_high"]
    columns = (OutputColumn("=key", "key"), OutputColumn("n", "estimate"))
    table = pa.table([keys.dictionary_encode() if encoded else keys, *[numbers] * 4], names=names)
    asked = answer(Result(columns, table, 0.95))
    asked.to_csv(tmp_path / "exact.csv")
    asked.to_csv(tmp_path / "safe.csv", spreadsheet=True)
    with open(tmp_path / "exact.csv", newline="") as file:
        exact = list(csv.reader(file))
    with open(tmp_path / "safe.csv", newline="") as file:
        safe = list(csv.reader(file))
    assert [row[0] for row in exact] == ["=key", *(text or "" for text in texts)]  # for programs: as it is
    assert [row[0] for row in safe[:8]] == ["'=key", "'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t'=1", "'\r'=1", "'\uff1d1"]
    assert [row[0] for row in safe[8:]] == ["plain = text", "", "", "a\n'=1"]
    assert [row[1:] for row in safe] == [row[1:] for row in exact]  # numbers stay numbers, negative ones too
    assert safe[2][1] == "-1"


def test_rows() -> None:
    asked = answer(by_state())
    rows = asked.fetchall()
    assert [row[0] for row in rows] == ["NY", "WA", None, "CA"]
    assert rows[1][1] == -210.0  # negative counts are shown as they are
    assert [asked.fetchone(), asked.fetchone()] == rows[:2]
    assert len(asked.fetchall()) == len(list(asked)) == 4
    assert asked.fetchone() == rows[2]
    last = asked.fetchone()
    assert last is not None
    assert isnan(last[1])
    assert asked.fetchone() is None


def test_no_rows() -> None:
    empty = answer(result({"state": []}, {"n": []}))
    assert (len(empty), empty.fetchall(), empty.fetchone()) == (0, [], None)
    assert "0 rows" in repr(empty)


def test_scalar() -> None:
    spend = answer(one_number(31.25, 0.5)).scalar()
    assert (spend.value, spend.se) == (31.25, 0.5)
    assert str(spend) == "31.25 ± 0.98 (95%)"
    lopsided = answer(result({}, {"median": [(52.0, 3.0, 48.0, 61.0)]}, confidence=0.9)).scalar()
    assert lopsided.interval(0.9) == (48.0, 61.0)


@pytest.mark.parametrize(
    "wrong",
    [by_state(), result({"state": ["NY"]}, {"n": [(1.0, 1.0)]}), result({}, {"n": [(1.0, 1.0)], "m": [(1.0, 1.0)]})],
)
def test_scalar_needs_one_number(wrong: Result) -> None:
    with pytest.raises(UntoldError, match=r"one row and one estimated column; .*columns: .*n(.|\n)*Hint"):
        answer(wrong).scalar()


@pytest.mark.parametrize(("library", "call"), [("pandas", "df"), ("polars", "pl")])
def test_a_missing_library_is_named(library: str, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingLibrary, match=rf'pip install "untold\[{library}\]"'):
        getattr(answer(by_state()), call)()
