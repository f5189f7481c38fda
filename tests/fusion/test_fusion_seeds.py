"""Answers that were drawn with a seed protect nobody, and every number that is made of them says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from untold import fuse
from untold.cli import main
from untold.numeric import MECHANISMS
from untold.randomness import SEEDED, Secure, Seeded

SERVICES = {"bank": fuse.PM(1.0), "shop": fuse.SR(1.0)}
PLAN = """low = -1
high = 1
[services.bank]
mechanism = "pm"
epsilon = 1.0
[services.shop]
mechanism = "sr"
epsilon = 1.0
"""


def table(rng: Any, **more: Any) -> pa.Table:
    columns = [
        (name, i, each) for name, m in SERVICES.items() for i, each in enumerate(m.encode_many(np.zeros(40), rng))
    ]
    names, users, answers = zip(*columns, strict=True)
    return pa.table({"service": names, "user": users, "index": answers, **{k: [v] * 80 for k, v in more.items()}})


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.name)
def test_the_answers_of_a_mechanism_say_that_a_seed_made_them(mechanism: Any) -> None:
    numbers = np.full(3, mechanism.low)
    seeded, secure = (mechanism(1.0).encode_many(numbers, rng) for rng in (Seeded(1), Secure()))
    assert seeded.insecure
    assert repr(seeded).startswith("INSECURE")
    assert seeded[:1].insecure
    assert not hasattr(secure, "insecure")
    assert "INSECURE" not in repr(secure)


def test_what_is_made_of_them_says_so() -> None:
    marked = fuse.load(table(Seeded(1), insecure=True), SERVICES)
    for reports in (marked, marked.pooled(), marked.only("bank")):
        assert SEEDED in fuse.mean(reports).notes
        assert SEEDED in str(fuse.mean(reports))
        found = fuse.distribution(reports, buckets=8, smoothing="none", method="pooled")
        assert found.notes["insecure"] == SEEDED
        assert SEEDED in str(found)
    plain = fuse.load(table(Secure(), insecure=False), SERVICES)
    assert not fuse.mean(plain).notes
    assert SEEDED not in str(fuse.mean(plain)) + str(fuse.distribution(plain, buckets=8, smoothing="none"))


def test_answers_as_they_were_drawn_need_no_column() -> None:
    answers = SERVICES["bank"].encode_many(np.zeros(40), Seeded(1))
    columns = {"user": range(40), "service": ["bank"] * 40, "index": answers}
    assert SEEDED in fuse.mean(fuse.load(columns, {"bank": SERVICES["bank"]})).notes


@pytest.mark.parametrize("form", ["table", "json"])
def test_the_command_says_so(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "means.toml").write_text(PLAN)
    pq.write_table(table(Seeded(1), insecure=True), tmp_path / "reports.parquet")
    given = [str(tmp_path / "means.toml"), str(tmp_path / "reports.parquet"), "--mean-only", "--format", form]
    assert main(["fuse", *given]) == 0
    said = capsys.readouterr().out
    if form == "json":
        assert SEEDED in json.loads(said)["notes"]
    else:
        assert "they protect nobody" in " ".join(said.split())
