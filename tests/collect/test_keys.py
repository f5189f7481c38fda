"""Repeated user keys are found, whatever holds them and however many shares they are read in."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from untold.collect import keys


def as_text(numbers):
    return [f"u{n:09}" for n in numbers]


@pytest.mark.parametrize("share", [1 << 23, 1000])
@pytest.mark.parametrize("stored", ["table", "file"])
@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.string()])
def test_the_least_repeated_key_is_found(share, stored, kind, tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "SHARE", share)
    people = np.random.default_rng(1).permutation(5000)
    for numbers, per_row, repeated in (
        (people, 1, None),
        (np.append(people, [4321, 77]), 1, 77),
        (np.append(people, [4321, 4321]), 2, 4321),
        (np.tile(people, 2), 2, None),
    ):
        values = as_text(numbers) if kind == pa.string() else numbers
        reports = pa.table({"uid": pa.array(values, kind)})
        if stored == "file":
            pq.write_table(reports, tmp_path / "reports.parquet")
            reports = tmp_path / "reports.parquet"
        wanted = as_text([repeated])[0] if kind == pa.string() and repeated is not None else repeated
        assert keys.repeated_key(reports, "uid", per_row) == wanted


def test_negative_keys_keep_their_order():
    assert keys.repeated_key(pa.table({"uid": [3, -5, 3, 9, -5]}), "uid", 1) == -5
