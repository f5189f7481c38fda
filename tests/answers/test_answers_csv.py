"""CSV for people: whatever a device sent and whatever separates cells, no cell is a formula."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untold.answers.csv_file import write_csv

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
HIDDEN = [
    f"x{end}{sign}1+1" for end in (";", ",", "\t", "\n", "\r", '";', ';"', '"', ";;", ';""', "\t;") for sign in SIGNS
]


def cells(path: Path, delimiter: str) -> list[str]:
    with open(path, newline="", encoding="utf-8") as file:
        return [cell for row in csv.reader(file, delimiter=delimiter) for cell in row]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_no_cell_is_a_formula_whatever_separates_cells(delimiter: str, tmp_path: Path) -> None:
    """Behind another text, since quotes are obeyed at the beginning of a line by every reader."""
    name = "n;=1+1"
    table = pa.table({"first": ["NY"] * len(HIDDEN), name: HIDDEN})
    write_csv(table, tmp_path / "safe.csv", spreadsheet=True)
    write_csv(table, tmp_path / "exact.csv", spreadsheet=False)
    assert [cell for cell in cells(tmp_path / "safe.csv", delimiter) if cell.startswith(tuple(SIGNS))] == []
    dangerous = [cell for cell in cells(tmp_path / "exact.csv", delimiter) if cell.startswith(tuple(SIGNS))]
    assert bool(dangerous) == (delimiter != ",")  # or this test could not fail
    undone = [cell.replace("'", "") for cell in cells(tmp_path / "safe.csv", ",")]
    assert undone == cells(tmp_path / "exact.csv", ",")  # nothing but apostrophes was added


def test_a_guard_changes_no_text_that_needs_none(tmp_path: Path) -> None:
    texts = ["plain = text", "a-b", "x; y", "1,2", "it's", "mail@example.org", 'say "hi"', ""]
    write_csv(pa.table({"t": texts}), tmp_path / "safe.csv", spreadsheet=True)
    assert cells(tmp_path / "safe.csv", ",") == ["t", *texts]


@given(
    st.lists(st.tuples(*[st.text(";,\t\r\n\"=+-@' x", max_size=8)] * 2), min_size=1, max_size=4),
    st.sampled_from(",;\t"),
)
def test_texts_of_signs_alone_make_no_formula(rows: list[tuple[str, str]], delimiter: str) -> None:
    """Quotes and separators of several texts together, where a reader may take the inside of one for the outside."""
    to = io.BytesIO()
    write_csv(pa.table({"a": [row[0] for row in rows], "b": [row[1] for row in rows]}), to, spreadsheet=True)
    read = csv.reader(io.StringIO(to.getvalue().decode(), newline=""), delimiter=delimiter)
    assert [cell for row in read for cell in row if cell.startswith(tuple(SIGNS))] == []
