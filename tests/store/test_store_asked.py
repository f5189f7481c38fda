"""The log of questions: opt-in, without names, and not for ever."""

from __future__ import annotations

import json
import stat
import threading
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import untold
from untold.cli import main
from untold.errors import StoreError, UntoldError
from untold.store import asked
from untold.store.asked import QuestionLog, asked_often

PLAN = {
    "name": "p",
    "user_key": "uid",
    "epsilon": 1.0,
    "services": {
        "people": {
            "attributes": {
                "age": {"kind": "ordinal", "low": 0, "high": 99},
                "income": {"kind": "ordinal", "low": 0, "high": 1000, "bins": 20},
                "state": {"kind": "categorical", "values": ["NY", "WA"]},
            }
        }
    },
}


def plain(sql: str, parameters: Any) -> str:
    return sql if parameters is None else f"{sql} {parameters}"


def test_questions_are_counted_and_expire(tmp_path: Path) -> None:
    now = [date(2026, 3, 1)]
    log = QuestionLog(tmp_path / "asked.jsonl", 30, lambda: now[0])
    for sql in ("SELECT 1", "SELECT 2;", " SELECT 1 ", "SELECT 'a  b'"):
        log.note(sql)
    log.note("SELECT ?", [3])
    found = asked_often(log.path, plain, lambda: now[0])
    assert found == [("SELECT 1", 2), ("SELECT 2", 1), ("SELECT 'a  b'", 1), ("SELECT ? [3]", 1)]
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600
    now[0] = date(2026, 3, 20)
    log.note("SELECT 4")
    now[0] = date(2026, 4, 1)
    assert asked_often(log.path, plain, lambda: now[0]) == [("SELECT 4", 1)]  # also before anything is removed
    assert "SELECT 1" in log.path.read_text()
    log.note("SELECT 5")
    assert [json.loads(line)["sql"] for line in log.path.read_text().splitlines()] == ["SELECT 4", "SELECT 5"]


def test_damage_and_size_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "MOST_BYTES", 2000)
    log = QuestionLog(tmp_path / "asked.jsonl")
    for number in range(200):
        log.note(f"SELECT {number}")
    assert log.path.stat().st_size < 2200
    assert asked_often(log.path, plain)[-1] == ("SELECT 199", 1)
    with log.path.open("ab") as file:
        file.write(b'{"sql": 3, "until": "2999-01-01"}\n[]\n\xff\n{"sql": "SELECT')
    assert ("SELECT 199", 1) in asked_often(log.path, plain)
    log.note("x" * 30_000)
    assert log.path.stat().st_size < 2300
    with pytest.raises(StoreError, match="1 to 3650 days"):
        QuestionLog(tmp_path / "asked.jsonl", 0)
    with pytest.raises(StoreError, match="cannot be written"):
        QuestionLog(tmp_path / "nowhere" / "asked.jsonl")
    (tmp_path / "link.jsonl").symlink_to(log.path)
    with pytest.raises(StoreError, match="cannot be written"):
        QuestionLog(tmp_path / "link.jsonl")


def test_several_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    logs = [QuestionLog(path) for _ in range(4)]
    threads = [threading.Thread(target=lambda own=own: [own.note("SELECT 1") for _ in range(50)]) for own in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asked_often(path, plain) == [("SELECT 1", 200)]


def test_a_connection_logs_what_it_answers_and_a_better_plan_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports, path = tmp_path / "reports", tmp_path / "asked.jsonl"
    rows = {"uid": [*range(20)], "age": [30] * 20, "income": [7.5] * 20, "state": ["NY"] * 20}
    untold.perturb(untold.Plan.from_dict(PLAN), "people", pa.table(rows), out=reports, seed=1)
    capsys.readouterr()
    sql = "SELECT COUNT(*) AS n FROM people WHERE age < ?"
    with untold.connect(reports, log=path, log_days=7) as con:
        for _ in range(3):
            con.sql(sql, parameters=[30])
        con.sql("SELECT SUM(income) AS s FROM people WHERE state = 'NY'")
        con.sql("SHOW TABLES")
        with pytest.raises(UntoldError):
            con.sql("SELECT COUNT(*) FROM people WHERE agee < 3")
    assert asked_often(path, plain)[0] == (sql.replace("?", "30"), 3)
    with path.open("a") as file:
        file.write('{"sql": "SELECT COUNT(*) FROM elsewhere", "until": "2999-01-01"}\n')
    improve = ["plan", "improve", str(reports), "--log", str(path), "--out", str(tmp_path / "asked.sql")]
    assert main(improve) == 0
    said = capsys.readouterr().out
    assert "4 questions, 2 of them different" in said
    assert "1 others are left out" in said
    assert "times fewer people" in said
    text = (tmp_path / "asked.sql").read_text()
    assert "-- weight: 3\nSELECT COUNT(*) AS n FROM people WHERE age < 30;" in text
    assert "public plan" in text
    assert main(improve) != 0  # nothing is overwritten
    assert main(["plan", "improve", str(reports), "--questions", str(tmp_path / "asked.sql")]) == 0
