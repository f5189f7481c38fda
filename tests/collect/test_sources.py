"""One door for tables of all libraries."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from shop import everything, users

from untold.collect.sources import open_source, rebatch
from untold.errors import BadRecord

TABLE = users(10)


def read(source: object, size: int = 4) -> list[list[dict[str, object]]]:
    return [batch.to_pylist() for batch in source.batches(["age", "uid"], size)]  # type: ignore[attr-defined]


def parquet(folder: Path, name: str, table: pa.Table = TABLE, rows: int = 3) -> Path:
    pq.write_table(table, folder / name, row_group_size=rows)
    return folder / name


KINDS = {
    "arrow": lambda folder: TABLE,
    "batch": lambda folder: TABLE.combine_chunks().to_batches()[0],
    "chunked": lambda folder: pa.concat_tables([TABLE.slice(0, 3), TABLE.slice(3)]),
    "reader": lambda folder: TABLE.to_reader(max_chunksize=3),
    "pandas": lambda folder: TABLE.to_pandas(),
    "polars": lambda folder: pl.from_arrow(TABLE),
    "lazy": lambda folder: pl.from_arrow(TABLE).lazy(),
    "file": lambda folder: str(parquet(folder, "a.parquet")),
    "folder": lambda folder: (parquet(folder, "a.parquet", TABLE[:7]), parquet(folder, "b.parquet", TABLE[7:]), folder)[
        2
    ],
    "pattern": lambda folder: (
        parquet(folder, "x1.parquet", TABLE[:7]),
        parquet(folder, "x2.parquet", TABLE[7:]),
        f"{folder}/x*.parquet",
    )[2],
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_give_the_same_batches_again_and_again(kind: str, tmp_path: Path) -> None:
    expected = [b.to_pylist() for b in TABLE.select(["age", "uid"]).combine_chunks().to_batches(max_chunksize=4)]
    with open_source(KINDS[kind](tmp_path)) as source:
        assert source.schema.names == TABLE.column_names
        assert source.rows == 10
        assert read(source) == expected
        assert read(source) == expected


def test_a_one_pass_stream_is_spooled_and_the_copy_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with open_source(TABLE.to_reader()) as source:
        assert len(everything(tmp_path)) == 2
        assert source.rows == 10
    assert everything(tmp_path) == []


def test_a_stream_that_breaks_leaves_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def broken() -> object:
        yield TABLE.combine_chunks().to_batches()[0]
        raise RuntimeError("lost connection")

    with pytest.raises(Exception, match="lost connection"):
        open_source(pa.RecordBatchReader.from_batches(TABLE.schema, broken()))
    assert everything(tmp_path) == []


def test_rows_are_named_by_file(tmp_path: Path) -> None:
    parquet(tmp_path, "a.parquet", TABLE[:7])
    parquet(tmp_path, "b.parquet", TABLE[7:])
    with open_source(tmp_path) as source:
        assert [source.locate(row) for row in (0, 6, 7, 9)] == [
            "a.parquet, row 0",
            "a.parquet, row 6",
            "b.parquet, row 0",
            "b.parquet, row 2",
        ]


def test_rebatch_keeps_rows_and_order() -> None:
    pieces = [pa.RecordBatch.from_pydict({"x": list(range(a, b))}) for a, b in [(0, 1), (1, 1), (1, 9), (9, 12)]]
    batches = list(rebatch(iter(pieces), 5))
    assert [len(b) for b in batches] == [5, 5, 2]
    assert [x for b in batches for x in b["x"].to_pylist()] == list(range(12))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda folder: folder / "none.parquet", "does not exist, and matches no file"),
        (lambda folder: folder, "holds no .parquet file"),
        (lambda folder: {"uid": [1]}, "a dict is not a table"),
        (lambda folder: pd.DataFrame({"uid": ["a", 1]}), "values of several types"),
        (lambda folder: pa.table([[1], [2]], names=["uid", "uid"]), "two columns named 'uid'"),
        (lambda folder: pd.DataFrame([[1, 2]], columns=["uid", "uid"]), "two columns named 'uid'"),
    ],
)
def test_what_is_no_table_is_refused(make: object, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=complaint) as refusal:
        open_source(make(tmp_path))  # type: ignore[operator]
    assert "Hint: " in str(refusal.value)


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("uid,age\n1,2\n")
    with pytest.raises(BadRecord, match=r"data\.csv cannot be read as Parquet"):
        open_source(tmp_path / "data.csv")
    parquet(tmp_path, "a.parquet")
    parquet(tmp_path, "b.parquet", TABLE.drop_columns(["age"]))
    with pytest.raises(BadRecord, match=r"a\.parquet has a column 'age', b\.parquet has none"):
        open_source(tmp_path)
    parquet(tmp_path, "b.parquet", TABLE.set_column(1, "age", TABLE["age"].cast("string")))
    with pytest.raises(BadRecord, match=r"'age' is int64 in a\.parquet, but string in b\.parquet"):
        open_source(tmp_path)
